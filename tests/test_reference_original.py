"""Criteria with ``reference=original``: classes are compared with the table before
anything is withheld, and stand alone.
"""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.original_rules import (
    OF_TABLE,
    beside_table,
    drawn_of_original,
    of_original,
)
from support.search_cases import check
from support.search_questions import KINDS, TREE, settings
from support.so_many import so_many
from support.tuples_oracle import TupleQuestion

import phverify as ph
from phverify.generalization.remaining import left
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.histogram import ClassHistogram
from phverify.spec.certificate import digest
from phverify.spec.command import MALFORMED
from phverify.spec.criterion.limits import Limits
from phverify.spec.data import Data, policy, release_data
from phverify.spec.merging import MERGE, known
from phverify.spec.models import ReleaseModel, Table
from phverify.spec.rules import looked_up, read
from phverify.spec.schemas import expand
from phverify.spec.semantics import truth_set
from phverify.spec.source import Refused

CELLS = st.lists(st.sampled_from("aaabbc"), min_size=1, max_size=7)
HEAD = """[columns]
quasi = ["q"]
sensitive = ["f", "g"]
[types]
f = ["a", "b", "c"]
g = "integer"
[rules]
r = "true"
"""
PATHS = {"f": {value: tuple(path) for value, path in TREE.items()}}


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("original") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


# One class


def rows_of(cells: list[str]) -> list[dict[str, str | None]]:
    return [{"q": "x", "f": cell, "g": "1"} for cell in cells]


def data_of(cells: list[str], before: list[str] | None) -> Data:
    """A release of one class, and the values before anything was withheld."""
    columns = {name: tuple(row[name] for row in rows_of(cells)) for name in "qfg"}
    original = None
    if before is not None:
        rows = rows_of(before)
        original = {name: tuple(row[name] for row in rows) for name in "qfg"}
    return release_data(policy(HEAD), columns, PATHS, original)


@so_many(100)
@given(CELLS, CELLS, beside_table(joined=False))
def test_a_class_is_compared_with_the_original(
    cells: list[str], withheld: list[str], rule: tuple[str, Any]
) -> None:
    """Definition, formula and plain criterion agree with the oracle."""
    before = [*cells, *withheld]
    text, test = of_original(rule, rows_of(before))
    data = data_of(cells, before)
    node = looked_up(read(text), data, in_rule=True)
    table = Table(data)
    expected = test(rows_of(cells), rows_of(cells))
    assert table.satisfies(node, table.everything) == expected
    formula = expand(data.criterion(node).formula(data.signature), data.signature)
    true = truth_set(ReleaseModel(table), formula, table.everything)
    assert (true == table.everything) == expected
    assert true in (0, table.everything)
    whole = table.whole("f")
    if not expected:
        reason = data.criterion(node).counterexample(whole, whole)
        assert reason.instance is not None and "the original" in reason.statement
        assert not truth_set(ReleaseModel(table), reason.instance, 1)


@so_many(75)
@given(CELLS, CELLS, beside_table(joined=False))
def test_no_more_is_left_than_the_limits_say(
    cells: list[str], withheld: list[str], rule: tuple[str, Any]
) -> None:
    """Whatever part of a class satisfies the criterion is within the limits."""
    before = [*cells, *withheld]
    text, test = of_original(rule, rows_of(before))
    data = data_of(cells, before)
    node = looked_up(read(text), data, in_rule=True)
    counts = Counter(cells)
    limits = data.criterion(node).limits({})
    if limits is None:
        return
    most = limits.left(counts)
    for chosen in range(1, 1 << len(cells)):
        part = [cell for k, cell in enumerate(cells) if chosen >> k & 1]
        if test(rows_of(part), []):
            assert len(part) <= most
    assert most < len(cells) or limits.allows(counts, len(cells))


shares = st.fractions(0, 1, max_denominator=12)


