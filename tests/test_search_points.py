"""``ph.search`` at single points: where pruning would go wrong, what may be withheld,
questions that make no sense.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support import oracle
from support.search_cases import check
from support.search_oracle import Domain, Judge, Label, Question, at_levels
from support.search_questions import Case, per_class

import phverify as ph
from phverify.budget import Deadline
from phverify.generalization import parts as search_parts
from phverify.generalization.options import options
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.read import read
from phverify.symbolic.prover import Closure
from phverify.verbs.prepared_search import prepared

# Where pruning by monotony would go wrong

STEPS = {
    v: (v, f"pair{int(v) // 2}", "most" if int(v) < 10 else "rest", "*")
    for v in map(str, range(16))
}
"""Values 0 to 15: pairs, then 0-9 and 10-15, then everything."""


def stepped(
    values: Mapping[str, str],
    rule: str,
    tests: Sequence[Any],
    space: str,
    objective: str,
) -> Case:
    """One record for each value of the quasi-identifier."""
    rows: list[dict[str, Label]] = [{"q": q, "f": f} for q, f in values.items()]
    paths = {v: STEPS[v] for v in values}
    judge = Judge(rows, ("q",), tests)
    question = Question(
        judge, {"q": Domain(frozenset(values), paths)}, space, objective
    )
    policy = ph.Policy.from_dict(
        {
            "rows": "same order",
            "columns": {"quasi": ["q"], "sensitive": ["f"]},
            "rules": {"rule": rule},
        }
    )
    return Case(question, policy, pd.DataFrame(rows), {"q": Hierarchy("steps", paths)})


DILUTED = dict(zip(STEPS, "aaaaaaaabbbbbbbb", strict=True))
DELTA = [
    per_class(oracle.delta(Fraction(5, 4), True)),
    per_class(oracle.k_anonymous(2)),
]
FEW = [per_class(oracle.k_anonymous(2)), lambda e, u: len(e) < 3]


@pytest.mark.parametrize("objective", ["height", "precision", "loss", "discernibility"])
def test_diluted_values_below_a_violating_level(objective: str) -> None:
    """Pairs are alike: 1 < 5/4 bits.  0-9 dilutes b from 1/2 to 1/5: 1.32 bits.
    Everything is the table.
    """
    rule = "delta_disclosure(f, 5/4, absent=ignored) & k_anonymity(2)"
    case = stepped(DILUTED, rule, DELTA, "levels", objective)
    vectors = {c.level for c in at_levels(case.question.domains["q"])}
    assert vectors == {0, 1, 2, 3}
    result = case.ask(all_minimal=True)
    assert (result.verdict, result.levels) == ("optimal", {"q": 1})
    assert result.minimal == ({"q": 1},)
    check(case, result)


def test_only_an_inner_level_satisfies_a_negated_criterion() -> None:
    """Level 0 is too fine, levels 2 and 3 are too coarse."""
    case = stepped(DILUTED, "k_anonymity(2) & ~k_anonymity(3)", FEW, "levels", "height")
    result = case.ask(all_minimal=True)
    assert (result.cost, result.levels, result.minimal) == (1, {"q": 1}, ({"q": 1},))
    check(case, result)


def test_pruning_by_what_is_not_kept_loses_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Levels 1 to 3 are too coarse: with the prover replaced by a claim they speak for
    level 0, too.
    """
    alone = [lambda e, u: len(e) < 2]
    case = stepped(DILUTED, "~k_anonymity(2)", alone, "levels", "height")
    assert (case.ask().verdict, case.ask().levels) == ("optimal", {"q": 0})
    monkeypatch.setattr(
        search_parts, "closure", lambda *_: Closure(True, False, "declared")
    )
    assert case.ask().verdict == "infeasible"


def test_a_widened_interval_is_a_union_of_blocks() -> None:
    """A box that no class of the candidate fits into would exclude others, and never
    the candidate itself.
    """
    rows = [{"n": n, "f": f} for n, f in (("1", "a"), ("2", "a"), ("3", "b"))]
    section = {
        "columns": {"quasi": ["n"], "sensitive": ["f"]},
        "types": {"n": "integer"},
    }
    policy = ph.Policy.from_dict({**section, "rules": {"r": "l_diversity(f, 2)"}})
    found = ph.search(pd.DataFrame(rows), policy, space="intervals")
    assert (found.verdict, found.cost) == ("optimal", 1)


