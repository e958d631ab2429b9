"""Fewer unknowns for the solvers: those that every constraint treats alike become one, their sum.

Lemma.  Let some variables occur only in the plain parts of top-level sums, in each of them with one common factor, and
let each range over all integers from its low to its high.  Then the constraints have a solution iff they have one with
a single variable, from the sum of the lows to the sum of the highs, in their place: a solution gives their sum, and
every integer of that range is a sum of values, found by filling one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from phverify.constraints import terms as t

Places = tuple[tuple[int, int], ...]
"""In which terms a variable occurs, and its factor there."""


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


def merged(terms: Sequence[t.Term]) -> Merged:
    """The terms with alike variables made one."""
    flat = [part for term in terms for part in _flat(term)]
    places = _places(flat)
    alike: dict[Places, list[t.Variable]] = {}
    for v, where in places.values():
        alike.setdefault(tuple(sorted(where.items())), []).append(v)
    groups = {f"y_{members[0].name}": tuple(members) for members in alike.values() if len(members) > 1}
    new: dict[str, t.Variable] = {}
    for name, members in groups.items():
        y = t.Variable(name, sum(m.low for m in members), sum(m.high for m in members))
        new |= dict.fromkeys((v.name for v in members), y)
    ys = {y.name: y for y in new.values()}
    return Merged([_rewritten(term, new, ys) for term in flat], groups)


def _flat(term: t.Term) -> Iterator[t.Term]:
    if isinstance(term, t.Conj):
        for part in term.parts:
            yield from _flat(part)
    else:
        yield term


def _places(terms: Sequence[t.Term]) -> dict[str, tuple[t.Variable, dict[int, int]]]:
    """Where each variable occurs, of those that can be merged."""
    found: dict[str, tuple[t.Variable, dict[int, int]]] = {}
    others: dict[str, t.Variable] = {}
    for number, term in enumerate(terms):
        if not isinstance(term, t.Within):
            others |= t.unknowns([term]).variables
            continue
        for factor, v in term.total.plain:
            where = found.setdefault(v.name, (v, {}))[1]
            where[number] = where.get(number, 0) + factor
        others |= {v.name: v for _, _, v in term.total.gated}
        others |= t.unknowns(list(t.children(term))).variables
    return {name: pair for name, pair in found.items() if name not in others and not pair[0].values}


def _rewritten(term: t.Term, new: dict[str, t.Variable], ys: dict[str, t.Variable]) -> t.Term:
    if not isinstance(term, t.Within) or not any(v.name in new for _, v in term.total.plain):
        return term
    kept: list[tuple[int, t.Variable]] = []
    factors: dict[str, dict[str, int]] = {}
    for factor, v in term.total.plain:
        if v.name in new:  # each member has the same factor in all: what the first one's occurrences add up to
            mine = factors.setdefault(new[v.name].name, {})
            mine[v.name] = mine.get(v.name, 0) + factor
        else:
            kept.append((factor, v))
    kept += [(next(iter(mine.values())), ys[name]) for name, mine in factors.items()]
    body = t.Sum(term.total.constant, tuple(kept), term.total.counts, term.total.gated)
    return t.Within(body, term.low, term.high)
