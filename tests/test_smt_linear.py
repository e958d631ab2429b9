"""What linear statements prove by themselves, against enumeration; every proof is
checked again here.
"""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import pytest

pytest.importorskip("ortools")

from phverify.constraints import terms as t
from phverify.disclosure.solving.bounds import Program, connected, proven
from phverify.disclosure.solving.intervals import truth
from phverify.disclosure.solving.linear_rows import Atoms, LinearRow
from phverify.disclosure.solving.rowspace import RowSpace, checked, rational


def drawn(
    seed: int,
) -> tuple[Atoms, list[t.Variable], list[t.Term], list[dict[str, int]]]:
    """Random sums and counts that a random point satisfies, and all points that satisfy
    them.
    """
    r = random.Random(seed)
    variables = [t.Variable(f"x{k}", 0, r.choice([1, 2, 3])) for k in range(4)]
    truth_ = {v.name: r.randint(v.low, v.high) for v in variables}
    terms: list[t.Term] = []
    for _ in range(r.choice([2, 3, 4])):
        body = random_sum(r, variables)
        value = t.value_of(body, truth_)
        terms.append(t.within(body, value - r.choice([0, 0, 0, 1]), value))
    points = [
        dict(zip(truth_, p, strict=True))
        for p in itertools.product(*(range(v.high + 1) for v in variables))
    ]
    return (
        Atoms(),
        variables,
        terms,
        [p for p in points if all(t.evaluate(term, p) for term in terms)],
    )


def random_sum(r: random.Random, variables: list[t.Variable]) -> t.LinearSum:
    chosen = r.sample(variables, r.choice([2, 3]))
    if r.random() < 0.6:
        return t.total((r.choice([1, 1, 2, -1]), t.TRUE, v) for v in chosen)
    gates = [t.within(t.LinearSum(plain=((1, v),)), 1, None) for v in chosen]
    if r.random() < 0.5:
        return t.total((1, gate, 1) for gate in gates)
    return t.total((1, gate, v) for gate, v in zip(gates, chosen, strict=True))


@pytest.mark.parametrize("seed", range(200))
def test_what_is_proved_holds_at_every_solution(seed: int) -> None:
    atoms, variables, terms, solutions = drawn(seed)
    rows = list(atoms.rows(terms, 7))
    space = RowSpace()
    for row in rows:
        space.add([row])
    for v in variables:
        values = {point[v.name] for point in solutions}
        proof = space.proofs.get(v.name)
        assert proof is None or values == {proof.value} == {
            checked(v.name, proof.factors, space.rows)
        }
        program = Program(connected(rows, [v.name]), atoms.ranges)
        if program.rows:
            low, high = program.bound(v.name, 1), program.bound(v.name, -1)
            assert (
                low is not None
                and high is not None
                and low.value <= min(values)
                and max(values) <= high.value
            )
            assert not low.multipliers or low.origins == {7}


def test_some_values_are_proved_and_some_bounds_are_tight() -> None:
    """The test above is about something."""
    proofs = tight = 0
    for seed in range(200):
        atoms, variables, terms, solutions = drawn(seed)
        rows, space = list(atoms.rows(terms)), RowSpace()
        space.add(rows)
        proofs += sum(v.name in space.proofs for v in variables)
        for v in variables:
            program = Program(connected(rows, [v.name]), atoms.ranges)
            low = program.bound(v.name, 1) if program.rows else None
            tight += low is not None and 0 < low.value == min(
                point[v.name] for point in solutions
            )
    assert proofs > 30 and tight > 30


def test_the_row_space_is_complete_for_unit_vectors() -> None:
    """Against elimination in fractions: an atom is determined iff its unit vector is a
    combination of the rows.
    """
    for seed in range(60):
        r = random.Random(seed)
        matrix = [
            [r.choice([0, 0, 1, 1, 2, -3]) for _ in range(5)]
            for _ in range(r.choice([2, 4, 5]))
        ]
        space = RowSpace()
        space.add(
            [LinearRow({k: c for k, c in enumerate(row) if c}, 0, 0) for row in matrix]
        )
        expected = {
            k
            for k in range(5)
            if rank([*matrix, [int(j == k) for j in range(5)]]) == rank(matrix)
        }
        assert space.proofs.keys() == expected, seed


