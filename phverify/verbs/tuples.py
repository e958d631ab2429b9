"""``search --space tuples``: the best release by tuples, with a certified gap."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from phverify.budget import Tell, deadline_of
from phverify.generalization.options import Number
from phverify.generalization.parts import pseudonyms
from phverify.given import (
    refuse,
    wrong_mapping,
    wrong_names,
    wrong_progress,
    wrong_switches,
    wrong_watch,
    wrong_word,
)
from phverify.microdata.files import TableFile, piped
from phverify.microdata.hierarchy import GivenHierarchies
from phverify.policy.cautions import missing_quasi, mistakable
from phverify.policy.model import PolicySource, beside, examine
from phverify.recoding.answer import recoded
from phverify.recoding.counted_space import countable
from phverify.recoding.machine_code import preparing
from phverify.recoding.options import USUAL, tuple_options
from phverify.recoding.posed import PosedRecoding, pose
from phverify.recoding.result import RecodingResult, Standing
from phverify.recoding.warm import warm_up
from phverify.verbs.counted_input import in_order, search_engine, started
from phverify.verbs.files import naming
from phverify.verbs.search import hierarchies_for, readable, there, without_role

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource


def recode(
    table: TableSource,
    policy: PolicySource,
    hierarchies: GivenHierarchies | None = None,
    objective: str = "loss",
    suppress: Number = 0,
    weights: Mapping[str, Number] | None = None,
    *,
    cells: Number = 1,
    disjoint: bool = False,
    gap: Number | None = None,
    ranges: Sequence[str] = (),
    blind: int = 0,
    publish: str = "range",
    engine: str = "auto",
    budget: float | None = None,
    shuffle: int | None = None,
    redact: bool = False,
    progress: Tell = lambda step: None,
    watch: Callable[[Standing], None] = lambda standing: None,
) -> RecodingResult:
    """The best release by tuples that is found in time, and a bound on all others.

    One function maps quasi-identifier tuples to boxes that hold them: nodes of the
    ``hierarchies``, else ranges of ordered types, else the value or ``*``; ``ranges``
    names columns that are released in ranges though they have a hierarchy.
    ``objective`` is loss or precision, ``weights`` count columns; ``suppress`` is the
    largest share of records that may be withheld, ``cells`` that of released cells
    that may be ``*``.  With ``disjoint`` no box holds a tuple of another class.
    ``blind`` is the least number of records of classes that look at quasi-identifiers
    alone.  With ``publish`` "median" columns of numbers show the class's median in
    place of its range; what is lost is counted by the ranges.  The search ends at
    the ``gap``, (cost - bound) / cost, or after ``budget`` seconds (60 where neither is
    given), or on Ctrl-C, with the best release so far.
    ``engine`` is that of ``search``.  ``watch`` is told each better release and bound.

    Raises InputError with all problems of the input, and Defect when phverify
    contradicts itself.
    """
    refuse(
        wrong_mapping("hierarchies", hierarchies, '{"zip": "zip.csv"}'),
        wrong_word("objective", objective, "loss"),
        wrong_word("publish", publish, "median"),
        wrong_mapping("weights", weights, '{"zip": 2}'),
        wrong_names("ranges", ranges, "age"),
        wrong_switches(disjoint=disjoint, redact=redact),
        wrong_progress(progress),
        wrong_watch(watch),
    )
    used = search_engine(engine)
    began = time.monotonic()
    limit = USUAL if budget is None and gap is None else budget
    time_left = deadline_of(limit)
    rules, problems = examine(policy)
    progress("reading")
    table = piped(table)
    read_table, later = started(table, rules, used)
    read_table = in_order(read_table)
    there(rules, read_table, beside(policy, problems, read_table.columns))
    without_role(rules, read_table)
    wanted = tuple_options(
        rules,
        objective,
        weights,
        suppress,
        cells,
        disjoint,
        gap,
        ranges,
        blind,
        shuffle,
        publish=publish,
    )
    readable(rules, read_table)
    paths = hierarchies_for(rules, read_table, hierarchies or {})
    progress("counting tuples")
    posed = pose(rules, read_table, paths, wanted, shuffle, redact, time_left)
    if read_table.elsewhere is not None and _needs_rows(posed):
        read_table = later.table
        posed = pose(rules, read_table, paths, wanted, shuffle, redact, time_left)
    in_memory = read_table.elsewhere is None
    source = later.source if in_memory else later
    # Input that is wrong is told at once, and the clock stands still while functions
    # are compiled, which happens once.
    stopped, rest = time.monotonic(), time_left.paused()
    progress(preparing())
    warm_up()
    began += time.monotonic() - stopped
    time_left = rest()
    answer = recoded(posed, source, time_left, began, progress, watch)
    result = replace(
        answer,
        given=table,
        columns_wanted=rules.named,
        notes=(*read_table.notes, *answer.notes),
        warnings=(*_cautions(posed, redact), *answer.warnings),
    )
    make = result.make_certificate
    if make is None:
        return result
    content = table.content if isinstance(table, TableFile) else table

    def named() -> dict[str, object]:
        return naming(make(), table=content, policy=policy)

    return replace(result, make_certificate=named)


def _needs_rows(posed: PosedRecoding) -> bool:
    """Whether the policy is about single rows, which a count does not know."""
    bound = posed.posed.bound
    if posed.posed.parts.people or pseudonyms(bound):
        return True
    return not (countable(posed.rules) and countable(posed.steering))


def _cautions(posed: PosedRecoding, redact: bool) -> tuple[str, ...]:
    """What to know of the cells of the table before sanitization."""
    release = posed.posed
    columns = release.bound.release.columns
    kinds = {side.name: type(side).__name__ for side in posed.space.sides}
    missing = missing_quasi(release.policy, columns, partial(_missing, kinds))
    return (*missing, *mistakable(release.policy, columns, redact))


def _missing(kinds: Mapping[str, str], name: str) -> str:
    """What a missing cell of a column may become."""
    if kinds[name] == "RangeSide":
        return "a missing cell is a value of its own, which joins others only as *"
    return (
        "a missing cell is a value of its own, which joins others only where all values"
        " of the column are made one; a line of the hierarchy for an empty value"
        " changes that"
    )