@so_many(50)
@given(
    st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1),
    st.lists(shares, min_size=3, max_size=3),
    shares,
    st.lists(shares, min_size=3, max_size=3),
)
def test_all_classes_at_once(
    rows: list[list[int]], most: list[Fraction], slack: Fraction, least: list[Fraction]
) -> None:
    """The arrays of the search say the same as the plain program."""
    counted = [row for row in rows if sum(row)] or [[1, 0, 0]]
    small = dict(zip("abc", (share / 3 for share in least), strict=True))
    limits = Limits(dict(zip("abc", most, strict=True)), slack, small)
    cells = [[v for v, count in enumerate(row) if count] for row in counted]
    table = ClassHistogram(
        sum(map(sum, counted)),
        np.cumsum([0, *map(len, cells)]),
        np.array([count for row in counted for count in row if count]),
        np.array([value for own in cells for value in own]),
        np.array([sum(row) for row in counted]),
        np.array(counted).sum(axis=0),
        ("a", "b", "c"),
    )
    everything = np.arange(len(counted))
    found = left(table, limits, everything[::-1]).tolist()
    plain = [limits.left(dict(zip("abc", row, strict=True))) for row in counted]
    assert found[::-1] == plain


def test_what_merging_keeps() -> None:
    data = data_of(list("aab"), list("aabbc"))
    for text, level in (
        ("t_closeness(f, 1/4, reference=original)", MERGE),
        ("delta_disclosure(f, 1, reference=original)", MERGE),
        ("delta_disclosure(f, 1, absent=ignored, reference=original)", 0),
    ):
        assert known(looked_up(read(text), data, in_rule=True), data) == level


# Whole releases


@so_many(30)
@given(st.data())
def test_verify_beside_an_original(tree: Path, data: st.DataObject) -> None:
    """The verdict by the definitions, and its certificate read again."""
    setting = data.draw(settings(2, 8, space="levels"))
    case = drawn_of_original(data.draw, tree, setting)
    judge = case.question.judge
    candidates = list(case.question.candidates())
    candidate = data.draw(st.sampled_from(candidates))
    released = candidate.released(judge.rows)
    frame = pd.DataFrame(released, dtype=object)
    for q in judge.quasi:
        frame[q] = frame[q].map(lambda cell: cell if cell is None else f"{cell}")
    try:
        report = ph.verify(frame, case.policy, original=case.frame)
    except ph.InputError as error:
        # Labels that are no node of a hierarchy of the policy are another matter.
        assert "hierarch" in str(error) or "sanitization" in str(error)
        return
    everybody = tuple(range(len(released)))
    expected = "proved" if judge.proved(released, everybody) else "refuted"
    assert report.verdict == expected


@so_many(15, more=300)
@given(st.data())
def test_the_least_release(tree: Path, data: st.DataObject) -> None:
    """In every space, with records withheld: against all candidates."""
    case = drawn_of_original(data.draw, tree, data.draw(settings(3, 9)))
    result = case.ask()
    check(case, result)
    if result.certificate is None:
        return
    again = ph.check(
        result.certificate,
        table=case.frame,
        policy=case.policy,
        hierarchies=case.hierarchies,
    )
    assert again.verdict == "accepted", again


@so_many(15)
@given(st.data())
def test_all_minimal_levels(tree: Path, data: st.DataObject) -> None:
    case = drawn_of_original(data.draw, tree, data.draw(settings(3, 8, space="levels")))
    result = case.ask(all_minimal=True)
    found = {tuple(v[f] for f in case.question.domains) for v in result.minimal}
    assert found == case.question.minimal()


@so_many(10, more=200)
@given(st.data())
def test_recoded_by_tuples(tree: Path, data: st.DataObject) -> None:
    """Against all functions on tuples, with records withheld."""
    setting = data.draw(settings(2, 6, space="levels"))
    case = drawn_of_original(data.draw, tree, setting)
    asked = case.question
    question = TupleQuestion(asked.judge, asked.domains, asked.suppress, asked.weights)
    try:
        result = ph.anonymize(
            case.frame,
            policy=case.policy,
            hierarchies=case.hierarchies,
            suppress=asked.suppress,
            weights=asked.weights or None,
            budget=0.3,
        )
    except ph.InputError as error:
        assert "one root" in str(error)
        return
    least = question.least()
    if least is None:
        assert result.cost is None
        return
    assert result.verdict != "infeasible" and result.bound <= least
    if result.cost is None:
        return
    assert result.cost >= least
    cells = result.release.to_dict("records")
    classes: dict[Any, list[Any]] = {}
    for row in cells:
        classes.setdefault(tuple(map(str, (row[q] for q in setting.quasi))), []).append(
            row
        )
    for members in classes.values():
        assert all(test(members, members) for test in asked.judge.rules)  # type: ignore[operator]
    again = ph.check(
        result.certificate,
        table=case.frame,
        policy=case.policy,
        hierarchies=case.hierarchies,
    )
    assert again.verdict == "accepted", again


