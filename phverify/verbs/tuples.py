"""``search --space tuples``: the best release by tuples, with a certified gap."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from phverify.budget import Tell, deadline_of
from phverify.generalization.options import Number
from phverify.microdata.files import TableFile, piped
from phverify.microdata.hierarchy import GivenHierarchies
from phverify.microdata.read import opened, read
from phverify.policy.cautions import missing_quasi, mistakable
from phverify.policy.model import Policy, PolicySource, beside, examine
from phverify.recoding.answer import recoded
from phverify.recoding.options import USUAL, tuple_options
from phverify.recoding.posed import PosedRecoding, pose
from phverify.recoding.result import RecodingResult, Standing
from phverify.verbs.files import naming
from phverify.verbs.search import hierarchies_for, readable, there, without_role

if TYPE_CHECKING:
    import pandas as pd

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
    ``watch`` is told each better release and bound.

    Raises InputError with all problems of the input, and Defect when phverify
    contradicts itself.
    """
    started = time.monotonic()
    limit = USUAL if budget is None and gap is None else budget
    time_left = deadline_of(limit)
    rules, problems = examine(policy)
    progress("reading")
    table = piped(table)
    source = opened(table, "table")
    read_table = read(source, rules.named, "table" if source is table else str(table))
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
        publish=publish,
    )
    readable(rules, read_table)
    paths = hierarchies_for(rules, read_table, hierarchies or {})
    progress("counting tuples")
    posed = pose(rules, read_table, paths, wanted, shuffle, redact, time_left)
    answer = recoded(posed, source, time_left, started, progress, watch)
    result = replace(
        answer,
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


def anonymize(
    table: pd.DataFrame | TableSource,
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    k: int | None = None,
    l: int | None = None,  # noqa: E741
    t: Number | None = None,
    *,
    policy: PolicySource | None = None,
    rules: Mapping[str, str] | Sequence[str] = (),
    identifier: str | None = None,
    neutral: Sequence[str] | None = None,
    types: Mapping[str, str] | None = None,
    hierarchies: GivenHierarchies | None = None,
    objective: str = "loss",
    weights: Mapping[str, Number] | None = None,
    suppress: Number = 0,
    cells: Number = 1,
    disjoint: bool = False,
    gap: Number | None = None,
    ranges: Sequence[str] = (),
    blind: int = 0,
    publish: str = "range",
    budget: float | None = None,
    shuffle: int | None = None,
    redact: bool = False,
    progress: Tell = lambda step: None,
    watch: Callable[[Standing], None] = lambda standing: None,
) -> RecodingResult:
    """The best release of a table by tuples, in one call.

    ``quasi`` columns are generalized; each ``sensitive`` column has at least ``l``
    values in each class and is ``t``-close; each class has at least ``k`` records.
    ``rules`` are more of them as text, or a ``policy`` says everything.  ``types`` are
    those of the policy's section; numbers and dates of a DataFrame are found by their
    dtype.  Columns without a role are ``neutral``: pass them by name, or leave them
    out of the table.  All else is as for ``search(space="tuples")``.

    Gives ``.release`` (of the same columns and order), ``.cost``, ``.bound`` and
    ``.report``.  Raises InputError.
    """
    meant = policy
    if meant is None:
        meant = _policy(
            table, quasi, sensitive, k, l, t, rules, identifier, neutral, types or {}
        )
    return recode(
        table,
        meant,
        hierarchies,
        objective,
        suppress,
        weights,
        cells=cells,
        disjoint=disjoint,
        gap=gap,
        ranges=ranges,
        blind=blind,
        publish=publish,
        budget=budget,
        shuffle=shuffle,
        redact=redact,
        progress=progress,
        watch=watch,
    )


def _policy(
    table: object,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    k: int | None,
    l: int | None,  # noqa: E741
    t: Number | None,
    rules: Mapping[str, str] | Sequence[str],
    identifier: str | None,
    neutral: Sequence[str] | None,
    types: Mapping[str, str],
) -> Policy:
    """The policy that the arguments of ``anonymize`` say."""
    said: dict[str, str] = {}
    if k is not None:
        said["k"] = f"k_anonymity({k})"
    for column in sensitive:
        if l is not None:
            said[f"l {column}"] = f"l_diversity('{column}', {l})"
        if t is not None:
            said[f"t {column}"] = f"t_closeness('{column}', {t})"
    if isinstance(rules, Mapping):
        said |= rules
    else:
        said |= {f"rule {number}": text for number, text in enumerate(rules, start=1)}
    columns: dict[str, object] = {"quasi": list(quasi), "sensitive": list(sensitive)}
    if neutral:
        columns["neutral"] = list(neutral)
    if identifier is not None:
        columns["identifier"] = identifier
    known = {**_types(table, quasi), **types}
    return Policy.from_dict({"columns": columns, "types": known, "rules": said})


def _types(table: object, quasi: Sequence[str]) -> dict[str, str]:
    """The types of quasi-identifiers that the dtypes of a DataFrame say."""
    dtypes = getattr(table, "dtypes", None)
    if dtypes is None:
        return {}
    from pandas.api import types

    found = {}
    for name in quasi:
        if name not in dtypes.index:
            continue
        dtype = dtypes[name]
        if types.is_datetime64_any_dtype(dtype):
            found[name] = "date"
        elif types.is_bool_dtype(dtype):
            continue
        elif types.is_integer_dtype(dtype):
            found[name] = "integer"
        elif types.is_numeric_dtype(dtype):
            found[name] = "decimal"
    return found
