"""What is wrong with a formula, and where: line, column, a caret under the place."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from phverify.errors import Problem, Problems, nearest
from phverify.spec import syntax as s
from phverify.spec.tokens import plain

if TYPE_CHECKING:
    from phverify.spec.names import Mistake
    from phverify.spec.signature import Signature
    from phverify.spec.tokens import Tokens

UNSAID = {"never_known", "pignistic", "clauses", "⟨", "⟩"}
"""Tokens that are not offered where something else stands."""
MOST = 100
"""Of one formula, so many problems are told; the others are counted."""
WIDTH = 200
"""Of a longer line of a formula, so many characters around the place are shown."""


@lru_cache(maxsize=8)
def _line_starts(text: str) -> list[int]:
    """Where the lines of a text begin; kept, because a text may have many problems."""
    ends = re.finditer("\n", text)
    return [0, *(end.end() for end in ends)]


def marked(
    text: str, span: s.Span | None, what: str, where: str, hint: str = ""
) -> Problem:
    """A problem that points at a place in a formula."""
    position = span.start if span else 0
    starts = _line_starts(text)
    line = bisect_right(starts, position)
    start = starts[line - 1]
    end = starts[line] - 1 if line < len(starts) else len(text)

    picture = _picture(text, start, position, end)
    place = f"line {line}, column {position - start + 1}"
    shown = f"{picture}\n{hint}" if hint else picture
    return Problem(where, f"{place}: {what}", shown, private=True)


def told(mistakes: Sequence[Mistake], where: str, text: str) -> Problems:
    """Mistakes in a formula as problems; of very many the rest as a number."""
    problems = []
    for span, what, hint in mistakes[:MOST]:
        # The search for near names is the slow part of a mistake.
        said = hint if isinstance(hint, str) else _nearest(*hint)
        problems.append(marked(text, span, what, where, said))
    untold = len(mistakes) - MOST
    if untold > 0:
        problems.append(Problem(where, f"{untold:,} more things are wrong"))
    return problems


def _nearest(name: str, known: Iterable[object], say: str, unseen: bool = False) -> str:
    """The nearest known names; of an original that is ``unseen`` it may be one."""
    said = nearest(name, known, say)
    if unseen:
        said += "\nif all records with it were withheld, --original tells of them"
    return said


def _picture(text: str, start: int, position: int, end: int) -> str:
    """A line with a caret below the place; a long line in part."""
    first, last = start, end
    if end - start > WIDTH:
        first = max(start, position - WIDTH // 2)
        last = min(end, position + WIDTH // 2)
    before = ".. " if first > start else ""
    after = " .." if last < end else ""
    shown = text[first:last].replace("\t", " ")
    indent = " " * (len(before) + position - first)
    return f"{before}{shown}{after}\n{indent}^"


def misfit(tokens: Tokens) -> tuple[int, str, str]:
    """Where something does not fit, what is wrong there, and what could stand there."""
    text = tokens.text
    wanted = sorted(tokens.asked - UNSAID)
    hint = f"expected {_listed(wanted)}" if wanted else ""
    before = re.search(r"(\w+)\s*$", text[: tokens.at])
    written = criterion_hint(before[1]) if before is not None else ""
    hint = written or likelihood_hint(text) or decimal_hint(text, tokens.at) or hint
    if tokens.at == len(text):
        # Something is missing behind the last word, not behind the spaces.
        return len(text.rstrip()), "the formula ends too early", hint
    token = _any_token(tokens)
    what = f"{token!r} does not fit here"
    if not token:
        what = f"cannot read {text[tokens.at]!r} here"
    return tokens.at, what, hint


def _any_token(tokens: Tokens) -> str:
    """The next token, whatever it is; "" where none begins."""
    for pattern in tokens.kinds.values():
        token = pattern.match(tokens.text, tokens.at)
        # The pattern of the end matches nothing.
        if token is not None and token[0]:
            return token[0]
    return ""


def _listed(items: list[str]) -> str:
    *others, last = items
    if not others:
        return last
    return f"{', '.join(others)} or {last}"


def decimal_hint(text: str, place: int) -> str:
    """What is said of a comma between digits where no comma may stand.

    With three digits behind it, it may separate thousands: nothing is guessed.
    """
    whole = re.search(r"\d+$", text[:place])
    decimals = re.match(r",(\d{1,2}|\d{4,})(?!\d)", text[place:])
    if whole is None or decimals is None:
        return ""
    return f"write {whole[0]}.{decimals[1]}: decimals begin with a point"


def criterion_hint(word: str) -> str:
    """How a criterion is written, of a word that is called as one is; else ""."""
    from phverify.spec.criterion.asked import usage
    from phverify.spec.criterion.registry import is_known

    return usage(word) if is_known(word) else ""


def likelihood_hint(text: str) -> str:
    """What is said of a criterion that reads as the likelihood of an agent."""
    hint = ""
    for name in re.findall(r"\bl_\w+(?=\s*\()", text):
        if _nearly_diversity(name):
            hint = (
                f"did you mean 'l_diversity'? ({name} reads as the likelihood of an"
                f" agent {name[2:]!r})"
            )
    return hint


def _nearly_diversity(name: str) -> bool:
    if name == "l_diversity":
        return False
    return bool(difflib.get_close_matches(name, ["l_diversity"], cutoff=0.7))


def nobody(language: Signature, name: s.Name) -> tuple[str, str]:
    """What is wrong with a nominal that refers to nobody, or to two, and a hint."""
    text = name.text
    if text in language.index:
        number = language.index[text] + 1
        letter = "record" if text[0] == "d" else "individual"
        what = (
            f"{text!r} is the identifier of individual {number},"
            f" and reads as {letter} {plain(text[1:])}"
        )
        return what, f"write '{text}' in single quotes for the identifier"

    if written := criterion_hint(text):
        return f"{text} is a criterion, and is written with parentheses", written
    what = f"unknown individual {text!r}"
    if re.fullmatch("[a-z]", text) and not name.quoted:
        return what, f"to speak of everyone: forall {text}: .."
    if language.names:
        return what, nearest(text, language.names, "individuals")
    people = f"individuals are i1 to i{language.individuals}"
    return what, f"{people}, records d1 to d{language.rows}"
