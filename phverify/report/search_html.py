"""A search as a page: the verdict first, then the space as a picture, what was ruled
out, and what is released.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from phverify.generalization.explored import ColumnSpread, Explored
from phverify.generalization.result import SearchResult
from phverify.report.page import (
    Banner,
    DataTable,
    Facts,
    Page,
    PageBlock,
    PageSection,
    Paragraph,
    Remark,
    TableColumn,
    Tone,
)
from phverify.report.public_costs import (
    above,
    page_bound,
    page_cost,
    page_history,
    told,
)
from phverify.report.release_blocks import (
    HIDDEN,
    SCALES,
    SPREAD,
    history_chart,
    in_order,
    may_be_withheld,
    promises,
    roughly,
    size_chart,
    spread_chart,
    table_size,
    terms,
    uncovered,
)
from phverify.report.ruled_out import ruled_out
from phverify.report.search_reasons_html import reason_sections
from phverify.report.search_space import space_blocks
from phverify.report.search_text import WORDS
from phverify.words import cell, plural

TONE: dict[str, Tone] = {"optimal": "good", "infeasible": "bad", "undecided": "open"}
SPACES = {
    "levels": "every column is generalized to one level of its hierarchy, the same for"
    " all of its values",
    "subtrees": "every column is generalized to a cut through its hierarchy: parts"
    " of it may stay finer than others",
    "intervals": "neighbouring values of an order are released as one interval",
    "partitions": "any values of a column may be released as one group",
}
"""What the releases of a space are like."""
MAPPED = 100
"""So many values of a column are shown with what they become."""


def to_page(result: SearchResult, public: bool = False) -> Page:
    """The page of a search; a public one leaves out all that the data say."""
    sections = [_scope(result, public)]
    sections += promises(result.checks, public, _subject_of_checks(result))
    explored = result.explored
    if explored is not None:
        hidden = public or explored.redact
        blocks = tuple(space_blocks(result, explored, hidden, public))
        sections.append(PageSection("The space", blocks))
        blocks = tuple(ruled_out(explored, public, hidden))
        sections.append(PageSection("What was ruled out", blocks))
    sections += reason_sections(result, public)
    if told(result.objective, public):
        history = page_history(result.history, result.objective, public)
        timed = tuple(history_chart(history, result.objective))
        sections.append(PageSection("Cost and bound over time", timed))
    if explored is not None and result.cost is not None:
        sections.append(_release(result, explored, public))
        sections.append(_columns(explored, public or explored.redact))
    return Page(
        title="What is the best release that keeps the privacy promises?",
        subject=_subject(result, public),
        verdict=Banner(
            WORDS[result.verdict], _sentence(result, public), TONE[result.verdict]
        ),
        sections=tuple(sections),
        public=public,
    )


def _subject(result: SearchResult, public: bool) -> str:
    records = table_size(result.rows, result.share > 0, public)
    columns = plural(len(result.schemes), "quasi-identifier")
    return f"{records}, {columns}; space {result.space}, objective {result.objective}"


def _subject_of_checks(result: SearchResult) -> str:
    if result.cost is None:
        return "the most general release"
    return "the released table"


def _sentence(result: SearchResult, public: bool) -> str:
    """The verdict as a lawyer reads it."""
    cost = page_cost(result.cost, result.objective, public)
    if result.verdict == "optimal":
        return (
            "There is a release that keeps every rule of the policy, and none of the"
            f" releases examined is better: its {result.objective} is"
            f" {cost}, and no other that keeps every rule has less."
        )
    if result.verdict == "infeasible":
        return (
            "No release of the kind examined keeps every rule of the policy. The"
            " table cannot be released so: rules, hierarchies or the records that may"
            " be withheld have to change."
        )
    if result.cost is None:
        return (
            "It is not known whether there is a release that keeps every rule: the"
            " search ended before one was found."
        )
    # Listed by height, the search knows no bound of discernibility.
    if result.bound is None:
        known = "how much better another one could be is not known"
    else:
        bound = page_bound(result.bound, result.objective, public)
        known = f"none has less than {bound}"
    return (
        "A release was found that keeps every rule of the policy. It is not known to be"
        f" the best one: its {result.objective} is {cost}, and"
        f" {known}."
    )


def _scope(result: SearchResult, public: bool) -> PageSection:
    return PageSection("What this verdict covers", tuple(_covered(result, public)))


def _covered(result: SearchResult, public: bool) -> Iterator[PageBlock]:
    work = result.statistics
    yield Paragraph(
        f"The verdict is about all releases in which {SPACES[result.space]}."
        f" {SCALES[result.objective]}"
    )
    if result.charged:
        yield Paragraph("Each withheld record loses 1 in every column.")
    if result.share:
        yield Paragraph(may_be_withheld(result.budget, result.rows, public))
    if result.verdict == "optimal" and not result.fewest_withheld:
        yield Paragraph(
            "Fewer withheld records may do: not all releases of the same cost were"
            " compared."
        )
    examined = plural(work.candidates, "release")
    reasons = plural(work.clauses, "reason")
    # few reasons may be few people, each with a rare value
    if public:
        examined, reasons = "Releases", "reasons"
    one = work.candidates == 1 and not public
    verb = "was" if one else "were"
    yield Paragraph(
        f"{examined} of the space {verb} examined one by one, and {reasons} learned"
        " from those that break a rule; each rules out many others."
    )
    if work.solvers:
        yield Paragraph(
            "That nothing costs less was confirmed by"
            f" {' and '.join(work.solvers)}, after the search."
        )
    yield from _why(result, public)
    yield from _by_tuples(result, public)
    yield from terms(result.notes, result.warnings, public)
    yield from uncovered()


def _by_tuples(result: SearchResult, public: bool) -> Iterator[PageBlock]:
    """About what a release by tuples would lose; in public by no more digits than the
    cost has.
    """
    if result.tuples_estimate is None or result.cost is None:
        return
    exact = Fraction(f"{result.tuples_estimate:g}")
    estimate = above(exact, "loss", public)
    own = above(result.cost, "loss", public)
    if estimate >= own:
        return
    shown = f"{float(estimate):g}"
    said = f"about {shown} or less is lost (--space tuples)"
    yield Remark("By tuples", f"{said}: a quick estimate, not verified")


def _why(result: SearchResult, public: bool) -> Iterator[PageBlock]:
    """The reason of a verdict; it may name rules and quote values."""
    if public:
        return
    if result.reason:
        yield Remark("Why", result.reason, TONE[result.verdict])
    if result.helps:
        yield Remark("What helps", result.helps)


def _release(result: SearchResult, explored: Explored, public: bool) -> PageSection:
    """What is released, in the measures of the field."""
    sizes = explored.sizes()
    pairs = [
        ("Records released", roughly(sum(sizes), public)),
        ("Records withheld", roughly(result.suppressed, public)),
        ("Classes", roughly(len(sizes), public)),
    ]
    if not public:
        mean = sum(sizes) / max(len(sizes), 1)
        least = min(sizes, default=0)
        pairs.append(("Records a class", f"{mean:.2f} on average, {least:,} or more"))
    for objective, value in explored.costs().items():
        # squares of small classes could be told apart
        if told(objective, public):
            shown = page_cost(value, objective, public)
            pairs.append((objective.capitalize(), shown))
    columns = explored.columns()
    # Frequencies of values follow from it, more or less exactly.
    if told("entropy", public):
        bits = f"{entropy(columns):.4f} bits a cell"
        pairs.append(("Non-uniform entropy", bits))
    if not public:
        pairs += _different(columns)
    blocks = (Facts(tuple(pairs)), size_chart(sizes, public))
    return PageSection("What is released", blocks)


def _different(columns: Sequence[ColumnSpread]) -> Iterator[tuple[str, str]]:
    """How many different values each column has; one more may be one person's."""
    for column in columns:
        kept = len(set(column.blocks))
        values = plural(len(column.blocks), "value")
        yield f"Different values of {column.scheme.name}", f"{kept:,} of {values}"