def rank(matrix: list[list[int]]) -> int:
    rows = [[Fraction(c) for c in row] for row in matrix]
    found = 0
    for column in range(len(matrix[0])):
        pivot = next((row for row in rows[found:] if row[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        rows = [
            [
                a - b * row[column] / pivot[column]
                for a, b in zip(row, pivot, strict=True)
            ]
            for row in rows
        ]
        rows.insert(found, pivot)
        found += 1
    return found


def test_a_wrong_combination_proves_nothing() -> None:
    rows = [
        LinearRow({"x": 1, "y": 1}, 5, 5),
        LinearRow({"y": 1}, 2, 2),
        LinearRow({"x": 1}, 0, 9),
    ]
    assert checked("x", {0: Fraction(1), 1: Fraction(-1)}, rows) == 3
    assert (
        checked("x", {0: Fraction(1)}, rows) is None
        and checked("x", {2: Fraction(1)}, rows) is None
    )


def test_any_multipliers_give_a_true_bound() -> None:
    for seed in range(100):
        r = random.Random(seed)
        atoms, variables, terms, solutions = drawn(seed)
        rows = list(atoms.rows(terms))
        given = {
            k: Fraction(r.randint(-4, 4), r.randint(1, 3)) for k in range(len(rows))
        }
        name = variables[0].name
        atoms.variable(variables[0])
        values = [point[name] for point in solutions]
        assert proven(name, 1, given, rows, atoms.ranges).value <= min(values)
        assert proven(name, -1, given, rows, atoms.ranges).value >= max(values)


@pytest.mark.parametrize(
    "value", [Fraction(0), Fraction(1), Fraction(-1), Fraction(7, 3), Fraction(-12, 35)]
)
def test_residues_are_brought_back_to_fractions(value: Fraction) -> None:
    from phverify.disclosure.solving.rowspace import PRIME

    assert (
        rational(value.numerator * pow(value.denominator, -1, PRIME) % PRIME) == value
    )


def test_terms_of_one_shape_are_one_atom() -> None:
    atoms, v = Atoms(), t.Variable("x", 0, 9)

    def over(bound: int) -> t.Term:
        return t.within(t.LinearSum(plain=((1, v),)), bound, None)

    assert atoms.term(over(3)) == atoms.term(over(3)) != atoms.term(over(4))
    assert atoms.term(t.conj((over(3), t.Flag("m")))) == atoms.term(
        t.conj((t.Flag("m"), over(3)))
    )


def test_truth_within_ranges() -> None:
    """A term is true (false) in ranges only when it is so at every point of them."""
    for seed in range(150):
        r = random.Random(seed)
        atoms, variables, terms, _ = drawn(seed)
        ranges = {
            v.name: tuple(sorted((r.randint(0, v.high), r.randint(0, v.high))))
            for v in variables
        }
        points = itertools.product(
            *(range(ranges[v.name][0], ranges[v.name][1] + 1) for v in variables)
        )
        term = r.choice([t.conj, t.disj])(
            [r.choice([t.neg(one), one]) for one in terms]
        )
        found = {t.evaluate(term, dict(zip(ranges, p, strict=True))) for p in points}
        said = truth(
            term,
            atoms,
            lambda atom, ranges=ranges, atoms=atoms: (
                ranges.get(atom) or atoms.ranges[atom]
            ),
        )
        assert said is None or found == {said}, seed


def test_an_atom_that_stands_alone_is_put_in() -> None:
    space = RowSpace()
    space.add([LinearRow({"x": 2}, 6, 6), LinearRow({"x": 1, "y": 1}, 5, 5)])
    assert {atom: found.value for atom, found in space.proofs.items()} == {
        "x": 3,
        "y": 2,
    }


def test_what_is_not_so_counts_where_it_is_not() -> None:
    assert Atoms().sum(t.LinearSum(counts=((3, t.neg(t.Flag("f"))),))) == ({"f": -3}, 3)


def test_constants_and_negations_of_a_sum_move_its_bounds() -> None:
    """A row says the same of every point as the term that it was read from."""
    x = t.Variable("x", 0, 9)
    body = t.total(((1, t.TRUE, x), (2, t.neg(t.Flag("f")), 1)), start=3)
    term = t.within(body, 6, 8)
    (row,) = Atoms().rows([term])
    for value, flag in itertools.product(range(10), (0, 1)):
        point = {"x": value, "f": flag}
        total = sum(factor * point[str(atom)] for atom, factor in row.parts.items())
        assert t.evaluate(term, point) == (row.low <= total <= row.high)
