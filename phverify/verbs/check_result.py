"""What a check answers, and certificates read from files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from phverify.budget import Deadline as Clock
from phverify.budget import OutOfTime, Tell, within
from phverify.errors import BudgetExceeded, refusal
from phverify.microdata.files import existing_file
from phverify.result import Result
from phverify.spec.command import MALFORMED, parsed
from phverify.spec.data import Refused
from phverify.spec.source import File, Names, Plain
from phverify.words import plural

Verdict = Literal["accepted", "refused", "undecided"]


@dataclass(frozen=True)
class CheckResult(Result):
    """``verdict`` with what was verified; refused or undecided because of ``problem``.

    ``unmet`` says what an accepted certificate does not hold of what was required of
    it.
    """

    verb = "check"

    verdict: Verdict
    verified: Names
    problem: str = ""
    unmet: Names = ()

    @property
    def accepted(self) -> bool:
        """Whether what the certificate claims is so; not that it claims what was
        required.
        """
        return self.verdict == "accepted"

    def counted(self) -> str:
        """How many claims were verified."""
        verified = f"{plural(len(self.verified), 'claim')} verified"
        if not self.unmet:
            return verified
        return f"{verified}, {len(self.unmet)} unmet"


def gathered(
    claims: Iterator[str], progress: Tell, clock: Clock, unfit: str = ""
) -> CheckResult:
    """The result of verifying claim after claim; ``unfit`` says what is wrong after the
    first ones held.
    """
    verified: list[str] = []
    verdict: Verdict = "refused"
    try:
        with within(clock.left()):
            for line in claims:
                progress(line)
                verified.append(line)
        return CheckResult("accepted", tuple(verified))
    except Refused as error:
        problem = f"{unfit if len(verified) > 1 else ''}{error}"
    except MALFORMED as error:
        problem = f"the certificate is malformed: {type(error).__name__} {error}"
    except (OutOfTime, BudgetExceeded):
        verdict = "undecided"
        over = clock.seconds is not None
        if over:
            problem = f"the budget of {clock.seconds:g} s ran out"
        else:
            problem = "a solver's time ran out"
    return CheckResult(verdict, tuple(verified), problem)


def loaded(certificate: File | Plain, kinds: Names) -> Plain:
    """A certificate of one of these kinds.  Raises InputError for a file that is
    none.
    """
    content: Any = certificate
    where = "certificate"
    if isinstance(certificate, Mapping):
        if (
            "kind" in certificate
        ):  # one of another kind is refused, like any other false claim
            return certificate
    else:
        file = existing_file(certificate, "certificate")
        where = str(file)
        try:
            content = parsed(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise refusal(where, f"cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            raise refusal(where, f"is no JSON: {error}") from None
    if not isinstance(content, Mapping) or content.get("kind") not in kinds:
        hint = (
            "phverify verify --certificate FILE or phverify search --certificate FILE"
            " writes one"
        )
        raise refusal(where, "is no certificate", hint)
    return content
