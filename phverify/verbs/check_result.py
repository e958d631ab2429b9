"""What a check answers, and certificates read from files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from phverify.budget import Deadline as Clock
from phverify.budget import OutOfTime, Tell, within
from phverify.errors import BudgetExceeded, refusal
from phverify.microdata.read import existing_file
from phverify.result import Result
from phverify.spec.command import MALFORMED, parsed
from phverify.spec.data import Refused
from phverify.spec.source import File, Names, Plain

Verdict = Literal["accepted", "refused", "undecided"]


@dataclass(frozen=True)
class CheckResult(Result):
    """``verdict`` with what was verified; refused or undecided because of ``problem``.

    ``unmet`` says what an accepted certificate does not hold of what was required of it.
    """

    verb = "check"

    verdict: Verdict
    verified: Names
    problem: str = ""
    unmet: Names = ()

    @property
    def accepted(self) -> bool:
        """Whether what the certificate claims is so; not that it claims what was required."""
        return self.verdict == "accepted"


def gathered(claims: Iterator[str], progress: Tell, clock: Clock, unfit: str = "") -> CheckResult:
    """The result of verifying claim after claim; ``unfit`` says what is wrong after the first ones held."""
    verified: list[str] = []
    try:
        with within(clock.left()):
            for line in claims:
                progress(line)
                verified.append(line)
    except Refused as error:
        return CheckResult("refused", tuple(verified), f"{unfit if len(verified) > 1 else ''}{error}")
    except MALFORMED as error:
        return CheckResult("refused", tuple(verified), f"the certificate is malformed: {type(error).__name__} {error}")
    except (OutOfTime, BudgetExceeded):
        return CheckResult("undecided", tuple(verified), _over(clock))
    return CheckResult("accepted", tuple(verified))


def _over(clock: Clock) -> str:
    return "a solver's time ran out" if clock.seconds is None else f"the budget of {clock.seconds:g} s ran out"


def loaded(certificate: File | Plain, kinds: Names) -> Plain:
    """A certificate of one of these kinds.  Raises InputError for a file that is none."""
    if isinstance(certificate, Mapping):  # one of another kind is refused, like any other false claim
        return certificate if "kind" in certificate else _kind(certificate, "certificate", kinds)
    file = existing_file(certificate, "certificate")
    try:
        found = parsed(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise refusal(str(file), f"cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise refusal(str(file), f"is no JSON: {error}") from None
    return _kind(found, str(file), kinds)


def _kind(found: Any, where: str, kinds: Names) -> Plain:
    """What was found, if it is a certificate of one of these kinds.  Raises InputError."""
    if not isinstance(found, Mapping) or found.get("kind") not in kinds:
        hint = "phverify verify --certificate FILE or phverify search --certificate FILE writes one"
        raise refusal(where, "is no certificate", hint)
    return found
