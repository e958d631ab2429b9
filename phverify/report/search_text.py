"""A search result as lines of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from phverify.errors import printable
from phverify.generalization.parts import AS_A_WHOLE, WEAKER
from phverify.generalization.result import Proof, SearchResult
from phverify.generalization.standing import relative_gap
from phverify.microdata.table import Label
from phverify.report.search_reasons import (
    column_reasons,
    reasons_title,
    relaxed_reason,
    risk_text,
)
from phverify.report.verify_text import to_lines as report_lines
from phverify.rounded import below, figure, in_places
from phverify.words import cell, percent, plural

Lines = Iterator[str]

WORDS = {"optimal": "OPTIMAL", "infeasible": "INFEASIBLE", "undecided": "UNDECIDED"}


def to_lines(result: SearchResult, source: str = "") -> list[str]:
    """The result, its verdict first word of the last paragraph."""
    lines = [
        *_head(result, source),
        *_closures(result),
        *_candidate(result),
        *_minimal(result),
        *_explained(result),
        *_tail(result),
    ]
    return [printable(line) for line in lines]


def amount(value: Fraction) -> str:
    """A cost with six digits, and exactly where that is short."""
    decimal = in_places(value)
    return figure(value, decimal)


def at_least(bound: Fraction) -> str:
    """A lower bound, which stays one where it is rounded."""
    if bound.denominator == 1:
        return str(bound)
    return below(bound)


SCALE = {
    "loss": "0 is the table unchanged, 1 all suppressed",
    "precision": "0 is the table unchanged, 1 all at the top",
    "entropy": "bits a cell; 0 is the table unchanged",
    "class-size": "records of the table for each class",
    "ambiguity": "original tuples that a record may stand for, on average",
}
"""How to read a cost."""


def _head(result: SearchResult, source: str) -> Lines:
    where = f"{source}: " if source else ""
    records = plural(result.rows, "record")
    columns = plural(len(result.schemes), "quasi-identifier")
    yield (
        f"{where}{records}, {columns}; space {result.space},"
        f" objective {result.objective}"
    )
    yield from (f"  note: {note}" for note in result.notes)
    yield from (f"  warning: {warning}" for warning in result.warnings)
    if result.share:
        withheld = plural(result.budget, "record")
        share = f"({result.share} of {result.rows:,}, rounded down)"
        yield f"  at most {withheld} may be withheld {share}"
    if result.charged:
        yield "  each withheld record loses 1 in every column"
    yield ""


def _closures(result: SearchResult) -> Lines:
    """What the solver proved about the rules before anything was pruned."""
    for proof in result.proofs:
        yield f"  {proof.rule}: {_closed(proof)}"
        if proof.how:
            yield f"    {proof.how}"
    if result.proofs:
        yield ""


def _closed(proof: Proof) -> str:
    if proof.upward:
        return "proved to be kept by every larger class"
    if proof.merge:
        return "proved to be kept when classes that satisfy it are merged"
    if proof.how.startswith((WEAKER, AS_A_WHOLE)):
        return "compared with what is released, which changes with what is withheld"
    # out of time is no counterexample
    if proof.how.startswith("not settled"):
        settled = "not settled in time"
    else:
        settled = "not kept when classes are merged"
    return f"{settled}: nothing is pruned by it"


def _candidate(result: SearchResult) -> Lines:
    for name, images in result.mapping.items():
        scheme = result.schemes[name]
        level = ""
        if scheme != result.space:
            level = f", {scheme}"
        if result.levels:
            chosen = result.levels[name]
            depth = result.depths[name]
            level = f", level {chosen} of {depth}"
        yield f"  {name}{level}: {_images(images)}"
    if result.mapping:
        yield ""


def _images(images: Mapping[Label, Label]) -> str:
    if all(value == image for value, image in images.items()):
        return "unchanged"
    values = plural(len(images), "value")
    # each once, in the order of the values
    released = list(dict.fromkeys(images.values()))
    count = len(released)
    if count == 1:
        [only] = released
        every = ""
        if len(images) > 1:
            every = "all "
        return f"{every}{values} -> {cell(only)}"
    first = map(cell, released[:6])
    shown = ", ".join(first)
    more = count - 6
    if more > 0:
        shown += f" and {more} more"
    return f"{values} -> {count}: {shown}"


def _minimal(result: SearchResult) -> Lines:
    if result.minimal:
        yield f"  minimal level vectors ({', '.join(result.schemes)}):"
        for one in result.candidates:
            vector = ", ".join(map(str, one.levels.values()))
            withheld = plural(one.withheld, "record")
            highest, average = risk_text(one)
            yield f"    ({vector})"
            yield (
                f"      {result.objective} {amount(one.cost)}; {withheld} withheld,"
                f" {plural(one.classes, 'class')}; prosecutor risk {highest} at most,"
                f" {average} on average"
            )
        yield ""


def _explained(result: SearchResult) -> Lines:
    """Why no column is finer."""
    if result.explanation is None:
        return
    title = reasons_title(result.explanation)
    yield f"  {title[0].lower()}{title[1:]}:"
    finest = []
    for name, steps in result.explanation.steps.items():
        if not steps:
            finest.append(name)
        for sentence in column_reasons(result, name):
            yield f"    {name}, {sentence}"
    if finest:
        yield f"    as fine as the table: {', '.join(finest)}"
    yield ""


def _tail(result: SearchResult) -> Lines:
    if result.verdict == "infeasible":
        yield from _infeasible(result)
    elif result.cost is None:
        yield (
            f"UNDECIDED: {result.reason}; nothing found so far is known to satisfy the"
            " policy"
        )
    else:
        yield from _found(result)


def _infeasible(result: SearchResult) -> Lines:
    if result.checks:
        wrong = [rule for rule in result.checks.rules if rule.verdict != "proved"]
        lines = report_lines(result.checks)
        # a report names each rule that is not proved, as a paragraph of its own
        starts = [
            k
            for k, line in enumerate(lines)
            if line.startswith(("REFUTED  ", "UNDECIDED  "))
        ]
        for start in starts[: len(wrong)]:
            yield from lines[start : lines.index("", start) + 1]
    yield f"INFEASIBLE: {result.reason}"
    yield f"  No candidate of the space satisfies the policy: {_work(result)}."
    if result.helps:
        yield f"  What helps: {result.helps}."
    if result.relaxed:
        yield "  What would do, with one number changed and all else as it is:"
        yield from (f"    {relaxed_reason(one)}" for one in result.relaxed)


def _found(result: SearchResult) -> Lines:
    assert result.cost is not None and result.checks is not None
    checks = result.checks
    yield (
        f"PROVED for the release: {plural(len(checks.rules), 'rule')} on"
        f" {plural(checks.rows, 'row')}"
    )
    yield (
        f"  in {plural(checks.classes, 'class')}; {plural(result.suppressed, 'record')}"
        " withheld"
    )
    said = f"{WORDS[result.verdict]}: {result.objective} {amount(result.cost)}"
    if result.verdict == "optimal":
        # only what is the least is called so: else both ends are told
        yield said + (
            f"; {SCALE[result.objective]}" if result.objective in SCALE else ""
        )
        yield (
            "  Nothing in the space costs less and satisfies the policy:"
            f" {_work(result)}."
        )
        if not result.fewest_withheld:
            yield (
                "  Fewer withheld records may do: not all that costs as little was"
                " compared."
            )
    elif result.minimal and result.cost == result.bound:
        # What is open is the list that was asked for.
        yield (
            f"{said}; nothing costs less, and there may be further minimal candidates"
            f" ({result.reason})"
        )
    else:
        yield (
            f"{said}, the best found, not proved to be the least"
            f" ({result.reason}){_gap(result)}"
        )
    if result.tuples_estimate is not None:
        yield (
            "  By tuples (--space tuples) about"
            f" {result.tuples_estimate:g} or less is lost: a quick estimate, not"
            " verified."
        )


def _gap(result: SearchResult) -> str:
    """How far the cost may be above the least."""
    if not result.bound or result.cost is None:
        return ""
    gap = percent(relative_gap(result.cost, result.bound))
    return (
        f"; nothing costs less than {at_least(result.bound)}: at most {gap} of this"
        " one's cost can be saved"
    )


def _work(result: SearchResult) -> str:
    told = result.statistics
    if told.solvers:
        by = f", the lower bound confirmed by {' and '.join(told.solvers)}"
    else:
        by = ""
    return (
        f"{plural(told.candidates, 'candidate')} examined,"
        f" {plural(told.clauses, 'clause')} learned{by}"
    )
