"""Every error that a user can cause: what is wrong, where, and how to mend it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""What would break a line, colour it, turn it around or stand in it unseen: line ends,
escapes, marks of direction, characters without width.
"""


HIDDEN = "(hidden)"
"""What stands in place of a value of the data where it is not to be shown."""
NAMELESS = "is the name of a file, and it is empty"
"""What is wrong where a script passes a name that it has not got."""


def printable(line: str) -> str:
    """One line that stays one line: no value and no name can pass for a verdict."""
    return CONTROLS.sub(_escape, line)


def _escape(control: re.Match[str]) -> str:
    # Visible, and what it was can still be read.
    escaped = control[0].encode("unicode_escape")
    return escaped.decode("ascii")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the input.

    ``where`` names the place (a file, a rule, a line), ``what`` says what is wrong and
    ``hint`` the nearest right thing.  ``private`` marks a problem that quotes values of
    the data: ``--redact`` then leaves out the hint and everything in quotes, or says
    what ``redacted`` has in place of the whole.
    """

    where: str
    what: str
    hint: str = ""
    private: bool = False
    redacted: Problem | None = None

    def text(self, redact: bool = False) -> str:
        """The problem in lines; ``redact`` hides what a private one quotes."""
        if redact and self.redacted is not None:
            return self.redacted.text()
        # a hint may quote values too
        hide = redact and self.private
        what, where = self.what, self.where
        if redact:
            from phverify.errors.redaction import unnamed

            where = unnamed(where)
        if hide:
            from phverify.errors.redaction import hidden

            what = hidden(what)
        if where:
            what = f"{where}: {what}"
        if hide or not self.hint:
            return what
        # A hint of several lines stays below its problem.
        hint = self.hint.replace("\n", "\n    ")
        return f"{what}\n    {hint}"


Problems = list[Problem]


class PhverifyError(Exception):
    """Base of all errors raised on purpose."""


class InputError(PhverifyError):
    """The input is wrong.  Carries all problems found, not only the first one."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        if isinstance(problems, Problem):
            problems = (problems,)
        self.problems = tuple(problems)
        texts = [problem.text() for problem in self.problems]
        # Whoever only prints the error sees all problems, too.
        message = "\n".join(texts)
        super().__init__(message)


class Contradiction(InputError):
    """Assumptions that no model of a release meets."""


def refusal(where: str, what: str, hint: str = "", private: bool = False) -> InputError:
    """The error that one thing is wrong."""
    return InputError(Problem(where, what, hint, private))


class BudgetExceeded(PhverifyError):
    """The time budget ran out before the question was settled."""


class Defect(PhverifyError):
    """phverify contradicted itself: a defect in phverify, never a verdict."""


def nearest(name: str, known: Iterable[object], say: str = "known") -> str:
    """A hint that names the closest known names, or lists some of them."""
    # Who makes no mistake loads nothing of this.
    from phverify.errors.near import nearest

    return nearest(name, known, say)
