"""Columns by intervals, the others along hierarchies: shortest paths in branches."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.search_cases import check
from support.search_oracle import Judge
from support.search_questions import (
    KINDS,
    TREE,
    VALUES,
    Setting,
    hierarchies,
    per_class,
)
from support.so_many import so_many

import phverify as ph
from phverify.budget import Deadline
from phverify.generalization.judge import lift
from phverify.generalization.shortest import (
    SHORTEST,
    PricedBranch,
    Shortest,
    _Column,
)
from phverify.generalization.space import CodedSpace
from phverify.microdata.hierarchy import Hierarchy
from phverify.spec.along import Subtrees, tree
from phverify.spec.certificate import digest
from phverify.spec.schemes import Clause
from phverify.spec.shortest import Order, Orders, orders
from phverify.spec.spaces import Space
from phverify.spec.together import Intervals, Partitions

HALF = Fraction(1, 2)
CLOSED = [
    ("k_anonymity(2)", oracle.k_anonymous(2)),
    ("k_anonymity(3)", oracle.k_anonymous(3)),
    ("l_diversity(f, 2)", oracle.distinct(2)),
    ("t_closeness(f, 1/2)", oracle.variational(HALF)),
    ("alpha_k_anonymity(f, 1/2, 2)", oracle.alpha_k(HALF, 2)),
]
"""Rules that merging classes keeps."""


@pytest.fixture(scope="session")
def tree_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shortest") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


# The search


@st.composite
def settings(draw: st.DrawFn) -> Setting:
    """Tables with an integer column of up to 7 values, missing ones among them."""
    quasi = draw(st.sampled_from([("n", "q"), ("q", "n", "r"), ("n",), ("n", "grade")]))
    numbers = ["1", "2", "3", "5", "8", "13", *draw(st.sampled_from([[], [None]]))]
    row = st.fixed_dictionaries(
        {
            "n": st.sampled_from(numbers),
            "q": st.sampled_from(VALUES["q"]),
            "r": st.sampled_from(VALUES["r"]),
            "grade": st.sampled_from(VALUES["grade"]),
            "f": st.sampled_from("aabc"),
            "g": st.sampled_from("01"),
        }
    )
    rows = draw(st.lists(row, min_size=2, max_size=10))
    kept = [{name: one[name] for name in (*quasi, "f", "g")} for one in rows]
    weights = draw(
        st.sampled_from([{}, {"n": Fraction(3)}, {"n": Fraction(1, 5)}, {"n": 0}])
    )
    if quasi == ("n",):
        weights = {}
    paths = {q: draw(hierarchies(VALUES[q], 2)) for q in quasi if q not in KINDS}
    return Setting(kept, quasi, "intervals", "loss", Fraction(0), weights, paths, ())


@so_many(40)
@given(st.data())
def test_no_candidate_is_cheaper(tree_file: Path, data: st.DataObject) -> None:
    setting = data.draw(settings())
    rules = data.draw(st.lists(st.sampled_from(CLOSED), min_size=1, max_size=2))
    tests = [per_class(test) for _, test in rules]
    oracle_judge = Judge(setting.rows, setting.quasi, tests)
    written = {f"r{k}": text for k, (text, _) in enumerate(rules)}
    case = setting.case(oracle_judge, setting.policy(tree_file, written))
    result = case.ask()
    check(case, result)
    search = result.explored.search
    judge = search.refuter.judge
    for reason in search.reasons:
        part = judge.parts.classes[reason.part]
        assert judge.breaks(part, judge.inside(reason.box))
    if result.verdict == "optimal":
        assert result.statistics.solvers == (SHORTEST,)


@pytest.mark.parametrize(
    ("rule", "share"), [("t_closeness(f, 1/2)", "1/4"), ("~k_anonymity(3)", "0")]
)
def test_what_is_no_question_of_boxes_goes_to_solvers(rule: str, share: str) -> None:
    """Records withheld, which others are compared with, and rules that merging does
    not keep.
    """
    frame, _, paths = many_values(12)
    policy = k_policy(rule)
    found = ph.search(frame, policy, paths, space="intervals", suppress=share)
    assert found.verdict == "optimal"
    assert "Z3" in found.statistics.solvers
    certificate = found.certificate
    assert certificate and ph.check(certificate, frame, policy, paths).accepted


def test_a_missing_cell_is_apart_where_anything_is_cut() -> None:
    space = CodedSpace(spaces(3, True).schemes)
    found = orders(space, [1] * space.size)
    assert found is not None
    own = found.orders[0].start
    # It is cut behind the first value, and nothing is decided of the missing one.
    branch = PricedBranch(0, ((1 << space.decisions) - 1) & ~(1 << own))
    candidate = Shortest(space, found, 1)._candidate(branch, [()])
    solution = space.solution(candidate.tolist())
    assert all(meets(solution, clause) for clause in space.constraints)


def test_a_box_is_widened_within_the_block_that_it_keeps() -> None:
    """Of the value 1 both groups together break nothing; of all values they would."""
    rows = ["1xa", "1yb", "2xa", "2xa", "2ya"]
    columns = dict(zip("nqf", zip(*rows, strict=True), strict=True))
    paths = {"q": Hierarchy("q", {"x": ("x", "*"), "y": ("y", "*")})}
    policy = k_policy("alpha_k_anonymity(f, 1/2, 1)")
    found = ph.search(pd.DataFrame(columns), policy, paths, space="intervals")
    search = found.explored.search
    judge, finest = search.refuter.judge, search.space.bottom()
    part = judge.parts.classes[0]
    view = judge.view(finest)
    boxes = [judge.box(view, index) for index in judge.failing(view, part)]
    assert boxes
    for box in boxes:
        widened = lift(judge, part, box, finest, [1])
        assert widened[0] == box[0]
        assert judge.breaks(part, judge.inside(widened))


# Many values


def k_policy(rule: str = "k_anonymity(3)") -> ph.Policy:
    return ph.Policy.from_dict(
        {
            "columns": {"quasi": ["n", "q"], "sensitive": ["f"]},
            "types": {"n": "integer"},
            "rules": {"k": rule},
        }
    )


def many_values(
    rows: int = 60,
) -> tuple[pd.DataFrame, ph.Policy, dict[str, Hierarchy]]:
    """So many values that no proof of the bound is looked for."""
    frame = pd.DataFrame(
        {
            "n": [str(k % 31) for k in range(rows)],
            "q": [VALUES["q"][k * 7 % 11 % 3] for k in range(rows)],
            "f": list("ab" * (rows // 2)),
        }
    )
    lines = {"x": ("x", "xy", "*"), "y": ("y", "xy", "*"), "z": ("z", "z", "*")}
    return frame, k_policy(), {"q": Hierarchy("q", lines)}


def test_the_checker_finds_the_shortest_paths_itself() -> None:
    frame, policy, paths = many_values()
    found = ph.search(frame, policy, paths, space="intervals")
    assert (found.verdict, found.statistics.solvers) == ("optimal", (SHORTEST,))
    # There are two to the power of 30 ways to cut, times those of the hierarchy.
    assert found.statistics.candidates < 40
    certificate = found.certificate
    assert certificate is not None and certificate["bound"] is None
    checked = ph.check(certificate, frame, policy, paths)
    assert checked.accepted
    assert any("by shortest paths in" in line for line in checked.verified)


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_too_few_clauses_prove_nothing(kept: int) -> None:
    frame, policy, paths = many_values()
    certificate = ph.search(frame, policy, paths, space="intervals").certificate
    assert certificate is not None
    forged = {k: v for k, v in certificate.items() if k != "digest"}
    forged["clauses"] = forged["clauses"][:kept]
    forged["closures"] = []
    checked = ph.check({**forged, "digest": digest(forged)}, frame, policy, paths)
    assert not checked.accepted


# The paths


def lines(values: int, missing: bool) -> tuple[Space, Order]:
    """A column by intervals alone, with some costs of its pairs."""
    space = Space((spaces(values, missing).schemes[1],))
    found = orders(space, [k * 7 % 5 for k in range(space.size)])
    assert found is not None
    return space, found.orders[0]


@so_many(60)
@given(st.data())
def test_the_cheapest_intervals(data: st.DataObject) -> None:
    """All intervals, one after the other: engine and checker find the cheapest."""
    space, order = lines(data.draw(st.integers(2, 5)), data.draw(st.booleans()))
    places = st.integers(0, order.length)
    bars = data.draw(st.lists(st.tuples(places, places), max_size=6))
    bars = [(start, end) for start, end in bars if start < end]
    inner = range(1, order.length)
    decided = data.draw(st.dictionaries(st.sampled_from(inner), st.booleans()))
    joined = sum(1 << place for place, true in decided.items() if true)
    cut = sum(1 << place for place, true in decided.items() if not true)

    costs = []
    for candidate in product([False, True], repeat=space.decisions):
        cuts = {place for place in inner if not candidate[place - 1]}
        ends = sorted({0, *cuts, order.length})
        steps = {*pairwise(ends), *((0, end) for end in ends)}
        kept = all(candidate[place - 1] == true for place, true in decided.items())
        allowed = all(meets(space.solution(candidate), c) for c in space.constraints)
        if kept and allowed and not steps & {*bars}:
            costs.append(total(space, order, candidate))
    found = order.cheapest(bars, joined, cut)
    assert (None if found is None else found[0]) == min(costs, default=None)

    column = _Column(order, 10**6)
    column.bars = np.array(bars, dtype=np.int64).reshape(-1, 2)
    possible = np.array([*(decided.get(p, True) for p in inner), False])
    never = np.full((len(bars), 1), space.decisions)
    quick = column.path(never, possible, joined >> 1)
    assert (None if quick is None else quick[0]) == min(costs, default=None)


def total(space: Space, order: Order, candidate: tuple[bool, ...]) -> int:
    """What a partition costs, pair by pair."""
    solution = space.solution(candidate)
    return sum(k * 7 % 5 for k, true in enumerate(solution) if true)


@pytest.mark.parametrize("values", [1, 2, 4])
def test_what_a_clause_bars(values: int) -> None:
    space, order = lines(values, False)
    for clause in range(1 << space.decisions):
        barred = order.barred(clause)
        if clause.bit_count() > 2:
            assert barred is None
            continue
        assert barred is not None
        for candidate in range(1 << space.decisions):
            cuts = {
                place for place in range(1, values) if not candidate >> place - 1 & 1
            }
            assert ({*barred} <= {0, values, *cuts}) == (not clause & candidate)


# The proof


def spaces(values: int, missing: bool, twice: bool = False) -> Space:
    """One or two columns by intervals between two along hierarchies."""
    numbers = [*map(str, range(values)), *([None] if missing else [])]
    lines = {"x": ("x", "xy", "*"), "y": ("y", "xy", "*"), "z": ("z", "z", "*")}
    first = Subtrees("q", tuple("xyz"), tree("q", tuple("xyz"), lines))
    two = {"u": ("u", "*"), "v": ("v", "*")}
    last = Subtrees("r", tuple("uv"), tree("r", tuple("uv"), two))
    order = Intervals("n", tuple(numbers))
    if twice:
        return Space((first, Intervals("m", tuple("123")), order, last))
    return Space((first, order, last))


def meets(solution: list[bool], clause: Clause) -> bool:
    return any(solution[abs(one) - 1] == (one > 0) for one in clause)


def least(space: Space, weights: list[int], clauses: list[Clause]) -> int | None:
    """The least cost of all candidates that meet all clauses, one after the other."""
    every = [*space.constraints, *clauses]
    costs = []
    for candidate in product([False, True], repeat=space.decisions):
        solution = space.solution(candidate)
        if all(meets(solution, clause) for clause in every):
            pairs = zip(weights, solution, strict=True)
            costs.append(sum(weight for weight, true in pairs if true))
    return min(costs, default=None)


@so_many(60)
@given(st.data())
def test_a_bound_that_is_shown_is_one(data: st.DataObject) -> None:
    """Whatever the clauses say; where they are about boxes, none is missed."""
    space = spaces(
        data.draw(st.integers(2, 5)), data.draw(st.booleans()), data.draw(st.booleans())
    )
    weights = data.draw(
        st.lists(st.integers(0, 9), min_size=space.size, max_size=space.size)
    )
    literals = st.integers(1, space.size)
    if data.draw(st.booleans()):
        literals = literals.flatmap(lambda one: st.sampled_from([one, one, one, -one]))
    clause = st.lists(literals, min_size=1, max_size=4, unique=True).map(tuple)
    clauses = data.draw(st.lists(clause, max_size=12))
    order = orders(space, weights)
    assert order is not None
    expected = least(space, weights, clauses)
    if expected is None:
        return
    assert order.branches(clauses, expected + 1) is None


@so_many(60)
@given(st.data())
def test_what_all_violating_boxes_show(data: st.DataObject) -> None:
    """With all boxes of fewer than two records the least cost is shown, and no more."""
    space = spaces(
        data.draw(st.integers(2, 5)), data.draw(st.booleans()), data.draw(st.booleans())
    )
    weights = data.draw(
        st.lists(st.integers(0, 9), min_size=space.size, max_size=space.size)
    )
    places = [st.integers(0, len(scheme.values) - 1) for scheme in space.schemes]
    records = data.draw(st.lists(st.tuples(*places), min_size=2, max_size=8))
    order = orders(space, weights)
    assert order is not None
    clauses = [space.cut(box) for box in alone(space, records)]
    expected = least(space, weights, clauses)
    assert expected is not None
    assert order.branches(clauses, expected) is not None
    assert order.branches(clauses, expected + 1) is None
    assert proposed_least(space, order, clauses, expected) == expected


def proposed_least(
    space: Space, found: Orders, clauses: list[Clause], expected: int
) -> int:
    """What the engine proposes at last; on its way no bound is above the least cost."""
    coded = CodedSpace(space.schemes)
    engine = Shortest(coded, found, 1)
    while True:
        candidate = engine.propose(Deadline())
        assert candidate is not None
        assert engine.lower <= expected
        solution = space.solution(candidate.tolist())
        assert all(meets(solution, clause) for clause in space.constraints)
        broken = [clause for clause in clauses if not meets(solution, clause)]
        engine.learn(broken)
        if not broken and engine.accept(candidate):
            pairs = zip(found.weights, solution, strict=True)
            return sum(weight for weight, true in pairs if true)


def alone(space: Space, records: list[tuple[int, ...]]) -> list[list[int]]:
    """The boxes with a single record."""
    blocks = []
    for scheme in space.schemes:
        # Nodes of the small hierarchies, or sets of values.
        many = 1 << len(scheme.values) if isinstance(scheme, Intervals) else 9
        blocks.append([b for b in range(many) if scheme.valid(b)])
    boxes = []
    for box in product(*blocks):
        pairs = list(zip(space.schemes, box, strict=True))
        inside = [
            record
            for record in records
            if all(v in s.members(b) for (s, b), v in zip(pairs, record, strict=True))
        ]
        if len(inside) == 1:
            boxes.append(list(box))
    return boxes


def test_other_spaces_have_no_shortest_paths() -> None:
    first, order, last = spaces(3, False).schemes
    for schemes in ((order,), (first, order, last), (order, first, order)):
        other = Space(schemes)
        assert orders(other, [1] * other.size) is not None
    for schemes in ((first, last), (order, Partitions("p", ("a", "b")))):
        other = Space(schemes)
        assert orders(other, [1] * other.size) is None


def test_of_too_many_branches_no_proof_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    space = spaces(3, False)
    found = orders(space, [1] * space.size)
    assert found is not None
    everywhere = [space.cut([1, 1 << value, 0]) for value in range(3)]
    bound = least(space, [1] * space.size, everywhere)
    assert bound is not None and found.branches(everywhere, bound)
    monkeypatch.setattr("phverify.spec.shortest.MOST", 1)
    assert found.branches(everywhere, bound) is None