# A table that shows the difference

TABLE = pd.DataFrame(
    {
        "zip": ["10"] * 4 + ["11"] * 4 + ["20"] * 4,
        "ill": list("aabb") + list("aabb") + list("aaaa"),
    }
)
RULE = "t_closeness(ill, 1/5, reference=original)"


def policy_of(*rules: str, **more: Any) -> ph.Policy:
    named = {f"r{number}": rule for number, rule in enumerate(rules)}
    columns = {"quasi": ["zip"], "sensitive": ["ill"]}
    return ph.Policy.from_dict({"columns": columns, "rules": named, **more})


def test_classes_stand_alone() -> None:
    """Once the third class is withheld the others are what the release is made of: its
    own distribution is theirs, and that of the original is another one.
    """
    released = ph.search(
        TABLE, policy_of(RULE.replace("original", "release")), suppress="1/3"
    )
    assert released.suppressed == 4 and released.cost == 0
    strict = policy_of("t_closeness(ill, 1/10, reference=original)")
    assert ph.search(TABLE, strict, suppress="1/3").cost == 1
    original = ph.search(TABLE, policy_of(RULE), suppress="1/3")
    assert original.verdict == "optimal" and original.suppressed == 4
    assert "the lower bound confirmed" in str(original)


def test_what_can_be_left_is_not_cut_off() -> None:
    """x and y together are too far, and so is x cut in two; x alone is near enough."""
    x = [("x", "u", "a")] * 4 + [("x", "v", "b")] * 4
    z = [("z", "u", "a")] * 2 + [("z", "u", "b")] * 7
    z += [("z", "v", "a")] * 7 + [("z", "v", "b")] * 3
    table = pd.DataFrame([*x, ("y", "u", "a"), *z], columns=["q", "r", "ill"])
    lines = {"x": ("x", "xy", "*"), "y": ("y", "xy", "*"), "z": ("z", "z", "*")}
    columns = {"quasi": ["q", "r"], "sensitive": ["ill"]}
    rules = ph.Policy.from_dict(
        {
            "columns": columns,
            "rules": {"t": "t_closeness(ill, 0.04, reference=original)"},
        }
    )
    result = ph.search(
        table,
        rules,
        {"q": Hierarchy("q", lines)},
        suppress="1/28",
        weights={"r": "3/5"},
    )
    assert result.verdict == "optimal" and result.suppressed == 1
    assert result.levels == {"q": 0, "r": 1}


def test_mutated_certificates_are_refused() -> None:
    rules = policy_of("t_closeness(ill, 1/10, reference=original)")
    result = ph.search(TABLE, rules, suppress="1/3")
    claimed = json.loads(json.dumps(result.certificate))
    (cut,) = claimed["clauses"]
    assert cut["kind"] == "cut"

    def verdict(**changes: Any) -> str:
        content = {**claimed, **changes}
        try:
            again = ph.check(
                {**content, "digest": digest(content)}, table=TABLE, policy=rules
            )
        except (Refused, *MALFORMED) as error:
            return str(error)
        return str(again.verdict)

    assert verdict() == "accepted"
    assert verdict(cost="0") != "accepted"
    assert verdict(suppress="2/3") != "accepted"
    assert verdict(clauses=[{**cut, "choice": claimed["choice"]}]) != "accepted"
    assert verdict(clauses=[]) != "accepted"
    looser = {"r0": "t_closeness(ill, 1/10)"}
    assert verdict(rules=looser) != "accepted"
    finest = {"choice": [], "withheld_classes": [["20"]], "cost": "0"}
    assert verdict(**finest, mapping={"zip": [[z, z] for z in ("10", "11", "20")]}) != (
        "accepted"
    )


