"""Is there a table in which the first holds and the second does not?  Asked of a
solver, shape by shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from phverify.budget import Deadline
from phverify.comparison.case import ComparedCase, case
from phverify.comparison.choice import Undecided
from phverify.comparison.domains import Domains
from phverify.comparison.exact import Exact
from phverify.comparison.parts import TOTALS, RulePart, additive
from phverify.comparison.relaxed import Relaxed
from phverify.comparison.shapes import TableShape, exact_shapes, relaxed_shapes
from phverify.comparison.sides import ComparisonFrame, Names
from phverify.comparison.unions import Block, WholeTable
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import SolverAnswer, solve
from phverify.errors import refusal
from phverify.spec import syntax as s
from phverify.spec.walk import is_global

QUICK = 5.0
"""Seconds for one question about real numbers before whole numbers are asked for."""
LINEAR = (False, False), (True, False)
"""Efforts of a proof, the cheapest first: whole numbers of rows, fine logarithms."""
WITH_LOGARITHMS = (False, False), (False, True), (True, True)


# Tables with n rows


def exact_texts(
    item: ComparedCase, n: int, deadline: Deadline
) -> Iterator[tuple[Exact, str]]:
    """The questions for all tables with n rows and these values; each is satisfied by
    separating tables only.
    """
    # every active value occurs in some row
    many_values = [len(values) for values in item.choice.active.values()]
    needed = max(many_values, default=0)
    if n < max(item.anchors.least, needed):
        return
    for shape in exact_shapes(item, n):
        deadline.check()
        encoder = Exact(item, shape, deadline)
        text = _exact_text(encoder, item)
        if text:
            yield encoder, text


def _exact_text(encoder: Exact, item: ComparedCase) -> str:
    """The question for one shape; empty where constants settle it."""
    first_given, second_given = item.given
    claims = [encoder.possible(first_given)] if first_given else []
    for part in item.first:
        for failure in encoder.failures(part, first_given):
            claims.append(t.neg(failure))
            # the first fails in every table of this shape
            if failure is t.TRUE:
                return ""
    violations: list[t.Term] = []
    for part in item.second:
        violations += encoder.failures(part, second_given)
    second_fails = t.disj(violations)
    claims.append(second_fails)
    if t.FALSE in claims:
        return ""
    asked = [*encoder.frame(), *claims]
    return _text(asked)


def _text(terms: Sequence[t.Term]) -> str:
    """The question, without what is true anyway."""
    return script([term for term in terms if term is not t.TRUE])


# Tables with any number of rows


def relaxed_texts(
    item: ComparedCase, deadline: Deadline, whole: bool, fine: bool
) -> Iterator[str]:
    """Unsatisfiable, all of them, only if no table with these values separates the two.

    What the first says is left out where it has no form here; the second must have one.
    ``whole`` numbers and ``fine`` bounds on logarithms cost time.  Raises Undecided.
    """
    assumed = (*item.given[0], *item.given[1])
    if not all(map(is_global, assumed)):
        raise Undecided(
            "assumptions that speak of the world, not of named individuals, are looked"
            " at table by table only"
        )
    for part in item.second:
        # a class for everybody who shows that it fails, and one for the world
        people = len(part.people)
        more = people if is_global(part.body) else people + 1
        for shape in relaxed_shapes(item, max(more, 1)):
            deadline.check()
            encoder = Relaxed(item, shape, deadline, fine, part=part, whole=whole)
            yield _relaxed_text(encoder, part)


def _relaxed_text(encoder: Relaxed, part: RulePart) -> str:
    """The question for one shape: the first holds, and this conjunct fails."""
    item = encoder.case
    first_given, second_given = item.given
    unions = _unions(encoder)
    claims = [encoder.possible(first_given)] if first_given else []
    claims.append(t.disj(encoder.failures(part, second_given)))
    rows = t.added(map(encoder.size, range(encoder.shape.classes)))
    # no table is empty
    claims.append(t.compare(rows, ">", 0))
    for known in item.first:
        claims += _claims(encoder, known, first_given)
        # what merging keeps also holds where classes are taken together
        merges = not known.people and known.reach <= TOTALS
        if merges and additive(known.body, item.criteria):
            for union in unions:
                claims += _claims(union, known, ())
    frames = [*unions[0].frame(), *encoder.frame()]
    facts: list[t.Term] = []
    for carrier in (encoder, *unions):
        for known_of_it in carrier.extra.values():
            facts += known_of_it
    return _text([*frames, *facts, *claims])


def _unions(encoder: Relaxed) -> list[Relaxed]:
    """The table as one class, and what agents with partial knowledge see."""
    item, deadline = encoder.case, encoder.deadline
    one = TableShape(1)
    unions: list[Relaxed] = [WholeTable(item, one, deadline, encoder.fine, "w")]
    for agent in encoder.part_knowing:
        if agent in item.agents:
            for c in range(encoder.shape.classes):
                unions.append(Block(item, one, deadline, True, f"{agent} {c}"))
    return unions


def _claims(
    encoder: Relaxed, part: RulePart, given: Sequence[s.Formula]
) -> list[t.Term]:
    """What a conjunct of the first side says about these classes; nothing where it has
    no form.
    """
    try:
        return [t.neg(failure) for failure in encoder.failures(part, given)]
    except Undecided:
        return []


def none_at_all(item: ComparedCase, deadline: Deadline) -> SolverAnswer:
    """unsat: no table with these values separates the two; sat or unknown: that is
    open.
    """
    criteria = item.criteria.values()
    logarithms = any(criterion.logarithmic for criterion in criteria)
    ways = WITH_LOGARITHMS if logarithms else LINEAR
    answer = SolverAnswer("unknown")
    # each effort says more of the same tables: the first unsat is a proof
    for whole, fine in ways:
        texts = relaxed_texts(item, deadline, whole, fine)
        answer = _weakest(texts, deadline)
        if answer.status == "unsat":
            return answer
    anchors = item.anchors
    tied = anchors.linked and anchors.people and anchors.rows
    if answer.status == "sat" and tied:
        reason = "beside an original table, individual i may be elsewhere than row i"
        return SolverAnswer("unknown", reason=reason)
    return SolverAnswer(answer.status, reason=answer.reason)


def _weakest(texts: Iterator[str], deadline: Deadline) -> SolverAnswer:
    """The first answer that is not unsat; unsat where all are."""
    for text in texts:
        left = deadline.left()
        seconds = QUICK if left is None else max(0.001, min(QUICK, left))
        answer = solve(text, Deadline(seconds), tactics=True)
        if answer.status != "unsat":
            return answer
    return SolverAnswer("unsat")


def cases(
    domains: Domains, frame: ComparisonFrame, only: Names = ()
) -> Iterator[tuple[int, ComparedCase]]:
    """Both sides for every choice of values, with its number.

    Raises InputError when a criterion is defined for none of them.
    """
    some = False
    unfit = ""
    for number, choice in enumerate(domains.choices()):
        item = case(choice, frame, only)
        if isinstance(item, ComparedCase):
            some = True
            yield number, item
        else:
            # the first reason is told if no choice of values is fit
            unfit = unfit or item
    if not some:
        raise refusal(frame.verb, unfit or "there is no table to compare on")
