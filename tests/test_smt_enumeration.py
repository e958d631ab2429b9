"""Questions answered by enumerating the solutions of their linear rows: against brute
force, and without the time.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("flint")
pytest.importorskip("ortools")

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.disclosure.solving import ask as solving
from phverify.disclosure.solving import branch_conditions, branching, enumeration
from phverify.disclosure.solving.enumeration import Enumerations
from phverify.errors import Defect

SEEDS = st.integers(0, 2**32)
FOREVER = Deadline()


def asked(seed: int) -> tuple[list[t.Term], list[t.Variable]]:
    """Sums over variables, flags and conditions, and what is asked beside them."""
    r = random.Random(seed)
    variables = [
        t.Variable(f"x{k}", 0, r.choice([1, 1, 2, 3])) for k in range(r.randint(3, 5))
    ]
    if r.random() < 0.3:
        variables.append(t.Variable("gap", 0, 4, (0, 1, 4)))
    truth = {
        v.name: r.choice(v.values) if v.values else r.randint(v.low, v.high)
        for v in variables
    }
    terms: list[t.Term] = []
    for number in range(r.randint(1, 4)):
        body = (
            t.total((1, t.TRUE, v) for v in variables)
            if number == 0
            else _sum(r, variables)
        )
        value = t.value_of(body, truth)
        terms.append(t.within(body, value, value + (r.random() < 0.2)))
    chosen = r.sample(variables, r.randint(1, len(variables)))
    other = [
        t.neg(t.equal(t.LinearSum(plain=((1, v),)), truth[v.name])) for v in chosen
    ]
    return [*terms, t.disj(other) if r.random() < 0.8 else t.conj(other)], variables


def _sum(r: random.Random, variables: Sequence[t.Variable]) -> t.LinearSum:
    parts = [
        (r.choice([1, 1, 2, -1]), v)
        for v in r.sample(list(variables), r.randint(2, len(variables)))
    ]
    if r.random() < 0.75:
        return t.total((c, t.TRUE, v) for c, v in parts)
    gates = [t.within(t.LinearSum(plain=((1, v),)), 1, None) for _, v in parts]
    return t.total(
        (c, gate, r.choice([1, v])) for gate, (c, v) in zip(gates, parts, strict=True)
    )


def answers(
    terms: Sequence[t.Term], variables: Sequence[t.Variable]
) -> list[dict[str, int]]:
    ends = [v.values or range(v.low, v.high + 1) for v in variables]
    points = (
        dict(zip([v.name for v in variables], point, strict=True))
        for point in itertools.product(*ends)
    )
    return [point for point in points if all(t.evaluate(term, point) for term in terms)]


@given(SEEDS)
def test_questions_are_answered_as_by_brute_force(seed: int) -> None:
    """Several questions over the same rows, so that what was found earlier is used."""
    kept = Enumerations()
    terms, variables = asked(seed)
    for other in (terms[-1], t.neg(terms[-1]), terms[-1]):
        question = [*terms[:-1], other]
        status, values = kept.ask(kept.question(question), FOREVER)
        expected = answers(question, variables)
        assert status != "unsat" or not expected
        if status == "sat":
            assert all(t.evaluate(term, values) for term in question)
            assert all(
                values[v.name] in (v.values or range(v.low, v.high + 1))
                for v in variables
                if v.name in values
            )
        plain = kept.question(question)
        if (
            plain.plain
            and plain.rows
            and plain.names == {a for row in plain.rows for a in row.parts}
        ):
            search = kept.search(plain)
            assert search.hopeless or status == ("sat" if expected else "unsat")


@pytest.mark.parametrize("rate", [1, 10**9])
def test_questions_with_a_deadline(rate: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees that are said to be large begin anew with a better basis, and are left
    early where time seems short.
    """
    monkeypatch.setattr(enumeration, "QUICK", -1)
    monkeypatch.setattr(enumeration, "RATE", rate)
    said = []
    for seed in range(60):
        kept, (terms, variables) = Enumerations(), asked(seed)
        status, values = kept.ask(kept.question(terms), Deadline(20.0))
        expected = answers(terms, variables)
        assert status == "unknown" or (status == "sat") == bool(expected)
        assert status != "sat" or all(t.evaluate(term, values) for term in terms)
        said.append(status)
    assert said.count("unsat") > 8


def test_many_questions_are_answered() -> None:
    said = []
    for seed in range(60):
        kept = Enumerations()
        said.append(kept.ask(kept.question(asked(seed)[0]), FOREVER)[0])
    assert said.count("sat") > 15 and said.count("unsat") > 8, said


