"""``compare-data`` as it is asked for: beside searches, with odd tables, as text, page
and JSON; and what a classifier learns.
"""

from __future__ import annotations

import json
import random
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from support.pages import check_page, said
from support.schemas import validated

import phverify as ph
from phverify.cli.main import main
from phverify.report.compare_data_text import rounded as correlation
from phverify.report.compare_data_text import to_lines
from phverify.utility import distances
from phverify.utility.learning import CLOSE, FOLDS, ROUNDS

HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
ORIGINAL, RELEASE = str(HOSPITAL / "original.csv"), str(HOSPITAL / "release.csv")
POLICY = str(HOSPITAL / "policy.toml")
AGES = {
    "columns": {"quasi": ["age"], "sensitive": ["ill"]},
    "types": {"age": "integer"},
}


def table(seed: int, rows: int = 40) -> pd.DataFrame:
    """Ages, towns and illnesses at random, the illness mostly by age."""
    draw = random.Random(seed)
    ages = [draw.randint(20, 60) for _ in range(rows)]
    towns = [draw.choice(("Ulm", "Bonn", "Trier")) for _ in range(rows)]
    ills = ["gout" if age + draw.randint(-8, 8) > 40 else "flu" for age in ages]
    number = [f"p{row}" for row in range(rows)]
    cells = {"id": number, "age": map(str, ages), "town": towns, "ill": ills}
    return pd.DataFrame({name: list(column) for name, column in cells.items()})


ROLES = {"quasi": ["age", "town"], "sensitive": ["ill"], "identifier": "id"}
RULES = {"anonymous": "k_anonymity(3)"}
TYPED = {"columns": ROLES, "types": {"age": "integer"}, "rules": RULES}
STEPS = {"age": {"intervals": [5, 10, 20]}, "town": {"masking": "right"}}
SEARCHES: list[tuple[str, dict[str, Any]]] = [
    ("levels", {**TYPED, "hierarchies": STEPS}),
    ("subtrees", {**TYPED, "hierarchies": STEPS}),
    ("intervals", TYPED),
]


@pytest.mark.parametrize(("space", "policy"), SEARCHES, ids=lambda one: str(one)[:9])
@pytest.mark.parametrize("seed", range(3))
def test_loss_is_what_search_says(
    space: str, policy: dict[str, Any], seed: int
) -> None:
    raw = table(seed, 24)
    for objective in ("loss", "precision"):
        if objective == "precision" and "hierarchies" not in policy:
            continue
        found = ph.search(raw, policy, space=space, objective=objective)
        same = {**policy, "rows": "same order"}
        told = ph.compare_data(raw, found.release, same)
        assert getattr(told, objective) == found.cost
        assert told.explained == "policy"


@pytest.mark.parametrize("seed", range(3))
def test_measures_are_those_of_tuples(seed: int) -> None:
    raw = table(seed, 24)
    policy = {**TYPED, "hierarchies": STEPS}
    found = ph.anonymize(raw, policy=policy, budget=1)
    told = ph.compare_data(raw, found.release, {**policy, "rows": "same order"})
    assert found.measures is not None and told.after is not None
    assert told.loss == found.measures.loss
    assert told.precision == found.measures.precision
    assert told.after.discernibility == found.measures.discernibility
    assert told.after.mean == found.measures.average_class


def test_ranges_beside_a_hierarchy_are_read_without_it() -> None:
    raw = table(1, 24)
    with_steps = {**TYPED, "hierarchies": STEPS}
    found = ph.search(raw, TYPED, space="intervals", objective="loss")
    told = ph.compare_data(raw, found.release, {**with_steps, "rows": "same order"})
    plain = ph.compare_data(raw, found.release, {**TYPED, "rows": "same order"})
    assert "age is not recoded along its hierarchy: it is read without it" in told.notes
    assert told.columns[0].loss == plain.columns[0].loss
    assert told.explained == "policy"
    # In any order a hierarchy allows no mapping to ranges.
    assert ph.compare_data(raw, found.release, with_steps).explained == "order"


