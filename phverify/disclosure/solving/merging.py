"""Fewer unknowns for the solvers: those that every constraint treats alike become one, their sum.

Lemma.  Let some variables occur only in the plain parts of top-level sums, in each of them with one common factor, and
let each range over all integers from its low to its high.  Then the constraints have a solution iff they have one with
a single variable, from the sum of the lows to the sum of the highs, in their place: a solution gives their sum, and
every integer of that range is a sum of values, found by filling one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
        found = {name: value for name, value in values.items() if name not in self.groups}
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
    alike = grouped((tuple(sorted(where.items())), v) for v, where in _places(every))
    groups = {f"y_{members[0].name}": tuple(members) for members in alike.values() if len(members) > 1}
    new: dict[str, t.Variable] = {}
    for name, members in groups.items():
        y = t.Variable(name, sum(m.low for m in members), sum(m.high for m in members))
        new |= dict.fromkeys((v.name for v in members), y)
    return Merged([_rewritten(term, new) for term in every], groups)


def _places(terms: Terms) -> Iterator[tuple[t.Variable, dict[int, int]]]:
    """In which terms each variable occurs that can be merged, and its factor there."""
    found: dict[str, tuple[t.Variable, dict[int, int]]] = {}
    others: set[str] = set()
    for number, term in enumerate(terms):
        inside = [term]
        if isinstance(term, t.Within):
            for factor, v in term.total.plain:
                where = found.setdefault(v.name, (v, {}))[1]
                where[number] = where.get(number, 0) + factor
            others.update(v.name for _, _, v in term.total.gated)
            inside = list(t.children(term))
        others.update(t.unknowns(inside).variables)
    return (pair for name, pair in found.items() if name not in others and not pair[0].values)


def _rewritten(term: t.Term, new: Mapping[str, t.Variable]) -> t.Term:
    if not isinstance(term, t.Within) or not any(v.name in new for _, v in term.total.plain):
        return term
    kept: list[tuple[int, t.Variable]] = []
    factors: dict[str, tuple[t.Variable, dict[str, int]]] = {}
    for factor, v in term.total.plain:
        if v.name in new:  # each member has the same factor in all: what the first one's occurrences add up to
            y = new[v.name]
            mine = factors.setdefault(y.name, (y, {}))[1]
            mine[v.name] = mine.get(v.name, 0) + factor
        else:
            kept.append((factor, v))
    kept += [(next(iter(mine.values())), y) for y, mine in factors.values()]
    return t.Within(replace(term.total, plain=tuple(kept)), term.low, term.high)
