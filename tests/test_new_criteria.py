"""Criteria that say little of themselves, and three that say more: at once in every
verb, with errors that teach.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.criteria_cases import criteria, with_tree
from support.criteria_cases import tree as tree
from support.so_many import so_many
from support.strategies import QUASI, tables

import phverify as ph
from phverify.comparison.spread import spread
from phverify.spec import syntax as s
from phverify.spec.criterion import registry
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    ClassCriterion,
    Counts,
    Param,
    total,
)
from phverify.spec.criterion.formulas import every_value, is_v
from phverify.spec.signature import Signature
from phverify.spec.types import ValueType

NEW = ("em_anonymity", "guarded", "p_sensitive_k_anonymity")


# A criterion with nothing but its formula and its definition


@dataclass(frozen=True)
class Bounded(ClassCriterion):
    """No value has a share above a bound."""

    f: str
    share: Fraction
    name: ClassVar[str] = "bounded"
    source: ClassVar[str] = "this test"
    params: ClassVar[tuple[Param, ...]] = (ATTRIBUTE, Param("share", "number"))

    def formula(self, signature: Signature) -> s.Formula:
        return every_value(
            self.f,
            s.Compare(s.likelihood("a1", is_v(self.f)), "<=", s.number(self.share)),
        )

    def holds(self, inside: Counts, whole: Counts) -> bool:
        return all(count <= self.share * total(inside) for count in inside.values())


@dataclass(frozen=True)
class Named(Bounded):
    """The value a has no share above a bound: a formula that speaks of a value by its
    name.
    """

    name: ClassVar[str] = "named"

    def formula(self, signature: Signature) -> s.Formula:
        return s.Compare(
            s.likelihood("a1", s.equals(self.f, "a")), "<=", s.number(self.share)
        )

    def holds(self, inside: Counts, whole: Counts) -> bool:
        return inside.get("a", 0) <= self.share * total(inside)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(registry.FILES, "bounded", __name__)
    monkeypatch.setitem(registry.FILES, "named", __name__)
    yield


PATIENTS = [
    ("11", "a"),
    ("11", "a"),
    ("12", "b"),
    ("12", "c"),
    ("21", "b"),
    ("22", "c"),
]
"""With level 1 of q the classes are a, a, b, c and b, c."""


def written(folder: Path, rule: str, more: str = "") -> tuple[Path, Path]:
    rows, policy = folder / "rows.csv", folder / "policy.toml"
    pd.DataFrame(PATIENTS, columns=["q", "f"]).to_csv(rows, index=False)
    head = (
        '[columns]\nquasi = ["q"]\nsensitive = ["f"]\n[hierarchies]\nq = {masking ='
        ' "right"}\n'
    )
    policy.write_text(f'{head}{more}[rules]\nrule = "{rule}"\n')
    return rows, policy


@pytest.mark.parametrize("rule", ["bounded(f, 1/2)", "named(f, 1/2)"])
def test_a_formula_and_a_definition_are_enough(
    known: None, tmp_path: Path, rule: str
) -> None:
    """Verified, searched, certified and checked; what merging keeps is proved from the
    formula.
    """
    rows, policy = written(tmp_path, rule)
    report = ph.verify(rows, policy)
    assert report.verdict == "refuted"
    assert ph.check(ph.certify(report, rows, policy), release=rows).accepted
    found = ph.search(rows, policy)
    assert (found.verdict, found.cost) == ("optimal", Fraction(1, 3))
    assert "merge-closed" in str(found)
    assert found.certificate is not None
    assert ph.check(found.certificate, table=rows, policy=policy).accepted


def test_a_criterion_is_compared_by_its_formula(known: None) -> None:
    assert (
        ph.compare("bounded(s, 1/2)", "bounded(s, 2/3)", values=3).verdict == "implies"
    )
    assert (
        ph.compare("bounded(s, 1/2)", "alpha_k_anonymity(s, 1/2, 1)", values=3).verdict
        == "implies"
    )
    separated = ph.compare("bounded(s, 2/3)", "bounded(s, 1/2)", values=3)
    assert (separated.verdict, len(separated.table)) == ("separated", 3)
    named = ph.compare("named(s, 1/2)", "named(s, 2/3)", values=3)
    assert named.verdict == "undecided"
    assert "by their names" in str(named)


# The three of users, against their definitions


@st.composite
def new(draw: st.DrawFn, rows: list[Any]) -> tuple[str, oracle.ClassTest]:
    return draw(criteria(rows).filter(lambda pair: pair[0].startswith(NEW)))


@so_many(30)
@given(st.data())
def test_new_criteria_are_certified(
    tree: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Verified from files, proved by the checker with its own reading."""
    rows = data.draw(tables(7, missing=False))
    (left, one), (right, two) = data.draw(new(rows)), data.draw(criteria(rows))
    folder = tmp_path_factory.mktemp("certified")
    release, policy = folder / "r.csv", folder / "p.toml"
    pd.DataFrame(rows).to_csv(release, index=False)
    head = (
        '[columns]\nquasi = ["q", "r"]\nsensitive = ["f", "g"]\n[types]\ng ='
        f' "integer"\n[hierarchies]\nf = "{tree}"\n'
    )
    policy.write_text(f'{head}[rules]\none = "{left}"\nboth = "{left} | ~({right})"\n')
    report = ph.verify(release, policy)
    groups = oracle.classes(rows, QUASI)
    expected = [
        all(one(e, rows) for e in groups),
        all(one(e, rows) or not two(e, rows) for e in groups),
    ]
    assert [rule.verdict == "proved" for rule in report.rules] == expected
    assert ph.check(
        ph.certify(report, release, policy), release=release, policy=policy
    ).accepted