# What is no sanitization, and what nothing is said of


def test_labels_of_hierarchies_lead_to_the_policy() -> None:
    raw = pd.DataFrame({"town": ["a", "b", "c"], "ill": list("xyx")})
    release = raw.assign(town=["North", "North", "South"])
    told = ph.compare_data(raw, release)
    assert told.explained == "order"
    shorter = ph.compare_data(raw, release[:2])
    assert not shorter.explained
    hint = "what is lost in town cannot be known without a policy: its hierarchies say"
    assert shorter.notes[0].startswith(hint)
    assert 'town = "HIERARCHY.csv" under [hierarchies]' in shorter.notes[0]
    text = str(shorter)
    assert "nothing shows that the release is the original with cells" in text
    assert "loss not known: nothing says what some cells stand for in town" in text
    # What loss means is not said where there is none.
    assert "how much cells leave open" not in text
    given = {"columns": {"quasi": ["town"]}}
    assert not any(
        hint in note for note in ph.compare_data(raw, release[:2], given).notes
    )


def test_no_hierarchy_says_what_missing_cells_and_other_numbers_stand_for() -> None:
    raw = pd.DataFrame({"age": ["1", "2", "2", "3"], "town": list("aabb")})
    noisy = ph.compare_data(raw, raw.assign(age=["1.5", "2", "2.5", "3"]))
    emptied = ph.compare_data(raw, raw.assign(town=["a", None, "b", "b"]))
    for told in (noisy, emptied):
        assert not told.explained and told.loss is None
        assert not any("hierarchies" in note for note in told.notes)
    assert "town: 1 cell, such as (missing): no value of the" in str(emptied)


def test_correlations_are_told_to_be_whole_where_they_are() -> None:
    figures = [1.0, -1.0, 0.0, 0.5, 0.99996, -0.999999, -0.0003, None]
    shown = [
        "1.000", "-1.000", "0.000", "0.500", "0.99996", "-0.999999", "-0.0003",
        "undefined",
    ]  # fmt: skip
    assert list(map(correlation, figures)) == shown


def test_noise_is_no_sanitization_and_compared_all_the_same() -> None:
    raw = pd.DataFrame({"age": ["1", "2", "2", "3"], "ill": list("xyxx")})
    noisy = raw.assign(age=["1.5", "2", "1.5", "3.5"])
    told = ph.compare_data(raw, noisy, {**AGES, "rows": "same order"})
    assert told.explained == "" and told.departures
    assert told.loss is None and told.loss_with_withheld is None
    age = told.columns[0]
    assert (age.unread, age.example) == (3, "1.5")
    assert age.distance == Fraction(3, 4)
    text = str(told)
    assert "nothing shows that the release is the original with cells" in text
    assert "loss not known: nothing says what some cells stand for in age" in text
    assert "age: 3 cells, such as '1.5': no value of the original" in text
    assert "1.5" not in "\n".join(
        to_lines(ph.compare_data(raw, noisy, AGES, redact=True))
    )
    (ordered,) = ph.compare_data(
        raw.assign(pay=raw["age"]), noisy.assign(pay=raw["age"])
    ).correlations
    expected = np.corrcoef([1.5, 2, 1.5, 3.5], [1, 2, 2, 3])[0, 1]
    assert ordered.pearson_after == pytest.approx(expected, abs=1e-6)


def test_swapped_cells_keep_each_column_and_not_the_pairs() -> None:
    raw = pd.DataFrame({"age": ["1", "2", "3", "4"], "ill": list("xyzw")})
    swapped = raw.assign(age=["2", "1", "3", "4"])
    told = ph.compare_data(raw, swapped, {**AGES, "rows": "same order"})
    assert [one.distance for one in told.columns] == [0, 0]
    assert [one.distance for one in told.pairs] == [Fraction(1, 2)]


