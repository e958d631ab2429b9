"""The questions behind a decision, kept for whoever wants to ask them again, with what
their unknowns mean.
"""

from __future__ import annotations

from collections.abc import Iterator

from phverify.budget import Deadline
from phverify.errors import BudgetExceeded
from phverify.logic.printer import Style, individual, to_text
from phverify.spec import syntax as s
from phverify.spec.encoder import member, seat
from phverify.spec.instances import TooLarge
from phverify.spec.safety import asks_all_models
from phverify.spec.universe import Cell, Group, Point
from phverify.symbolic.encoding import ReleaseQuestion
from phverify.symbolic.instances import stated
from phverify.symbolic.release import SymbolicRelease
from phverify.verification.assumptions import Assumptions
from phverify.verification.decision import AskedQuestion, Decision
from phverify.verification.full import full_question
from phverify.verification.result import SavedQuery

MOST = 1000
"""Questions of one rule that are kept."""
SMALL = 30
"""Rows of a release for which the full encoding is written beside the other."""
LINES = 60
PATIENCE = 10.0
"""Seconds for writing out one full encoding."""
FULL = (
    "world: the row at which the rule is to fail, counted from 0",
    "at_i3: the row of individual i3, one of its class",
    (
        "var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a"
        " value, the values of a clause"
    ),
)
STATUS = {"proved": "unsat", "refuted": "sat", "undecided": "unknown"}


def saved(
    decision: Decision,
    formula: s.Formula,
    assumptions: Assumptions,
    release: SymbolicRelease,
    style: Style,
    encoding: str,
) -> tuple[SavedQuery, ...]:
    """The questions of one rule: that the assumptions can be met, each instance asked,
    the whole rule in full.

    The full encoding gives the values of each row, so that nothing of it is kept where
    values are hidden.
    """
    queries = []
    if assumptions.asked:
        about = " & ".join(to_text(f, style) for f in assumptions.formulas)
        queries.append(_query("assumptions", assumptions.asked, about, release, style))
    for one in decision.asked:
        about = to_text(stated(one.question.instance), style)
        queries.append(_query("instance", one, about, release, style))
    asked = encoding == "full"
    # the full encoding grows with the rows: small releases, or where it is asked for
    if (
        not style.hides
        and not asks_all_models(formula)
        and (asked or release.quotient.rows <= SMALL)
    ):
        queries += _whole(decision, formula, assumptions, release, asked)
    return tuple(queries)


def _whole(
    decision: Decision,
    formula: s.Formula,
    assumptions: Assumptions,
    release: SymbolicRelease,
    asked: bool,
) -> Iterator[SavedQuery]:
    """The full encoding of a rule with the status that follows from its verdict;
    nothing where it is too large.
    """
    try:
        text = full_question(
            formula, assumptions.formulas, release, Deadline(PATIENCE)
        ).text
    # It is there to be read: no verdict rests on it.
    except (BudgetExceeded, TooLarge):
        return
    yield SavedQuery(
        "full", text, STATUS[decision.status], to_text(formula), FULL, asked
    )


def _query(
    kind: str, asked: AskedQuestion, about: str, release: SymbolicRelease, style: Style
) -> SavedQuery:
    lines = list(_legend(asked.question, release, style))
    if len(lines) > LINES:
        lines = [*lines[:LINES], f".. and {len(lines) - LINES} more"]
    return SavedQuery(kind, asked.text, asked.status, about, tuple(lines))


def _legend(
    question: ReleaseQuestion, release: SymbolicRelease, style: Style
) -> Iterator[str]:
    """What each unknown of a question means."""
    for binder in question.instance.clauses:
        name = binder.var.name
        attribute = binder.attribute
        for code, label in enumerate(release.quotient.labels[attribute]):
            if style.hide(attribute):
                value = f"value {code} of {attribute}"
            else:
                value = f"{attribute} = {label}"
            yield f"{member(name, code)} = 1: the clause {name} contains {value}"
    for odd, many in question.parities.items():
        yield f"{odd} = 1: an odd number of {many} parts of the formula is true"
    for point in question.universe.points:
        group = question.universe.groups[point.group]
        if len(group.cells) > 1:
            yield from _places(point, group, question, release, style)


def _places(
    point: Point,
    group: Group,
    question: ReleaseQuestion,
    release: SymbolicRelease,
    style: Style,
) -> Iterator[str]:
    """The kinds of rows that a named individual can be on."""
    assert isinstance(point.name, s.Person)
    who = individual(release.signature, point.name)
    if style.positions:
        who = f"i{point.name.index + 1}"
    values = release.quotient.class_values(group.classes[0])
    told = (
        ", ".join(f"{name} = {value}" for name, value in values.items()) or "everything"
    )
    for number, cell in enumerate(group.cells):
        rows = "1 row" if cell.count == 1 else f"{cell.count} rows"
        where = "; ".join(_said(cell, question, style))
        if where:
            where = f", {where}"
        here = f"{who} is on kind {number} of the class {told}: {rows}"
        yield f"{seat(point, number)} = 1: {here}{where}"


def _said(cell: Cell, question: ReleaseQuestion, style: Style) -> Iterator[str]:
    """What tells a kind of rows from the others of its class."""
    if cell.row is not None:
        yield f"the row d{cell.row + 1}"
    for part, truth in zip(question.scope.parts, cell.truths, strict=True):
        yield f"{to_text(part, style)} is {'true' if truth else 'false'}"
    for attribute, value in zip(question.scope.columns, cell.values, strict=True):
        yield f"value {value} of {attribute}"
