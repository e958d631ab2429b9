"""Open parts: decided for a whole candidate, by the same steps as ``verify``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from phverify.budget import Deadline
from phverify.errors import BudgetExceeded
from phverify.exact import Ints
from phverify.generalization.judge import Judge, View
from phverify.generalization.released import bound_again, kept_rows, release_of
from phverify.microdata.quotient import without
from phverify.policy.bind import Bound
from phverify.spec import syntax as s
from phverify.spec.walk import is_ground
from phverify.symbolic.instances import TooLarge, instances
from phverify.verification.rule import Decider, meet

ROUNDS = 50
WAYS = 4096
"""Sets of classes to withhold that are all tried."""


@dataclass(frozen=True, eq=False)
class Opened:
    """``status`` is fits, fails or open; ``withheld`` the classes not released, ``rule`` what fails."""

    status: str
    withheld: Ints
    rule: str = ""
    note: str = ""


def decide_open(judge: Judge, view: View, withheld: Ints, left: int, deadline: Deadline) -> Opened:
    """Decide what is not decided class by class.  ``left`` more records may be withheld where that helps."""
    found = _with(judge, view, withheld, deadline)
    if found.status == "fits" or left <= 0:
        return found
    free = _free(judge, view, withheld, left)
    if len(free) > WAYS.bit_length() - 1:
        return _greedy(judge, view, found, left, deadline)
    for more in _ways(free, view.quotient.sizes, left):
        other = _with(judge, view, np.union1d(withheld, more), deadline)
        if other.status == "fits":
            return other
        found = other if other.status == "open" else found
    return found


def _free(judge: Judge, view: View, withheld: Ints, left: int) -> Ints:
    """The classes that may be withheld besides: nobody in them is named."""
    named = view.into[judge.homes(judge.parts.people)]
    small = np.flatnonzero(view.quotient.sizes <= left)
    return np.setdiff1d(small, np.union1d(withheld, named))


def _ways(free: Ints, sizes: Ints, left: int) -> Iterator[Ints]:
    """Sets of classes of at most ``left`` records together, small sets first."""
    for length in range(1, len(free) + 1):
        for chosen in combinations(free.tolist(), length):
            if int(sizes[list(chosen)].sum()) <= left:
                yield np.array(chosen)


def _greedy(judge: Judge, view: View, found: Opened, left: int, deadline: Deadline) -> Opened:
    """Withhold what fails, again and again: it may succeed, and where it does not, that proves nothing."""
    withheld, name = found.withheld, found.rule
    for _ in range(ROUNDS):
        deadline.check()
        failing = np.setdiff1d(_failing(judge, view, withheld), withheld)
        left -= int(view.quotient.sizes[failing].sum())
        withheld = np.union1d(withheld, failing)
        if not len(failing) or left < 0:
            break
    found = _with(judge, view, withheld, deadline) if left >= 0 else found
    if found.status == "fits":
        return found
    note = f"withholding what breaks {name} is not enough, and not all sets of classes were tried"
    return Opened("open", withheld, name, note)


def _failing(judge: Judge, view: View, withheld: Ints) -> Ints:
    """The classes in which a formula without names is false once others are withheld; never with somebody named."""
    quotient = without(view.quotient, withheld)
    kept = np.setdiff1d(np.arange(view.quotient.classes), withheld)
    if any(len(np.unique(quotient.codes[n])) < len(quotient.labels[n]) for n in quotient.others):
        return np.zeros(0, dtype=np.int64)  # a value is withheld altogether: formulas would have to be read again
    ground, bad = judge.ground(quotient), np.zeros(quotient.classes, dtype=bool)
    for body in _grounds(judge.bound, {part.rule for part in judge.parts.open if not part.again}):
        bad |= np.logical_or.reduceat(~ground.truth(body), quotient.starts[:-1])
    return np.intersect1d(kept[bad], _free(judge, view, withheld, view.quotient.rows))


def _grounds(bound: Bound, rules: set[str]) -> Iterator[s.Formula]:
    for rule in bound.rules:
        if rule.name in rules:
            try:
                found = list(instances(rule.expanded, bound.release.signature))
            except TooLarge:
                continue
            yield from (i.body for i in found if not i.people and not i.clauses and is_ground(i.body))


def _with(judge: Judge, view: View, withheld: Ints, deadline: Deadline) -> Opened:
    """The verdict on the open parts when these classes are withheld.  Raises BudgetExceeded when it cannot begin."""
    deadline.check()
    again = bool(len(withheld)) or judge.parts.again or any(part.again for part in judge.parts.open)
    bound = _bound(judge, view, withheld) if again else _same(judge, view)
    rules = {part.rule for part in judge.parts.open}
    asked = [(rule.name, rule.expanded) for rule in bound.rules if rule.name in rules]
    if not again:
        asked = [(part.rule, part.formula) for part in judge.parts.open]
    try:
        return replace(_asked(bound, asked, deadline), withheld=withheld)
    except (BudgetExceeded, TooLarge) as error:
        return Opened("open", withheld, "", str(error))


def _bound(judge: Judge, view: View, withheld: Ints) -> Bound:
    rows = kept_rows(judge, view, withheld)
    return bound_again(judge, view.candidate, rows)


def _same(judge: Judge, view: View) -> Bound:
    return replace(judge.bound, release=release_of(judge, view))


def _asked(bound: Bound, asked: Sequence[tuple[str, s.Formula]], deadline: Deadline) -> Opened:
    none = np.zeros(0, dtype=np.int64)
    met = meet(tuple(bound.assumptions.values()), bound.release, deadline)
    if met is None:  # anything would follow: no verdict to build on
        return Opened("fails", none, "[assumptions]")
    for name, formula in asked:
        decision = Decider(bound.release, met, deadline).decide(formula)
        if decision.status == "refuted":
            return Opened("fails", none, name)
        if decision.status == "undecided":
            return Opened("open", none, name, decision.reason)
    return Opened("fits", none)
