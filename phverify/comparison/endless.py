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

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from operator import or_

from phverify.comparison.criterion_terms import Facts, above, present, steepest
from phverify.comparison.domains import Domains, Undecided, ValueChoice, ranged
from phverify.comparison.naming import Formulas, unprepared
from phverify.constraints import terms as t
from phverify.spec import syntax as s
from phverify.spec.criterion.asked import subjects
from phverify.spec.criterion.base import (
    ClassCriterion,
    Condition,
    Rows,
    Several,
    TooLong,
)
from phverify.spec.criterion.even import EvenCriterion
from phverify.spec.criterion.registry import CRITERIA
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


def endless(domains: Domains, rule: str) -> Domains:
    """The columns without a bound on their values, for one rule of the second.

    Of the first only those conjuncts are kept that say less, not more, of fewer values.
    Raises Undecided.
    """
    frame = domains.frame
    if not all(map(_plain, (*frame.first.assumptions, *frame.second.assumptions))):
        raise Undecided("an assumption ranges over values")
    second = frame.second.rules[rule]
    assumed = bool(frame.first.assumptions or frame.second.assumptions)
    named = _people(second)
    preserved: dict[str, s.Formula] = {}
    for k, part in enumerate(conjuncts(s.And(tuple(frame.first.rules.values())))):
        if (assumed or _people(part) <= named) and _weakens(part):
            preserved[str(k)] = part
    one = replace(frame.first, rules=preserved, secrets=())
    two = replace(frame.second, rules={rule: second}, secrets=())
    both = replace(frame, first=one, second=two)
    reduced = replace(domains, frame=both, wanted={}, above={}, endless=True)
    most = {name: _single(reduced, name, second) for name in domains.most}
    return replace(reduced, most=most)


def _single(domains: Domains, f: str, rule: s.Formula) -> int:
    """How many values of a column are looked at one by one.  Raises Undecided."""
    many = domains.finite(f)
    # else the column has finitely many values, and all are looked at
    if not many:
        rules = (*domains.frame.first.rules.values(), rule)
        special = domains.special(f)
        most_frequent = frequent(rules, f)
        failing = witnesses(rule)
        many = special + most_frequent + failing[f]
    if many > MOST_SINGLE:
        raise Undecided("too many values would have to be looked at one by one")
    return many


def _people(formula: s.Formula) -> set[object]:
    """Everybody and every row that a formula names."""
    return set().union(*mentioned([formula]))


def witnesses(rule: s.Formula) -> Needs:
    """How many values of each column show that some conjunct of a rule fails."""
    match rule:
        case s.And(parts):
            # one conjunct that fails is enough: the largest number, not the sum
            return reduce(or_, map(witnesses, parts), Needs())
        case s.Quantified(True, binders, body):
            return _own(binders) + witnesses(body)
    return _needed(rule, True, True)


def frequent(formulas: Formulas, f: str) -> int:
    """How many of the most frequent values are looked at: l - 1 for recursive (c,
    l)-diversity, else one.
    """
    most = 1
    for formula in formulas:
        for node in s.subformulas(formula):
            if isinstance(node, s.Criterion) and f in subjects(node):
                own = unprepared(node).frequent or 1
                most = max(most, own)
    return most


def _weakens(part: s.Formula) -> bool:
    """Whether a conjunct follows from itself when schemas run through fewer values."""
    try:
        return not _needed(part, False, False)
    except Undecided:
        return False


def _plain(formula: s.Formula) -> bool:
    """Whether a formula has no schema over values and no criterion of them."""
    return not any(ranged([formula]))


def _own(binders: tuple[s.Binder, ...]) -> Needs:
    """One value for each binder of values, and as many as its length for a clause."""
    needs: Needs = Counter()
    for binder in binders:
        if binder.attribute:
            values = binder.length if binder.sort == "clauses" else 1
            needs[binder.attribute] += values
    return needs


def _needed(formula: s.Formula, fails: bool, criteria: bool) -> Needs:
    """How many values decide that a formula fails (or holds) somewhere.

    A schema that holds for all its instances needs none: it says less of fewer of them.
    With ``criteria``, those that must hold at every value count one when they fail.
    Raises Undecided where no fixed number does.
    """
    connective = juncts(formula, not fails)
    if connective:
        total = Needs()
        # all parts may be needed at once: their numbers add up
        for part, wanted in connective[1]:
            total += _needed(part, not wanted, criteria)
        return total
    match formula:
        case s.Iff(left, right):
            needed_left = _needed_by_both(left, criteria)
            needed_right = _needed_by_both(right, criteria)
            return needed_left + needed_right
        case s.At(_, body):
            return _needed(body, fails, criteria)
        case s.Box(_, body) | s.Diamond(_, body):
            # a box fails at one world, as a diamond holds at one
            at_one_world = isinstance(formula, s.Box) == fails
            needed = _needed if at_one_world else _none
            return needed(body, fails, criteria)
        case s.Quantified(universal, binders, body):
            # likewise a schema: the values of one instance decide
            at_one_instance = universal == fails
            needed = _needed if at_one_instance else _none
            own = _own(binders) if at_one_instance else Needs()
            return own + needed(body, fails, criteria)
    return _needed_by_atom(formula, criteria)


def _needed_by_both(side: s.Formula, criteria: bool) -> Needs:
    """The values of a side of an equivalence, which may fail or hold."""
    return _needed(side, True, criteria) + _needed(side, False, criteria)


