"""Definition 14: plans and prices against explicit belief functions; Examples 15 and
21, Propositions 16, 18 and 19, Lemma 17, Corollary 20, and both directions of the
theorem.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.evidence_oracle import (
    allocated,
    masses,
    random_masses,
    random_matrices,
    random_shares,
    sound_by_subsets,
    sums,
    uniform,
)
from support.so_many import so_many

from phverify.budget import Deadline
from phverify.constraints.solver import solve
from phverify.errors import BudgetExceeded, InputError
from phverify.linkage.belief import pignistic_compatible
from phverify.linkage.belief.compatible import Allocation, check_allocation, compatible
from phverify.linkage.belief.layers import belief_of, from_matrix, matrix_of
from phverify.linkage.belief.linear_program import exact_answer, price_text
from phverify.linkage.belief.mass import Mass, categorical
from phverify.linkage.belief.mass_frame import MassFrame
from phverify.linkage.belief.pignistic_compatible import sound
from phverify.linkage.belief.plans import (
    Farkas,
    Plan,
    PlanPart,
    check_farkas,
    check_plan,
    farkas,
    parts_of,
)
from phverify.linkage.belief.rounding import solved
from phverify.linkage.belief.transforms import pignistic
from phverify.spec.bitset import bits, members

F = Fraction

Shares = dict[int, F]


def is_sound(guess: Shares, truth: Shares) -> bool:
    return isinstance(sound(guess, truth), Plan)


# -- the paper
# ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("true", "chosen"),
    [((0, 1), (0, 1)), ((0, 1), (0, 1, 2)), ((2,), (0, 2, 5)), ((0, 3), (0, 1, 2, 3))],
)
def test_example_15(true: tuple[int, ...], chosen: tuple[int, ...]) -> None:
    """The even guess over more candidates is sound: less than the truth on the true
    ones, more on the others.
    """
    guess = pignistic(categorical(MassFrame.numbered(6), bits(chosen)))
    assert guess == uniform(*chosen) and is_sound(guess, uniform(*true))
    assert all(guess[x] <= F(1, len(true)) for x in true)


@given(allocated(5))
def test_proposition_16(case: tuple[Mass, Shares]) -> None:
    """A sound guess has a share for every possible record."""
    mass, truth = case
    assert truth.keys() <= pignistic(mass).keys()


def test_a_possible_record_left_out_is_unsound() -> None:
    found = sound(uniform(1, 2), uniform(0, 1, 2))
    assert found == Farkas({0: F(-1)}, F(0), F(-1, 9))


@given(st.integers(0, 3), random_masses(4))
def test_lemma_17(true: int, mass: Mass) -> None:
    """The truth is certain: every focal set contains it, and that is all.

    The lemma says "m(A) = 0 if and only if A misses x0".  Only "if" holds: a compatible
    m need not give mass to every set that contains x0 (m({x0}) = 1 gives none to the
    others).
    """
    all_contain = all(b >> true & 1 for b in mass.focal)
    assert isinstance(compatible(mass, {true: F(1)}), Allocation) == all_contain


def test_lemma_17_says_too_much() -> None:
    mass = masses(2, _0="1")
    assert (
        isinstance(compatible(mass, {0: F(1)}), Allocation)
        and mass.focal.get(0b11, 0) == 0
    )


@given(random_shares(5), st.integers(0, 4))
def test_proposition_18(guess: Shares, true: int) -> None:
    """The truth is certain: a guess is sound iff the true record is *a* record with the
    highest share.

    The proposition says that the record with the highest share is the true one: read
    with ties, as in the even guess.
    """
    assert is_sound(guess, {true: F(1)}) == (guess[true] == max(guess.values()))
    assert is_sound(uniform(0, 1), {1: F(1)})


@pytest.mark.parametrize("k", [2, 3, 7, 40])
def test_proposition_19_and_corollary_20(k: int) -> None:
    """A sound guess may have its highest share at an impossible record.  (There must be
    one: A is not all of X.)
    """
    frame = MassFrame.numbered(k + 1)
    star = Mass(frame, {1 | 1 << x: F(1, k) for x in range(1, k + 1)})
    truth, guess = uniform(*range(1, k + 1)), pignistic(star)
    assert isinstance(compatible(star, truth), Allocation)
    assert (
        guess == {0: F(1, 2), **{x: F(1, 2 * k) for x in range(1, k + 1)}}
        and max(guess, key=guess.__getitem__) == 0
    )
    assert is_sound(guess, truth)
    assert not is_sound(
        {0: F(51, 100), **{x: F(49, 100 * k) for x in range(1, k + 1)}}, truth
    )  # one half is the limit


def test_example_21() -> None:
    """PRAM on N^3.  As printed, y = x + a e_b, only 000 can become 000; subtracted,
    000, 100, 010 and 001 can.

    Then, if nothing is known of a, the shares are those of Proposition 19 with k = 3;
    and what makes x0 = 000 impossible is that a is known to be *one* (the paper says
    zero, which makes it certain).
    """
    sources = {"000": (0, 0, 0), "100": (1, 0, 0), "010": (0, 1, 0), "001": (0, 0, 1)}

    def shares(sign: int, moves: tuple[int, ...]) -> dict[str, F]:
        weight: dict[str, F] = defaultdict(F)
        for name, x in sources.items():
            for a in moves:
                for b in range(3):
                    y = tuple(v + sign * a * (k == b) for k, v in enumerate(x))
                    weight[name] += F(y == (0, 0, 0), 3 * len(moves))
        return {name: w / sum(weight.values()) for name, w in weight.items() if w}

    assert shares(+1, (0, 1)) == {"000": 1}
    guess, truth = shares(-1, (0, 1)), shares(-1, (1,))
    assert guess == {"000": F(1, 2), "100": F(1, 6), "010": F(1, 6), "001": F(1, 6)}
    assert truth == {"100": F(1, 3), "010": F(1, 3), "001": F(1, 3)} and shares(
        -1, (0,)
    ) == {"000": 1}
    assert isinstance(sound(guess, truth), Plan)
    assert isinstance(sound(truth, shares(-1, (0,))), Farkas)


def test_example_23_as_a_guess() -> None:
    """Its pignistic distribution is sound for x1 or x2; as printed it is no
    probability, which is told.
    """
    guess = pignistic(masses(8, _01="4/13", _01234="5/13", _01234567="4/13"))
    assert is_sound(guess, uniform(0, 1)) and not is_sound(guess, uniform(6))
    with pytest.raises(InputError, match="guess: the shares sum to 10/13, not 1"):
        sound({**guess, 0: F(4, 26), 1: F(4, 26)}, uniform(0, 1))


# -- the theorem
# -------------------------------------------------------------------------------------------------------


@so_many(30)
@given(random_shares(4), random_shares(4))
def test_plans_and_subsets_agree(guess: Shares, truth: Shares) -> None:
    assert is_sound(guess, truth) == sound_by_subsets(guess, truth, 4)


@so_many(20)
@given(random_shares(3, top=3), random_shares(3, top=3))
def test_plans_and_subsets_agree_on_the_edge(guess: Shares, truth: Shares) -> None:
    """Small weights: many guesses are just sound, or just not."""
    assert is_sound(guess, truth) == sound_by_subsets(guess, truth, 3)


@given(random_matrices(5))
def test_from_a_matrix_to_a_belief_function(matrix: dict[tuple[int, int], F]) -> None:
    """The layers of F: compatible with its row sums, its column sums as pignistic
    distribution.
    """
    mass, allocation = from_matrix(MassFrame.numbered(5), matrix)
    truth, guess = sums(matrix, 0), sums(matrix, 1)
    assert check_allocation(allocation, mass, truth) and isinstance(
        compatible(mass, truth), Allocation
    )
    assert pignistic(mass) == dict(sorted(guess.items()))
    assert matrix_of(allocation) == matrix
    assert is_sound(guess, truth)


@given(allocated(5))
def test_from_a_belief_function_to_a_matrix(case: tuple[Mass, Shares]) -> None:
    mass, truth = case
    found = compatible(mass, truth)
    assert isinstance(found, Allocation)
    matrix = matrix_of(found)
    assert sums(matrix, 0) == truth and sums(matrix, 1) == pignistic(mass)
    assert all(matrix[x, x] >= value for (x, _), value in matrix.items())
    assert is_sound(pignistic(mass), truth)


@given(random_shares(5), random_shares(5))
def test_plans_become_belief_functions(guess: Shares, truth: Shares) -> None:
    found = sound(guess, truth)
    assume(isinstance(found, Plan))
    assert isinstance(found, Plan)
    mass, allocation = belief_of(MassFrame.numbered(5), found)
    assert check_allocation(allocation, mass, truth) and pignistic(mass) == {
        x: p for x, p in guess.items() if p
    }


def test_records_that_play_the_same_part_are_merged() -> None:
    """Ten thousand records in two parts: the hundred impossible ones have two thirds
    together.
    """
    truth = {x: F(1, 9_900) for x in range(9_900)}
    guess = {x: F(1, 3) / 9_900 if x < 9_900 else F(2, 300) for x in range(10_000)}
    found = sound(guess, truth)
    assert isinstance(found, Plan) and len(found.parts) == 2
    assert parts_of(guess, truth) == found.parts and {
        len(p.records) for p in found.parts
    } == {9_900, 100}
    assert not is_sound(
        {0: F(1, 3), 1: F(1, 3) + F(1, 10**9), 2: F(1, 3) - F(1, 10**9)}, {0: F(1)}
    )


@given(random_shares(4), random_shares(4), st.integers(1, 3), st.integers(1, 3))
def test_merging_changes_nothing(guess: Shares, truth: Shares, a: int, b: int) -> None:
    """Copies of records, with their shares divided: the same as one part, and Z3 on all
    records apart agrees.
    """
    sizes = [a, b, 1, 1]
    copies = [(x, k) for x in range(4) for k in range(sizes[x])]
    q, p = ({c: side[c[0]] / sizes[c[0]] for c in copies} for side in (guess, truth))
    apart = tuple(PlanPart((c,), p[c], q[c]) for c in copies if p[c] or q[c])
    assert (
        isinstance(sound(q, p), Plan)
        == isinstance(exact_answer(apart, None), Plan)
        == holds_by_z3(q, p)
    )


def holds_by_z3(guess: Shares, truth: Shares) -> bool:
    """Z3's answer over merged parts, with its proof checked."""
    parts = parts_of(guess, truth)
    answer = exact_answer(parts, None)
    assert solve(price_text(parts)).status == (
        "unsat" if isinstance(answer, Plan) else "sat"
    )
    if isinstance(answer, Plan):
        assert check_plan(answer, guess, truth)
    else:
        prices = {
            r: c for part, c in zip(parts, answer, strict=True) for r in part.records
        }
        assert check_farkas(farkas(prices, guess, truth), guess, truth)
    return isinstance(answer, Plan)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_z3_counts_the_records_of_a_part(k: int) -> None:
    truth = uniform(*range(k))
    even, star = F(1, 2 * k), {x: F(1, 2 * k) for x in range(k)}
    assert holds_by_z3({**star, k: F(1, 2)}, truth)
    assert not holds_by_z3(
        {**{x: even - F(1, 99) for x in range(k)}, k: F(1, 2) + F(k, 99)}, truth
    )
    pairs = {x: F(1, 3 * k) for x in range(k)} | {k + x: F(2, 3 * k) for x in range(k)}
    assert holds_by_z3(uniform(*range(2 * k)), pairs) and holds_by_z3(
        pairs, uniform(*range(2 * k))
    )
    assert not holds_by_z3(uniform(*range(k, 2 * k)), pairs)


