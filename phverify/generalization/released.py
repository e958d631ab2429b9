"""The table that a candidate releases: every quasi-identifier value mapped, withheld
records left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from phverify.budget import Deadline
from phverify.errors import BudgetExceeded, Defect
from phverify.exact import Bools, Ints
from phverify.generalization.counted_candidate import CountedCandidate
from phverify.generalization.judge import CandidateJudge
from phverify.generalization.space import CodedSpace
from phverify.logic.printer import Style
from phverify.microdata.counted import GroupedRows
from phverify.microdata.equal_rows import EqualRows, of_equal_rows
from phverify.microdata.kept_groups import groups_taken
from phverify.microdata.table import CodedColumn, CodedTable
from phverify.policy.bind import BoundPolicy, bind
from phverify.policy.model import Policy
from phverify.symbolic.places import Places
from phverify.symbolic.release import SymbolicRelease
from phverify.verification.result import Report
from phverify.verification.run import decided


def aligned(table: CodedTable, space: CodedSpace) -> CodedTable:
    """The table with the codes of every quasi-identifier in the order of its scheme's
    values.
    """
    columns = dict(table.columns)
    for scheme in space.schemes:
        old = columns[scheme.name]
        if old.labels == scheme.values:
            continue
        codes = CodedColumn.coded(old.labels, scheme.values).take(old.codes)
        columns[scheme.name] = CodedColumn(codes, scheme.values, old.counts)
    return replace(table, columns=columns)


@dataclass(frozen=True, eq=False)
class RecodedRows:
    """What a candidate makes of all rows, whichever of its classes are withheld."""

    judge: CandidateJudge
    view: CountedCandidate

    def kept(self, withheld: Ints) -> Ints | None:
        """The rows that are released, or their groups where rows stay in an engine.

        None when all are.
        """
        if not len(withheld):
            return None
        kept = np.ones(self.view.quotient.classes, dtype=bool)
        kept[withheld] = False
        rows = kept.take(self._classes)
        return np.flatnonzero(rows)

    @cached_property
    def _classes(self) -> Ints:
        """For each row the class it lies in."""
        quotient = self.view.quotient
        images = self.judge.space.columns(self.view.candidate)
        columns = self.judge.bound.release.columns
        shown = [
            images[name].codes.take(columns[name].codes) for name in quotient.quasi
        ]
        return quotient.class_of(shown)

    def released(self, rows: Ints | None) -> CodedTable:
        """The released table; ``rows`` (or groups of them) are kept, None for all."""
        if rows is None:
            return self._table
        return kept_of(self._table, rows)

    @cached_property
    def _table(self) -> CodedTable:
        judge = self.judge
        identifier = judge.policy.identifier
        return released(judge.table, judge.space, self.view.candidate, None, identifier)


@dataclass(frozen=True, eq=False)
class RecodedGroups:
    """What a candidate makes of all rows, equal ones in one place with their number: a
    release that withholds whole classes is some of these groups.

    Which row is whose is not asked: rows are here, and the policy names nobody.
    """

    judge: CandidateJudge
    view: CountedCandidate

    def kept(self, withheld: Ints) -> Ints | None:
        """The groups that are released; None when all are."""
        if not len(withheld):
            return None
        kept = np.ones(self.view.quotient.classes, dtype=bool)
        kept[withheld] = False
        groups = kept.take(self._classes)
        return np.flatnonzero(groups)

    @cached_property
    def _classes(self) -> Ints:
        """For each group the class it lies in."""
        quotient = self.view.quotient
        columns = self._table.columns
        shown = [columns[name].codes for name in quotient.quasi]
        return quotient.class_of(shown)

    def released(self, groups: Ints | None) -> CodedTable:
        """The released table; these groups are kept, None for all."""
        rows = self._table.elsewhere
        if groups is None or not isinstance(rows, EqualRows):
            return self._table
        return rows.taken(self._table, groups)

    @cached_property
    def _table(self) -> CodedTable:
        judge = self.judge
        every = RecodedRows(judge, self.view).released(None)
        looked_at = {*judge.finest.quasi, *judge.finest.others}
        names = []
        for name in judge.policy.columns:
            # Of all others it is asked how many cells are missing.
            if name in looked_at or every.columns[name].missing():
                names.append(name)
        return of_equal_rows(every, tuple(names))


def kept_rows(
    judge: CandidateJudge, view: CountedCandidate, withheld: Ints
) -> Ints | None:
    """The rows that a candidate releases, as ``RecodedRows`` has them."""
    return RecodedRows(judge, view).kept(withheld)


def released(
    table: CodedTable,
    space: CodedSpace,
    candidate: Bools,
    rows: Ints | None,
    identifier: str | None,
) -> CodedTable:
    """The released table, in the order of the input, without identifiers; ``rows`` (or
    groups of them) are kept, None for all.
    """
    columns = _recoded(table.columns, space, candidate)
    columns.pop(identifier or "", None)
    result = replace(table, columns=columns).in_one_way()
    if rows is None:
        return result
    return kept_of(result, rows)


def kept_of(table: CodedTable, rows: Ints) -> CodedTable:
    """These rows of a table, or of one whose rows stay elsewhere these groups."""
    if isinstance(table.elsewhere, GroupedRows):
        return groups_taken(table, table.elsewhere, rows)
    return table.taken(rows)


def _recoded(
    columns: Mapping[str, CodedColumn], space: CodedSpace, candidate: Bools
) -> dict[str, CodedColumn]:
    """The columns with every quasi-identifier value mapped."""
    recoded = dict(columns)
    for name, image in space.columns(candidate).items():
        # a column that keeps every value keeps its array, too
        own = image.labels == columns[name].labels and np.array_equal(
            image.codes, np.arange(len(image.labels))
        )
        if not own:
            codes = image.codes.take(columns[name].codes)
            recoded[name] = CodedColumn(codes, image.labels, columns[name].counts)
    return recoded


def identified(policy: Policy, table: CodedTable) -> bool:
    """Whether the input has the identifier column."""
    return policy.identifier is not None and policy.identifier in table.columns


def names(
    policy: Policy, table: CodedTable, rows: Ints | None
) -> tuple[str, ...] | None:
    """What the released individuals are called: by the input's identifiers, else by the
    numbers of its rows.
    """
    if identified(policy, table):
        column = table.columns[str(policy.identifier)]
        codes = column.codes if rows is None else column.codes[rows]
        return tuple(column.labels[code] or "" for code in codes.tolist())
    if rows is None:
        return None
    return tuple(f"i{row + 1}" for row in rows.tolist())


def bound_again(
    judge: CandidateJudge, candidate: Bools, rows: Ints | None
) -> BoundPolicy:
    """The policy matched with what a candidate releases, as ``verify`` would do it."""
    return bound_to(
        judge,
        released(judge.table, judge.space, candidate, rows, judge.policy.identifier),
        rows,
    )


def bound_to(
    judge: CandidateJudge, after: CodedTable, rows: Ints | None
) -> BoundPolicy:
    """The policy matched with a released table; ``rows`` are the input's rows in it,
    None for all.
    """
    called = names(judge.policy, judge.table, rows) if judge.parts.people else None
    policy = judge.policy if judge.parts.secrets else replace(judge.policy, secrets={})
    spelled = judge.bound.release.columns
    numbered = called is not None and not identified(judge.policy, judge.table)
    return bind(
        policy,
        after,
        None,
        names=called,
        spelled=spelled,
        paths=judge.paths,
        numbered=numbered,
    )


def release_of(judge: CandidateJudge, view: CountedCandidate) -> SymbolicRelease:
    """The release of a candidate that withholds nothing, on the quotient already
    counted.
    """
    before = judge.bound.release
    columns = _recoded(before.columns, judge.space, view.candidate)
    places = None
    if before.places is not None:
        places = Places(view.quotient, columns, before.places.elsewhere)
    return SymbolicRelease(
        columns,
        view.quotient,
        before.signature,
        before.agents,
        before.home,
        before.criteria,
        places,
    )


def decided_anew(
    judge: CandidateJudge,
    recoded: RecodedRows | RecodedGroups,
    withheld: Ints,
    deadline: Deadline,
    style: Style,
) -> tuple[CodedTable, Ints | None, Report]:
    """The released table of a candidate, its rows in the input (None for all), and
    every rule of the judge's policy decided for it, as ``verify`` does it: the last
    word.

    Raises BudgetExceeded where a rule is left undecided.
    """
    rows = recoded.kept(withheld)
    after = recoded.released(rows)
    bound = bound_to(judge, after, rows)
    report = decided(
        bound, judge.policy.source, "the released table", deadline, style=style
    )
    # the search is not trusted: it is a defect where it and ``verify`` differ
    if report.verdict == "refuted":
        raise Defect("the search accepts a release that verify finds refuted")
    for rule in report.rules:
        if rule.verdict == "undecided":
            # what is not proved is not released
            raise BudgetExceeded(rule.reason)
    return after, rows, report
