"""Values of a type, and the quotient of a table."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

from phverify import Policy
from phverify.exact import LIMIT
from phverify.microdata.dataframes import from_frame
from phverify.microdata.hierarchy import read_hierarchy
from phverify.microdata.histogram import histogram
from phverify.microdata.keys import packed
from phverify.microdata.quotient import Quotient, quotient
from phverify.microdata.table import CodedColumn, Label
from phverify.spec.data import domain, fitting
from phverify.spec.source import rational
from phverify.spec.types import TEXT, ValueType
from phverify.verbs.verify import verify

DIGITS = st.text("0123456789", min_size=1, max_size=6)


SIGN = st.sampled_from(["", "+", "-"])


SPACE = st.sampled_from(["", " ", "\t"])


INTEGERS = st.builds(
    lambda *parts: "".join(parts),
    SPACE,
    SIGN,
    st.sampled_from(["", "0", "00"]),
    DIGITS,
    SPACE,
)


DECIMALS = st.one_of(
    INTEGERS,
    st.builds(
        lambda s, a, b, e: f"{s}{a}.{b}{e}",
        SIGN,
        DIGITS,
        DIGITS,
        st.sampled_from(["", "0", "e2", "E-3", "%"]),
    ),
    st.builds(lambda s, b: f"{s}.{b}", SIGN, DIGITS),
    st.builds(lambda s, a: f"{s}{a}.", SIGN, DIGITS),
    st.builds(lambda s, a, b: f"{s}{a}/{b}", SIGN, DIGITS, st.integers(1, 1000)),
)


KINDS = {"integer": INTEGERS, "decimal": DECIMALS}


def value_of(kind: str, text: str) -> Fraction:
    """The value by another route than the one under test."""
    text = text.strip()
    if kind == "integer":
        return Fraction(int(text))
    head, _, below = text.rstrip("%").partition("/")
    result = Fraction(Decimal(head)) / (int(below) if below else 1)
    return result / 100 if text.endswith("%") else result


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_canonical_texts(kind: str, data: st.DataObject) -> None:
    one, two = data.draw(KINDS[kind]), data.draw(KINDS[kind])
    typed = ValueType(kind)
    a, b = typed.canonical(one), typed.canonical(two)
    assert typed.canonical(a) == a
    assert value_of(kind, a) == value_of(kind, one)
    assert (a == b) == (value_of(kind, one) == value_of(kind, two))
    assert (typed.key(a) < typed.key(b)) == (value_of(kind, one) < value_of(kind, two))


@given(st.fractions(), st.fractions())
def test_fractions_have_one_text_each(a: Fraction, b: Fraction) -> None:
    typed = ValueType("decimal")
    one, two = typed.canonical(str(a)), typed.canonical(str(b))
    assert rational(one) == a
    assert (one == two) == (a == b)
    assert (typed.key(one) < typed.key(two)) == (a < b)


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9
    ),
    st.integers(0, 5),
)
def test_decimals_have_one_text_each(value: Decimal, zeros: int) -> None:
    typed = ValueType("decimal")
    text = f"{value:f}"
    longer = text + ("" if "." in text else ".") + "0" * zeros
    assert typed.canonical(text) == typed.canonical(longer)
    assert Fraction(Decimal(typed.canonical(text))) == Fraction(value)


@given(st.dates(), st.dates())
def test_dates(a: datetime.date, b: datetime.date) -> None:
    typed = ValueType("date")
    one, two = (
        typed.canonical(f" {a.isoformat()} "),
        typed.canonical(b.strftime("%Y%m%d").rjust(8, "0")),
    )
    assert (one, two) == (a.isoformat(), b.isoformat())
    assert (typed.key(one) < typed.key(two)) == (a < b)


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (
            "integer",
            [
                "",
                " ",
                "1.0",
                "1e3",
                "0x1",
                "1_000",
                "one",
                "1 2",
                "--1",
                "+",
                "½",
                "1/1",
                "٣",
            ],
        ),
        (
            "decimal",
            [
                "",
                "1,5",
                "1.2.3",
                "1_0",
                "nan",
                "inf",
                "1/0",
                "e5",
                "0x1",
                ".",
                "1//2",
                "1/-2",
                "%",
            ],
        ),
        (
            "date",
            ["", "23.03.1956", "1956-3-23", "1956-02-30", "today", "1956-03-23T10:00"],
        ),
    ],
)
def test_texts_of_no_type(kind: str, texts: list[str]) -> None:
    for text in texts:
        with pytest.raises(ValueError):
            ValueType(kind).canonical(text)


def test_ordered_values() -> None:
    typed = ValueType("ordered", ("low", "mid", "high"))
    assert sorted(["high", "low", "mid"], key=typed.key) == ["low", "mid", "high"]
    with pytest.raises(ValueError):
        typed.canonical("Low")


@given(st.text(max_size=5))
def test_text_is_left_alone(text: str) -> None:
    assert TEXT.canonical(text) == text


def test_two_spellings_of_one_value_are_one_confidential_value() -> None:
    frame = pd.DataFrame(
        {"zip": ["1"] * 4, "pay": ["7", "007", " 7", "+7"]}, dtype=object
    )
    held = {
        "columns": {"quasi": ["zip"], "sensitive": ["pay"]},
        "rules": {"r": "l_diversity(pay, 2)"},
    }
    assert verify(frame, Policy.from_dict(held)).verdict == "proved"
    assert (
        verify(frame, Policy.from_dict({**held, "types": {"pay": "integer"}})).verdict
        == "refuted"
    )


def columns_of(rows: Sequence[Sequence[int]]) -> dict[str, CodedColumn]:
    """Columns with labels in the order in which they first occur."""
    result = {}
    for k, values in enumerate(zip(*rows, strict=True)):
        labels = list(dict.fromkeys(values))
        codes = np.array([labels.index(v) for v in values], dtype=np.int64)
        result[f"c{k}"] = CodedColumn(
            codes, tuple(f"v{v}" if v else None for v in labels)
        )
    return result


def grouped(
    columns: Mapping[str, CodedColumn],
    quasi: Sequence[str],
    others: Sequence[str],
    rows: int,
) -> Any:
    def row_of(names: Sequence[str], row: int) -> tuple[Label, ...]:
        return tuple(columns[n].labels[int(columns[n].codes[row])] for n in names)

    found: dict[tuple[Label, ...], Counter[tuple[Label, ...]]] = {}
    for row in range(rows):
        found.setdefault(row_of(quasi, row), Counter())[row_of(others, row)] += 1
    return found


def held_by(q: Quotient) -> Any:
    found: dict[tuple[Label, ...], Counter[tuple[Label, ...]]] = {}
    for c in range(q.classes):
        inside: Counter[tuple[Label, ...]] = Counter()
        for cell in range(int(q.starts[c]), int(q.starts[c + 1])):
            key = tuple(q.labels[n][int(q.codes[n][cell])] for n in q.others)
            assert key not in inside, "a cell occurs twice"
            inside[key] = int(q.counts[cell])
        values = tuple(q.class_values(c).values())
        assert values not in found, "a class occurs twice"
        found[values] = inside
    return found


def check_quotient(
    columns: Mapping[str, CodedColumn],
    quasi: Sequence[str],
    others: Sequence[str],
    rows: int,
) -> Quotient:
    q = quotient(columns, quasi, others, rows)
    expected = grouped(columns, quasi, others, rows)
    assert held_by(q) == expected
    assert (q.rows, q.classes, q.cells) == (
        rows,
        len(expected),
        sum(map(len, expected.values())),
    )
    assert int(q.counts.sum()) == rows
    assert q.sizes.tolist() == [
        sum(expected[tuple(q.class_values(c).values())].values())
        for c in range(q.classes)
    ]
    assert q.class_of_cell.tolist() == [
        c for c in range(q.classes) for _ in range(q.starts[c], q.starts[c + 1])
    ]
    if quasi:
        index = q.class_of([columns[n].codes for n in quasi]).tolist()
        for row, c in enumerate(index):
            here = {n: columns[n].labels[int(columns[n].codes[row])] for n in quasi}
            assert q.class_values(c) == here
        unpacked = q.packing.unpack(q.class_keys)
        for name, codes in zip(quasi, unpacked, strict=True):
            assert codes.tolist() == q.codes[name][q.starts[:-1]].tolist()
    for known in (quasi[:1], quasi[1:], quasi[::2], quasi[::-1], ()):
        numbers = q.agent_cells(known).tolist()
        seen = [tuple(q.class_values(c)[n] for n in known) for c in range(q.classes)]
        assert len(numbers) == q.classes
        assert (
            len(set(zip(numbers, seen, strict=True)))
            == len(set(numbers))
            == len(set(seen))
        )
    return q


@so_many(75, fuzz=1000)
@given(st.data())
def test_quotient_of_random_tables(data: st.DataObject) -> None:
    width, most = data.draw(st.integers(1, 6)), data.draw(st.integers(0, 3))
    row = st.lists(st.integers(0, most), min_size=width, max_size=width)
    rows = data.draw(st.lists(row, min_size=1, max_size=25))
    columns = columns_of(rows)
    names = data.draw(st.permutations(list(columns)))
    cut = data.draw(st.integers(0, width))
    check_quotient(columns, names[:cut], names[cut:], len(rows))


@so_many(20, fuzz=1000)
@given(
    st.integers(0, 2**32), st.integers(1, 40), st.integers(0, 40), st.integers(2, 60)
)
def test_quotient_of_wide_tables(seed: int, quasi: int, others: int, rows: int) -> None:
    chance = random.Random(seed)
    base = [
        [chance.randrange(1, rows + 1) for _ in range(quasi + others)]
        for _ in range(max(2, rows // 2))
    ]
    table = [list(chance.choice(base)) for _ in range(rows)]
    for _ in range(rows // 3):
        table[chance.randrange(rows)][chance.randrange(quasi + others)] = 0
    columns = columns_of(table)
    names = list(columns)
    check_quotient(columns, names[:quasi], names[quasi:], rows)


@pytest.mark.parametrize(
    ("quasi", "others"),
    [(9, 0), (9, 1), (9, 9), (1, 8), (1, 9), (3, 8), (30, 30), (0, 9)],
)
def test_quotient_beyond_62_bits(quasi: int, others: int) -> None:
    """Columns in which every row has its own value: 200 ** 9 keys and more."""
    rows, chance = 200, random.Random(quasi)
    width = quasi + others
    assert rows**9 > LIMIT
    columns = columns_of(
        list(
            zip(*(chance.sample(range(rows), rows) for _ in range(width)), strict=True)
        )
    )
    q = check_quotient(columns, list(columns)[:quasi], list(columns)[quasi:], rows)
    assert q.cells == rows
    assert q.classes == (rows if quasi else 1)


@pytest.mark.parametrize("rows", [2, 3, 50, 127, 128, 129, 300])
@pytest.mark.parametrize("width", [6, 7, 8, 9, 10, 20, 62, 63, 64])
def test_packing_and_back(rows: int, width: int) -> None:
    chance = np.random.default_rng(rows * width)
    columns = [chance.integers(0, rows, rows) for _ in range(width)]
    packing, keys, space = packed(columns, [rows] * width, rows)
    assert 0 <= int(keys.min()) <= int(keys.max()) < space < LIMIT
    assert packing.pack(columns).tolist() == keys.tolist()
    assert [c.tolist() for c in packing.unpack(keys)] == [c.tolist() for c in columns]


def test_a_unique_row_stays_unique_beside_many_confidential_columns() -> None:
    """A verdict must not be proved because keys overflowed."""
    rows = 200
    chance = random.Random(4)
    sensitive = {f"s{k}": chance.sample(range(rows), rows) for k in range(8)}
    frame = pd.DataFrame({"q": range(rows), **sensitive})
    rules = {
        "k": "k_anonymity(2)",
        **{name: f"l_diversity({name}, 1)" for name in sensitive},
    }
    report = verify(
        frame,
        Policy.from_dict(
            {"columns": {"quasi": ["q"], "sensitive": list(sensitive)}, "rules": rules}
        ),
    )
    assert report.classes == rows
    assert report.rules[0].verdict == "refuted"


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_hierarchies(tmp_path: Path, separator: str, newline: str) -> None:
    lines = [["flu", "lung", "*"], ["gout", "joint", "*"], ["cold", "lung", "*"]]
    path = tmp_path / "h.csv"
    path.write_bytes(
        ("\ufeff" + "".join(separator.join(line) + newline for line in lines)).encode()
    )
    found = read_hierarchy(path)
    assert dict(found.paths) == {line[0]: tuple(line) for line in lines}
    assert list(found.paths) == ["flu", "gout", "cold"]
    assert found.levels == 2
    assert found.rooted()


def test_a_hierarchy_with_commas_in_values_and_semicolons_between(
    tmp_path: Path,
) -> None:
    path = tmp_path / "h.csv"
    path.write_text("gout, severe;joint\nflu, mild;lung\n")
    found = read_hierarchy(path)
    assert found.paths["gout, severe"] == ("gout, severe", "joint")
    assert not found.rooted()


def test_texts_by_row() -> None:
    """Of the columns that are asked for, those that are there; an empty text is a
    missing cell.
    """
    table = from_frame(
        pd.DataFrame(
            {"g": ["x", "y", "x"], "f": ["", None, "a"], "h": ["1", "2", "3"]}
        ),
        "frame",
    )
    assert table.plain(["f", "g", "absent"]) == {
        "g": ("x", "y", "x"),
        "f": (None, None, "a"),
    }


def test_values_in_the_order_of_their_type() -> None:
    integer = ValueType("integer")
    assert domain(integer, ("10", "9", None, "-1")) == ("-1", "9", "10", None)
    assert domain(TEXT, ("b", None, "10", "9")) == ("10", "9", "b", None)
    assert fitting(integer, ("10", None, "9")) == integer
    assert fitting(integer, ("7", "07")) == fitting(integer, ("7", "x")) == TEXT


def test_classes_with_the_same_values_and_other_counts_are_asked_by_themselves() -> (
    None
):
    frame = pd.DataFrame({"q": list("xxyyy"), "s": list("abaab")})
    columns = from_frame(frame).columns
    found = histogram(quotient(columns, ["q"], ["s"], len(frame)), "s")
    assert found.by_class(
        lambda inside, whole: inside["a"] > 1 and whole["a"] == 3
    ).tolist() == [False, True]
    assert found.by_counts(lambda counts: max(counts) > 1).tolist() == [False, True]
