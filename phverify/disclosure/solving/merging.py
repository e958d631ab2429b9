"""Fewer unknowns for the solvers: those that every constraint treats alike become one,
their sum.

Lemma.  Let some variables occur only in the plain parts of top-level sums, in each of
them with one common factor, and let each range over all integers from its low to its
high.  Then the constraints have a solution iff they have one with a single variable,
from the sum of the lows to the sum of the highs, in their place: a solution gives their
sum, and every integer of that range is a sum of values, found by filling one after the
other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from phverify.constraints import terms as t
from phverify.disclosure.grouping import grouped
from phverify.disclosure.solving.linear_rows import flat
from phverify.disclosure.sums import Terms


@dataclass(frozen=True)
class Merged:
    """Terms over fewer variables, and which variables each new one stands for."""

    terms: list[t.Term]
    groups: dict[str, tuple[t.Variable, ...]]

    def spread(self, values: t.Assignment) -> dict[str, int]:
        """Values of the original variables."""
        every = values.items()
        spread = {name: value for name, value in every if name not in self.groups}
        for name, members in self.groups.items():
            least = sum(v.low for v in members)
            rest = values[name] - least
            for v in members:
                # Filled one after the other: what is left goes to the next.
                room = v.high - v.low
                more = min(rest, room)
                spread[v.name] = v.low + more
                rest -= more
        return spread


def merged(terms: Terms) -> Merged:
    """The terms with alike variables made one."""
    every = list(flat(terms))
    factors, variables, others = _plain(every)
    # The lemma's conditions: in plain sums alone, and every integer is a value.
    whole = [v for name, v in variables.items() if name not in others and not v.values]
    # Alike: in the same sums, in each with the same factor.
    alike = grouped((frozenset(factors[v.name].items()), v) for v in whole)
    groups: dict[str, tuple[t.Variable, ...]] = {}
    new: dict[str, t.Variable] = {}
    for members in alike.values():
        if len(members) > 1:
            y = _sum_of(members)
            groups[y.name] = tuple(members)
            new |= dict.fromkeys([v.name for v in members], y)
    for number, term in enumerate(every):
        if isinstance(term, t.Within):
            inside = [v for _, v in term.total.plain]
            if any(v.name in new for v in inside):
                plain: dict[str, tuple[int, t.Variable]] = {}
                for v in inside:
                    y = new.get(v.name, v)
                    # Members of a group have one factor: it is set, not added up.
                    plain[y.name] = factors[v.name][number], y
                total = replace(term.total, plain=tuple(plain.values()))
                every[number] = t.Within(total, term.low, term.high)
    return Merged(every, groups)


def _plain(
    terms: list[t.Term],
) -> tuple[dict[str, dict[int, int]], dict[str, t.Variable], set[str]]:
    """Of each variable in the plain part of a sum: its factors, by the numbers of the
    sums, and the variable; and who occurs elsewhere.
    """
    factors: dict[str, dict[int, int]] = {}
    variables: dict[str, t.Variable] = {}
    others: set[str] = set()
    for number, term in enumerate(terms):
        inside = [term]
        if isinstance(term, t.Within):
            for factor, v in term.total.plain:
                variables[v.name] = v
                where = factors.setdefault(v.name, {})
                # A variable may stand twice in a sum.
                where[number] = where.get(number, 0) + factor
            # Where a term decides whether it counts, a variable is more than its value.
            others.update(v.name for _, _, v in term.total.gated)
            inside = list(t.children(term))
        others.update(t.unknowns(inside).variables)
    return factors, variables, others


def _sum_of(members: list[t.Variable]) -> t.Variable:
    """The one variable that stands for some."""
    low = sum(v.low for v in members)
    high = sum(v.high for v in members)
    return t.Variable(f"y_{members[0].name}", low, high)