@given(SEEDS)
def test_solutions_of_fewer_rows_are_those_of_more(seed: int) -> None:
    """A log grows: all solutions of the first answers are filtered, and the lattice is
    the start of the next one.
    """
    r, kept = random.Random(seed), Enumerations()
    variables = [t.Variable(f"x{k}", 0, r.choice([1, 1, 2])) for k in range(6)]
    truth = {v.name: r.randint(v.low, v.high) for v in variables}
    terms: list[t.Term] = []
    differs = t.disj(
        t.neg(t.equal(t.LinearSum(plain=((1, v),)), truth[v.name])) for v in variables
    )
    for number in range(3):
        order = r.sample(variables, 6)
        body = t.total(
            (r.choice([1, 2, 3]), t.TRUE, v)
            for v in order[: 6 if number == 0 else r.randint(3, 6)]
        )
        value = t.value_of(body, truth)
        terms.insert(0, t.within(body, value, value + r.choice([0, 0, 1])))
        question = kept.question([*terms, differs])
        status, _ = kept.ask(
            question, r.choice([FOREVER, FOREVER, Deadline(0.0)]), r.random() < 0.5
        )
        expected = answers([*terms, differs], variables)
        assert status in ("unknown", "sat" if expected else "unsat")
        search = kept.search(question)
        if search.done and not search.hopeless:
            names = sorted(truth)
            points = [
                [search.values(point)[name] for name in names]
                for point in search.solutions
            ]
            expected = [
                [point[name] for name in names] for point in answers(terms, variables)
            ]
            assert sorted({*map(tuple, points)}) == sorted(map(tuple, expected))


def test_other_rows_are_another_search() -> None:
    """Over the same unknowns: other equations, and equations that differ in how much
    room they leave.
    """
    x, y, z = variables = [t.Variable(name, 0, 2) for name in "xyz"]
    one, two = (
        t.LinearSum(plain=((1, x), (1, y), (1, z))),
        t.LinearSum(plain=((1, x), (2, y), (3, z))),
    )
    wide = [
        t.within(one, 1, 2),
        t.within(one, 1, 5),
        t.within(two, 4, 5),
        t.within(two, 4, 9),
        t.within(one, 2, 2),
    ]
    exact = [t.equal(one, 2), t.equal(one, 3), t.equal(two, 6), t.equal(two, 9)]
    kept = Enumerations()
    for many in (1, 2):
        for rows in itertools.permutations([*wide, *exact], many):
            for v in variables:
                terms = [*rows, t.neg(t.within(t.LinearSum(plain=((1, v),)), 0, 1))]
                said = kept.ask(kept.question(terms), FOREVER)[0]
                assert said == (
                    "sat" if answers(terms, variables) else "unsat"
                ) or not answers(rows, variables)


def test_what_is_open_is_not_refuted() -> None:
    """An unknown that no row is about may be anything."""
    x, y, z = [t.Variable(name, 0, 1) for name in "xyz"]
    row, one = (
        t.equal(t.LinearSum(plain=((1, x), (1, y))), 1),
        t.equal(t.LinearSum(plain=((1, z),)), 1),
    )
    kept = Enumerations()
    assert kept.ask(kept.question([row, one]), FOREVER)[0] == "unknown"
    false = t.within(t.LinearSum(plain=((2, x), (2, y))), 3, None)
    assert (
        kept.ask(kept.question([row, t.disj((false, t.neg(row))), one]), FOREVER)[0]
        == "unsat"
    )


