"""Data that are coded already: a released text that is a value of the original, and a
node, a mark of suppression or a member of a set.

The oracle enumerates what each value may have become (Definition 6), and knows nothing
of texts but the lines of the hierarchy.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.so_many import so_many

import phverify as ph
import phverify.verbs.reidentify as verb

LINES = {
    "<18": ("<18", "<18", "*"),
    "15": ("15", "<18", "*"),
    "16": ("16", "<18", "*"),
    "18+": ("18+", "18+", "*"),
    "20": ("20", "18+", "*"),
    "*": ("*", "*", "*"),
}


def policy(folder: Path, **more: Any) -> dict[str, Any]:
    lines = folder / "age.csv"
    lines.write_text("\n".join(";".join(line) for line in LINES.values()))
    return {
        "columns": {"quasi": ["age"], "sensitive": ["ill"]},
        "hierarchies": {"age": str(lines)},
        **more,
    }


def told(raw: list[str], released: list[str], asked: Any, **more: Any) -> Any:
    ill = [str(k) for k in range(len(raw))]
    before = pd.DataFrame({"age": raw, "ill": ill})
    after = pd.DataFrame({"age": released, "ill": ill[: len(released)]})
    return ph.reidentify(before, after, asked, **more).risk


def sizes(risk: Any) -> list[int]:
    attacker = risk.attackers[0]
    return [attacker.outcomes.items[place].size for place in attacker.of_record]


CODED = ["<18", "<18", "15", "16", "20", "20"]


@pytest.mark.parametrize(
    ("raw", "released", "wanted"),
    [
        (CODED, CODED, [2, 2, 1, 1, 2, 2]),
        # The node, which everybody below became.
        (CODED, ["<18"] * 4 + ["20"] * 2, [4, 4, 4, 4, 2, 2]),
        # Others below it were kept, and so was it.
        (CODED, ["<18", "<18", "15", "16", "18+", "18+"], [2, 2, 1, 1, 2, 2]),
        (CODED, ["<18", "<18", "*", "*", "20", "20"], [2, 2, 6, 6, 2, 2]),
        # A mark that was a value before.
        (["*", "15", "16"], ["*", "15", "16"], [1, 1, 1]),
        (["*", "15", "16"], ["*", "<18", "<18"], [1, 2, 2]),
        (["*", "15", "16"], ["*", "*", "16"], [3, 3, 1]),
        # A set with a value that is a node, too.
        (["<18", "15", "20"], ["{<18, 20}", "15", "{<18, 20}"], [2, 1, 2]),
    ],
)
@pytest.mark.parametrize("rows", [{"rows": "same order"}, {}])
def test_a_value_that_was_kept_is_itself(
    raw: list[str],
    released: list[str],
    wanted: list[int],
    rows: dict[str, str],
    tmp_path: Path,
) -> None:
    assert sizes(told(raw, released, policy(tmp_path, **rows))) == wanted


def test_a_label_above_others_is_no_interval_besides(tmp_path: Path) -> None:
    lines = tmp_path / "other.csv"
    lines.write_text("20-29;20-29;*\n21;20-29;*\n22;rest;*\n")
    asked = policy(tmp_path, rows="same order", hierarchies={"age": str(lines)})
    raw, released = ["20-29", "21", "22"], ["20-29", "20-29", "22"]
    assert sizes(told(raw, released, asked)) == [2, 2, 1]


def test_in_an_open_order_some_of_a_value_may_have_been_kept(tmp_path: Path) -> None:
    raw, released = ["<18", "<18", "15"], ["<18", "*", "15"]
    assert sizes(told(raw, released, policy(tmp_path))) == [2, 3, 1]


def test_what_became_of_each_is_no_question_of_chance(tmp_path: Path) -> None:
    def notes(masking: Any, released: list[str]) -> str:
        asked = {"columns": {"quasi": ["age"], "identifier": "id"}, "masking": masking}
        before, after = (
            pd.DataFrame({"id": ["p", "q"][: len(ages)], "age": ages})
            for ages in (["25", "30"], released)
        )
        risk = ph.reidentify(before, after, asked).risk
        assert risk is not None
        return " ".join(risk.notes)

    assert "what became of each" in notes({}, ["20-30", "25-30"])
    assert "what became of each" not in notes({"age": {"noise": 20}}, ["20", "31"])
    # Who is not released may have become alike, and may not.
    assert "and who is withheld, would link 1 of 1 (a1)" in notes({}, ["20-30"])


ZIPS = ["1", "2", "3", "4", "5", "6"]


@pytest.mark.parametrize("engine", ["pandas", "duckdb"])
@pytest.mark.parametrize(
    ("released", "expected", "wanted"),
    [
        # Others are unique: who knows 1 and 2 became the stars links one of both.
        (["*", "*", "3", "4", "5", "6"], "13/3", "would link 5 of 6 (a1), 1 of 6 (x)"),
        (["*", "*", "3", "4"], "7/3", "and who is withheld, would link 3 of 4 (a1)"),
        (ZIPS, "6", ""),
    ],
)
def test_more_is_linked_by_what_became_of_each(
    released: list[str], expected: str, wanted: str, engine: str, tmp_path: Path
) -> None:
    files = []
    for name, zips in (("raw", ZIPS), ("out", released)):
        file = tmp_path / f"{name}.csv"
        ids = range(len(zips))
        pd.DataFrame({"id": ids, "zip": zips, "x": 1}).to_csv(file, index=False)
        files.append(str(file))
    asked = {"columns": {"quasi": ["zip"], "identifier": "id", "neutral": ["x"]}}
    found = ph.reidentify(*files, asked, ["a1", "x"], engine=engine)
    risk = found.risk
    assert risk is not None
    assert risk.attackers[0].outcomes.expected == Fraction(expected)
    told = [note for note in risk.notes if "what became of each" in note]
    everybody = [note for note in risk.public_notes if "what became of each" in note]
    assert len(told) == len(everybody) == bool(wanted)
    for text in told:
        assert wanted.replace(", 1 of 6 (x)", "") in text
        assert text in found.to_dict()["notes"]
        assert f"  {text}" in found.lines()
        assert text in found.to_html()
        # how many are withheld would follow
        assert "would link 3 of" not in found.to_html(public=True)
        assert "would link 5 of" not in found.to_html(public=True)
    for text in everybody:
        assert not any(character in "23456" for character in text)


def test_in_an_open_order_a_set_is_read_at_its_riskiest(tmp_path: Path) -> None:
    raw, released = ["<18", "15", "20"], ["{<18, 20}", "{<18, 20}", "20"]
    same = policy(tmp_path, rows="same order")
    assert sizes(told(raw, released, same)) == [3, 3, 1]
    # Two of three in either reading, for who knows the function.
    assert sizes(told(raw, released, policy(tmp_path))) == [2, 2, 1]


@pytest.mark.parametrize(
    ("masking", "wanted"),
    [
        ({"noise": 20}, [1, 2, 2]),
        ({"swapping": "50%"}, [1, 2, 2]),
        ({"rounding": 5}, [1, 1, 1]),
        ({"suppressed": ["*", "?"]}, [1, 1, 1]),
        # Stars are exchanged with all others, or mean another value.
        ({"swapping": True}, [3, 3, 3]),
        ({"pseudonyms": True}, [3, 3, 3]),
        ({"table": {"25": {"25": "1/2", "*": "1/2"}}}, [2, 1, 1]),
        ({"table": {"25": {"25": "1/2", "*": "1/2"}}, "suppressed": ["*"]}, [2, 1, 1]),
    ],
)
def test_marks_that_were_values_before(masking: dict[str, Any], wanted: Any) -> None:
    asked = {"rows": "same order", "columns": {"quasi": ["age"], "sensitive": ["ill"]}}
    raw = ["*", "25", "40"]
    assert sizes(told(raw, raw, {**asked, "masking": {"age": masking}})) == wanted


def test_what_is_known_to_have_become_it_is_a_candidate(tmp_path: Path) -> None:
    raw, released = ["<18", "15", "20"], ["*", "<18", "20"]
    same = policy(tmp_path, rows="same order")
    assert sizes(told(raw, released, same)) == [3, 2, 1]
    assert sizes(told(raw, released, policy(tmp_path))) == [3, 1, 1]


SEXES = {"m": ("m", "m", "*"), "f": ("f", "m", "*"), "n": ("n", "n", "*")}


def two_columns(folder: Path) -> dict[str, Any]:
    asked = policy(folder)
    lines = folder / "sex.csv"
    lines.write_text("\n".join(";".join(line) for line in SEXES.values()))
    asked["columns"] = {"quasi": ["age", "sex"], "sensitive": []}
    asked["hierarchies"]["sex"] = str(lines)
    return asked


@pytest.mark.parametrize(
    ("raw", "released", "ages", "sexes"),
    [
        # Nobody is <18 and f.
        ("<18 m, 15 f", "* m, <18 f", [2, 2], [1, 1]),
        # The same, and 18+ was kept.
        (
            "<18 m, 15 f, 18+ n, 20 n",
            "* m, <18 f, 18+ n, 20 n",
            [4, 2, 1, 1],
            [1, 1, 2, 2],
        ),
        # A function keeps both <18 or none, and so m is m.
        ("15 m, <18 f, <18 n", "<18 m, * f, * n", [3, 3, 3], [1, 1, 1]),
    ],
)
@pytest.mark.parametrize("engine", ["pandas", "duckdb"])
def test_what_is_kept_leaves_somebody_for_each_record(
    raw: str,
    released: str,
    ages: list[int],
    sexes: list[int],
    engine: str,
    tmp_path: Path,
) -> None:
    files = []
    for name, text in (("raw", raw), ("out", released)):
        rows = [record.split() for record in text.split(", ")]
        file = tmp_path / f"{name}.csv"
        pd.DataFrame(rows, columns=["age", "sex"]).to_csv(file, index=False)
        files.append(str(file))
    asked = two_columns(tmp_path)
    for known, wanted in (("age", ages), ("sex", sexes)):
        found = ph.reidentify(*files, asked, [known], engine=engine)
        assert found.risk is not None
        assert sizes(found.risk) == wanted


def test_somebody_of_a_population_was_not_coded(tmp_path: Path) -> None:
    asked = two_columns(tmp_path)
    sample = pd.DataFrame({"age": ["<18", "20"], "sex": ["n", "n"]})
    people = pd.DataFrame({"age": ["15", "<18", "20"], "sex": ["n", "m", "n"]})
    asked["rows"] = "same order"
    risk = ph.reidentify(sample, sample, asked, population=people).risk
    assert risk is not None
    assert risk.attackers[0].figures.journalist.highest == 1


def test_columns_are_named_in_which_values_were_kept(tmp_path: Path) -> None:
    same = policy(tmp_path, rows="same order")
    assert (
        "age: values of the original that were kept"
        in told(CODED, CODED, same).notes[1]
    )
    kept = told(CODED, CODED, policy(tmp_path)).notes[1]
    assert "age: values of the original that may have been kept" in kept
    assert len(told(CODED, ["<18"] * 4 + ["20"] * 2, same).notes) == 1


def test_what_was_kept_is_itself_in_a_population(tmp_path: Path) -> None:
    people = pd.DataFrame({"age": ["<18", "15", "15", "20"]})
    asked = policy(tmp_path, rows="same order")
    coded = told(["<18", "15"], ["<18", "15"], asked, population=people)
    assert coded.attackers[0].figures.journalist.highest == 1
    # The sample was coded before the population was.
    finer = pd.DataFrame({"age": ["16", "15", "15", "20"]})
    coded = told(["<18", "20"], ["<18", "20"], asked, population=finer)
    assert coded.attackers[0].figures.journalist.highest == 1
    assert coded.attackers[0].figures.journalist.average == Fraction(2, 3)


FAMILIES: dict[str, dict[str, tuple[str, ...]]] = {
    "lines": LINES,
    # What a text says, beside being a value.
    "ranges": {
        "18-25": ("18-25",),
        "19": ("19", "18-25", "10-20"),
        "25": ("25", "18-25", ">=20"),
        "30": ("30", ">=20"),
    },
    "sets": {
        "{a, b}": ("{a, b}",),
        "a": ("a", "{a, b}", "a or c"),
        "b": ("b", "{a, b}"),
        "c": ("c", "a or c"),
        "a or c": ("a or c",),
    },
}
FAMILIES["intervals"] = FAMILIES["ranges"]


@dataclass(frozen=True)
class Case:
    """Values, and what a function makes of them."""

    family: str
    values: list[str]
    images: list[str]
    ordered: bool

    def asked(self, folder: Path) -> dict[str, Any]:
        more: dict[str, Any] = {"rows": "same order"} if self.ordered else {}
        asked = policy(folder, **more)
        asked["columns"] = {"quasi": ["age"], "sensitive": []}
        if self.family != "lines":
            del asked["hierarchies"]
        if self.family == "intervals":
            asked["masking"] = {"age": {"intervals": True}}
        return asked

    def functions(self) -> Iterator[dict[str, str]]:
        """All that explain the release."""
        distinct = sorted(set(self.values))
        images = [may_become(self.family, value, distinct) for value in distinct]
        for chosen in product(*images):
            became = dict(zip(distinct, chosen, strict=True))
            made = [became[value] for value in self.values]
            if made == self.images or (
                not self.ordered and sorted(made) == sorted(self.images)
            ):
                yield became


def may_become(family: str, value: str, occurring: list[str]) -> list[str]:
    images = {*FAMILIES[family][value], "*"}
    # a set without braces is read by its members, among values that hold no sign
    plain = {"a", "c"} <= {*occurring} <= {"a", "b", "c"}
    if not plain and "a or c" not in occurring:
        images.discard("a or c")
    return sorted(images)


@st.composite
def released(draw: st.DrawFn, families: Any = tuple(FAMILIES)) -> Case:
    family = draw(st.sampled_from(families))
    known = sorted(FAMILIES[family])
    values = draw(st.lists(st.sampled_from(known), min_size=1, max_size=6))
    distinct = sorted(set(values))
    became = {}
    for one in distinct:
        became[one] = draw(st.sampled_from(may_become(family, one, distinct)))
    return Case(
        family, values, [became[value] for value in values], draw(st.booleans())
    )


@so_many(60)
@given(released())
@example(Case("ranges", ["18-25", "19", "25"], ["18-25", "18-25", "25"], True))
@example(Case("ranges", ["18-25", "19", "25"], ["18-25", "18-25", "25"], False))
@example(Case("sets", ["{a, b}", "a", "b"], ["{a, b}", "{a, b}", "b"], True))
@example(Case("sets", ["a or c", "a", "b"], ["a or c", "a or c", "b"], True))
@example(Case("intervals", ["18-25", "19"], ["18-25", "19"], True))
def test_risk_is_that_of_who_knows_the_masking(case: Case) -> None:
    values, images = case.values, case.images
    with tempfile.TemporaryDirectory() as folder:
        asked = case.asked(Path(folder))
        before = pd.DataFrame({"age": values})
        risk = ph.reidentify(before, pd.DataFrame({"age": images}), asked).risk
    assert risk is not None
    counts = Counter(values)
    explain = list(case.functions())
    assert explain
    found = sizes(risk)
    alike = Counter(images)
    for image, size in zip(images, found, strict=True):
        possible = []
        for became in explain:
            sources = [value for value in counts if became[value] == image]
            if sources == [image]:
                possible.append(counts[image])
        # A value that some explanation keeps has its own records as candidates alone.
        if possible:
            assert size == min(possible)
        # Who knows the function has the released records that are alike.
        assert size >= alike[image]
    prosecutor = risk.attackers[0].figures.prosecutor.highest
    hidden = "*" in images and set(images) != {"*"}
    if not hidden:
        assert prosecutor == Fraction(1, min(alike.values()))
    expected = sum(Fraction(1, size) for size in found)
    wanted = f"would link {len(alike)} of {len(images)} (a1)"
    assert (expected < len(alike)) == any(wanted in note for note in risk.notes)


@so_many(4)
@given(released())
@example(Case("lines", ["<18", "15"], ["*", "<18"], True))
@example(Case("ranges", ["18-25", "19", "30"], ["18-25", "18-25", "30"], True))
def test_counts_say_what_rows_say(case: Case) -> None:
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        asked = case.asked(folder)
        raw, out = str(folder / "raw.csv"), str(folder / "out.csv")
        pd.DataFrame({"age": case.values}).to_csv(raw, index=False)
        pd.DataFrame({"age": case.images}).to_csv(out, index=False)
        rows = ph.reidentify(raw, out, asked, engine="pandas")
        refused = AssertionError("rows were read")
        with patch.object(verb, "table_of", side_effect=refused):
            counted = ph.reidentify(raw, out, asked, engine="duckdb")
            assert list(counted.lines()) == list(rows.lines())
            assert counted.to_dict() == rows.to_dict()


@pytest.mark.parametrize(
    ("released", "answer", "verdict"),
    [
        # All <18 are released as such: nothing is left for 15 to have become it.
        (["<18", "15", "20"], "1", "sound"),
        (["<18", "15", "20"], "15", "unsound"),
        # 15 may be the star and <18 itself, or the other way round.
        (["<18", "*", "20"], "1", "unsound"),
        (["<18", "*", "20"], "both", "sound"),
    ],
)
def test_methods_are_judged_by_what_is_certain(
    released: list[str], answer: str, verdict: str, tmp_path: Path
) -> None:
    asked = policy(tmp_path)
    asked["columns"] = {"quasi": ["age"], "sensitive": []}
    shares = {"1": [("i1", "1")], "15": [("i2", "1")]}
    shares["both"] = [("i1", "1/2"), ("i2", "1/2")]
    lines = [("d1", who, share) for who, share in shares[answer]]
    links = pd.DataFrame(lines, columns=["record", "original", "probability"])
    before, after = (
        pd.DataFrame({"age": column}) for column in (["<18", "15", "20"], released)
    )
    judged = ph.reidentify(before, after, asked, method=links, truth="possible")
    assert judged.verdict == verdict