# -- large, and on the edge
# --------------------------------------------------------------------------------------------


def random_probability(n: int, rng: random.Random, power: int = 1) -> Shares:
    weights = [rng.randrange(1, 10**6) ** power for _ in range(n)]
    return {x: F(w, sum(weights)) for x, w in enumerate(weights)}


def best_guess(truth: Shares, price: list[int]) -> Shares:
    """The sound guess that is worth most at these prices: on the edge of what is
    sound.
    """
    order = sorted(truth, key=lambda x: -price[x])
    guess: Shares = defaultdict(F)
    for x, p in truth.items():
        total, chosen = price[x], [x]
        for y in (y for y in order if y != x):
            if price[y] * len(chosen) <= total:
                break
            total, chosen = total + price[y], [*chosen, y]
        for y in chosen:
            guess[y] += p / len(chosen)
    return dict(guess)


@pytest.mark.parametrize(
    ("n", "power", "answer"), [(60, 1, None), (60, 5, Farkas), (120, 5, Farkas)]
)
def test_many_distinct_parts(n: int, power: int, answer: type | None) -> None:
    rng = random.Random(n)
    truth = random_probability(n, rng)
    found = sound(random_probability(n, rng, power), truth)
    assert answer is None or isinstance(found, answer)


@pytest.mark.parametrize("n", [8, 30, 60])
def test_on_the_edge_and_just_beyond(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dearest sound guess is sound; moved by a billionth towards its dearest record
    it is not.  No Z3 is asked.
    """
    monkeypatch.delattr(pignistic_compatible, "exact_answer")
    rng = random.Random(n)
    truth, price = random_probability(n, rng), [rng.randrange(1000) for _ in range(n)]
    guess = best_guess(truth, price)
    found = sound(guess, truth)
    assert isinstance(found, Plan)
    worth = farkas({x: F(c) for x, c in enumerate(price)}, guess, truth)
    assert worth.claimed == worth.most and not check_farkas(worth, guess, truth)
    top = max(guess, key=lambda x: price[x])
    low = min(guess, key=lambda x: price[x])
    step = min(F(1, 10**9), guess[low] / 2)
    assert isinstance(
        sound({**guess, top: guess[top] + step, low: guess[low] - step}, truth), Farkas
    )


@so_many(20)
@given(random_shares(4, top=3), random_shares(4, top=3))
def test_z3_decides_alike(guess: Shares, truth: Shares) -> None:
    """The way out for what floats leave open: the same answers, with proofs that
    hold.
    """
    assert holds_by_z3(guess, truth) == is_sound(guess, truth)


def test_without_floats_z3_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pignistic_compatible, "_proposed", lambda *_: iter(()))
    truth = {0: F(1, 2), 1: F(1, 3), 2: F(1, 6)}
    assert isinstance(sound({0: F(1, 4), 1: F(1, 4), 2: F(1, 2)}, truth), Plan)
    assert isinstance(sound({0: F(1, 8), 1: F(1, 8), 2: F(3, 4)}, truth), Farkas)
    with pytest.raises(BudgetExceeded):
        sound({0: F(1, 4), 1: F(1, 4), 2: F(1, 2)}, truth, Deadline(0))


# -- the checks
# --------------------------------------------------------------------------------------------------------


def plan_and_shares() -> tuple[Plan, Shares, Shares]:
    truth = {0: F(1, 2), 1: F(1, 4), 2: F(1, 4)}
    guess = {0: F(1, 3), 1: F(5, 24), 2: F(5, 24), 3: F(1, 4)}
    found = sound(guess, truth)
    assert isinstance(found, Plan)
    return found, guess, truth


def test_changed_plans_are_refused() -> None:
    plan, guess, truth = plan_and_shares()
    assert check_plan(plan, guess, truth)
    for place, share in plan.cells.items():
        for other in (share + F(1, 99), share / 2, -share):
            assert not check_plan(
                replace(plan, cells={**plan.cells, place: other}), guess, truth
            )
    for i, own in enumerate(plan.own):
        changed = list(plan.own)
        changed[i] = own + F(1, 99)
        assert not check_plan(replace(plan, own=tuple(changed)), guess, truth)
    assert not check_plan(replace(plan, own=plan.own[:-1]), guess, truth)
    assert not check_plan(plan, truth, guess) and not check_plan(
        plan, {**guess, 4: F(1, 9)}, truth
    )


def test_plans_above_their_diagonal_are_refused() -> None:
    """Row and column sums alone are not enough: anything would be sound."""
    parts = (PlanPart((0,), F(1, 2), F(1, 4)), PlanPart((1,), F(1, 2), F(3, 4)))
    above = Plan(parts, (F(1, 8), F(3, 8)), {(0, 1): F(3, 8), (1, 0): F(1, 8)})
    assert not check_plan(above, {0: F(1, 4), 1: F(3, 4)}, uniform(0, 1))
    below = Plan(parts, (F(1, 4), F(1, 2)), {(0, 1): F(1, 4)})
    assert check_plan(below, {0: F(1, 4), 1: F(3, 4)}, uniform(0, 1))
    negative = Plan(parts, (F(3, 8), F(5, 8)), {(0, 1): F(1, 8), (1, 0): F(-1, 8)})
    assert not check_plan(negative, {0: F(1, 4), 1: F(3, 4)}, uniform(0, 1))


def test_rows_and_columns_both_count() -> None:
    """Moved within a row, only columns are wrong; moved within a column, only rows."""
    parts = tuple(PlanPart((x,), F(1, 3), F(1, 3)) for x in range(3))
    even = {(x, y): F(1, 9) for x in range(3) for y in range(3) if x != y}
    own, truth = (F(1, 9),) * 3, uniform(0, 1, 2)
    assert check_plan(Plan(parts, own, even), truth, truth)
    in_a_row = {**even, (0, 1): F(0), (0, 2): F(1, 9)}
    wide = Plan(parts, (F(2, 9), F(1, 9), F(1, 9)), {**even, (0, 1): F(0)})
    assert not check_plan(Plan(parts, own, in_a_row), truth, truth)
    assert not check_plan(wide, truth, truth)  # rows 1/3 each; columns 4/9, 2/9, 1/3
    tall = Plan(parts, (F(2, 9), F(1, 9), F(1, 9)), {**even, (1, 0): F(0)})
    assert not check_plan(tall, truth, truth)  # columns 1/3 each; rows 4/9, 2/9, 1/3


def test_parts_must_tell_the_truth() -> None:
    truth = uniform(0, 1)
    good = Plan((PlanPart((0, 1), F(1, 2), F(1, 2)),), (F(1, 2),), {})
    assert check_plan(good, truth, truth)
    twice = Plan((PlanPart((0, 1, 1), F(1, 2), F(1, 2)),), (F(1, 2),), {})
    missing = Plan((PlanPart((0,), F(1, 2), F(1, 2)),), (F(1, 2),), {})
    other = Plan((PlanPart((0, 1), F(1, 3), F(1, 3)),), (F(1, 3),), {})
    itself = Plan(
        (PlanPart((0,), F(1, 2), F(1, 2)), PlanPart((1,), F(1, 2), F(1, 2))),
        (F(1, 2), F(1, 2)),
        {(0, 0): F(1, 9)},
    )
    for wrong in (twice, missing, other, itself):
        assert not check_plan(wrong, truth, truth)


@given(
    random_shares(4),
    random_shares(4),
    st.lists(st.integers(-3, 3), min_size=4, max_size=4),
)
def test_no_prices_speak_against_a_sound_guess(
    guess: Shares, truth: Shares, prices: list[int]
) -> None:
    """The highest average by enumeration; and prices that prove something prove what is
    so.
    """
    held = [x for x in range(4) if guess[x] or truth[x]]
    sets = [[y for y in members(b) if y in held] for b in range(1, 16)]
    best = {
        x: max(F(sum(prices[y] for y in s), len(s)) for s in sets if x in s)
        for x in held
    }
    told = farkas({x: F(c) for x, c in enumerate(prices)}, guess, truth)
    assert told.most == sum(truth[x] * best[x] for x in held)
    if check_farkas(told, guess, truth):
        assert not is_sound(guess, truth)
    for wrong in (
        replace(told, most=told.most - 1),
        replace(told, claimed=told.claimed + 1),
    ):
        assert not check_farkas(wrong, guess, truth)


@pytest.mark.parametrize(
    ("guess", "truth", "told"),
    [
        ({0: F(1, 2)}, {0: F(1)}, "guess: the shares sum to 1/2"),
        ({0: F(1)}, {0: F(2)}, "true probability: the shares sum to 2"),
        ({0: F(3, 2), 1: F(-1, 2)}, {0: F(1)}, "guess: the share of 1 is negative"),
        ({0: 0.5, 1: 0.5}, {0: F(1)}, "guess: the share of 0 is no exact number"),
    ],
)
def test_bad_input_is_told(guess: Shares, truth: Shares, told: str) -> None:
    with pytest.raises(InputError) as error:
        sound(guess, truth)
    assert told in str(error.value)


def test_equations_without_a_solution() -> None:
    one, two = F(1), F(2)
    assert solved([({0: one, 1: two}, F(5)), ({1: one}, F(2))], [F(9), F(9)]) == [
        F(1),
        F(2),
    ]
    assert solved([({0: one}, F(1)), ({0: two}, F(3))], [F(0)]) is None
    assert solved([({0: one, 1: one}, F(1))], [F(0), F(1, 3)]) == [F(2, 3), F(1, 3)]