def entropy(columns: Sequence[ColumnSpread]) -> float:
    """The bits a cell that are open to who knows how frequent values are (Gionis and
    Tassa 2009); a figure, of which no verdict depends.
    """
    bits = 0.0
    cells = 0
    for column in columns:
        together: Counter[int] = Counter()
        for block, count in zip(column.blocks, column.before, strict=True):
            # Records whose values are released as one: a reader cannot tell them apart.
            together[block] += count
        for block, count in zip(column.blocks, column.before, strict=True):
            if count:
                bits += count * math.log2(together[block] / count)
        cells += sum(column.before)
    return bits / max(cells, 1)


def _columns(explored: Explored, hidden: bool) -> PageSection:
    """Each column before and after, and what its values become."""
    title = "The columns before and after"
    if hidden:
        return PageSection(title, (Paragraph(HIDDEN),))
    sections = []
    for column in explored.columns():
        name = column.scheme.name
        triples = zip(column.scheme.values, column.before, column.spread, strict=True)
        told = list(triples)
        # In the order in which people look for values, not in that of the scheme.
        spread = [told[place] for place in in_order(column.scheme.values)]
        blocks = (spread_chart(name, spread), _mapping(column))
        sections.append(PageSection(name, blocks))
    return PageSection(title, (Paragraph(SPREAD),), tuple(sections))


def _mapping(column: ColumnSpread) -> DataTable:
    """What the values of a column are released as."""
    rows = []
    values = column.scheme.values
    for place in in_order(values):
        value, image = values[place], column.images[place]
        rows.append((cell(value), cell(image), f"{column.before[place]:,}"))
    more = ""
    if len(rows) > MAPPED:
        more = f"{plural(len(rows) - MAPPED, 'value')} are left out: --json has all."
    titles = (
        TableColumn("value"),
        TableColumn("is released as"),
        TableColumn("records", number=True),
    )
    caption = f"{column.scheme.name}: what its values become"
    return DataTable(caption, titles, tuple(rows[:MAPPED]), more)
