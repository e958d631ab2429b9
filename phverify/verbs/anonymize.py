"""``anonymize``: the best release of a table, in one call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from numbers import Integral
from typing import TYPE_CHECKING, Any

from phverify.budget import Tell
from phverify.errors import Problem, Problems
from phverify.generalization.options import Number, number
from phverify.given import (
    described,
    entries,
    listed,
    refuse,
    wrong_mapping,
    wrong_names,
)
from phverify.logic.printer import quoted
from phverify.microdata.arrow import coded
from phverify.microdata.dataframes import from_frame, is_pandas
from phverify.microdata.frames import ArrowFrame, framed, is_frame
from phverify.microdata.hierarchy import GivenHierarchies
from phverify.policy.model import Policy, PolicySource
from phverify.recoding.result import RecodingResult, Standing
from phverify.spec.source import rational
from phverify.verbs.tuples import recode

if TYPE_CHECKING:
    import pandas as pd

    from phverify.microdata.read import TableSource

ISO = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
NUMBERS = {"integer": "integer", "decimal": "decimal"}
"""Types of columns of objects, by what pandas calls their cells."""


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
    engine: str = "auto",
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
    those of the policy's section; numbers and dates of a frame are found by their
    dtype, or by their cells (``datetime.date``, ``Decimal``, ISO texts).  Columns
    without a role are ``neutral``: pass them by name, or leave them out of the table.
    All else is as for ``phverify search --space tuples``: hierarchies where given, else
    ranges of ordered types, else the value or ``*``; ``ranges`` names columns that are
    released in ranges though they have a hierarchy; ``objective`` is loss or precision,
    ``weights`` count columns; ``suppress`` is the largest share of records that may be
    withheld, ``cells`` that of released cells that may be ``*``; with ``disjoint`` no
    box holds a tuple of another class; ``blind`` is the least number of records of
    classes that look at quasi-identifiers alone.

    The search ends at the ``gap``, (cost - bound) / cost, or after ``budget`` seconds
    (60 where neither is given), or on Ctrl-C, with the best release so far.  ``watch``
    is told each better release and bound.

    Gives ``.release`` (of the same columns and order: polars for polars, an Arrow table
    for any other frame with Arrow's protocol, else pandas), ``.cost``, ``.bound`` and
    ``.report``.  Raises InputError.
    """
    said = {
        "quasi": quasi,
        "sensitive": sensitive,
        "k": k,
        "l": l,
        "t": t,
        "rules": rules,
        "identifier": identifier,
        "neutral": neutral,
        "types": types,
    }
    if policy is not None:
        refuse(_said_twice(said))
        meant = policy
    else:
        # What can be gone through once is read here, for its types and for its cells.
        if is_frame(table):
            table = framed(table, "table", streamed=engine != "pandas")
        refuse(
            wrong_names("quasi", quasi, "age"),
            wrong_names("sensitive", sensitive, "illness"),
            wrong_names("neutral", () if neutral is None else neutral, "height"),
            wrong_mapping("types", types, '{"age": "integer"}'),
            _wrong_rules(rules),
            _wrong_numbers(k, l, bool(list(entries(sensitive))), t),
        )
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
        engine=engine,
        budget=budget,
        shuffle=shuffle,
        redact=redact,
        progress=progress,
        watch=watch,
    )


def _said_twice(said: Mapping[str, Any]) -> Iterator[Problem]:
    """What is given beside a policy, which says everything."""
    for name, value in said.items():
        empty = listed(value) and not list(entries(value))
        if value is None or empty:
            continue
        hint = (
            f"write it into the policy, or leave out policy= and say all with {name}="
        )
        yield Problem(name, "is given beside a policy, which says everything", hint)


def _wrong_rules(rules: object) -> Iterator[Problem]:
    """What is wrong with rules: a dictionary, or a list of texts."""
    if isinstance(rules, Mapping):
        return
    if not listed(rules):
        what = f"is a list or a dictionary of rules, not {described(rules)}"
        yield Problem("rules", what, 'for example: rules=["k_anonymity(5)"]')


def _wrong_numbers(
    k: object,
    l: object,  # noqa: E741
    sensitive: bool,
    t: object,
) -> Iterator[Problem]:
    """What is wrong with the numbers that stand for rules."""
    for name, value in (("k", k), ("l", l)):
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        if value is not None and not whole:
            what = f"is a whole number, not {described(value)}"
            yield Problem(name, what, f"for example: {name}=3")
    if t is not None:
        problems: Problems = []
        number("t", t, problems)  # type: ignore[arg-type]
        yield from problems
    for name, value in (("l", l), ("t", t)):
        if value is not None and not sensitive:
            what = "is asked of sensitive columns, and none is named"
            yield Problem(name, what, 'for example: sensitive=["illness"]')