STAR = Hierarchy("q", {"a": ("a", "*"), "b": ("b", "*")})


def two_values(
    q: str, f: str, rule: str, space: str = "levels", **more: Any
) -> ph.SearchResult:
    """A search over one quasi-identifier with the values a and b."""
    section = {
        "columns": {"quasi": ["q"], "sensitive": ["f"]},
        "rules": {"r": rule},
        **more,
    }
    frame = pd.DataFrame({"q": list(q), "f": list(f)})
    return ph.search(frame, ph.Policy.from_dict(section), {"q": STAR}, space=space)


@pytest.mark.parametrize("space", ["levels", "subtrees"])
def test_records_are_counted_as_often_as_they_occur(space: str) -> None:
    assert two_values("aabb", "xxxx", "k_anonymity(4)", space).cost == 1


def test_a_merged_class_says_nothing_about_one_person_in_a_finer_one() -> None:
    """Linear in likelihoods, so kept by mergers; about one person all the same: the
    coarser class is worse.
    """
    found = two_values("aabbbb", "axaaaa", "@i1 l_a1(f = a) <= 1/2")
    assert (found.verdict, found.levels) == ("optimal", {"q": 0})


def test_assumptions_say_where_in_a_class_somebody_is() -> None:
    found = two_values(
        "aabb", "axxx", "@i1 ~(f = a)", assumptions={"t": "@i1 ~(f = a)"}
    )
    assert (found.verdict, found.levels) == ("optimal", {"q": 0})


def test_a_missing_cell_joins_only_everybody() -> None:
    frame = pd.DataFrame({"n": ["1", "1", "2", "2", "3", None], "f": list("uvwxyz")})
    section = {
        "columns": {"quasi": ["n"], "sensitive": ["f"]},
        "types": {"n": "integer"},
    }
    found = ph.search(
        frame,
        ph.Policy.from_dict({**section, "rules": {"k": "k_anonymity(2)"}}),
        space="intervals",
    )
    assert (found.verdict, found.cost) == ("optimal", 1)


@pytest.mark.parametrize("objective", ["height", "loss"])
@pytest.mark.parametrize(
    ("rule", "tests"),
    [("delta_disclosure(f, 5/4, absent=ignored) & k_anonymity(2)", DELTA)],
)
def test_cuts_below_a_violating_cut(
    objective: str, rule: str, tests: Sequence[Any]
) -> None:
    values = {v: DILUTED[v] for v in ("0", "1", "2", "3", "8", "9", "12", "13")}
    case = stepped(values, rule, tests, "subtrees", objective)
    result = case.ask()
    assert result.cost == (1 if objective == "height" else Fraction(1, 7))
    check(case, result)


@pytest.mark.parametrize("space", ["intervals", "partitions"])
def test_blocks_of_exactly_two(space: str) -> None:
    """With no block above two records, everything coarser than pairs violates."""
    rows: list[dict[str, Label]] = [
        {"n": str(n), "f": "a"} for n in (1, 2, 3, 10, 11, 12)
    ]
    judge = Judge(rows, ("n",), FEW)
    question = Question(
        judge, {"n": Domain(frozenset(row["n"] for row in rows), key=int)}, space
    )
    section = {
        "columns": {"quasi": ["n"], "sensitive": ["f"]},
        "types": {"n": "integer"},
    }
    policy = ph.Policy.from_dict(
        {**section, "rules": {"rule": "k_anonymity(2) & ~k_anonymity(3)"}}
    )
    case = Case(question, policy, pd.DataFrame(rows), {})
    result = case.ask()
    assert result.cost == Fraction(1, 5)
    check(case, result)


def test_a_personal_rule_that_merging_breaks() -> None:
    """i1 is among no a's as long as 0 and 1 stay apart from the others."""
    values = dict(zip(("0", "1", "2", "3"), "baaa", strict=True))
    rule = "l_diversity(f, 1) & @i1 l_a1(f = a) <= 1/2 & @i3 l_a1(i3) <= 1/2"
    case = stepped(values, rule, [rule], "levels", "height")
    result = case.ask(all_minimal=True)
    assert (result.levels, result.minimal) == ({"q": 1}, ({"q": 1},))
    check(case, result)