@so_many(8)
@given(st.data())
def test_no_table_falsifies_an_implication(tree: Path, data: st.DataObject) -> None:
    rows = data.draw(tables(6, missing=False))
    (left, one), (right, two) = data.draw(new(rows)), data.draw(criteria(rows))
    for (first, a), (second, b) in (
        ((left, one), (right, two)),
        ((right, two), (left, one)),
    ):
        separates = oracle.every(rows, QUASI, a) and not oracle.every(rows, QUASI, b)
        found = ph.compare(
            with_tree({"r": first}, tree),
            with_tree({"r": second}, tree),
            values=3,
            budget=1.5,
        )
        assert not (separates and found.verdict == "implies"), (first, second)
        if found.verdict == "separated":
            table = [
                {**row, "f": row.get("f", "a"), "g": row.get("g", "0")}
                for row in found.table
            ]
            assert oracle.every(table, QUASI, a), (first, second)
            assert not oracle.every(table, QUASI, b), (first, second)


IMPLICATIONS = [
    ("em_anonymity(s, 2, 2)", "em_anonymity(s, 1, 2)", "implies"),
    ("em_anonymity(s, 1, 3)", "em_anonymity(s, 1, 2)", "implies"),
    ("em_anonymity(s, 0, 2)", "alpha_k_anonymity(s, 1/2, 1)", "implies"),
    ("alpha_k_anonymity(s, 1/2, 1)", "em_anonymity(s, 0, 2)", "implies"),
    ("em_anonymity(s, 1, 2)", "em_anonymity(s, 2, 2)", "separated"),
    ("alpha_k_anonymity(s, 1/2, 1)", "em_anonymity(s, 1/9, 2)", "separated"),
    (
        "p_sensitive_k_anonymity(2, 3) & l_diversity(s, 1)",
        "l_diversity(s, 2)",
        "implies",
    ),
    ("k_anonymity(3) & l_diversity(s, 2)", "p_sensitive_k_anonymity(2, 3)", "implies"),
    ("l_diversity(s, 2)", "p_sensitive_k_anonymity(2, 3)", "separated"),
]


@pytest.mark.parametrize(("first", "second", "verdict"), IMPLICATIONS)
def test_comparisons(first: str, second: str, verdict: str) -> None:
    assert (
        ph.compare(first, second, values=2 if "em_" in first + second else None).verdict
        == verdict
    )


def test_a_guarded_node_is_at_least_as_likely_as_what_is_below(tree: Path) -> None:
    def compared(first: str, second: str) -> str:
        return ph.compare(
            with_tree({"r": first}, tree), with_tree({"r": second}, tree)
        ).verdict

    assert compared("guarded(f, ab, 1/2)", "guarded(f, a, 2/3)") == "implies"
    assert (
        compared("guarded(f, a, 1/4) & guarded(f, b, 1/4)", "guarded(f, ab, 1/2)")
        == "implies"
    )
    assert (
        compared("guarded(f, a, 1/2) & guarded(f, b, 1/2)", "guarded(f, ab, 1/2)")
        == "separated"
    )
    assert compared("alpha_k_anonymity(f, 1/4, 1)", "guarded(f, ab, 1/2)") == "implies"


number = cache(Fraction)
"""The sets of a spread have few numbers, many times."""


