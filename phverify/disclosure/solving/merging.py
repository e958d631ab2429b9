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
from phverify.disclosure.solving.linear import flat
from phverify.disclosure.sums import Terms


@dataclass(frozen=True)
class Merged:
    """Terms over fewer variables, and which variables each new one stands for."""

    terms: list[t.Term]
    groups: dict[str, tuple[t.Variable, ...]]

    def spread(self, values: t.Assignment) -> dict[str, int]:
        """Values of the original variables."""
        found = {
            name: value for name, value in values.items() if name not in self.groups
        }
        for name, members in self.groups.items():
            rest = values[name] - sum(v.low for v in members)
            for v in members:
                more = min(rest, v.high - v.low)
                found[v.name] = v.low + more
                rest -= more
        return found


def merged(terms: Terms) -> Merged:
    """The terms with alike variables made one."""
    every = list(flat(terms))
    variables: dict[str, t.Variable] = {}
    factors: dict[
        str, dict[int, int]
    ] = {}  # of each variable, by the numbers of the sums
    others: set[str] = set()
    for number, term in enumerate(every):
        inside = [term]
        if isinstance(term, t.Within):
            for factor, v in term.total.plain:
                variables[v.name] = v
                where = factors.setdefault(v.name, {})
                where[number] = where.get(number, 0) + factor
            others.update(v.name for _, _, v in term.total.gated)
            inside = list(t.children(term))
        others.update(t.unknowns(inside).variables)
    whole = [v for name, v in variables.items() if name not in others and not v.values]
    alike = grouped((frozenset(factors[v.name].items()), v) for v in whole)
    groups: dict[str, tuple[t.Variable, ...]] = {}
    new: dict[str, t.Variable] = {}
    for members in alike.values():
        if len(members) > 1:
            y = t.Variable(
                f"y_{members[0].name}",
                sum(m.low for m in members),
                sum(m.high for m in members),
            )
            groups[y.name] = tuple(members)
            new |= dict.fromkeys((v.name for v in members), y)
    for number, term in enumerate(every):
        if isinstance(term, t.Within) and any(
            v.name in new for _, v in term.total.plain
        ):
            plain = {}
            for _, v in term.total.plain:
                y = new.get(v.name, v)
                plain[y.name] = (factors[v.name][number], y)
            every[number] = t.Within(
                replace(term.total, plain=tuple(plain.values())), term.low, term.high
            )
    return Merged(every, groups)