def _named_twice(told: Iterable[str], rules: Mapping[str, str]) -> Iterator[Problem]:
    """Rules that have the name of one that an argument stands for."""
    for name in told:
        if name in rules:
            argument = name.partition(" ")[0]
            what = f"{name!r} is the name of the rule that {argument}= stands for"
            yield Problem("rules", what, "give it another name")


def _wrong_times(name: str, table: Any) -> Iterator[Problem]:
    """What is wrong with a column of dates: ranges run from day to day."""
    moments = table[name].dropna()
    if bool((moments != moments.dt.normalize()).any()):
        what = f"{name!r} has times of day, and ranges run from day to day"
        yield Problem(
            "quasi", what, f"table[{name!r}] = table[{name!r}].dt.normalize()"
        )


def _exact(t: Number) -> str:
    """A number as rules have it."""
    return str(number("t", t, []))


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
    told: dict[str, str] = {}
    if k is not None:
        told["k"] = f"k_anonymity({k})"
    for column in sensitive:
        if l is not None:
            told[f"l {column}"] = f"l_diversity({quoted(column)}, {l})"
        if t is not None:
            told[f"t {column}"] = f"t_closeness({quoted(column)}, {_exact(t)})"
    named = rules
    if not isinstance(named, Mapping):
        named = {f"rule {number}": text for number, text in enumerate(named, start=1)}
    refuse(_named_twice(told, named))
    columns: dict[str, object] = {"quasi": list(quasi), "sensitive": list(sensitive)}
    if neutral is not None:
        columns["neutral"] = list(neutral)
    if identifier is not None:
        columns["identifier"] = identifier
    known = {**_types(table, quasi), **types}
    return Policy.from_dict(
        {"columns": columns, "types": known, "rules": {**told, **named}}
    )


def _types(table: object, quasi: Sequence[str]) -> dict[str, str]:
    """The types of quasi-identifiers that a frame says: numbers and dates."""
    if isinstance(table, ArrowFrame):
        return _arrow_types(table, quasi)
    if not is_pandas(table):
        return {}
    frame: Any = table
    names = list(frame.columns)
    found = {}
    for name in quasi:
        # What is not there, or twice, is told where the table is read.
        if names.count(name) != 1:
            continue
        kind = _type_of(name, frame)
        if kind is not None:
            found[name] = kind
    return found


def _type_of(name: str, frame: pd.DataFrame) -> str | None:
    """The type of a column by its dtype, or by its cells where that says nothing."""
    from pandas import CategoricalDtype
    from pandas.api import types

    column = frame[name]
    if isinstance(column.dtype, CategoricalDtype):
        # Who made categories of numbers means no order of them.
        return None
    if types.is_datetime64_any_dtype(column.dtype):
        refuse(_wrong_times(name, frame))
        return "date"
    if types.is_bool_dtype(column.dtype):
        return None
    if types.is_integer_dtype(column.dtype):
        return "integer"
    if types.is_numeric_dtype(column.dtype):
        return "decimal"
    numbers = NUMBERS.get(types.infer_dtype(column, skipna=True))
    read = from_frame(frame[[name]]).columns[name]
    cells = [label for label in read.labels if label is not None]
    if numbers is not None and all(map(_is_number, cells)):
        return numbers
    return "date" if cells and all(map(_is_date, cells)) else None


def _arrow_types(frame: ArrowFrame, quasi: Sequence[str]) -> dict[str, str]:
    """The same of a frame that Arrow holds."""
    found = {}
    for name in quasi:
        if name not in frame.table.column_names:
            continue
        kind = _arrow_type(name, frame)
        if kind is not None:
            found[name] = kind
    return found


def _arrow_type(name: str, frame: ArrowFrame) -> str | None:
    """The type of a column by Arrow's, or by its texts where that says nothing."""
    import pyarrow
    from pyarrow import types

    dtype = frame.table.schema.field(name).type
    if types.is_integer(dtype):
        return "integer"
    texts = types.is_string(dtype) or types.is_large_string(dtype)
    moments = types.is_date(dtype) or types.is_timestamp(dtype)
    numbers = types.is_floating(dtype) or types.is_decimal(dtype)
    if not (texts or moments or numbers):
        return None
    # Of values that occur often each is looked at once.
    values = pyarrow.chunked_array([frame.table.column(name).unique()])
    read = coded(values, frame.table.schema.field(name), frame.name)
    cells = [label for label in read.labels if label is not None]
    if numbers:
        return "decimal" if all(map(_is_number, cells)) else None
    if cells and all(map(_is_date, cells)):
        return "date"
    if moments and any("T" in cell for cell in cells):
        what = f"{name!r} has times of day, and ranges run from day to day"
        refuse(iter([Problem("quasi", what, "make dates of them")]))
    return None


def _is_number(text: str) -> bool:
    """Whether a cell is a number that has a place among others: no infinity."""
    try:
        rational(text)
    except ValueError:
        return False
    return True


def _is_date(text: str) -> bool:
    """Whether a cell is a date in ISO form: 2020-03-01."""
    if ISO.fullmatch(text) is None:
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