@so_many(45)
@given(
    st.lists(
        st.fractions(0, 6, max_denominator=12), min_size=1, max_size=4, unique=True
    ),
    st.lists(
        st.sampled_from([Fraction(x) for x in ("0", "1/2", "2/3", "1", "3/2", "2")]),
        min_size=1,
        max_size=2,
    ),
    st.booleans(),
)
def test_a_spread_stands_for_all_numbers(
    numbers: list[Fraction], bounds: list[Fraction], whole: bool
) -> None:
    """Some set of it has the same differences at most each bound, in the same order."""
    numbers = sorted({Fraction(int(x)) if whole else x for x in numbers})

    def shape(places: list[Fraction]) -> list[list[bool]]:
        return [
            [abs(x - y) <= bound for x in places for y in places] for bound in bounds
        ]

    kind = ValueType("integer" if whole else "decimal")
    # One by one: the first that fits is enough.
    sets = (
        sorted(map(number, texts))
        for texts in spread(kind, bounds, 4)
        if len(texts) == len(numbers)
    )
    assert shape(numbers) in map(shape, sets)


# What is wrong is said


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("em_anonymity(f, 1, 2)", "em_anonymity needs numbers: give 'f' the type"),
        (
            "em_anonymity(n, 1, 2)",
            (
                "'n' has missing values, and no criterion says where they stand in an"
                " order"
            ),
        ),
        ("em_anonymity(g, -1, 2)", "e of em_anonymity must be >= 0"),
        ("em_anonymity(g, 1, 0)", "m of em_anonymity must be >= 1"),
        ("guarded(g, ab, 1/2)", "guarded needs a hierarchy for 'g'"),
        ("guarded(f, abc, 1/2)", "has no node 'abc'"),
        ("guarded(f, ab)", "guarded lacks share"),
        ("p_sensitive_k_anonymity(0, 2)", "p of p_sensitive_k_anonymity must be >= 1"),
        ("p_sensitive_k_anonymity(2)", "p_sensitive_k_anonymity lacks k"),
        ("p_sensitive_k_anonimity(2, 2)", "did you mean 'p_sensitive_k_anonymity'"),
    ],
)
def test_what_does_not_fit(tree: Path, rule: str, said: str) -> None:
    frame = pd.DataFrame(
        {"q": ["x", "x"], "f": ["a", "b"], "g": ["1", "2"], "n": ["1", None]},
        dtype=object,
    )
    section = {
        "columns": {"quasi": ["q"], "sensitive": ["f", "g", "n"]},
        "types": {"g": "integer", "n": "integer"},
        "hierarchies": {"f": str(tree)},
        "rules": {"rule": rule},
    }
    with pytest.raises(ph.InputError, match=re.escape(said)):
        ph.verify(frame, ph.Policy.from_dict(section))


@pytest.mark.parametrize(
    ("rule", "place"),
    [
        ("t_closeness(s, 1/3, distance=hierarchical)", "its hierarchy"),
        ("t_closeness(s, 1/3, distance=ordered)", "an order"),
        ("guarded(s, k, 1)", "its hierarchy"),
    ],
)
def test_a_line_for_the_empty_value_gives_a_missing_cell_no_place(
    tmp_path: Path, rule: str, place: str
) -> None:
    """What the message says to do helps."""
    lines = tmp_path / "s.csv"
    section = {
        "columns": {"quasi": ["q"], "sensitive": ["s"]},
        "hierarchies": {"s": str(lines)},
        "rules": {"rule": rule},
    }
    frame = pd.DataFrame({"q": list("xxyy"), "s": ["u", None, "u", None]})
    nowhere = f"no criterion says where they stand in {place}"
    about = "for the empty value says what a missing cell becomes, not how far"
    for rest, has_line in ((";m;*", True), ("w;m;*", False)):
        lines.write_text(f"u;k;*\n{rest}\n", encoding="utf-8")
        with pytest.raises(ph.InputError, match=re.escape(nowhere)) as caught:
            ph.verify(frame, ph.Policy.from_dict(section))
        said = str(caught.value)
        assert (about in said) == has_line
        assert "write into these cells a value that has a place there" in said
        assert ("distance=variational" in said) == ("closeness" in rule)
    assert (
        ph.verify(frame.fillna("w"), ph.Policy.from_dict(section)).verdict == "proved"
    )
    section["rules"] = {"rule": "t_closeness(s, 1/3, distance=variational)"}
    assert ph.verify(frame, ph.Policy.from_dict(section)).verdict == "proved"


def test_without_sensitive_columns_there_is_nothing_to_be_diverse() -> None:
    section = {
        "columns": {"quasi": ["q"]},
        "rules": {"rule": "p_sensitive_k_anonymity(2, 2)"},
    }
    with pytest.raises(
        ph.InputError, match="about the sensitive columns, and there are none"
    ):
        ph.verify(pd.DataFrame({"q": ["x", "x"]}), ph.Policy.from_dict(section))