def test_without_a_policy_what_changed_is_quasi_identifying() -> None:
    raw = pd.DataFrame({"age": ["1", "1", "2"], "ill": list("xyz")})
    told = ph.compare_data(raw, raw.assign(age=["1", "2", "2"]))
    assert told.quasi == ("age",)
    assert told.notes[0].startswith("the columns that changed are taken for")
    assert ph.compare_data(raw, raw.iloc[1:]).quasi == ("age", "ill")


def test_a_function_explains_labels_that_say_nothing() -> None:
    raw = pd.DataFrame({"town": ["Ulm", "Bonn", "Trier", "Ulm"], "ill": list("xyxx")})
    named = raw.assign(town=["S", "W", "W", "S"])
    told = ph.compare_data(raw, named)
    assert told.loss == Fraction(1, 4)
    assert told.columns[0].distance == 0
    assert any("each is read as the values that became it" in n for n in told.notes)


def test_a_function_may_say_something_else() -> None:
    raw = pd.DataFrame({"age": ["1", "2", "3"], "ill": list("xyx")})
    for ages in (["2", "3", "4"], ["2", "3", "1"]):
        told = ph.compare_data(
            raw, raw.assign(age=ages), {**AGES, "rows": "same order"}
        )
        assert (
            "age has other values than those that its cells are made of" in told.notes
        )
        assert told.explained == "policy"
        assert told.columns[0].unread == ages.count("4")
    # The medians of two classes are values, and one of theirs.
    medians = raw.assign(age=["1", "1", "3"])
    told = ph.compare_data(raw, medians, {**AGES, "rows": "same order"})
    assert len(told.notes) == 1 and told.columns[0].distance == Fraction(1, 3)


def test_more_records_than_before() -> None:
    raw = pd.DataFrame({"age": ["1", "2"], "ill": ["x", "y"]})
    synthetic = pd.DataFrame({"age": ["1", "2", "2"], "ill": ["x", "y", "x"]})
    told = ph.compare_data(raw, synthetic, AGES)
    assert (told.explained, told.withheld) == ("", 0)
    assert "3 records, the original has 2" in str(told)
    assert told.columns[0].distance == Fraction(1, 6)


def test_one_record() -> None:
    raw = pd.DataFrame({"age": ["7"], "ill": ["x"]})
    told = ph.compare_data(raw, raw, {**AGES, "rows": "same order"})
    assert told.loss == 0
    assert (told.before, told.correlations) == (told.after, ())
    starred = ph.compare_data(raw, raw.assign(age="*"), AGES)
    # One value is all that there is: to hide it loses nothing.
    assert starred.loss == 0


def test_missing_cells_are_values_and_emptied_ones_are_not_read() -> None:
    raw = pd.DataFrame({"age": ["1", "2", None], "ill": list("xyx")})
    stars = ph.compare_data(raw, raw.assign(age=["1", "*", None]), AGES)
    assert stars.loss == Fraction(1, 3)
    full = raw.assign(age=["1", "2", "3"])
    emptied = full.assign(age=["1", None, "3"])
    told = ph.compare_data(full, emptied, {**AGES, "rows": "same order"})
    # One function explains it: 2 became a missing cell.
    assert told.loss == 0
    partly = full.assign(age=["2", "2", "3"]), full.assign(age=["2", None, "3"])
    told = ph.compare_data(*partly, {**AGES, "rows": "same order"})
    assert told.explained == "" and told.columns[0].unread == 1


def test_a_constant_column_has_no_correlation() -> None:
    raw = pd.DataFrame({"age": ["1", "2", "3"], "pay": ["5", "7", "6"]})
    told = ph.compare_data(raw, raw.assign(age="*"))
    (one,) = told.correlations
    assert (one.pearson_before, one.pearson_after) == (0.5, None)
    assert "Pearson 0.500 -> undefined" in str(told)
    assert "undefined: one of the columns has no two different numbers" in str(told)


