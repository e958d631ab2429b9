"""What a released cell surely contains, text by text."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest
from support.certificate_more_cases import forged
from support.check_claims_cases import (
    Desk,
    desk,  # noqa: F401
)

import phverify as ph
from phverify.microdata.cell_hints import nearest_cell
from phverify.spec.contained import CellMeaning
from phverify.spec.data import Refused
from phverify.spec.sides import side
from phverify.spec.types import TEXT, ValueType

NUMBERS = ("18", "20", "25", "30")
DATES = ("1990-03-01", "1990-12-31", "1995-06-05")
GRADES = ValueType("ordered", ("a", "b", "a-b", "b-c", "c", "low or so"))
ARROWS = ValueType("ordered", ("a", "a to", "p-q", "p..q", "to b", "b="))
TREE = {"20": ("20", "2x", "*"), "25": ("25", "2x", "*"), "30": ("30", "20-29", "*")}
INTEGER, DECIMAL, DATE = (ValueType(name) for name in ("integer", "decimal", "date"))
CASES = [
    # kind, values, hierarchy, label, what it contains of the values
    (TEXT, NUMBERS, None, "20-29", "20 25"),
    (TEXT, NUMBERS, None, "(20, 30]", "25 30"),
    (TEXT, NUMBERS, None, "]18, 25[", "20"),
    (TEXT, NUMBERS, None, "[20,25]", "20 25"),
    (TEXT, NUMBERS, None, "20–25", "20 25"),
    (TEXT, NUMBERS, None, "30-20", ""),
    (TEXT, NUMBERS, None, "20=>25", "20 25"),
    (TEXT, NUMBERS, None, "20==>31", "20 25 30"),
    (TEXT, NUMBERS, None, "30=>20", ""),
    (TEXT, NUMBERS, None, "20=25", ""),
    (TEXT, NUMBERS, None, "20,25", ""),
    (TEXT, NUMBERS, None, "20, 25, 30", "20 25 30"),
    (TEXT, NUMBERS, None, "20 or 25", "20 25"),
    # A comma may stand in a number.
    (TEXT, ("1", "2", "5"), None, "1,5 or 2", ""),
    (TEXT, ("1", "2", "5"), None, "2 or 1,5", ""),
    (TEXT, ("1", "2", "5"), None, "1, 5 or 2", "1 2 5"),
    (TEXT, ("1", "100", "200"), None, "1,100,200", ""),
    (TEXT, ("1", "100", "200"), None, "1, 100, 200", "1 100 200"),
    (TEXT, NUMBERS, None, "25.0", "25"),
    (TEXT, NUMBERS, None, "٢٠-٢٥", ""),
    (TEXT, NUMBERS, None, "9" * 5000 + "-" + "9" * 5001, ""),
    (TEXT, (*NUMBERS, "x"), None, "20-29", ""),
    (TEXT, (*NUMBERS, "1990-03-01"), None, "20-29", ""),
    (TEXT, (*NUMBERS, "*"), None, "*", "*"),
    (TEXT, (*NUMBERS, "18-25"), None, "18-25", "18-25"),
    (TEXT, ("20", "25", "30"), TREE, "2x", "20 25"),
    (TEXT, ("20", "25", "30"), TREE, "*", "20 25 30"),
    (TEXT, ("20", "25", "30"), TREE, "20-25", ""),
    (TEXT, ("20", "25", "30"), TREE, "20-29", "30"),
    (INTEGER, ("20", "25", "30"), TREE, "20-29", "30"),
    (INTEGER, ("20", "25", "30"), TREE, "20-28", "20 25"),
    (INTEGER, ("020", "25"), None, "20", "020"),
    (INTEGER, ("20", "25"), None, "25%-30%", ""),
    (INTEGER, ("20", "25"), None, "25.0", "25"),
    (INTEGER, (*NUMBERS, "about 20"), None, "10-30", "18 20 25 30"),
    (DECIMAL, ("1/4", "0.5", "75%"), None, "0.2-0.6", "1/4 0.5"),
    (DECIMAL, ("1/4", "0.5", "75%"), None, "1/4-1/2", "1/4 0.5"),
    (DECIMAL, ("1/4", "0.5", "75%"), None, "1/2..80%", "0.5 75%"),
    (DECIMAL, ("0.001", "0.5", "1"), None, "1e-3-1/2", "0.001 0.5"),
    (DECIMAL, ("0.001", "0.5", "1"), None, "1e-3", "0.001"),
    (DECIMAL, ("-1/2", "0", "1"), None, "-1/2..-1/3", "-1/2"),
    (TEXT, ("1/4", "1/2", "1"), None, "1/4-1/2", ""),
    (TEXT, (*NUMBERS, "1990-03-01"), None, "1990-01-01..1991-01-01", ""),
    (TEXT, ("20", "25", "30"), TREE, "20 (level 0)", "20"),
    (TEXT, ("20", "25", "30"), TREE, "2x (level 1)", "20 25"),
    (TEXT, ("20", "25", "30"), TREE, "* (level 1)", ""),
    (TEXT, ("20", "25", "30"), TREE, "* (level 7)", ""),
    (TEXT, ("20", "25"), None, "20 (level 0)", ""),
    (DATE, DATES, None, "1990-03-01..1990-12-31", "1990-03-01 1990-12-31"),
    (DATE, DATES, None, "[1990-03-01, 1990-12-31[", "1990-03-01"),
    (DATE, DATES, None, "700000-800000", ""),
    (DATE, DATES, None, "1990-1999", ""),
    (TEXT, DATES, None, "1990-03-01 - 1990-12-31", "1990-03-01 1990-12-31"),
    (TEXT, DATES, None, "700000-800000", ""),
    (GRADES, GRADES.order, None, "a-b", "a-b"),
    (GRADES, GRADES.order, None, "a..b", "a b"),
    (GRADES, GRADES.order, None, "[a, b)", "a"),
    (GRADES, GRADES.order, None, "a-b-c", "a-b b-c"),
    (GRADES, GRADES.order, None, "c..a", ""),
    (GRADES, GRADES.order, None, ">=c", "c;low or so"),
    (GRADES, GRADES.order, None, "{a, c}", ""),
    (TEXT, ("Smith", "J", "Smith, J", "x"), None, "Smith, J, x", ""),
    (TEXT, ("Smith", "J", "Smith, J", "x"), None, "{J, x}", ""),
    (TEXT, ("Smith", "J", "Smith, J", "x"), None, '{"Smith, J", x}', "Smith, J;x"),
    (TEXT, ("a", " a", "b"), None, "{a, b}", ""),
    (TEXT, (" a", " b", " c"), None, " a, b", " a; b"),
    (TEXT, ("a", "b", 'b"'), None, "{a, b}", ""),
    (TEXT, ("a", "b"), None, "{a,\nb}", ""),
    (TEXT, ("a", "b"), None, "a~b", "a;b"),
    (TEXT, ("a", "b"), None, "a-b", ""),
    (TEXT, ("a", "b"), None, "{}", ""),
    (TEXT, ("a", "b"), None, ", ", ""),
]


@pytest.mark.parametrize(("kind", "values", "tree", "label", "wanted"), CASES)
def test_what_a_cell_contains(
    kind: ValueType,
    values: tuple[str, ...],
    tree: dict[str, tuple[str, ...]] | None,
    label: str,
    wanted: str,
) -> None:
    meaning = CellMeaning(kind, frozenset((*values, None)), tree)
    sign = ";" if ";" in wanted else None
    found = [value for value in values if meaning.contains(label, value)]
    assert found == (wanted.split(sign) if wanted in values or sign else wanted.split())
    assert meaning.contains(label, None) == (label == "*" and "*" not in values)
    assert not any(meaning.contains(None, value) for value in values)
    assert meaning.contains(None, None)
    for value in values:
        assert nearest_cell(meaning, label, value)


TREE = {"Ulm": ("Ulm", "South"), "Bonn": ("Bonn", "West")}
TOWNS = ("Ulm", "Bonn")


@pytest.mark.parametrize("label", ["Ulm or Bon", "{Ulm, Bon}", "Ulm,Bon", "Ulm~Bon"])
@pytest.mark.parametrize("tree", [None, TREE])
def test_the_stranger_of_a_set_is_named(
    label: str, tree: dict[str, tuple[str, ...]] | None
) -> None:
    meaning = CellMeaning(TEXT, frozenset(TOWNS), tree)
    told = nearest_cell(meaning, label, "Ulm")
    assert told == "'Bon' is no value of the original; did you mean 'Bonn'?"


@pytest.mark.parametrize(
    ("values", "label", "value", "told"),
    [
        ("1;1000", "1 000", "1000", "write 1000: numbers have no separator of"),
        ("1;1000", "1,000", "1000", "write 1000 if its comma separates thousands, or"),
        ("1;1000", "1.000,50", "1", "write 1000.50: numbers have no separator of"),
        ("1;100;200", "1,100,200", "1", "write 1100200: numbers have no separator"),
        ("1;1000", "1,000-2,000", "1000", "of '1,000', write 1000 if its comma"),
        ("1;1000", "1 000 to 2 000", "1", "of '1 000', write 1000: numbers have no"),
        # What can be read is not held to be something else.
        ("1;1000", "1.000-2.000", "1000", "a range that contains it is 1..1000"),
        ("1;1000", "1.000", "1000", "a number in place of others"),
        # A bound that is open stays so.
        ("20;30", "<20", "20", "a range that contains it is <=20"),
        ("20;30", ">=25", "20", "a range that contains it is >=20"),
        ("2020-01-31;2021-02-01", ">2020-01-31", "2020-01-31", "a range that"
         " contains it is >=2020-01-31"),
        ("flu;cold", "{flu; cold}", "flu", "a set is written {flu, cold}"),
        ("1;5", "{1|5}", "5", "a set is written {1, 5}"),
        ("Smith, J;b", "{Smith, J, b}", "b", "'Smith' is no value of the original;"
         " did you mean 'Smith, J'? (a member with a comma stands in double quotes)"),
    ],
)  # fmt: skip
def test_the_nearest_right_cell_is_named(
    values: str, label: str, value: str, told: str
) -> None:
    meaning = CellMeaning(TEXT, frozenset(values.split(";")))
    assert not meaning.contains(label, value)
    assert nearest_cell(meaning, label, value).startswith(told)


def test_what_is_no_set_has_no_stranger() -> None:
    with_tree = CellMeaning(TEXT, frozenset(TOWNS), TREE)
    told = nearest_cell(with_tree, "Ulm or West", "Ulm")
    assert told == "'West' is a label of the hierarchy, and a set has values"
    # A name with a comma, no member of which is a value.
    assert (
        nearest_cell(with_tree, "Smith, J", "Ulm") == "the hierarchy has 'Ulm', 'South'"
    )
    # Blanks alone tell values apart: no set has members then, and none is a stranger.
    blanks = CellMeaning(TEXT, frozenset(("a", "a ", "b")))
    assert "no value" not in nearest_cell(blanks, "{a, b}", "a")


HEAD = '[columns]\nquasi = ["age"]\nsensitive = ["ill"]\nidentifier = "who"\n'
RULES = '[rules]\nr = "k_anonymity(1)"\n'


def test_who_belongs_to_whom(desk: Desk) -> None:
    original = desk("original.csv", "who,age,ill\nAnn,20,a\nBob,20,b\nCem,30,a\n")
    release = desk("release.csv", "who,age,ill\nCem,20-30,a\nAnn,20,a\nBob,20-30,b\n")
    report = ph.verify(release, desk("policy.toml", HEAD + RULES), original)
    assert report.sanitized is not None and report.sanitized.tupled is not None
    forged(release, HEAD + RULES, original, mapping="tuples")
    ordered = f'rows = "same order"\n{HEAD}{RULES}'
    with pytest.raises(Refused, match="in another order than the policy says"):
        forged(release, ordered, original, mapping="tuples", rows="same order")
    desk("release.csv", "who,age,ill\nCem,20-30,a\nAnn,20,a\nBen,20-30,b\n")
    with pytest.raises(Refused, match="the identifiers of release and original differ"):
        forged(release, HEAD + RULES, original, mapping="tuples")


def test_hierarchies_have_lines_for_all(desk: Desk) -> None:
    """A value without a line could become anything."""
    tree = "20;2x\n"
    desk("age.csv", tree)
    text = f'{HEAD}[hierarchies]\nage = "age.csv"\n{RULES}'
    original = desk("original.csv", "who,age,ill\nAnn,20,a\nBob,30,b\n")
    release = desk("release.csv", "who,age,ill\nAnn,2x,a\nBob,30,b\n")
    with pytest.raises(Refused, match="'30' is not in the hierarchy of 'age'"):
        forged(release, text, original, mapping="tuples", hierarchies={"age": tree})


def test_one_box_for_everybody(desk: Desk) -> None:
    """A range beside the hierarchy, the same for all."""
    desk("age.csv", "20;2x;*\n30;3x;*\n")
    text = f'{HEAD}[types]\nage = "integer"\n[hierarchies]\nage = "age.csv"\n{RULES}'
    original = desk("original.csv", "who,age,ill\nAnn,20,a\nBob,30,b\n")
    release = desk("release.csv", "who,age,ill\nAnn,20-30,a\nBob,20-30,b\n")
    report = ph.verify(release, desk("policy.toml", text), original)
    assert "truthful, recoded by tuples, trivial" in str(report)


REPEATED = {
    "10": ("10", "10", "low", "*"),
    "11": ("11", "10", "low", "*"),
    "20": ("20", "2x", "low", "*"),
    "30": ("30", "3x", "*", "*"),
}
"""A group is called as its first member, and another one as the root."""
SIDES = [
    (INTEGER, ("-7", "-2", "0", "5", "11", None), None),
    (DECIMAL, ("-1/3", "0.25", "1/2", "75%", "2e3"), None),
    (DATE, DATES, None),
    (GRADES, GRADES.order, None),
    (ARROWS, ARROWS.order, None),
    (TEXT, ("10", "11", "20", "30", None), REPEATED),
]


@pytest.mark.parametrize(("kind", "values", "tree"), SIDES, ids=str)
def test_what_a_search_by_tuples_writes(
    kind: ValueType,
    values: tuple[str | None, ...],
    tree: dict[str, tuple[str, ...]] | None,
) -> None:
    """Every label contains the values of its node, and a range no others."""
    one = side("column", values, tree)
    meaning = CellMeaning(kind, frozenset(values), tree)
    for first, last in combinations_with_replacement(range(len(values)), 2):
        low, high = run = one.node(first, last)
        label = one.label(run)
        held = [value for value in one.values if meaning.contains(label, value)]
        inside = list(one.values[low : high + 1])
        assert set(held) >= set(inside)
        if tree is None:
            assert held == inside


def test_reidentify_reads_the_same_notations(desk: Desk) -> None:
    """Everybody whom the cells contain is a candidate."""
    original = desk("original.csv", "grade,job\nlow,a\nmid,b\nhigh,c\ntop,c\n")
    release = desk(
        "release.csv",
        'grade,job\nlow..high,a or b\n"[low, high)","b,a"\n>=high,c\ntop,c\n',
    )
    rules = desk(
        "policy.toml",
        'rows = "same order"\n[columns]\nquasi = ["grade", "job"]\n'
        '[types]\ngrade = ["low", "mid", "high", "top"]\n',
    )
    attacker = ph.reidentify(original, release, rules).to_dict()["attackers"][0]
    # two candidates for each of the first three, one for the last
    assert attacker["expected_correct"] == "5/2"
    assert attacker["fewest_candidates"] == 1
    # no mapping of the column explains it, either
    desk("original.csv", "grade,job\nmid,a\nmid,b\nhigh,c\ntop,c\n")
    desk("release.csv", "grade,job\nhigh..low,a\nmid,b\nhigh,c\ntop,c\n")
    with pytest.raises(ph.InputError, match=r"'high\.\.low'"):
        ph.reidentify(original, release, rules)
