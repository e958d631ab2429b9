"""``compare``: does every table that satisfies the first satisfy the second?"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from phverify.budget import Deadline, deadline_of
from phverify.comparison.choice import Undecided
from phverify.comparison.comparing import Comparing, Progress
from phverify.comparison.domains import Domains, Sizes, domains
from phverify.comparison.result import Comparison
from phverify.comparison.sides import ComparisonFrame, Source, frame, limits
from phverify.given import refuse, wrong_progress, wrong_switches
from phverify.microdata.read import read
from phverify.microdata.table import CodedTable
from phverify.spec.source import File
from phverify.spec.spaces import attributes
from phverify.spec.types import TEXT, ValueType

if TYPE_CHECKING:
    import pandas as pd

BUDGET = 60.0


def compare(
    first: Source,
    second: Source,
    *,
    values: int | None = None,
    budget: float | None = BUDGET,
    equivalent: bool = False,
    table: File | pd.DataFrame | None = None,
    progress: Progress = lambda step: None,
) -> Comparison:
    """Whether the first implies the second, for every table: any rows, any classes, at
    most ``values`` values.

    Both are formulas (``"l_diversity(s, 3)"``), paths of policy files, or policies; a
    formula beside a policy is read in its frame.  A table is one that ``verify``
    accepts for both, so that values of text columns that are named occur, and
    individuals that are named exist.  Where the number of different values in a column
    does not matter, this is proved for any number of them.  Else ``values`` bounds it,
    or a given ``table`` with its own values; without both, enough for all thresholds
    that are named, and as many more as the budget suffices for, up to three; undecided
    where thresholds call for more than are looked at.  ``budget`` is in seconds, for
    each direction. ``equivalent`` asks the other direction as well.  An implication
    also holds beside an original table, where individual i may be elsewhere than row i.

    Raises InputError with all problems of the input, and Defect when phverify
    contradicts itself.
    """
    refuse(wrong_switches(equivalent=equivalent), wrong_progress(progress))
    limits(values, budget)
    both = frame(first, second)
    counts: Sizes | None = None
    if table is not None:
        names: dict[str, None] = {}
        for formula in both.formulas():
            names |= dict.fromkeys(attributes(formula))
        counts = counted(read(table, tuple(names), "table"), names, both.types)
    direction = compared(both, values, deadline_of(budget), progress, counts)
    if not equivalent:
        return direction
    swapped = both.swapped()
    try:
        converse = compared(swapped, values, deadline_of(budget), progress, counts)
    except KeyboardInterrupt:  # what is known of the first direction is told
        titles = swapped.first.title, swapped.second.title
        left_open = tuple(swapped.second.rules)
        converse = Comparison(
            "undecided", *titles, reason="interrupted", open=left_open
        )
    return replace(direction, converse=converse)


def counted(
    given: CodedTable, names: Iterable[str], types: Mapping[str, ValueType]
) -> Sizes:
    """How many different values the columns of a table have.  Raises InputError."""
    sizes: dict[str, int] = {}
    for name in names:
        kind = types.get(name, TEXT)
        column = given.column(name).typed(kind, given.source)
        sizes[name] = len(column.labels)
    return sizes


def compared(
    both: ComparisonFrame,
    values: int | None,
    deadline: Deadline,
    progress: Progress = lambda step: None,
    counts: Sizes | None = None,
    late: str = "",
) -> Comparison:
    """The comparison of two sides that have been read.

    ``counts`` are the values of each column of a given table; ``late`` says what ran
    out where the deadline is a share of a budget.
    """
    start = time.perf_counter()
    titles = both.first.title, both.second.title
    blank = Comparison("undecided", *titles, open=tuple(both.second.rules))
    try:
        space = domains(both, values, counts)
    except Undecided as error:
        answer = replace(blank, reason=f"{error}: {both.verb} does not look into this")
        return replace(answer, seconds=time.perf_counter() - start)
    blank = replace(blank, values=space.most)
    if not late and deadline.seconds is not None:
        late = f"the budget of {deadline.seconds:g} s ran out"
    comparing = Comparing(both, space, deadline, progress, late)
    answer = comparing.answer(blank)
    if answer.verdict == "implies" and answer.values:
        if space.short:
            # a threshold that no table reaches proves anything
            answer = replace(blank, reason=_too_few(space))
        elif values is None and counts is None:
            answer = comparing.beyond(answer)
    return replace(answer, seconds=time.perf_counter() - start)


def _too_few(space: Domains) -> str:
    """Why a proof for so many values is none: thresholds call for more."""
    name = space.short[0]
    many = space.most[name]
    wanted = space.wanted[name]
    return (
        f"proved for at most {many} values of {name} only, and there may be {wanted}:"
        f" give --values {wanted}, or --values {many} if there are no more"
    )
