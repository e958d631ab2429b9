"""How one statement becomes what is learned: read, executed, and written as
constraints.

A statement of the audited fragment is taken as it stands; another one as statements of
the fragment that together say exactly as much (``normal``), or else as some that say at
least as much (``bounding``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from phverify.constraints import terms as t
from phverify.disclosure.bounding import (
    Levels,
    bounded,
    explained,
    for_any_values,
    with_nulls,
)
from phverify.disclosure.histories.settings import EXACTLY, Published
from phverify.disclosure.log import sql
from phverify.disclosure.log.alike_names import alike
from phverify.disclosure.log.ambiguous import ambiguous
from phverify.disclosure.log.query import SqlQuery, columns, quoted
from phverify.disclosure.log.silent import silent, sizes
from phverify.disclosure.log.sources import QueryScope, Unsupported
from phverify.disclosure.log.sql_text import Ambiguous, quiet
from phverify.disclosure.log.statements import KeptAnswer
from phverify.disclosure.normal import exact
from phverify.disclosure.normal.context import Context
from phverify.disclosure.normal.settling import Settled, settled
from phverify.disclosure.understood import ANSWERED, BOUNDED, Understood
from phverify.disclosure.unfilled import require_values, with_signs
from phverify.disclosure.worlds.aggregates import Helper
from phverify.disclosure.worlds.constraints import Effect, effect, signature
from phverify.disclosure.worlds.database import (
    Database,
    Otherwise,
    Rows,
    database_error,
)
from phverify.disclosure.worlds.kept_answers import Answers, contradiction
from phverify.disclosure.worlds.relation import relation
from phverify.disclosure.worlds.unknowns import AuditFrame


@dataclass(frozen=True, eq=False)
class Understanding:
    """What statements are read by: the names they may use, the table, the database."""

    scope: QueryScope
    frame: AuditFrame
    source: Database
    published: Published = EXACTLY

    def answered(self, text: str, number: int, kept: KeptAnswer | None) -> Understood:
        """What one statement says that was answered so, as ``of`` has it.

        ``kept`` is the answer where it was kept.  Raises Unsupported, and Contradicted
        where the table has another answer.
        """
        if kept is None and self.published.exact:
            return self.of(text, number)
        answers = Answers(self.source, self.published)
        settled = self.settled(text)
        try:
            # The table's answer to what is read otherwise here is not the log's.
            if settled.rough:
                raise Unsupported(settled.rough)
            return self.given(settled.text, number, kept, answers)
        except Unsupported as error:
            if error.final:
                raise
            first = error

        # In another form the table's own answer is taken, and says at least as much.
        found = self.of(text, number)
        rounded = not self.published.exact
        if kept is not None and (rounded or settled.rough):
            raise first
        if rounded and found.status == ANSWERED:
            says = f"its answer without rounding or noise (as it stands {first})"
            return replace(found, answer=(), status=BOUNDED, says=says)
        if kept is not None:
            require_values(settled, "so that its kept answer cannot be compared")
        with _refusing():
            answers.check(settled.text, kept)
        return found

    def require_integers(self, query: SqlQuery) -> None:
        """Raises Unsupported where rounded answers are about other numbers: their
        ranges are of values, and cells are counted in units.
        """
        if self.published.exact:
            return
        domains = self.frame.policy.sensitive
        for name in columns(query):
            domain = domains.get(name)
            if domain is not None and domain.scaled:
                raise Unsupported(
                    f"answers that are rounded are audited for integers, and {name} has"
                    " other values"
                )

    def given(
        self, text: str, number: int, kept: KeptAnswer | None, answers: Answers
    ) -> Understood:
        """What a statement of the fragment says, with the answer as it was published.

        Raises Unsupported.
        """
        query = sql.parse(text, self.scope)
        self.checked(text)
        self.require_integers(query)
        with _refusing():
            over = relation(query, self.frame, self.source)
            present = tuple(self.source.agreed(text))
            answer = answers.given(query, text, present, kept)
        said = effect(query, answer, over, number)
        # A mean of another engine may be no double that the table has.
        if said.broken(self.frame.assignment(self.frame.truth)):
            raise contradiction(present, answer)
        seen = signature(query, answer, over)
        return Understood(answer, said, seen, [(text, answer)])

    def of(self, text: str, number: int) -> Understood:
        """What one statement says; ``number`` is its own in the log.

        Raises Unsupported where it is not understood.
        """
        settled = self.settled(text)
        try:
            require_values(settled)
            return self.exactly(settled, number)
        except Unsupported as error:
            if error.final:
                raise
            first = error
        # Why it is none of the fragment is the first thing to mend, whatever it is
        # taken for.
        here = settled.dialect == "duckdb"
        if here and not explained(settled.own):
            try:
                self.checked(settled.own)
            except Unsupported:
                raise first from None
        try:
            found = self.bounded(settled, number)
        except Unsupported as error:
            if error.final:
                raise
            if str(error) == str(first):
                raise first from None
            raise Unsupported(f"{first}; nor is it bounded: {error}") from None
        return replace(found, says=f"{found.says} (as it stands {first})")

    def exactly(self, settled: Settled, number: int) -> Understood:
        """What a statement says exactly.

        Raises Unsupported where that is not known.
        """
        if settled.rough:
            # its answer there is not the one of the log
            raise Unsupported(settled.rough)
        text = settled.text
        try:
            return self.learned(text, [text], number, ANSWERED)
        except Unsupported as error:
            if error.final:
                raise
            first = error
        try:
            return self.learned(text, self.parts(exact, text), number, ANSWERED)
        except Unsupported:
            # Why it is none of the fragment says more than why it has no other form.
            raise first from None

    def bounded(self, settled: Settled, number: int) -> Understood:
        """What a statement says at most, read in its own dialect.

        Raises Unsupported where that is not known, and Silent where it is nothing.
        """
        text, dialect = settled.own, settled.dialect
        shown = explained(text)
        parts: list[str] = []
        said: list[str] = []
        # what it names is settled once it is known where it begins
        asked = self.settled(shown).own if shown else text
        plan = bool(shown)
        # Whatever values were filled in: this tells as much.
        any_ = for_any_values(asked, self.scope, dialect)
        asked = any_ or asked
        for levels in bounded(
            asked, self.scope, self.source, plan, dialect, bool(any_)
        ):
            level, says = self.first(levels, number)
            parts += level
            said.append(says)
        once = dict.fromkeys(said)
        says = "; and ".join(once)
        if not shown and dialect == "duckdb":
            # That the database has an answer is all that is asked of it.
            self.answer(with_nulls(shown or text), ())
        if any_:
            says += ", whatever values were filled in"
        return self.learned(text, parts, number, BOUNDED, says)

    def first(self, levels: Levels, number: int) -> tuple[Sequence[str], str]:
        """The first of some levels that is understood, as statements of the fragment.

        Raises Unsupported where none is.
        """
        why = Unsupported("no statement is known that says as much")
        for level in levels:
            try:
                parts: list[str] = []
                for part in level.parts:
                    parts += self.read(part)
                self.learned(parts[0], parts, number, BOUNDED)
            except Unsupported as error:
                why = error
            else:
                return parts, level.says
        raise Unsupported(str(why))

    def read(self, part: str) -> Sequence[str]:
        """A statement as it stands, or its exact normal form."""
        try:
            sql.parse(part, self.scope)
        except Unsupported:
            return exact(part, self.scope, self.source)
        return [part]

    def settled(self, text: str) -> Settled:
        """A statement as DuckDB reads it about the policy's tables.

        Raises Unsupported, Silent among them.
        """
        reason = ambiguous(text)
        if reason:
            raise Ambiguous(reason)
        policy = self.frame.policy
        told = sizes(text, policy.dialect)
        if told:
            # they follow from all cells, as what a plan shows does
            plan = f"EXPLAIN SELECT * FROM {quoted(policy.table)}"
            return Settled("", told, plan, policy.dialect)
        silent(text, policy.dialect)
        quiet()
        self.require_names(text)
        named = policy.names.items()
        names = {name.lower(): table for name, table in named}
        context = Context(self.scope, self.source)
        dialect = policy.dialect
        text = with_signs(text, dialect or "duckdb", self.source)
        return settled(text, context, dialect, names, policy.views)

    def require_names(self, text: str) -> None:
        """Raises Unsupported for names that are alike, but where DuckDB alone reads a
        statement as it stands.
        """
        reason = alike(text, self.scope.names)
        if not reason:
            return
        if self.frame.policy.dialect not in ("", "duckdb"):
            raise Ambiguous(reason)
        try:
            sql.parse(text, self.scope)
        except Unsupported:
            raise Ambiguous(reason) from None

    def parts(self, rewrite: Callable[..., Sequence[str]], text: str) -> Sequence[str]:
        """A statement as some of the fragment.

        Raises Unsupported where the database refuses it.
        """
        self.checked(text)
        scope = self.scope
        return rewrite(text, scope, self.source)

    def checked(self, text: str) -> None:
        """Raises Unsupported for what the database does not read as one SELECT."""
        try:
            kinds = self.source.kinds(text)
        except database_error() as error:
            raise _refused(error) from None
        # read otherwise by the database it would be another query's answer
        if kinds != ["SELECT"]:
            raise Unsupported(
                "the database reads this as something else than one SELECT"
            )

    def queried(self, part: str) -> tuple[SqlQuery, Rows]:
        """A statement of the fragment as a query, with its answer.

        Raises Unsupported.
        """
        query = sql.parse(part, self.scope)
        self.checked(part)
        return query, self.answer(part, ())

    def learned(
        self,
        text: str,
        parts: Sequence[str],
        number: int,
        status: str,
        says: str = "",
    ) -> Understood:
        """What some statements of the fragment say that stand for ``text``."""
        effects: list[Effect] = []
        seen: list[list[Hashable]] = []
        asked: list[tuple[str, Rows]] = []
        for place, part in enumerate(parts):
            query, answer = self.queried(part)
            with _refusing():
                over = relation(query, self.frame, self.source)
            effects.append(effect(query, answer, over, number, place))
            seen.append(signature(query, answer, over))
            asked.append((part, answer))
        # The answer to what is bounded says less than what it is taken for.
        exactly = status == ANSWERED
        whole = self.answer(text, asked) if exactly else ()
        if exactly and list(parts) != [text]:
            asked.append((text, whole))
        rows: Sequence[Hashable] = list(zip(*seen, strict=True))
        rows = rows or [()] * self.frame.rows
        return Understood(whole, _together(effects, number), rows, asked, status, says)

    def answer(self, text: str, asked: Sequence[tuple[str, Rows]]) -> tuple[Any, ...]:
        """The answer to a statement, which may be known already."""
        for part, answer in asked:
            if part == text:
                return tuple(answer)
        with _refusing():
            return tuple(self.source.agreed(text))


@contextmanager
def _refusing() -> Iterator[None]:
    """Errors of the database, and answers of engines that differ, as Unsupported."""
    try:
        yield
    except database_error() as error:
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
    all_terms = tuple(terms)
    return Effect(all_terms, tuple(helpers), number)


def _refused(error: BaseException) -> Unsupported:
    """What is said of a statement that the database does not execute."""
    return Unsupported(f"the database reports an error: {str(error).splitlines()[0]}")