def test_types_say_what_is_ordered() -> None:
    raw = pd.DataFrame({"age": ["1", "2"], "zip": ["01", "02"], "day": ["x", "y"]})
    assert len(ph.compare_data(raw, raw).correlations) == 1
    columns = {"quasi": ["age", "zip"], "neutral": ["day"]}
    order = {"age": "integer", "day": ["x", "y"]}
    (one,) = ph.compare_data(
        raw, raw, {"columns": columns, "types": order}
    ).correlations
    assert (one.first, one.second, one.spearman_after) == ("age", "day", 1.0)


def test_tables_of_too_many_values_are_left_out(monkeypatch: Any) -> None:
    monkeypatch.setattr(distances, "CELLS", 3)
    raw = pd.DataFrame({"a": ["1", "2"], "b": ["x", "y"], "c": ["u", "u"]})
    told = ph.compare_data(raw, raw)
    assert {(one.first, one.second) for one in told.pairs} == {("a", "c"), ("b", "c")}
    assert "a and b have too many values together" in told.notes


def test_large_units_do_not_overflow() -> None:
    # Sets of 1 to 45 values: their least common multiple has no place in 64 bits.
    ages = [f"{age:02}" for age in range(45)]
    raw = pd.DataFrame({"age": ages, "pay": ages[::-1]})
    released = raw.assign(
        age=[f"00-{age}" for age in ages], pay=[f"00-{age}" for age in ages[::-1]]
    )
    types = {"age": "integer", "pay": "integer"}
    policy = {"columns": {"quasi": ["age", "pay"]}, "types": types}
    told = ph.compare_data(raw, released, {**policy, "rows": "same order"})
    after = [
        sum((Fraction(1, 45 * n) for n in range(v, 46)), Fraction(0))
        for v in range(1, 46)
    ]
    gaps = [abs(share - Fraction(1, 45)) for share in after]
    assert told.columns[0].distance == sum(gaps, Fraction(0)) / 2
    joint: dict[tuple[int, int], Fraction] = {}
    for a in range(45):
        share = Fraction(1, 45 * (a + 1) * (45 - a))
        for x in range(a + 1):
            for y in range(45 - a):
                joint[x, y] = joint.get((x, y), Fraction(0)) + share
    apart = sum(
        (abs(joint.get((a, 44 - a), Fraction(0)) - Fraction(1, 45)) for a in range(45)),
        Fraction(0),
    )
    apart += sum((share for (x, y), share in joint.items() if x + y != 44), Fraction(0))
    assert told.pairs[0].distance == apart / 2


# What is refused


