"""Is there a table in which the first holds and the second does not?  Asked of a
solver, shape by shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from phverify.budget import Deadline
from phverify.comparison.case import Case, case
from phverify.comparison.domains import Domains, Open
from phverify.comparison.exact import Exact
from phverify.comparison.frame import Frame, Names
from phverify.comparison.parts import TOTALS, Part, additive
from phverify.comparison.relaxed import Block, Relaxed, Whole
from phverify.comparison.shapes import Shape, exact_shapes, relaxed_shapes
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import SolverAnswer, solve
from phverify.errors import refusal
from phverify.spec import syntax as s
from phverify.spec.walk import is_global

QUICK = 5.0
"""Seconds for one question about real numbers before whole numbers are asked for."""


# Tables with n rows


def exact_texts(item: Case, n: int, deadline: Deadline) -> Iterator[tuple[Exact, str]]:
    """The questions for all tables with n rows and these values; each is satisfied by
    separating tables only.
    """
    needed = max((len(v) for v in item.choice.active.values()), default=0)
    if n < max(item.anchors.least, needed):
        return
    for shape in exact_shapes(item, n):
        deadline.check()
        encoder = Exact(item, shape, deadline)
        text = _exact_text(encoder, item)
        if text:
            yield encoder, text


def _exact_text(encoder: Exact, item: Case) -> str:
    """The question for one shape; empty where constants settle it."""
    claims = [encoder.possible(item.given[0])] if item.given[0] else []
    for part in item.first:
        for failure in encoder.failures(part, item.given[0]):
            claims.append(t.neg(failure))
            if failure is t.TRUE:
                return ""
    claims.append(
        t.disj(
            failure
            for part in item.second
            for failure in encoder.failures(part, item.given[1])
        )
    )
    return "" if t.FALSE in claims else _said([*encoder.frame(), *claims])


def _said(terms: Sequence[t.Term]) -> str:
    """The question, without what is true anyway."""
    return script([term for term in terms if term is not t.TRUE])


# Tables with any number of rows


def relaxed_texts(
    item: Case, deadline: Deadline, whole: bool, fine: bool
) -> Iterator[str]:
    """Unsatisfiable, all of them, only if no table with these values separates the two.

    What the first says is left out where it has no form here; the second must have one.
    ``whole`` numbers and ``fine`` bounds on logarithms cost time.  Raises Open.
    """
    if not all(map(is_global, (*item.given[0], *item.given[1]))):
        raise Open(
            "assumptions that speak of the world, not of named individuals, are looked"
            " at table by table only"
        )
    for part in item.second:
        more = len(part.people) + (0 if is_global(part.body) else 1)
        for shape in relaxed_shapes(item, max(more, 1)):
            deadline.check()
            encoder = Relaxed(item, shape, deadline, fine, part=part, whole=whole)
            yield _relaxed_text(encoder, part)


def _relaxed_text(encoder: Relaxed, part: Part) -> str:
    item, given = encoder.case, encoder.case.given
    classes, one = range(encoder.shape.classes), Shape(1)
    unions: list[Relaxed] = [Whole(item, one, encoder.deadline, encoder.fine, "w")]
    for agent in set(encoder.part_knowing) & item.agents:
        unions += [
            Block(item, one, encoder.deadline, True, f"{agent} {c}") for c in classes
        ]
    claims = [encoder.possible(given[0])] if given[0] else []
    claims.append(t.disj(encoder.failures(part, given[1])))
    claims.append(t.compare(t.added(map(encoder.size, classes)), ">", 0))
    for known in item.first:
        claims += _known(encoder, known, given[0])
        if (
            not known.people
            and known.reach <= TOTALS
            and additive(known.body, item.criteria)
        ):
            for union in unions:
                claims += _known(union, known, ())
    frames = [*unions[0].frame(), *encoder.frame()]
    facts = [
        fact
        for one in (encoder, *unions)
        for known_of in one.extra.values()
        for fact in known_of
    ]
    return _said([*frames, *facts, *claims])


def _known(encoder: Relaxed, part: Part, given: Sequence[s.Formula]) -> list[t.Term]:
    """What a conjunct of the first side says about these classes; nothing where it has
    no form.
    """
    try:
        return [t.neg(failure) for failure in encoder.failures(part, given)]
    except Open:
        return []


def none_at_all(item: Case, deadline: Deadline) -> SolverAnswer:
    """unsat: no table with these values separates the two; sat or unknown: that is
    open.
    """
    logarithms = any(c.logarithmic for c in item.criteria.values())
    efforts = (
        ((False, False), (False, True), (True, True))
        if logarithms
        else ((False, False), (True, False))
    )
    for whole, fine in efforts:
        for text in relaxed_texts(item, deadline, whole, fine):
            left = deadline.left()
            short = Deadline(QUICK if left is None else max(0.001, min(QUICK, left)))
            answer = solve(text, short, tactics=True)
            if answer.status != "unsat":
                break
        else:
            return SolverAnswer("unsat")
    if (
        answer.status == "sat"
        and item.anchors.linked
        and item.anchors.people
        and item.anchors.rows
    ):
        return SolverAnswer(
            "unknown",
            reason="beside an original table, individual i may be elsewhere than row i",
        )
    return SolverAnswer(answer.status, reason=answer.reason)


def cases(found: Domains, frame: Frame, only: Names = ()) -> Iterator[tuple[int, Case]]:
    """Both sides for every choice of values, with its number.

    Raises InputError when a criterion is defined for none of them.
    """
    some, why = False, ""
    for number, choice in enumerate(found.choices()):
        item = case(choice, frame, only)
        if isinstance(item, Case):
            some = True
            yield number, item
        else:
            why = why or item
    if not some:
        raise refusal("compare", why or "there is no table to compare on")