# Single points of the contract


def small(
    rows: Sequence[Mapping[str, Label]], rule: str, tests: Sequence[Any], **more: Any
) -> Case:
    """A table over q (STEPS) and, where it has them, n (integers) and f."""
    quasi = [name for name in rows[0] if name in ("q", "n")]
    suppress, space = Fraction(more.get("suppress", 0)), more.get("space", "levels")
    paths = {"q": STEPS} if "q" in quasi else {}
    keys = {"n": int}
    domains = {
        c: Domain(frozenset(r[c] for r in rows), paths.get(c), keys.get(c))
        for c in quasi
    }
    question = Question(
        Judge(rows, quasi, tests),
        domains,
        space,
        more.get("objective", "loss"),
        suppress,
    )
    section = {
        "columns": {"quasi": quasi, "sensitive": ["f"]},
        "types": {"n": "integer"} if "n" in quasi else {},
    }
    policy = ph.Policy.from_dict(
        {"rows": "same order", **section, "rules": {"rule": rule}}
    )
    return Case(
        question,
        policy,
        pd.DataFrame(rows),
        {c: Hierarchy(c, p) for c, p in paths.items()},
    )


def on_steps(values: str, f: str) -> list[dict[str, Label]]:
    return [{"q": q, "f": v} for q, v in zip(values.split(), f, strict=True)]


def test_a_named_individual_is_never_withheld() -> None:
    """The record on 9 could be withheld and leave pairs; but the rule names i5."""
    rows = on_steps("0 1 2 3 9", "abaaa")
    free = small(rows, "k_anonymity(2)", ["k_anonymity(2)"], suppress="1/5")
    rule = "k_anonymity(2) & @i5 (f = a | f = b)"
    bound = small(rows, rule, [rule], suppress="1/5")
    one, two = free.ask(suppress="0.2"), bound.ask(suppress="0.2")
    assert (one.levels, one.suppressed) == ({"q": 1}, 1)
    assert (two.levels, two.suppressed) == ({"q": 2}, 0)
    check(free, one)
    check(bound, two)


def test_withheld_records_do_not_count_for_criteria_of_the_table() -> None:
    """Without the only c, both classes have the released table's shares."""
    rows = on_steps("0 0 2 2 4", "ababc")
    case = small(
        rows,
        "t_closeness(f, 0)",
        [per_class(oracle.variational(Fraction(0)))],
        suppress="1/4",
    )
    result = case.ask()
    assert (result.cost, result.suppressed) == (0, 1)
    check(case, result)


def test_the_budget_is_rounded_down() -> None:
    rows = on_steps("0 1 2 3 9", "abaaa")
    case = small(rows, "k_anonymity(2)", ["k_anonymity(2)"], suppress="0.19")
    result = case.ask(suppress="0.19")
    assert (result.levels, result.suppressed) == ({"q": 2}, 0)
    check(case, result)


def test_large_domains_are_cut_along_their_hierarchy() -> None:
    """Nine values of q are too many for set partitions, the three of n are not."""
    cells = zip(
        ["0", "1", "2", "3", "4", "5", "6", "7", "8"],
        "112312312",
        "ababababa",
        strict=True,
    )
    rows = [{"q": q, "n": n, "f": f} for q, n, f in cells]
    tests = [per_class(oracle.k_anonymous(3))]
    case = small(rows, "k_anonymity(3)", tests, space="partitions")
    check(case, case.ask())