def test_errors_teach(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other, empty, twice = (tmp_path / f"{name}.csv" for name in "oet")
    other.write_text("x,y\n1,2\n", encoding="utf-8")
    empty.write_text("birth,zip,height,income,health\n", encoding="utf-8")
    twice.write_text("birth,birth\n1,2\n", encoding="utf-8")
    typo = tmp_path / "typo.toml"
    typo.write_text('[columns]\nquasi = ["brith", "zip"]\n', encoding="utf-8")
    none = tmp_path / "none.toml"
    none.write_text('[columns]\nneutral = ["height"]\n', encoding="utf-8")
    for words, what in (
        ([str(other)], "has no column of the original: there is nothing to compare"),
        ([str(empty)], "has a header and no rows"),
        ([str(twice)], "birth"),
        ([str(tmp_path / "no.csv")], "there is no such file"),
        ([RELEASE, "--policy", str(typo)], "did you mean 'birth'?"),
        ([RELEASE, "--policy", str(none)], "names no quasi-identifier"),
        ([RELEASE, "--policy", POLICY, "--quasi", "zip"], "leave one of them out"),
        ([RELEASE, "--seed", "-1", "--classifier"], "is a whole number from 0"),
        ([RELEASE, "--seed", "1"], "splits records for a classifier, and none is"),
        ([RELEASE, "--target", "helth"], "did you mean 'health'?"),
        ([RELEASE, "--classifier"], "there is no sensitive column"),
        ([RELEASE, "--target", "zip"], "is generalized in the release"),
        ([RELEASE, "--target", "health"], "learns from 10 records or more, and there"),
        ([RELEASE, "--original-table", "x"], "x"),
    ):
        assert main(["compare-data", ORIGINAL, *words]) == 2, words
        out, told = capsys.readouterr()
        assert out == "" and what in told, told
    for given in ({"target": 3}, {"seed": 1.5}, {"seed": True}, {"classifier": "yes"}):
        with pytest.raises(ph.InputError):
            ph.compare_data(ORIGINAL, RELEASE, **given)  # type: ignore[arg-type]


def test_the_classifier_says_what_it_needs(
    monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    assert main(["compare-data", ORIGINAL, RELEASE, "--target", "health"]) == 2
    assert "pip install 'phverify[utility]'" in capsys.readouterr().err
    assert main(["compare-data", ORIGINAL, RELEASE]) == 0


# What a classifier learns

LEARNED = {"columns": ROLES, "types": {"age": "integer"}}


def banded(raw: pd.DataFrame) -> pd.DataFrame:
    ages = [
        f"{max(20, int(a) // 10 * 10)}-{min(60, int(a) // 10 * 10 + 9)}"
        for a in raw["age"]
    ]
    # Some towns are shown: what is hidden is told apart from these.
    towns = ["*" if row % 3 else town for row, town in enumerate(raw["town"])]
    return raw.assign(age=ages, town=towns)


def features(ages: list[float], towns: list[Any], scale: tuple[float, float]) -> Any:
    """The features as docs say: numbers in deviations, texts by their values."""
    mean, deviation = scale
    cells = []
    for age, town in zip(ages, towns, strict=True):
        shares = [1 / 3] * 3 if town == "*" else [float(town == t) for t in TOWNS]
        cells.append([(age - mean) / deviation, *shares])
    return np.array(cells)


TOWNS = ("Bonn", "Trier", "Ulm")


@pytest.mark.parametrize("seed", [0, 3])
def test_errors_are_those_of_cross_validation(seed: int) -> None:
    raw = table(5, 60)
    kept = banded(raw).drop(index=[4, 17, 33])
    shuffled = kept.sample(frac=1, random_state=1)
    told = ph.compare_data(raw, shuffled, LEARNED, classifier=True, seed=seed)
    assert told.learned is not None
    ages = raw["age"].astype(float)
    scale = float(ages.mean()), float(ages.std(ddof=0))
    own = features(list(ages), list(raw["town"]), scale)
    occurring = sorted(set(ages))
    middles = {}
    for label in set(kept["age"]):
        low, high = map(int, label.split("-"))
        middles[label] = float(np.mean([a for a in occurring if low <= a <= high]))
    shown = features([middles[a] for a in kept["age"]], list(kept["town"]), scale)
    place = {row: number for number, row in enumerate(kept.index)}
    classes = raw["ill"].to_numpy()
    wrong = np.zeros(2, dtype=int)
    splitter = KFold(n_splits=FOLDS, shuffle=True, random_state=seed)
    for trained, tested in splitter.split(own):
        left = [row for row in trained if row in place]
        cells = shown[[place[row] for row in left]]
        for k, (x, rows) in enumerate(((own[trained], trained), (cells, left))):
            model = LogisticRegression(max_iter=ROUNDS, tol=CLOSE)
            guess = model.fit(x, classes[rows]).predict(own[tested])
            wrong[k] += int((guess != classes[tested]).sum())
    assert [told.learned.original, told.learned.release] == wrong.tolist()
    assert told.learned.majority == 60 - int(raw["ill"].value_counts().max())
    assert told.learned.features == ("age", "town")
    assert "classifier of ill" in str(told)
    again = ph.compare_data(raw, shuffled, LEARNED, target="ill", seed=seed)
    assert again.learned == told.learned


def test_nobody_learns_from_those_who_are_asked() -> None:
    # Each illness is known by the town alone, and each town has one person.
    raw = table(1, 12)
    raw = raw.assign(town=[f"t{n}" for n in range(12)], ill=list("xy" * 6), age="30")
    told = ph.compare_data(raw, raw, LEARNED, classifier=True)
    assert told.learned is not None
    assert told.learned.original == told.learned.release
    assert told.learned.release >= 6


def test_a_classifier_needs_to_know_who_is_who() -> None:
    raw = table(2)
    noisy = raw.assign(age=[str(int(age) + n % 3) for n, age in enumerate(raw["age"])])
    told = ph.compare_data(raw, noisy, LEARNED, classifier=True)
    assert told.explained == "" and told.learned is not None
    with pytest.raises(ph.InputError, match="nothing says which records belong"):
        ph.compare_data(
            raw.drop(columns="id"), noisy.drop(columns="id"), LEARNED, classifier=True
        )


def test_targets_are_classes() -> None:
    raw = table(2, 60).assign(ill=[f"i{n}" for n in range(60)])
    with pytest.raises(ph.InputError, match="has 60 values, and 50 may be"):
        ph.compare_data(raw, raw, LEARNED, classifier=True)
    alone = raw[["ill"]].assign(ill="x")
    with pytest.raises(ph.InputError, match="there is no other column"):
        ph.compare_data(alone, alone, target="ill")


def test_one_class_is_learned_at_once() -> None:
    raw = table(2).assign(ill="flu")
    told = ph.compare_data(raw, banded(raw), LEARNED, classifier=True)
    assert told.learned is not None
    assert (told.learned.original, told.learned.release) == (0, 0)
    assert told.learned.majority == 0


# How it is told


def test_files_and_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, data = tmp_path / "page.html", tmp_path / "told.json"
    command = ["compare-data", ORIGINAL, RELEASE, "--policy", POLICY]
    assert main([*command, "--html", str(page), "--json", str(data)]) == 0
    assert "loss 0.2143 (exactly 3/14)" in capsys.readouterr().out
    told = json.loads(data.read_text(encoding="utf-8"))
    assert (told["loss"], told["sanitization"]) == ("3/14", "policy")
    assert told["notes"] == []
    changed = [one["name"] for one in told["columns"] if one["changed"]]
    assert changed == ["birth", "zip"]
    check_page(page.read_text(encoding="utf-8"))
    text = said(page.read_text(encoding="utf-8"))
    assert "A sanitization of the original; rows in the same order" in text
    assert "birth, zip0.625" in text
    assert main([*command, "--html", str(page), "--public"]) == 2
    assert "--public: is no form of this page" in capsys.readouterr().err


def test_pages_of_all_figures() -> None:
    raw = table(4)
    told = ph.compare_data(raw, banded(raw).iloc[1:], LEARNED, classifier=True)
    check_page(told.to_html())
    check_page(told._repr_html_(), fragment=True)
    validated(told.to_dict())
    text = said(told.to_html())
    assert "39 of 40 records, 1 withheld" in text
    assert "With withheld records as suppressed" in text
    assert "Logistic regression predicts ill from age, town" in text
    with pytest.raises(ph.InputError, match="is no form of this page"):
        told.to_html(public=True)
    assert repr(told).startswith("DataComparison(3 columns, loss ")


def test_redacted_nothing_of_the_tables_is_told() -> None:
    raw = table(4).replace("Ulm", "zqUlm")
    odd = banded(raw).assign(town="zqodd")
    odd.loc[0, "town"] = "zqother"
    told = ph.compare_data(raw, odd.iloc[::-1], LEARNED, redact=True)
    for text in (str(told), told.to_html(), json.dumps(told.to_dict()), repr(told)):
        assert "zq" not in text
    assert "zq" in str(ph.compare_data(raw, odd, LEARNED))