def test_dates_are_counted_in_days() -> None:
    frame = pd.DataFrame({"q": ["x"] * 2, "d": ["2024-02-28", "2024-03-01"]})
    rules = {"near": "em_anonymity(d, 2, 2)", "far": "em_anonymity(d, 1, 2)"}
    section = {
        "columns": {"quasi": ["q"], "sensitive": ["d"]},
        "types": {"d": "date"},
        "rules": rules,
    }
    assert [
        rule.verdict for rule in ph.verify(frame, ph.Policy.from_dict(section)).rules
    ] == ["refuted", "proved"]


@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_a_number_that_does_not_occur_in_a_class_may_be_crowded(encoding: Any) -> None:
    """0 and 2 are within 1 of the 1 of another class, not of one another; 1 and 2 are
    within 1.
    """
    frame = pd.DataFrame(
        [("x", "0"), ("x", "2"), ("y", "1"), ("y", "9")], columns=["q", "n"]
    )
    rules = {"apart": "em_anonymity(n, 1, 2)", "near": "em_anonymity(n, 2, 2)"}
    section = {
        "columns": {"quasi": ["q"], "sensitive": ["n"]},
        "types": {"n": "integer"},
        "rules": rules,
    }
    report = ph.verify(frame, ph.Policy.from_dict(section), encoding=encoding)
    assert [rule.verdict for rule in report.rules] == ["proved", "refuted"]


TIES = [
    ("guarded(f, a, 1/2)", "refuted"),
    ("guarded(f, a, 2/3)", "proved"),
    ("guarded(f, b, 1/3)", "proved"),
    ("guarded(f, b, 0.33)", "refuted"),
    ("guarded(f, c, 0)", "proved"),
    ("guarded(f, ab, 0.99)", "refuted"),
    ("guarded(f, ab, 1)", "proved"),
    ("guarded(f, '*', 0.99)", "refuted"),
    ("guarded(f, '*', 1)", "proved"),
    ("p_sensitive_k_anonymity(1, 3)", "proved"),
    ("p_sensitive_k_anonymity(2, 3)", "refuted"),
    ("p_sensitive_k_anonymity(1, 4)", "refuted"),
]
"""On one class of a, a, b whose g is 0 throughout."""


@pytest.mark.parametrize(("rule", "verdict"), TIES)
@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_nodes_at_every_level(
    tree: Path, rule: str, verdict: str, encoding: Any
) -> None:
    frame = pd.DataFrame([{"q": "x", "r": "u", "f": f, "g": "0"} for f in "aab"])
    assert (
        ph.verify(frame, with_tree({"rule": rule}, tree), encoding=encoding).verdict
        == verdict
    )


# One file each


def test_criteria_are_found_in_an_archive_by_a_bare_python(tmp_path: Path) -> None:
    """Without numpy and the like, from a zip file, as many as from the folder; a new
    file is found by itself.
    """
    root, archive = Path(ph.__file__).parent, tmp_path / "house.zip"
    one = (
        (root / "spec/criteria/k_anonymity.py")
        .read_text()
        .replace('"k_anonymity"', '"k_anonymity_again"')
    )
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("phverify/__init__.py", "")
        for path in (root / "errors").rglob("*.py"):
            file.write(path, path.relative_to(root.parent))
        for path in (root / "spec").rglob("*.py"):
            file.write(path, path.relative_to(root.parent))
        file.writestr("phverify/spec/criteria/k_anonymity_again.py", one)
    script = (
        f"import sys; sys.path.insert(0, {str(archive)!r})\n"
        "from phverify.spec.criterion import registry\n"
        "own = {name.partition('.')[0] for name in sys.modules} - {'phverify'}\n"
        "assert list(registry.CRITERIA)\n"
        "print(registry.names(), sorted(own - sys.stdlib_module_names))"
    )
    said = subprocess.run(
        [sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert (
        said.strip()
        == f"{sorted([*registry.names(), 'k_anonymity_again'])} ['__main__']"
    )


def test_a_criterion_of_its_own_inherits_no_lemma() -> None:
    """What follows from a definition follows from no other."""

    class Fewer(registry.CRITERIA["k_anonymity"]):  # type: ignore[misc]
        """Fewer than k rows."""

        def holds(self, inside: Counts, whole: Counts) -> bool:
            return total(inside) < int(self.k)

    fewer = Fewer(3)  # type: ignore[call-arg]
    assert fewer.lemma() is None
    assert not fewer.alone
    assert [type(condition).__name__ for condition in fewer.conditions(())] == [
        "Quantified"
    ]
    assert fewer.counterexample({"": 3}, {}).instance is None
