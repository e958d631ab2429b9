"""What a search ruled out, on a page: which rules break, and of which releases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from phverify.generalization.explored import Explored, RuledOut
from phverify.report.page import (
    DataTable,
    PageBlock,
    Paragraph,
    Points,
    TableColumn,
)
from phverify.words import cell, plural

REASONS = 20
"""So many reasons are told."""
KINDS = {
    "box": "however they are cut, some class among them breaks it",
    "class": "together as one class they break it",
    "cut": "too many records would have to be withheld",
    "candidate": "one release that breaks it",
}
"""Why candidates are ruled out."""


def ruled_out(explored: Explored, public: bool, hidden: bool) -> Iterator[PageBlock]:
    """Why releases that cost less are none: rules, and the classes that break them."""
    counted = explored.counted_reasons()
    if not counted:
        yield Paragraph("Nothing had to be ruled out.")
        return
    numbers: dict[str, int] = {}
    rows = []
    for (rule, kind), count in sorted(counted.items()):
        name = rule
        if public:
            # What a rule is called may name people, or say what somebody has.
            number = numbers.setdefault(rule, len(numbers) + 1)
            name = f"Rule {number} of those that were broken"
        cells = (name, KINDS[kind], f"{count:,}")
        # few reasons may be few people, each with a rare value
        rows.append(cells[:2] if public else cells)
    titles = [TableColumn("broken rule"), TableColumn("why")]
    if not public:
        titles.append(TableColumn("reasons", number=True))
    yield DataTable("What was ruled out, by rule", tuple(titles), tuple(rows))
    if hidden:
        yield Paragraph(
            "Which records these are is left out in this form: few may be alike."
        )
        return
    examples = list(explored.ruled_out(REASONS))
    yield from _listed(examples)
    left = sum(counted.values()) - len(examples)
    if left > 0:
        yield Paragraph(
            f"The first {len(examples)}; {plural(left, 'reason')} left out."
        )


def _listed(examples: Sequence[RuledOut]) -> Iterator[PageBlock]:
    """Reasons in words: those about records, and those about single releases."""
    about_records = [_records(one) for one in examples if one.kind in ("box", "class")]
    about_releases = [
        _release(one) for one in examples if one.kind not in ("box", "class")
    ]
    if about_records:
        yield Paragraph(
            "Each reason rules out every release in which these records are released"
            " so:"
        )
        yield Points(tuple(about_records))
    if about_releases:
        yield Paragraph("Each of these reasons is about one release:")
        yield Points(tuple(about_releases))


def _release(one: RuledOut) -> str:
    """Which release breaks a rule, and how far that goes."""
    which = "One release"
    if one.levels:
        levels = [f"{name} at level {level}" for name, level in one.levels.items()]
        which = f"The release with {', '.join(levels)}"
    if one.kind == "cut":
        records = plural(one.rows, "record")
        verb = "is" if one.rows == 1 else "are"
        return (
            f"{which} breaks {one.rule} unless {records} {verb} withheld, which are"
            " too many, and so does every finer one."
        )
    return f"{which} breaks {one.rule}."


def _records(one: RuledOut) -> str:
    """Whose records they are, and what they break."""
    records = plural(one.rows, "record")
    pairs = [f"{name} = {cell(label)}" for name, label in one.box.items()]
    where = ", ".join(pairs) if pairs else "the whole table"
    if one.kind == "box":
        return (
            f"{records} with {where}: kept apart from all others, some class among them"
            f" breaks {one.rule}, however they are divided."
        )
    return f"{records} with {where}: as one class they break {one.rule}."
