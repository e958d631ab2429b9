"""Columns with any number of values: a few of them one by one, the others in two
bundles.

A table that separates the two has some class E in which the second fails.  Looked at
one by one are the named values, the most frequent ones of E (``frequent``), and for
every schema and every criterion of shares in the second a value at which it fails
(``witnesses``).  All others are in two bundles: those more frequent in E than in the
table, and the rest.  What a criterion says of all values then has consequences for
these few numbers; when they leave nothing, no table with any number of values separates
the two.  The proof of each is in ``encodings/number-of-values.md``.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from operator import or_

from phverify.comparison.domains import Choice, Domains, Open, ranged
from phverify.comparison.frame import Formulas
from phverify.comparison.measures import Facts, above, present, steepest
from phverify.constraints import terms as t
from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ClassCriterion,
    Condition,
    EvenCriterion,
    Rows,
    Several,
    TooLong,
)
from phverify.spec.criterion.registry import CRITERIA, subjects, unprepared
from phverify.spec.criterion.value import ValueCriterion
from phverify.spec.enumeration import conjuncts
from phverify.spec.nominals import mentioned
from phverify.spec.source import Values
from phverify.spec.walk import juncts
from phverify.symbolic.sums import share

Needs = Counter[str]
"""How many values of each column are needed."""
Pair = tuple[t.LinearSum, t.LinearSum]
"""Rows of a class, and those that it would have if it were like the table."""

MOST_SINGLE = 12
"""So many values are looked at one by one, at most."""


# Which values are looked at one by one


def endless(found: Domains, rule: str) -> Domains:
    """The columns without a bound on their values, for one rule of the second.

    Of the first only those conjuncts are kept that say less, not more, of fewer values.
    Raises Open.
    """
    frame = found.frame
    if not all(map(_plain, (*frame.first.assumptions, *frame.second.assumptions))):
        raise Open("an assumption ranges over values")
    second = frame.second.rules[rule]
    assumed = bool(frame.first.assumptions or frame.second.assumptions)
    parts = conjuncts(s.And(tuple(frame.first.rules.values())))
    kept = {
        str(k): part
        for k, part in enumerate(parts)
        if assumed or _people(part) <= _people(second)
    }
    kept = {name: part for name, part in kept.items() if _weakens(part)}
    one = replace(frame.first, rules=kept, secrets=())
    two = replace(frame.second, rules={rule: second}, secrets=())
    reduced = replace(
        found,
        frame=replace(frame, first=one, second=two),
        wanted={},
        above={},
        endless=True,
    )
    return replace(
        reduced, most={name: _single(reduced, name, second) for name in found.most}
    )


def _single(found: Domains, f: str, rule: s.Formula) -> int:
    """How many values of a column are looked at one by one.  Raises Open."""
    finite = found.finite(f)
    rules = found.frame.first.rules.values()
    many = finite or found.special(f) + frequent((*rules, rule), f) + witnesses(rule)[f]
    if many > MOST_SINGLE:
        raise Open("too many values would have to be looked at one by one")
    return many


def _people(formula: s.Formula) -> set[object]:
    """Everybody and every row that a formula names."""
    return set().union(*mentioned([formula]))


def witnesses(rule: s.Formula) -> Needs:
    """How many values of each column show that some conjunct of a rule fails."""
    match rule:
        case s.And(parts):
            return reduce(or_, map(witnesses, parts), Needs())
        case s.Quantified(True, binders, body):
            return _own(binders) + witnesses(body)
    return _needed(rule, True, True)


def frequent(formulas: Formulas, f: str) -> int:
    """How many of the most frequent values are looked at: l - 1 for recursive (c,
    l)-diversity, else one.
    """
    found = [1]
    for formula in formulas:
        for node in s.subformulas(formula):
            if isinstance(node, s.Criterion) and f in subjects(node):
                found.append(unprepared(node).frequent or 1)
    return max(found)


def _weakens(part: s.Formula) -> bool:
    """Whether a conjunct follows from itself when schemas run through fewer values."""
    try:
        return not _needed(part, False, False)
    except Open:
        return False


def _plain(formula: s.Formula) -> bool:
    """Whether a formula has no schema over values and no criterion of them."""
    return not any(ranged([formula]))


def _own(binders: tuple[s.Binder, ...]) -> Needs:
    found: Needs = Counter()
    for binder in binders:
        if binder.attribute:
            found[binder.attribute] += binder.length if binder.sort == "clauses" else 1
    return found


def _needed(formula: s.Formula, fails: bool, criteria: bool) -> Needs:
    """How many values decide that a formula fails (or holds) somewhere.  Raises Open
    where no fixed number does.

    A schema that holds for all its instances needs none: it says less of fewer of them.
    With ``criteria``, those that must hold at every value count one when they fail.
    """
    if found := juncts(formula, not fails):
        return sum(
            (_needed(part, not wanted, criteria) for part, wanted in found[1]), Needs()
        )
    match formula:
        case s.Iff(left, right):
            ways = itertools.product((left, right), (True, False))
            return sum((_needed(side, way, criteria) for side, way in ways), Needs())
        case s.At(_, body):
            return _needed(body, fails, criteria)
        case s.Box(_, body) | s.Diamond(_, body):
            at_one_world = isinstance(formula, s.Box) == fails
            return (
                _needed(body, fails, criteria)
                if at_one_world
                else _none(body, fails, criteria)
            )
        case s.Quantified(universal, binders, body):
            at_one_instance = universal == fails
            if at_one_instance:
                return _own(binders) + _needed(body, fails, criteria)
            return _none(body, fails, criteria)
        case s.Compare(left, _, right):
            if not all(
                _plain(term.body)
                for term in (*s.likelihoods(left), *s.likelihoods(right))
            ):
                raise Open("a likelihood of something that ranges over values")
        case s.Criterion(name) if criteria and issubclass(
            CRITERIA[name], ValueCriterion
        ):
            return Counter(subjects(formula))
    return Counter()


def _none(body: s.Formula, fails: bool, criteria: bool) -> Needs:
    """The same for all worlds or instances at once: possible where none of them needs a
    value of its own.
    """
    if _needed(body, fails, criteria):
        raise Open("every world or instance has values of its own")
    return Counter()


def together(rule: s.Formula, choice: Choice) -> Iterator[s.Formula]:
    """What a conjunct says of all the values of a bundle together: sums of likelihoods
    of each against 0 add up.
    """
    if not isinstance(rule, s.Quantified) or not rule.universal:
        return
    ranged = [
        b
        for b in rule.binders
        if b.sort == "values" and choice.bundles.get(b.attribute)
    ]
    others = tuple(b for b in rule.binders if b not in ranged)
    if len(ranged) != 1 or any(b.sort != "individuals" for b in others):
        return
    v, f = ranged[0].var, ranged[0].attribute
    own = s.Descriptor(f, "=", (v,))
    body = rule.body.body if isinstance(rule.body, s.At) else rule.body
    if (
        isinstance(body, s.Compare)
        and _adds(s.minus(body.left, body.right), own)
        and body.op != "!="
    ):
        weak = replace(body, op={"<": "<=", ">": ">="}.get(body.op, body.op))
        whole = replace(rule.body, body=weak) if isinstance(rule.body, s.At) else weak
        for label in choice.bundles[f]:
            instance = s.substitute(whole, {v.name: s.Value(label)})
            yield s.Quantified(True, others, instance) if others else instance


def _adds(linear: s.Linear, own: s.Formula) -> bool:
    """Whether a sum has likelihoods of one value only, and no constant."""
    return not linear.constant and all(
        isinstance(q, s.Likelihood) and q.body == own for _, q in linear.terms
    )


# What criteria say of these values


@dataclass(frozen=True)
class View:
    """A column in a class: for each single value and each bundle, its rows and those it
    would have in a class that is like the table; all rows; and how many different
    values there are.
    """

    single: tuple[Pair, ...]
    bundles: tuple[Pair, ...]
    rows: t.LinearSum
    kinds: t.LinearSum

    @property
    def counts(self) -> list[t.LinearSum]:
        return [x for x, _ in self.single]

    @property
    def others(self) -> t.LinearSum:
        """The rows in bundles."""
        return t.added(x for x, _ in self.bundles)

    @property
    def moved(self) -> t.LinearSum:
        """Twice the variational distance, times the rows, with bundles as values: at
        most that of the values.
        """
        return t.added(t.magnitude(x - u) for x, u in (*self.single, *self.bundles))


Fine = Callable[[ValueCriterion, t.LinearSum, t.LinearSum, int], t.Term]
"""When a value (of a number) with so many rows, and so many like the table, is fine."""


def how_many(view: View, sized: bool) -> Facts:
    """The number of different values: those of the bundles are at least one where they
    have rows, and at most these.
    """
    more = view.kinds - present(view.counts)
    yield t.compare(more, ">=", 0)
    yield t.implies(t.compare(view.others, ">", 0), t.compare(more, ">=", 1))
    yield t.implies(t.compare(view.others, "=", 0), t.compare(more, "=", 0))
    if sized:
        yield t.compare(more, "<=", view.others)


def chosen(view: View, most: int) -> Facts:
    """In the class where the second fails: its most frequent values are single, shares
    tell the bundles apart.
    """
    yield t.implies(
        t.compare(view.others, ">", 0), t.compare(present(view.counts), ">=", most)
    )
    for k, (x, u) in enumerate(view.bundles):
        yield t.compare(x, "<=" if k % 2 else ">=", u)


def parted(
    criterion: ClassCriterion, domain: Values
) -> tuple[list[Rows | Several], list[s.Formula] | None]:
    """What a criterion says of the numbers of rows and of values, and the rest; None
    when that is not linear.
    """
    found: list[Condition | None] = []
    try:
        for condition in criterion.conditions(domain):
            found.append(condition)  # those before the formula became too long are kept
    except TooLong:
        found.append(None)
    said = [one for one in found if isinstance(one, Rows | Several)]
    return said, (
        None if None in found else [one for one in found if isinstance(one, s.Formula)]
    )


def consequences(
    criterion: ClassCriterion, view: View, fine: Fine, over: Sequence[t.Term]
) -> Facts:
    """What follows for these numbers where a criterion holds; ``over``: its conditions
    over single values.
    """
    yield from over
    if criterion.least_values is None:
        yield t.FALSE
    elif criterion.least_values > 1:
        yield t.compare(view.kinds, ">=", criterion.least_values)
    most, _ = criterion.moves
    if most is not None:
        yield share(view.moved, "<=", 2 * most, view.rows)
    if isinstance(criterion, ValueCriterion):
        yield from (fine(criterion, x, u, k) for k, (x, u) in enumerate(view.single))
        if sums := criterion.together():
            for k, (x, u) in enumerate(view.bundles, start=len(view.single)):
                yield t.implies(t.compare(u, ">", 0), fine(sums, x, u, k))


def failures(
    criterion: ClassCriterion,
    view: View,
    fine: Fine,
    alphas: Sequence[Fraction],
    over: Sequence[t.Term],
) -> Facts:
    """What follows for these numbers where a criterion fails in the class that they
    were chosen for.
    """
    if over:
        yield t.neg(t.conj(over))
    if isinstance(criterion, EvenCriterion):
        for alpha in alphas:
            if 0 < alpha <= 1 and criterion.rich(steepest(alpha)):
                yield above(alpha, view.counts, view.rows)
    _, least = criterion.moves
    if least is not None:
        yield share(view.moved, ">", 2 * least, view.rows)
    if isinstance(criterion, ValueCriterion):
        yield t.disj(
            t.neg(fine(criterion, x, u, k)) for k, (x, u) in enumerate(view.single)
        )