def test_files_and_frames_agree(tmp_path: Path) -> None:
    case = small(
        on_steps("0 1 2 3 9", "abaaa"),
        "k_anonymity(2)",
        ["k_anonymity(2)"],
        objective="height",
    )
    (tmp_path / "q.csv").write_text(
        "".join(";".join(path) + "\n" for path in STEPS.values())
    )
    case.frame.assign(id=list("vwxyz")).to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "policy.toml").write_text(
        '[columns]\nquasi = ["q"]\nsensitive = ["f"]\nidentifier = "id"\n[rules]\nk ='
        ' "k_anonymity(2)"\n'
    )
    paths = {"q": tmp_path / "q.csv"}
    result = ph.search(
        tmp_path / "table.csv", tmp_path / "policy.toml", paths, objective="height"
    )
    mine = case.ask()
    assert (result.verdict, result.cost, result.mapping) == (
        "optimal",
        mine.cost,
        mine.mapping,
    )
    assert result.release.astype(str).equals(mine.release.astype(str))
    text = (tmp_path / "policy.toml").read_text() + '[hierarchies]\nq = "q.csv"\n'
    (tmp_path / "whole.toml").write_text(text)
    assert (
        ph.search(
            tmp_path / "table.csv", tmp_path / "whole.toml", objective="height"
        ).cost
        == mine.cost
    )


def test_nodes_with_the_text_of_another_value() -> None:
    """The group of a and b is called c, and c is a value: full levels never hold both,
    a cut could.
    """
    paths = {
        "a": ("a", "c", "*"),
        "b": ("b", "c", "*"),
        "c": ("c", "d", "*"),
        "e": ("e", "d", "*"),
    }
    rows: list[dict[str, Label]] = [
        {"q": q, "f": f} for q, f in zip("abcce", "xyxyx", strict=True)
    ]
    judge, domains = (
        Judge(rows, ("q",), ["k_anonymity(2)"]),
        {"q": Domain(frozenset("abce"), paths)},
    )
    section = {
        "columns": {"quasi": ["q"], "sensitive": ["f"]},
        "rules": {"rule": "k_anonymity(2)"},
    }
    policy, found = ph.Policy.from_dict(section), {"q": Hierarchy("q", paths)}
    case = Case(Question(judge, domains), policy, pd.DataFrame(rows), found)
    result = case.ask()
    assert result.levels == {"q": 1}
    check(case, result)
    with pytest.raises(ph.InputError, match="'c' stands for two groups"):
        case.ask(space="subtrees")


@pytest.mark.parametrize(
    "wrong",
    [
        {"space": "level"},
        {"objective": "height", "space": "intervals"},
        {"objective": "precision", "space": "partitions"},
        {"objective": "discernibility", "space": "partitions"},
        {"objective": "discernibility", "suppress": "1/4", "all_minimal": True},
        {"objective": "discernibility", "weights": {"q": 2}, "suppress": 0},
        {"objective": "entropy"},
        {"suppress": "2"},
        {"suppress": -1},
        {"weights": {"zip": 1}},
        {"weights": {"q": -1}},
        {"space": "levels"},
    ],
    ids=str,
)
def test_questions_that_make_no_sense(wrong: dict[str, Any]) -> None:
    """n has no hierarchy; q has one."""
    rows = [{"q": "0", "n": "1", "f": "a"}, {"q": "1", "n": "2", "f": "b"}]
    case = small(rows, "k_anonymity(2)", [], space="partitions")
    if wrong.get("objective") == "discernibility" and "suppress" in wrong:
        case = small([{"q": "0", "f": "a"}, {"q": "1", "f": "b"}], "k_anonymity(2)", [])
    with pytest.raises(ph.InputError):
        case.ask(**wrong)


def test_a_box_counts_the_rows_in_it() -> None:
    """Rows that are alike are one cell of the finest quotient, and count each."""
    rows = (
        [("1", "a")] * 5
        + [("1", "b")] * 2
        + [("2", "a"), ("2", "b"), ("2", "b"), ("3", "c")]
    )
    frame = pd.DataFrame(rows, columns=["n", "f"], dtype=object)
    section = {
        "columns": {"quasi": ["n"], "sensitive": ["f"]},
        "types": {"n": "integer"},
    }
    policy = ph.Policy.from_dict({**section, "rules": {"r": "l_diversity(f, 1)"}})
    chosen = options(policy, "intervals", "loss", 0, None, False, None)
    judge = prepared(
        policy,
        read(frame, policy.named, "table"),
        {},
        chosen,
        Deadline(),
        lambda step: None,
    ).refuter.judge
    for block in range(1, 8):
        inside = [f for n, f in rows if block >> (int(n) - 1) & 1]
        assert judge.counts("f", judge.inside((block,))) == Counter(inside)
        assert judge.counts("", judge.inside((block,))) == {"": len(inside)}