def _needed_by_atom(formula: s.Formula, criteria: bool) -> Needs:
    """The values of a formula without parts.  Raises Undecided."""
    match formula:
        case s.Compare(left, _, right):
            likelihoods = (*s.likelihoods(left), *s.likelihoods(right))
            for term in likelihoods:
                if not _plain(term.body):
                    what = "a likelihood of something that ranges over values"
                    raise Undecided(what)
        case s.Criterion(name):
            if criteria and issubclass(CRITERIA[name], ValueCriterion):
                return Counter(subjects(formula))
    return Counter()


def _none(body: s.Formula, fails: bool, criteria: bool) -> Needs:
    """The same for all worlds or instances at once: possible where none of them needs a
    value of its own.
    """
    if _needed(body, fails, criteria):
        raise Undecided("every world or instance has values of its own")
    return Counter()


def together(rule: s.Formula, choice: ValueChoice) -> Iterator[s.Formula]:
    """What a conjunct says of all the values of a bundle together: sums of likelihoods
    of each against 0 add up.
    """
    if not isinstance(rule, s.Quantified) or not rule.universal:
        return
    over_values = [binder for binder in rule.binders if binder.sort == "values"]
    bundled = [binder for binder in over_values if choice.bundles.get(binder.attribute)]
    others = tuple(binder for binder in rule.binders if binder not in bundled)
    if len(bundled) != 1 or any(binder.sort != "individuals" for binder in others):
        return
    v = bundled[0].var
    f = bundled[0].attribute
    own = s.Descriptor(f, "=", (v,))
    body = rule.body.body if isinstance(rule.body, s.At) else rule.body
    if not isinstance(body, s.Compare) or body.op == "!=":
        return
    if not _adds(s.minus(body.left, body.right), own):
        return
    # of a bundle without rows both sides are 0: what is strict becomes weak
    weak = replace(body, op={"<": "<=", ">": ">="}.get(body.op, body.op))
    whole = replace(rule.body, body=weak) if isinstance(rule.body, s.At) else weak
    for label in choice.bundles[f]:
        instance = s.substitute(whole, {v.name: s.Value(label)})
        yield s.Quantified(True, others, instance) if others else instance


def _adds(linear: s.Linear, own: s.Formula) -> bool:
    """Whether a sum has likelihoods of one value only, and no constant."""
    if linear.constant:
        return False
    for _, quantity in linear.terms:
        if not isinstance(quantity, s.Likelihood) or quantity.body != own:
            return False
    return True


# What criteria say of these values


@dataclass(frozen=True)
class EndlessClass:
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
        """The rows of each single value."""
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
        pairs = (*self.single, *self.bundles)
        differences = [x - u for x, u in pairs]
        return t.added(map(t.magnitude, differences))


Fine = Callable[[ValueCriterion, t.LinearSum, t.LinearSum, int], t.Term]
"""When a value (of a number) with so many rows, and so many like the table, is fine."""


def how_many(view: EndlessClass, sized: bool) -> Facts:
    """The number of different values: those of the bundles are at least one where they
    have rows, and at most these.
    """
    more = view.kinds - present(view.counts)
    yield t.compare(more, ">=", 0)
    yield t.implies(t.compare(view.others, ">", 0), t.compare(more, ">=", 1))
    yield t.implies(t.compare(view.others, "=", 0), t.compare(more, "=", 0))
    if sized:
        yield t.compare(more, "<=", view.others)


def chosen(view: EndlessClass, most: int) -> Facts:
    """In the class where the second fails: its most frequent values are single, shares
    tell the bundles apart.
    """
    all_occur = t.compare(present(view.counts), ">=", most)
    yield t.implies(t.compare(view.others, ">", 0), all_occur)
    for k, (x, u) in enumerate(view.bundles):
        # of each two bundles the first is as frequent as in the table, or more
        yield t.compare(x, "<=" if k % 2 else ">=", u)


def parted(
    criterion: ClassCriterion, domain: Values
) -> tuple[list[Rows | Several], list[s.Formula] | None]:
    """What a criterion says of the numbers of rows and of values, and the rest; None
    when that is not linear.
    """
    conditions: list[Condition] = []
    whole = True
    try:
        for condition in criterion.conditions(domain):
            conditions.append(condition)
    except TooLong:
        whole = False  # those before the formula became too long are preserved
    counted = [one for one in conditions if isinstance(one, Rows | Several)]
    linear = [one for one in conditions if isinstance(one, s.Formula)]
    return counted, linear if whole else None


def consequences(
    criterion: ClassCriterion, view: EndlessClass, fine: Fine, over: Sequence[t.Term]
) -> Facts:
    """What follows for these numbers where a criterion holds; ``over``: its conditions
    over single values.
    """
    yield from over
    # then no class of these values satisfies it
    if criterion.least_values is None:
        yield t.FALSE
    elif criterion.least_values > 1:
        yield t.compare(view.kinds, ">=", criterion.least_values)
    most, _ = criterion.moves
    if most is not None:
        yield share(view.moved, "<=", 2 * most, view.rows)
    if isinstance(criterion, ValueCriterion):
        for k, (x, u) in enumerate(view.single):
            yield fine(criterion, x, u, k)
        sums = criterion.together()
        if sums:
            for k, (x, u) in enumerate(view.bundles, start=len(view.single)):
                occurs = t.compare(u, ">", 0)
                yield t.implies(occurs, fine(sums, x, u, k))


def failures(
    criterion: ClassCriterion,
    view: EndlessClass,
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
        # a value at which it fails is among the single ones: they were chosen so
        bad: list[t.Term] = []
        for k, (x, u) in enumerate(view.single):
            bad.append(t.neg(fine(criterion, x, u, k)))
        yield t.disj(bad)