def test_a_certificate_of_a_verdict_needs_the_original(tmp_path: Path) -> None:
    rules = policy_of(RULE)
    files = {"release": tmp_path / "r.csv", "original": tmp_path / "o.csv"}
    TABLE.to_csv(files["original"], index=False)
    TABLE.assign(zip="*").to_csv(files["release"], index=False)
    (tmp_path / "p.toml").write_text(
        f'[columns]\nquasi = ["zip"]\nsensitive = ["ill"]\n[rules]\nr = "{RULE}"\n'
    )
    report = ph.verify(files["release"], tmp_path / "p.toml", files["original"])
    assert report.verdict == "proved" and rules.rules["r0"] == RULE
    made = ph.certify(report, files["release"], tmp_path / "p.toml", files["original"])
    accepted = ph.check(made, policy=tmp_path / "p.toml", **files)
    assert accepted.verdict == "accepted"
    alone = {**made, "original": None}
    refused = ph.check(
        {**alone, "digest": digest(alone)},
        policy=tmp_path / "p.toml",
        release=files["release"],
    )
    assert refused.verdict == "refused"
    assert "reference=original" in str(refused)


# What is refused


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (RULE, ["there is none here", "--original", "leave reference=original out"]),
        (
            "t_closeness(ill, 1/5, reference=table)",
            ["reference is one of release, original, not 'table'"],
        ),
        ("k_anonymity(2, reference=original)", ["no argument 'reference'"]),
        ("t_closeness(zip, 1/5, reference=original)", ["there is none here"]),
    ],
)
def test_a_release_alone(rule: str, told: list[str]) -> None:
    with pytest.raises(ph.InputError) as error:
        ph.verify(TABLE, policy_of(rule))
    for words in told:
        assert words in str(error.value)


def test_quasi_identifiers_are_not_compared() -> None:
    rules = policy_of("t_closeness(zip, 1/5, reference=original)")
    with pytest.raises(ph.InputError, match="'zip' is a quasi-identifier"):
        ph.search(TABLE, rules)


def test_what_is_wrong_with_the_original_is_said_of_it() -> None:
    """The release has no missing cell: the one that is meant was withheld."""
    rule = "t_closeness(ill, 1/5, distance=ordered, reference=original)"
    rules = {
        "rows": "same order",
        "columns": {"quasi": ["zip"], "sensitive": ["ill"]},
        "types": {"ill": "integer"},
        "rules": {"close": rule},
    }
    before = pd.DataFrame({"zip": ["1", "2"], "ill": ["1", None]})
    after = pd.DataFrame({"zip": ["1"], "ill": ["1"]})
    with pytest.raises(ph.InputError, match="of the original: 'ill' has missing"):
        ph.verify(after, rules, before)


def test_no_table_in_general_has_an_original() -> None:
    with pytest.raises(ph.InputError, match="--original decides it"):
        ph.compare(RULE, "t_closeness(ill, 1/5)")
    assert ph.lint(policy_of(RULE, "k_anonymity(2)")).aside == ("r0",)
    found = ph.lint(policy_of("beta_likeness(ill, 0, reference=original)"), TABLE)
    assert found.aside == ("r0",)


def test_rules_as_text() -> None:
    result = ph.anonymize(
        TABLE, quasi=["zip"], sensitive=["ill"], rules=[RULE], suppress="1/3", budget=1
    )
    assert result.verdict == "proved"
    for _, members in result.release.groupby("zip"):
        assert abs((members["ill"] == "a").mean() - 2 / 3) <= 1 / 5


def test_both_tables_are_named_in_the_pattern() -> None:
    """The tests' own rules: what they turn into is what is asked."""
    text = "enhanced_beta_likeness(f, 1) & k_anonymity(2)"
    turned, _ = of_original((text, oracle.every), [])
    assert turned == "enhanced_beta_likeness(f, 1, reference=original) & k_anonymity(2)"
    assert OF_TABLE.search("k_anonymity(2)") is None and "f" in KINDS
