"""How one statement becomes what is learned: read, executed, and written as
constraints.

A statement of the audited fragment is taken as it stands; another one as statements of
the fragment that together say exactly as much (``normal``), or else as some that say at
least as much (``bounding``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from phverify.constraints import terms as t
from phverify.disclosure.bounding import bounded
from phverify.disclosure.log import sql
from phverify.disclosure.log.sources import QueryScope, Unsupported
from phverify.disclosure.normal import exact
from phverify.disclosure.worlds.aggregates import Helper
from phverify.disclosure.worlds.constraints import Effect, effect, signature
from phverify.disclosure.worlds.database import Database, Otherwise, Rows
from phverify.disclosure.worlds.relation import relation
from phverify.disclosure.worlds.unknowns import AuditFrame

ANSWERED = "answered"
BOUNDED = "bounded"


@dataclass(frozen=True, eq=False)
class Understood:
    """What a statement says.

    ``status`` is ``answered`` where ``effect`` holds in exactly the worlds with this
    ``answer``, and ``bounded`` where it may rule out some of them, too.
    ``seen`` is what it sees of each row of the table beside the sensitive cells;
    ``asked`` are the statements, with their answers, that hold in all worlds of
    ``effect``.
    """

    answer: tuple[Any, ...]
    effect: Effect
    seen: Sequence[Hashable]
    asked: Sequence[tuple[str, Rows]]
    status: str = ANSWERED


@dataclass(frozen=True, eq=False)
class Understanding:
    """What statements are read by: the names they may use, the table, the database."""

    scope: QueryScope
    frame: AuditFrame
    source: Database

    def of(self, text: str, number: int) -> Understood:
        """What one statement says; ``number`` is its own in the log.

        Raises Unsupported where it is not understood.
        """
        try:
            return self.learned(text, [text], number, ANSWERED)
        except Unsupported as error:
            if error.final:
                raise
            first = error
        for status, rewrite in (ANSWERED, exact), (BOUNDED, bounded):
            try:
                return self.learned(text, self.parts(rewrite, text), number, status)
            except Unsupported:
                continue
        # why it is none of the fragment says more than why it has no other form
        raise first

    def parts(self, rewrite: Callable[..., Sequence[str]], text: str) -> Sequence[str]:
        """A statement as some of the fragment.

        Raises Unsupported where the database refuses it.
        """
        self.checked(text)
        return rewrite(text, self.scope, self.source)

    def checked(self, text: str) -> None:
        """Raises Unsupported for what the database does not read as one SELECT."""
        try:
            kinds = self.source.kinds(text)
        except _error() as error:
            raise _refused(error) from None
        # read otherwise by the database it would be another query's answer
        if kinds != ["SELECT"]:
            raise Unsupported(
                "the database reads this as something else than one SELECT"
            )

    def learned(
        self, text: str, parts: Sequence[str], number: int, status: str
    ) -> Understood:
        """What some statements of the fragment say that stand for ``text``."""
        effects: list[Effect] = []
        seen: list[list[Hashable]] = []
        asked: list[tuple[str, Rows]] = []
        for place, part in enumerate(parts):
            query = sql.parse(part, self.scope)
            self.checked(part)
            try:
                over = relation(query, self.frame, self.source)
                answer = tuple(self.source.agreed(part))
            except _error() as error:
                raise _refused(error) from None
            except Otherwise as error:
                raise Unsupported(str(error)) from None
            effects.append(effect(query, answer, over, number, place))
            seen.append(signature(query, answer, over))
            asked.append((part, answer))
        whole = self.answer(text, asked)
        if list(parts) != [text]:
            asked.append((text, whole))
        rows: Sequence[Hashable] = list(zip(*seen, strict=True))
        rows = rows or [()] * self.frame.rows
        return Understood(whole, _together(effects, number), rows, asked, status)

    def answer(self, text: str, asked: Sequence[tuple[str, Rows]]) -> tuple[Any, ...]:
        """The answer to a statement, which may be known already."""
        for part, answer in asked:
            if part == text:
                return tuple(answer)
        try:
            return tuple(self.source.agreed(text))
        except _error() as error:
            raise _refused(error) from None
        except Otherwise as error:
            raise Unsupported(str(error)) from None


def _together(effects: Sequence[Effect], number: int) -> Effect:
    """What several statements say together, as one of the log."""
    terms: list[t.Term] = []
    helpers: list[Helper] = []
    for one in effects:
        terms += one.terms
        helpers += one.helpers
    return Effect(tuple(terms), tuple(helpers), number)


def _refused(error: BaseException) -> Unsupported:
    """What is said of a statement that the database does not execute."""
    return Unsupported(f"the database reports an error: {str(error).splitlines()[0]}")


def _error() -> Any:
    """What the database raises; loaded here, so that other verbs need no DuckDB."""
    import duckdb

    return duckdb.Error