def market(
    rows: int, columns: int, seed: int
) -> tuple[list[t.Term], t.Term, dict[str, int]]:
    """Sums over random halves of a 0/1 column, and that it is another one."""
    r = random.Random(seed)
    variables = [t.Variable(f"x{k}", 0, 1) for k in range(columns)]
    truth = {v.name: r.randint(0, 1) for v in variables}
    halves = [
        t.LinearSum(plain=tuple((1, v) for v in r.sample(variables, columns // 2)))
        for _ in range(rows)
    ]
    other = t.disj(
        t.neg(t.equal(t.LinearSum(plain=((1, v),)), truth[v.name])) for v in variables
    )
    return [t.equal(half, t.value_of(half, truth)) for half in halves], other, truth


def test_the_only_solution_is_proved_by_enumeration() -> None:
    """Sums over halves of forty cells: no other column has these answers, and no solver
    needs to say so.
    """
    terms, other, truth = market(24, 40, 5)
    outcome = solving.settled([*terms, other], FOREVER)
    assert (outcome.status, outcome.by) == ("unsat", solving.PROOF)
    assert solving.cp_ask([*terms, other], FOREVER).status == "unsat"
    same = [
        t.equal(t.LinearSum(plain=((1, t.Variable(name, 0, 1)),)), value)
        for name, value in truth.items()
    ]
    assert solving.settled([*terms, *same], FOREVER).status == "sat"


def test_other_solutions_are_found_soon() -> None:
    """Eighty cells, where solvers take long: one world in which most cells are
    otherwise.
    """
    terms, other, truth = market(16, 80, 7)
    kept = Enumerations()
    outcome = solving.settled([*terms, other], FOREVER, kept)
    assert outcome.status == "sat" and outcome.by == (enumeration.NAME,)
    assert all(t.evaluate(term, outcome.values) for term in (*terms, other))
    assert sum(outcome.values[name] != value for name, value in truth.items()) > 20
    (search,) = kept.searches.values()
    assert search.tree is not None and search.tree.nodes < 40_000


def test_no_time_is_no_answer() -> None:
    terms, other, _ = market(25, 80, 3)
    kept = Enumerations()
    assert kept.ask(kept.question([*terms, other]), Deadline(0.0))[0] == "unknown"
    assert kept.ask(kept.question([*terms, other]), Deadline(0.2))[0] == "unknown"


@pytest.mark.parametrize("most", [0, 1, 3])
def test_too_many_solutions_are_no_proof(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that is left because it has too many solutions never says that there are
    no others.
    """
    monkeypatch.setattr(enumeration, "MOST", most)
    monkeypatch.setattr(branching, "WIDE", 1)
    left = 0
    for seed in range(60):
        kept, (terms, variables) = Enumerations(), asked(seed)
        for other in (terms[-1], t.neg(terms[-1]), terms[-1]):
            question = [*terms[:-1], other]
            status, _ = kept.ask(kept.question(question), FOREVER)
            assert status == "unknown" or (status == "sat") == bool(
                answers(question, variables)
            )
            left += status == "unknown"
    assert left > 10


def test_what_was_found_in_other_ranges_is_forgotten() -> None:
    """The rows read alike and are numbered alike; the solutions are others."""
    kept, y = Enumerations(), t.Variable("y", 0, 2)
    for high, expected in ((1, "unsat"), (2, "sat"), (1, "unsat"), (2, "sat")):
        x, z = (t.Variable(name, 0, high) for name in "xz")  # in rows alone
        terms = [
            t.equal(t.LinearSum(plain=((1, x), (1, y))), 2),
            t.equal(t.LinearSum(plain=((1, y), (1, z))), 2),
        ]
        terms.append(t.equal(t.LinearSum(plain=((1, y),)), 0))
        assert kept.ask(kept.question(terms), FOREVER)[0] == expected


def test_terms_that_are_gone_leave_nothing_behind() -> None:
    """A term may have the address of one that was read before, and is another."""
    kept, names = Enumerations(), ("x", "y", "z")
    for number in range(200):
        x, y, z = variables = [t.Variable(name, 0, 2) for name in names]
        terms = [
            t.equal(
                t.LinearSum(plain=((1 + number % 2, x), (1, y), (1, z))), 1 + number % 5
            )
        ]
        terms.append(
            t.disj(t.equal(t.LinearSum(plain=((1, v),)), number % 3) for v in variables)
        )
        terms.append(t.neg(t.equal(t.LinearSum(plain=((1, y),)), number % 4)))
        said, values = kept.ask(kept.question(terms), FOREVER)
        assert said == ("sat" if answers(terms, variables) else "unsat")
        assert said == "unsat" or values in answers(terms, variables)


def test_another_range_of_the_same_name_is_another_question() -> None:
    kept = Enumerations()
    for high, expected in ((1, "unsat"), (3, "sat"), (1, "unsat")):
        x, y = t.Variable("x", 0, high), t.Variable("y", 0, 1)
        terms = [
            t.equal(t.LinearSum(plain=((1, x), (1, y))), 1),
            t.within(t.LinearSum(plain=((1, x), (2, y))), 2, None),
        ]
        terms.append(
            t.neg(t.equal(t.LinearSum(plain=((1, y),)), 1)) if high == 1 else t.TRUE
        )
        assert kept.ask(kept.question(terms), FOREVER)[0] == expected


def test_two_unknowns_of_one_name_are_a_defect() -> None:
    y = t.Variable("y", 0, 1)
    sums = [
        t.LinearSum(plain=((1, t.Variable("x", 0, high)), (1, y))) for high in (1, 2)
    ]
    with pytest.raises(Defect, match="two unknowns have one name"):
        Enumerations().question([t.equal(body, 1) for body in sums])


def test_an_enumeration_without_the_data_is_no_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever loses solutions loses the data, too, as here where each point is
    lost.
    """
    terms, other, truth = market(24, 40, 5)
    monkeypatch.setattr(branching, "points", lambda right, chosen: [])
    assert solving.settled([*terms, other], FOREVER).status == "unsat"
    with pytest.raises(Defect, match="misses one that is known"):
        solving.settled([*terms, other], FOREVER, Enumerations(truth))
    opposite = {
        name: 1 - value for name, value in truth.items()
    }  # no solution of these rows: it says nothing
    assert (
        solving.settled([*terms, other], FOREVER, Enumerations(opposite)).status
        == "unsat"
    )


def test_an_interrupted_tree_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terms, other, _ = market(24, 40, 5)
    kept, children, asked = Enumerations(), branching.children, [0]

    def interrupted(
        right: branch_conditions.Checked, nodes: branching.Nodes
    ) -> tuple[branching.Nodes, branching.Nodes]:
        asked[0] += 1
        if asked[0] == 5:
            raise KeyboardInterrupt
        return children(right, nodes)

    monkeypatch.setattr(branching, "children", interrupted)
    with pytest.raises(KeyboardInterrupt):
        kept.ask(kept.question([*terms, other]), FOREVER)
    assert kept.ask(kept.question([*terms, other]), FOREVER)[0] == "unknown"
