"""A policy meets its data: columns typed, names looked up, individuals found, criteria
built.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from phverify.errors import Defect, InputError, Problem, Problems
from phverify.microdata.explained import Sanitization
from phverify.microdata.hierarchy import Hierarchies, Hierarchy, read_hierarchy
from phverify.microdata.hierarchy import build as build_hierarchy
from phverify.microdata.quotient import Quotient, quotient
from phverify.microdata.table import (
    CellCounts,
    Coded,
    CodedColumn,
    CodedTable,
    RowsElsewhere,
)
from phverify.policy.agent import agents as all_agents
from phverify.policy.bound_formulas import BoundFormulas, Rule
from phverify.policy.cautions import exposed, identified, unclear_index, unreached
from phverify.policy.model import Policy
from phverify.policy.origins import (
    ReleaseOrigin,
    ReleaseSignature,
    individuals,
    origin_of,
)
from phverify.policy.typed_columns import canonical, present, require_one_kind, typed
from phverify.spec import syntax as s
from phverify.spec.builders import Builder
from phverify.spec.data import domain, fitting
from phverify.spec.safety import Secrets
from phverify.spec.signature import Attribute, Signature
from phverify.spec.source import Names
from phverify.spec.types import TEXT
from phverify.symbolic.places import Places, named_elsewhere
from phverify.symbolic.release import SymbolicRelease


@dataclass(frozen=True, eq=False)
class BoundPolicy:
    """Everything that ``decide`` needs."""

    release: SymbolicRelease
    rules: tuple[Rule, ...]
    assumptions: Mapping[str, s.Formula]
    sanitized: Sanitization | None
    warnings: Names
    notes: Names
    secrets: Secrets
    identified: str = ""
    """The identifier column, where the release still carries it."""


def bind(
    policy: Policy,
    table: CodedTable,
    original: CodedTable | None,
    only: Names = (),
    known: Iterable[Problem] = (),
    *,
    names: Sequence[str] | None = None,
    spelled: Coded | None = None,
    paths: Hierarchies | None = None,
    numbered: bool = False,
    unsanitized: bool = False,
) -> BoundPolicy:
    """Match a policy with a release (and the original table).

    ``names`` are the individuals' names where they are not those of the identifier
    column, and ``numbered`` says that they are their numbers in another table; the
    labels of ``spelled`` may be written in formulas even where they no longer occur.
    ``paths`` are the hierarchies, where they have been read before; an ``unsanitized``
    table is its own original. Raises InputError
    with all problems found, those of the policy that are ``known`` already among them.
    """
    problems = [*known]
    # What a search is asked about is no release yet: its index is left behind.
    released = replace(table, index=()) if unsanitized else table
    with told_with(problems):
        present(policy, table, unclear_index(policy, released))
        if paths is None:
            paths = hierarchies(policy, table, original, problems)
        # From here on values are in the canonical texts of their types.
        columns = typed(policy, table, policy.missing, problems)
        origin = origin_of(policy, table, columns, original, paths, problems)
        # a formula may name a value that was there before and no longer occurs
        others = origin.before or spelled or {}
        attributes = {
            n: _attribute(policy, columns[n], n, paths.get(n), others.get(n))
            for n in policy.columns
        }
        before = _before(columns if unsanitized else others)
        signature = _signature(
            policy, table, attributes, before, origin, names, numbered
        )
        reading = BoundFormulas(policy, signature, paths, problems, origin.sanitized)
        rules, assumptions = reading.all(only)
        for one in (table, original):
            if one is not None:
                require_one_kind(policy, one, reading.used)
        # What a search releases has each value in one way.
        if not unsanitized:
            seen = {*policy.quasi, *reading.used}
            table.require_told_apart(name for name in policy.columns if name in seen)

    counted = _counted(policy, table, columns, reading.used)
    places = _places(table, columns, counted, origin)
    if places is not None:
        rules = tuple(rule.at_worlds(places) for rule in rules)
        for name, formula in assumptions.items():
            assumptions[name] = places.at_worlds(formula)
    release = SymbolicRelease(
        columns,
        counted,
        signature,
        {agent.name: agent.knows for agent in all_agents(policy)},
        origin.home,
        reading.criteria,
        places,
    )
    formulas = {rule.name: rule.formula for rule in rules}
    warnings = (
        *exposed(policy, released, columns),
        *unreached(formulas, assumptions),
    )
    return BoundPolicy(
        release,
        rules,
        assumptions,
        origin.sanitized,
        warnings,
        table.notes,
        reading.secrets,
        identified(policy, released),
    )


def _signature(
    policy: Policy,
    table: CodedTable,
    attributes: Mapping[str, Attribute],
    before: CellCounts | None,
    origin: ReleaseOrigin,
    names: Sequence[str] | None,
    numbered: bool,
) -> Signature:
    """What formulas can speak of: columns, agents, individuals, rows."""
    named = origin.names
    withheld: Names = ()
    kept = None if origin.sanitized is None else origin.sanitized.kept
    if kept is not None:
        # who is left goes by the own number among all
        named, withheld = individuals(kept, named)
        numbered = True
    signature: Signature = ReleaseSignature(
        attributes,
        tuple(agent.name for agent in all_agents(policy)),
        table.rows,
        named if names is None else names,
        table.rows,
        numbered,
        sensitive=policy.sensitive,
        withheld=withheld,
        kept=kept,
        quasi=policy.quasi,
        before=before,
        identifier=policy.identifier,
    )
    if table.elsewhere is not None:
        signature = named_elsewhere(signature, table.elsewhere)
    return signature


def _counted(
    policy: Policy, table: CodedTable, columns: Coded, looked_at: Container[str]
) -> Quotient:
    """The classes and cells of the release.

    Rows are told apart by what formulas look at, and by nothing else.
    """
    used = tuple(n for n in policy.columns if n in looked_at and n not in policy.quasi)
    each = None
    if table.elsewhere is not None:
        _require_grouped(used, table.elsewhere)
        each = table.elsewhere.counts
    return quotient(columns, policy.quasi, used, table.rows, each)


def _places(
    table: CodedTable, columns: Coded, counted: Quotient, origin: ReleaseOrigin
) -> Places | None:
    """Where single rows are found again that stay in an engine; None for rows here."""
    if table.elsewhere is None:
        return None
    people = None if origin.sanitized is None else origin.sanitized.people
    return Places(counted, columns, table.elsewhere, people)


def _require_grouped(used: Names, elsewhere: RowsElsewhere) -> None:
    """Raises Defect where a formula looks at a column that was not counted."""
    lacking = set(used) - set(elsewhere.grouped)
    if lacking:
        raise Defect(f"not counted beside the classes: {', '.join(sorted(lacking))}")


@contextmanager
def told_with(problems: Problems) -> Iterator[None]:
    """An error tells the problems that were found before it, too."""
    try:
        yield
    except InputError as error:
        raise InputError(dict.fromkeys((*problems, *error.problems))) from None


def hierarchies(
    policy: Policy, table: CodedTable, original: CodedTable | None, problems: Problems
) -> dict[str, Hierarchy]:
    """The policy's hierarchies: read from files, or built from the values of the
    original, else of the table.

    What is wrong is added to ``problems``.  Without an original, a quasi-identifier may
    be generalized already: a builder that its values do not fit is then left out.  Pass
    a table that is not yet sanitized as its own original.
    """
    by_column: dict[str, Hierarchy] = {}
    # what is generalized already fits no builder: the original's values do
    values = table if original is None else original
    for name, source in policy.hierarchies.items():
        try:
            if not isinstance(source, Builder):
                by_column[name] = _from_file(policy, name, source)
            # a column that is not there is told by ``present``
            elif name in policy.columns and name in values.columns:
                if name in policy.quasi:
                    # a quasi-identifier is compared by its labels as they are written
                    column = values.columns[name]
                else:
                    column = canonical(policy, values, name)
                texts = [label for label in column.labels if label is not None]
                by_column[name] = build_hierarchy(
                    source,
                    texts,
                    f"{policy.source}, hierarchies.{name} on {values.source}",
                )
        except InputError as error:
            # values that are generalized already are the one excuse of a builder
            if (
                original is not None
                or name not in policy.quasi
                or not isinstance(source, Builder)
            ):
                problems += error.problems
    return by_column


def _from_file(policy: Policy, name: str, file: Path) -> Hierarchy:
    """The hierarchy of a file.  Raises InputError, which says where a file that is not
    there is named.
    """
    try:
        return read_hierarchy(file)
    except InputError as error:
        if Path(file).exists():
            raise
        where = f"{policy.source}, hierarchies.{name}"
        problems = []
        for problem in error.problems:
            what = f"{problem.where}: {problem.what}"
            problems.append(replace(problem, where=where, what=what))
        raise InputError(problems) from None


def _attribute(
    policy: Policy,
    column: CodedColumn,
    name: str,
    hierarchy: Hierarchy | None,
    original: CodedColumn | None,
) -> Attribute:
    kind = fitting(policy.types.get(name, TEXT), column.labels)
    known: set[str | None] = set()
    if hierarchy is not None:
        known.update(hierarchy.paths)
    if original is not None:
        known.update(original.labels)
    known.discard(None)  # a missing cell is nothing that a formula may name
    return Attribute(name, kind, domain(kind, column.labels), known)


def _before(columns: Coded) -> CellCounts | None:
    """The cells of the table before sanitization, where it is at hand."""
    return CellCounts(columns) if columns else None
