"""``anonymize``: the best release of a table, in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from phverify.budget import Tell
from phverify.generalization.options import Number
from phverify.given import refuse
from phverify.microdata.frames import framed, is_frame
from phverify.microdata.hierarchy import GivenHierarchies
from phverify.policy.model import PolicySource
from phverify.recoding.options import TupleSettings
from phverify.recoding.result import RecodingResult, Standing
from phverify.verbs.said_policy import SaidPolicy
from phverify.verbs.tuples import recode

if TYPE_CHECKING:
    import pandas as pd

    from phverify.microdata.read import TableSource


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
    sample: Number | None = None,
    seed: int | None = None,
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
    box holds a tuple of another class; ``sample`` and ``seed`` are those of ``search``;
    ``blind`` is the least number of records of
    classes that look at quasi-identifiers alone.

    The search ends at the ``gap``, (cost - bound) / cost, or after ``budget`` seconds
    (60 where neither is given), or on Ctrl-C, with the best release so far.  ``watch``
    is told each better release and bound.

    Gives ``.release`` (of the same columns and order: polars for polars, an Arrow table
    for any other frame with Arrow's protocol, else pandas), ``.cost``, ``.bound`` and
    ``.report``.  The rows of a pandas release are numbered anew: an index may name who
    it is.  Raises InputError.
    """
    said = SaidPolicy(quasi, sensitive, k, l, t, rules, identifier, neutral, types)
    if policy is not None:
        refuse(said.twice())
        meant = policy
    else:
        # What can be gone through once is read here, for its types and for its cells.
        if is_frame(table):
            table = framed(table, "table", streamed=engine != "pandas")
        refuse(said.wrong())
        meant = said.policy(table)
    # From here on the arguments are one thing, and are checked in one place.
    settings = TupleSettings(
        objective=objective,
        suppress=suppress,
        weights=weights,
        cells=cells,
        disjoint=disjoint,
        gap=gap,
        ranges=ranges,
        blind=blind,
        publish=publish,
        shuffle=shuffle,
        redact=redact,
    )
    return recode(
        table,
        meant,
        hierarchies,
        settings,
        engine=engine,
        sample=sample,
        seed=seed,
        budget=budget,
        progress=progress,
        watch=watch,
    )
