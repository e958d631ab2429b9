"""Every error that a user can cause: what is wrong, where, and how to mend it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

_QUOTED = re.compile(
    r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?!\w)""", re.DOTALL
)
"""A text as ``repr`` writes it."""
_MARK = re.compile(r"""(?<!\w)['"]|['"](?!\w)""")
_ANYTHING = re.compile(r"""['"].*['"]""", re.DOTALL)
"""From the first quote to the last."""


def hidden(text: str) -> str:
    """A sentence without what it quotes."""
    shown = _QUOTED.sub("(hidden)", text)
    if _MARK.search(shown):  # quotes stand in values, and where one ends is open
        return _ANYTHING.sub("(hidden)", text)
    return shown


CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""What would break a line, colour it, turn it around or stand in it unseen: line ends,
escapes, marks of direction, characters without width.
"""


HIDDEN = "(hidden)"
"""What stands in place of a value of the data where it is not to be shown."""


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
        what = self.what
        if hide:
            what = hidden(what)
        if self.where:
            what = f"{self.where}: {what}"
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


def refusal(where: str, what: str, hint: str = "", private: bool = False) -> InputError:
    """The error that one thing is wrong."""
    return InputError(Problem(where, what, hint, private))


class BudgetExceeded(PhverifyError):
    """The time budget ran out before the question was settled."""


class Defect(PhverifyError):
    """phverify contradicted itself: a defect in phverify, never a verdict."""


def close(name: str, known: Iterable[str]) -> list[str]:
    """The one or two known names that are written almost like this one, the closest
    first; case does not matter.
    """
    spelled: dict[str, list[str]] = {}
    for one in known:
        spelled.setdefault(one.casefold(), []).append(one)
    # A key of a dictionary may be a number, where a name belongs.
    alike = difflib.get_close_matches(str(name).casefold(), spelled, n=2, cutoff=0.6)
    return [one for key in alike for one in spelled[key]][:2]


def nearest(name: str, known: Iterable[object], say: str = "known") -> str:
    """A hint that names the closest known names, or lists some of them."""
    names = [str(k) for k in known]
    alike = close(name, names)
    if alike:
        any_of_them = " or ".join(map(repr, alike))
        return f"did you mean {any_of_them}?"
    if not names:
        if say.endswith("s"):
            return f"there are no {say}"
        return f"nothing is {say}"
    listed = ", ".join(map(repr, names[:8]))
    more = len(names) - 8
    if more > 0:
        listed = f"{listed} and {more} more"
    return f"{say}: {listed}"


def no_column(where: str, name: str, columns: Iterable[object]) -> Problem:
    """A table without a column that is asked for."""
    return Problem(
        where, f"there is no column {name!r}", nearest(name, columns, "its columns")
    )
