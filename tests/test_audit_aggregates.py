"""Aggregates as constraints, and constraints as SMT-LIB, against every assignment of a
few small cells.
"""

from __future__ import annotations

import itertools
import random
import statistics
from collections.abc import Iterator
from typing import Any

import pytest

from phverify.budget import Deadline
from phverify.constraints import smtlib
from phverify.constraints import terms as t
from phverify.disclosure.facts.domains import Domain
from phverify.disclosure.solving.ask import cp_ask, z3_ask
from phverify.disclosure.sums import count
from phverify.disclosure.worlds import aggregates
from phverify.disclosure.worlds.aggregates import Selected, aggregate
from phverify.disclosure.worlds.unknowns import Coding

HIGH = 2
KINDS = ("sum", "avg", "min", "max", "median")
Assignment = dict[str, int]


def drawn(r: random.Random) -> Selected:
    """Up to four cells, each of which counts always, by a flag, where it is small, or
    by both.
    """
    cells = []
    for k in range(r.choice([1, 2, 3, 3, 4])):
        x = t.Variable(f"x{k}", 0, HIGH)
        small = t.within(t.LinearSum(plain=((1, x),)), None, r.choice([0, 1]))
        gate = r.choice(
            [t.TRUE, t.Flag(f"g{k}"), small, t.conj((t.Flag("all"), t.neg(small)))]
        )
        cells.append((gate, r.choice([x, x, x, 1])))
    return Selected(tuple(cells), Coding(Domain(low=0, high=HIGH)))


def every(selected: Selected) -> Iterator[Assignment]:
    """All assignments of the cells and flags."""
    terms = [term for term, _ in selected.cells]
    found = t.unknowns(terms)
    names = {
        x.name for _, x in selected.cells if isinstance(x, t.Variable)
    } | found.variables.keys()
    spaces = {name: range(HIGH + 1) for name in sorted(names)} | {
        name: range(2) for name in sorted(found.flags)
    }
    for point in itertools.product(*spaces.values()):
        yield dict(zip(spaces, point, strict=True))


def value(kind: str, selected: Selected, point: Assignment) -> Any:
    """The aggregate by Python, and how many cells count."""
    there = [
        x if isinstance(x, int) else point[x.name]
        for term, x in selected.cells
        if t.evaluate(term, point)
    ]
    by = {
        "sum": sum,
        "avg": lambda v: sum(v) / len(v),
        "min": min,
        "max": max,
        "median": statistics.median,
    }
    return (by[kind](there) if there else None), len(there)


def said(
    terms: list[t.Term], helpers: list[aggregates.Helper], point: Assignment
) -> bool:
    """Whether some value of the helpers satisfies the terms."""
    spaces = [range(h.variable.low, h.variable.high + 1) for h in helpers]
    names = [h.variable.name for h in helpers]
    points = (
        {**point, **dict(zip(names, values, strict=True))}
        for values in itertools.product(*spaces)
    )
    return any(all(t.evaluate(term, one) for term in terms) for one in points)


def agree(seed: int) -> int:
    """An aggregate of one assignment is published, alone and with how many cells count;
    returns the checks made.
    """
    r = random.Random(seed)
    selected, kind = drawn(r), KINDS[seed % len(KINDS)]
    points = list(every(selected))
    truth = r.choice(points)
    published, size = value(kind, selected, truth)
    number = t.equal(count([term for term, _ in selected.cells]), size)
    for known, more in ((None, []), (size, [number])):
        terms, helpers = aggregate(kind, selected, published, "h", known)
        assert said(
            [*terms, *more],
            helpers,
            {**truth, **{h.variable.name: h.value(truth) for h in helpers}},
        )
        for point in points:
            found = value(kind, selected, point)
            same = found == (published, size) if more else found[0] == published
            assert said([*terms, *more], helpers, point) == same, (
                seed,
                kind,
                published,
                size,
                point,
                bool(more),
            )
    return 2 * len(points)


def test_an_aggregate_says_exactly_when_it_has_a_value() -> None:
    assert sum(agree(seed) for seed in range(150)) > 10_000


def test_where_the_count_is_published_a_mean_is_one_sum_and_an_odd_median_needs_no_helper() -> (
    None
):
    cells = tuple((t.Flag(f"g{k}"), t.Variable(f"x{k}", 0, 9)) for k in range(5))
    selected = Selected(cells, Coding(Domain(low=0, high=9)))
    assert [type(term).__name__ for term in aggregate("avg", selected, 4.5, "h", 4)[0]][
        1:
    ] == ["Within"]
    assert (
        len(aggregate("median", selected, 4.0, "h", 3)[1])
        == 0
        < len(aggregate("median", selected, 4.0, "h", 4)[1])
    )


