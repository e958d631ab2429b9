"""What a check answers, and certificates read from files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import file_digest
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from phverify.budget import Deadline as Clock
from phverify.budget import OutOfTime, Tell, within
from phverify.constraints.agree import NoSecondSolver
from phverify.errors import BudgetExceeded, refusal
from phverify.microdata.files import existing_file
from phverify.result import Result
from phverify.spec.command import MALFORMED, parsed
from phverify.spec.data import Refused
from phverify.spec.source import File, Names, Plain
from phverify.words import plural

Verdict = Literal["accepted", "refused", "undecided"]


WRITTEN = (
    "phverify verify --certificate FILE or phverify search --certificate FILE writes"
    " one"
)
"""Where certificates come from."""


@dataclass(frozen=True)
class CheckedFile:
    """A file that a check was given: what as, its name, its SHA-256 when the check
    began, and how many bytes it has.
    """

    role: str
    name: str
    sha256: str
    size: int


@dataclass(frozen=True)
class CheckResult(Result):
    """``verdict`` with what was verified; refused or undecided because of ``problem``,
    which is about the claim after the last one verified.

    ``unmet`` says what an accepted certificate does not hold of what was required of
    it.  ``kind`` is what the certificate says that it is, ``files`` are those given.
    """

    verb = "check"
    drawn = True

    verdict: Verdict
    verified: Names
    problem: str = ""
    unmet: Names = ()
    kind: str = ""
    files: tuple[CheckedFile, ...] = ()

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


def checked_files(given: Mapping[str, object]) -> tuple[CheckedFile, ...]:
    """What the files are that a check is given, by what they are given as.

    Nothing is said of what is only in memory, in many files, or cannot be read: whoever
    reads it says why.
    """
    files = []
    for role, one in given.items():
        if isinstance(one, str | PathLike) and Path(one).is_file():
            with suppress(OSError), Path(one).open("rb") as stream:
                digest = file_digest(stream, "sha256").hexdigest()
                files.append(CheckedFile(role, str(one), digest, stream.tell()))
    return tuple(files)


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
    except NoSecondSolver as error:
        verdict = "undecided"
        problem = str(error)
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
        file = existing_file(certificate, "certificate", "a path or a dictionary")
        where = str(file)
        try:
            content = parsed(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise refusal(where, f"cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            raise refusal(where, f"is no JSON: {error}", WRITTEN) from None
    if not isinstance(content, Mapping) or content.get("kind") not in kinds:
        raise refusal(where, "is no certificate", WRITTEN)
    return content
