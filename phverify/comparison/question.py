"""Is there a table in which the first holds and the second does not?  Asked of a solver, shape by shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from phverify.budget import Deadline
from phverify.comparison.domains import Choice, Domains, Open
from phverify.comparison.encode import Shape
from phverify.comparison.endless import frequent, together
from phverify.comparison.exact import Exact
from phverify.comparison.frame import Frame, values
from phverify.comparison.parts import OWN, TOTALS, Part, additive, criteria, mergeable, parts, reach
from phverify.comparison.relaxed import Block, Relaxed, Whole
from phverify.comparison.shapes import Anchors, exact_shapes, relaxed_shapes
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import Answer, solve
from phverify.errors import InputError, Problem
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.registry import Unfit
from phverify.spec.instances import TooLarge
from phverify.spec.nominals import mentioned
from phverify.spec.schemas import apart
from phverify.spec.walk import agents, is_global
from phverify.symbolic.instances import write_inner

QUICK = 5.0
"""Seconds for one question about real numbers before whole numbers are asked for."""


@dataclass(frozen=True, eq=False)
class Case:
    """Both sides for one choice of values."""

    choice: Choice
    first: tuple[Part, ...]
    second: tuple[Part, ...]
    given: tuple[tuple[s.Formula, ...], tuple[s.Formula, ...]]
    criteria: dict[s.Criterion, ClassCriterion]
    frame: Frame

    @cached_property
    def formulas(self) -> list[s.Formula]:
        """All that names values and individuals."""
        secrets = (*self.frame.first.secrets, *self.frame.second.secrets)
        return [*(p.body for p in (*self.first, *self.second)), *(f for found in self.given for f in found), *secrets]

    @cached_property
    def anchors(self) -> Anchors:
        people, rows = mentioned([*self.formulas, *self.frame.formulas()])  # whom settled rules name is there, too
        return Anchors(
            tuple(sorted(p.index for p in people)), tuple(sorted(r.index for r in rows)), not self.frame.names
        )

    @cached_property
    def agents(self) -> set[str]:
        return {str(agent) for f in self.formulas for node in s.subformulas(f) for agent in agents(node)}

    @cached_property
    def frequent(self) -> dict[str, int]:
        """How many of the most frequent values of a class are looked at one by one, where there are bundles."""
        return {f: frequent([p.body for p in (*self.first, *self.second)], f) for f in self.choice.bundles}

    def most_classes(self, n: int) -> int:
        """A smallest separating table with n rows needs no more classes.

        Kept are the classes of named individuals, and those of the world and of the individuals that show that the
        second fails.  When nothing looks at other classes, these are a table; when what the first says survives
        merging and the second looks at totals only, the other classes can be merged into one.
        """
        if not self.frame.quasi:
            return 1
        own = len(self.anchors.keys) + 1 + max((len(part.people) for part in self.second), default=0)
        rest = (*self.first, *self.second)
        given = [f for found in self.given for f in found]
        if not all(map(is_global, given)):
            return n
        looks = max([part.reach for part in rest] + [reach(f) for f in given], default=OWN)
        if looks == OWN and not self._fills:
            return min(n, own)
        if looks <= TOTALS and all(mergeable(p, self.criteria) for p in self.first):
            return min(n, own + 1)
        return n

    @property
    def _fills(self) -> bool:
        """Whether rows may be there only so that a named value occurs, or a named row has its number."""
        named = any(set(found) & set(values(g, f)) for f, found in self.choice.active.items() for g in self.formulas)
        return named or self.anchors.least > max(1, len(self.anchors.keys))


def case(choice: Choice, frame: Frame, only: Sequence[str] = ()) -> Case | str:
    """Both sides for a choice of values; why, when some criterion is not defined for these values.

    ``only`` restricts the rules of the second side.
    """
    sides = frame.first, frame.second
    rules = [list(side.rules.values()) for side in sides]
    rules[0] += [more for formula in rules[0] for more in together(formula, choice)]
    rules[1] = [formula for name, formula in sides[1].rules.items() if not only or name in only]
    languages = [choice.signature(("a0", "a1", *side.policy.agents)) for side in sides]
    try:
        found = [
            tuple(dict.fromkeys(p for f in formulas for p in parts(f, language)))
            for formulas, language in zip(rules, languages, strict=True)
        ]
        one, two = (
            tuple(write_inner(apart(f), language) for f in side.assumptions)
            for side, language in zip(sides, languages, strict=True)
        )
        formulas = [p.body for p in (*found[0], *found[1])] + [*one, *two]
        built = criteria(formulas, choice, dict(frame.hierarchies))
    except TooLarge as error:
        raise Open(str(error)) from None
    except Unfit as error:
        return str(error)
    return Case(choice, found[0], found[1], (one, two), built, frame)


# Tables with n rows


def exact_texts(item: Case, n: int, deadline: Deadline) -> Iterator[tuple[Exact, str]]:
    """The questions for all tables with n rows and these values; each is satisfied by separating tables only."""
    needed = max((len(v) for v in item.choice.active.values()), default=0)
    if n < max(item.anchors.least, needed):
        return
    profiles = len(item.choice.profiles)
    for shape in exact_shapes(n, item.most_classes(n), item.anchors, profiles, item.frame, item.agents):
        deadline.check()
        encoder = Exact(shape, item.choice, item.criteria, deadline)
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
    claims.append(t.disj(failure for part in item.second for failure in encoder.failures(part, item.given[1])))
    if t.FALSE in claims:
        return ""
    return script(said([*encoder.frame(), *claims]))


def said(terms: Iterable[t.Term]) -> list[t.Term]:
    """What is not true anyway."""
    return [term for term in terms if term is not t.TRUE]


# Tables with any number of rows


def relaxed_texts(item: Case, deadline: Deadline, whole: bool, fine: bool) -> Iterator[str]:
    """Unsatisfiable, all of them, only if no table with these values separates the two.

    What the first says is left out where it has no form here; the second must have one.  ``whole`` numbers and ``fine``
    bounds on logarithms cost time.  Individual i may be elsewhere than row i, as beside an original table in another
    order.  Raises Open.
    """
    if any(not is_global(f) for found in item.given for f in found):
        raise Open("assumptions that speak of the world, not of named individuals, are looked at table by table only")
    anchors = replace(item.anchors, linked=False)
    for part in item.second:
        more = len(part.people) + (0 if is_global(part.body) else 1)
        for shape in relaxed_shapes(anchors, max(more, 1), len(item.choice.profiles)):
            deadline.check()
            yield _relaxed_text(item, part, shape, deadline, whole, fine)


def _relaxed_text(item: Case, part: Part, shape: Shape, deadline: Deadline, whole: bool, fine: bool) -> str:
    knows, quasi = item.frame.agents, item.frame.quasi
    encoder = Relaxed(shape, item.choice, item.criteria, deadline, knows, quasi, whole=whole)
    encoder.lone = shape.classes == 1 and not is_global(part.body)
    encoder.failing = frozenset(found for node, found in item.criteria.items() if node in set(s.subformulas(part.body)))
    table = Whole(Shape(1, None), item.choice, item.criteria, deadline, knows, quasi, "w")
    encoder.fine = table.fine = fine
    encoder.frequent = item.frequent
    blocks = [
        Block(Shape(1, None), item.choice, item.criteria, deadline, knows, quasi, f"{agent} {c}")
        for agent in set(encoder.partial) & item.agents
        for c in range(shape.classes)
    ]
    unions: list[Relaxed] = [table, *blocks]
    claims = [encoder.possible(item.given[0])] if item.given[0] else []
    claims.append(t.disj(encoder.failures(part, item.given[1])))
    claims.append(t.compare(t.added(encoder.size(c) for c in range(shape.classes)), ">", 0))
    for known in item.first:
        claims += _known(encoder, known, item.given[0])
        if not known.people and known.reach <= TOTALS and additive(known.body, item.criteria):
            for union in unions:
                claims += _known(union, known, ())
    frames = [*table.frame(), *encoder.frame()]
    facts = [fact for one in (encoder, *unions) for known_of in one.extra.values() for fact in known_of]
    return script(said([*frames, *facts, *claims]))


def _known(encoder: Relaxed, part: Part, given: Sequence[s.Formula]) -> list[t.Term]:
    """What a conjunct of the first side says about these classes; nothing where it has no form."""
    try:
        return [t.neg(failure) for failure in encoder.failures(part, given)]
    except Open:
        return []


def none_at_all(item: Case, deadline: Deadline) -> Answer:
    """unsat: no table with these values separates the two; sat or unknown: that is open."""
    reason = ""
    logarithms = any(c.logarithmic for c in item.criteria.values())
    for whole, fine in ((False, False), (False, True), (True, True)) if logarithms else ((False, False), (True, False)):
        status = "unsat"
        for text in relaxed_texts(item, deadline, whole, fine):
            answer = solve(text, _short(deadline), tactics=True)
            if answer.status != "unsat":
                status, reason = answer.status, answer.reason
                break
        if status == "unsat":
            return Answer("unsat")
    if status == "sat" and item.anchors.linked and item.anchors.people and item.anchors.rows:
        return Answer("unknown", reason="beside an original table, individual i may be elsewhere than row i")
    return Answer(status, reason=reason)


def _short(deadline: Deadline) -> Deadline:
    left = deadline.left()
    return Deadline(QUICK if left is None else max(0.001, min(QUICK, left)))


def cases(found: Domains, frame: Frame, only: Sequence[str] = ()) -> Iterator[tuple[int, Case]]:
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
        raise InputError(Problem("compare", why or "there is no table to compare on"))