def test_cells_that_count_in_the_same_cases() -> None:
    g, h, x = (
        t.Flag("g"),
        t.neg(t.within(t.LinearSum(plain=((1, t.Variable("y", 0, 9)),)), 3, None)),
        t.Variable("x", 0, 9),
    )
    assert (
        Selected(((t.conj((g, h)), x),)).gates == Selected(((t.conj((h, g)), 0),)).gates
    )
    assert (
        Selected(((g, x),)).gates
        != Selected(((t.neg(g), x),)).gates
        != Selected(((g, x), (g, x))).gates
    )


@pytest.mark.parametrize("broken", ["middle", "mean"])
def test_a_wrong_encoding_is_caught(
    broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One term too few, as if it followed from the count."""
    whole = getattr(aggregates, broken)
    monkeypatch.setattr(
        aggregates,
        broken,
        lambda *given: whole(*given)[:-1] if broken == "middle" else t.TRUE,
    )
    with pytest.raises(AssertionError):
        for seed in range(150):
            agree(seed)


# constraints as text, and as a model of CP-SAT


def question(r: random.Random) -> list[t.Term]:
    """Sums, and sums of truths, over three variables (one with gaps) and two flags;
    some of them unsatisfiable.
    """
    gaps = (-3, 0, 2)
    xs = [
        t.Variable("a", 0, 1),
        t.Variable("b", -2, 2),
        t.Variable("c", gaps[0], gaps[-1], gaps),
    ]
    terms: list[t.Term] = [t.Flag("f"), t.Flag("g")]
    for _ in range(5):
        terms.append(
            r.choice([t.neg, t.neg, inside])(r.choice(terms))
            if r.random() < 0.3
            else bounded(r, xs, terms)
        )
    return [t.disj(r.sample(terms, 2)), *r.sample(terms[2:], 3)]


def inside(term: t.Term) -> t.Term:
    return t.conj((term, t.disj((t.Flag("f"), t.Flag("g")))))


def bounded(r: random.Random, xs: list[t.Variable], terms: list[t.Term]) -> t.Term:
    parts: list[tuple[int, t.Term, t.Variable | int]] = []
    for x in xs:
        parts += [(r.choice([1, 1, -1, 2]), t.TRUE, x)] if r.random() < 0.5 else []
    for term in r.sample(terms, 2):
        parts += (
            [(r.choice([1, 1, -1, 3]), term, r.choice([1, r.choice(xs)]))]
            if r.random() < 0.6
            else []
        )
    low, high = sorted(r.choices(range(-6, 7), k=2))
    return t.within(
        t.total(parts, r.randrange(-2, 3)),
        *r.choice([(low, low), (low, high), (low, None), (None, high)]),
    )


def solvable(terms: list[t.Term]) -> bool:
    found = t.unknowns(terms)
    spaces = {
        v.name: v.values or range(v.low, v.high + 1) for v in found.variables.values()
    }
    spaces |= {name: range(2) for name in found.flags}
    points = (
        dict(zip(spaces, point, strict=True))
        for point in itertools.product(*spaces.values())
    )
    return any(all(t.evaluate(term, point) for term in terms) for point in points)


def test_every_road_finds_what_enumeration_finds() -> None:
    verdicts: list[tuple[bool, bool]] = []
    for seed in range(250):
        terms = question(random.Random(seed))
        expected = solvable(terms)
        verdicts.append((expected, t.gated(terms)))
        for ask in (z3_ask, cp_ask):
            found = ask(terms, Deadline(20.0))
            assert found.status == ("sat" if expected else "unsat"), (seed, ask, found)
            assert found.status == "unsat" or all(
                t.evaluate(term, found.values) for term in terms
            ), (seed, ask)
    assert (
        min(
            verdicts.count((sat, gated))
            for sat in (True, False)
            for gated in (True, False)
        )
        > 10
    )


def test_a_text_says_each_bound_and_each_term_once() -> None:
    """A bound that the ranges imply is left out, a constant stands on its own side."""
    xs = [t.Variable(f"x{k}", 0, 9) for k in range(20)]
    body = t.LinearSum(4, tuple((1, x) for x in xs))
    shared = t.within(t.LinearSum(4, body.plain), None, 20)
    several = [t.disj((t.Flag(name), shared)) for name in "fg"]
    written = smtlib.script(several)
    assert smtlib.script([t.Within(body, 0, 10**6)]).endswith(
        "(assert true)\n(check-sat)\n"
    )
    assert (
        written.count(f"(<= (+ {' '.join(x.name for x in xs)}) 16)") == 1
        and " 4" not in written
    )


def test_a_wrong_text_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The constant stays where it was."""
    within = smtlib._ScriptWriter.within

    def shifted(
        self: smtlib._ScriptWriter, body: t.LinearSum, low: int, high: int
    ) -> str:
        return within(
            self, t.LinearSum(0, body.plain, body.counts, body.gated), low, high
        )

    monkeypatch.setattr(smtlib._ScriptWriter, "within", shifted)
    with pytest.raises(AssertionError):
        test_every_road_finds_what_enumeration_finds()
