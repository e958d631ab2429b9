"""Tables, policies and hierarchies that the checker reads as the engine does."""

from __future__ import annotations

import csv
import io
import random
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bad_input_cases import COLUMNS
from support.bad_input_cases import POLICIES as BAD_POLICIES
from support.bad_input_cases import TABLES as BAD_TABLES
from support.certificate_reading_cases import (
    SMALL_POLICY,
    both,
    lines,
    of,
)
from support.so_many import so_many

from phverify.errors import InputError
from phverify.microdata.hierarchy import read_hierarchy
from phverify.microdata.read import read
from phverify.policy.bind import BoundPolicy, bind
from phverify.policy.model import Policy
from phverify.spec import data as d
from phverify.spec.builders import Builder
from phverify.spec.hierarchies import hierarchy
from phverify.spec.origin import origin
from phverify.spec.published import sha256
from phverify.spec.types import ValueType

CELLS = [
    "", "", "7", "007", "+7", " 7 ", "-0", "0", "12", "1.0", "-1.50", "3/2", "6/4", "1/3", "5%", ".5", "1e2", "100",
    "x", "2020-01-01", "20200101", "2020-W01-3", " 2020-01-01", "low", "mid", "top", "x,y", 'say "hi"', "a;b", "ü",
    "o\np", "a\tb", "c|d", "'", "٣", "d3", "missing",
]  # fmt: skip


TYPES = ["text", "integer", "decimal", "date"]


KINDS = [*TYPES, ["low", "mid", "top"], ["7", "007"], []]


FITTING = {
    "integer": CELLS[2:9],
    "decimal": CELLS[2:18],
    "date": CELLS[19:23],
    "text": CELLS,
}


@st.composite
def files_with_policies(draw: st.DrawFn) -> tuple[bytes, dict[str, Any]]:
    """A CSV file as programs write them, and a policy for it; not everything fits."""
    names = ["a", "b", "c;c", "d d", "é", "id"]
    kinds = {
        name: draw(st.sampled_from(KINDS)) for name in names[:5] if draw(st.booleans())
    }
    count = draw(st.integers(1, 6))
    columns: dict[str, list[str]] = {}
    for name in names:
        kind = kinds.get(name, "text")
        fitting = FITTING[kind] if isinstance(kind, str) else [*kind, ""]
        pool = draw(st.sampled_from([fitting, fitting, fitting, CELLS]))
        columns[name] = draw(
            st.lists(st.sampled_from(pool), min_size=count, max_size=count)
        )
    if draw(st.integers(0, 3)):
        columns["id"] = [f"p{k}" for k in range(count)]
    separator, end = (
        draw(st.sampled_from(",;\t|")),
        draw(st.sampled_from(["\n", "\r\n", "\r"])),
    )
    out = io.StringIO()
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    writer = csv.writer(out, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerows([list(columns), *zip(*columns.values(), strict=True)])
    text = out.getvalue() + draw(st.sampled_from(["", "", end, end * 2]))
    section: dict[str, Any] = {
        "missing": draw(st.sampled_from(["value", "value", "error"]))
    }
    split = draw(st.integers(0, 3))
    section["columns"] = {
        "quasi": names[:split],
        "sensitive": names[split:4],
        "neutral": ["é"],
        "identifier": "id",
    }
    section["types"] = kinds
    section["agents"] = {"bob": names[: min(split, 1)]}
    section["rules"] = {"r": "true"}
    bom = b"\xef\xbb\xbf" if draw(st.booleans()) else b""
    return bom + text.encode(), section


def cells(bound: BoundPolicy, column: str) -> tuple[str | None, ...]:
    found = bound.release.columns[column]
    return tuple(found.labels[code] for code in found.codes.tolist())


def agree(data: d.Data, bound: BoundPolicy) -> None:
    signature = bound.release.signature
    assert data.rows == signature.rows == signature.individuals
    assert data.quasi == bound.release.quotient.quasi
    assert data.names == tuple(signature.names)
    assert data.agents == dict(bound.release.agents)
    assert list(data.columns) == list(signature.attributes)
    for name, attribute in signature.attributes.items():
        assert data.columns[name] == cells(bound, name)
        assert data.domains[name] == attribute.domain
        kind = attribute.kind
        assert isinstance(kind, ValueType)
        assert (data.kinds[name].name, data.kinds[name].order) == (
            kind.name,
            kind.order,
        )
    rows = [tuple(data.columns[q][k] for q in data.quasi) for k in range(data.rows)]
    assert data.home == tuple(rows[k] for k in bound.release.home.tolist())


def engine_or_none(
    section: Any, path: Path, original: Path | None = None
) -> BoundPolicy | None:
    try:
        policy = Policy.from_dict(section)
        wanted = (*policy.columns, *([policy.identifier] if policy.identifier else []))
        before = None if original is None else read(str(original), wanted)
        return bind(policy, read(str(path), wanted), before)
    except InputError:
        return None


def checker_or_none(section: Any, path: Path) -> d.Data | None:
    try:
        policy = of(section)
        wanted = (*policy.columns, *([policy.identifier] if policy.identifier else []))
        return d.release_data(policy, d.table(path, wanted), {})
    except d.Refused:
        return None


def one_table_two_roads(content: bytes, section: dict[str, Any], folder: Path) -> None:
    path = folder / "some.csv"
    path.write_bytes(content)
    bound, data = engine_or_none(section, path), checker_or_none(section, path)
    assert (bound is None) == (data is None)
    if bound is not None and data is not None:
        agree(data, bound)


@pytest.mark.parametrize("place", range(13))
def test_zero_bytes_anywhere(tmp_path: Path, place: int) -> None:
    """In the first line they are no text."""
    content = b"a,id\r\nx,1\r\n"
    columns = {"sensitive": ["a"], "identifier": "id"}
    section = {"columns": columns, "rules": {"r": "true"}}
    damaged = content[:place] + b"\0" + content[place:]
    one_table_two_roads(damaged, section, tmp_path)
    refused = checker_or_none(section, tmp_path / "some.csv") is None
    assert refused or place > 5


@pytest.mark.parametrize("kind", TYPES)
def test_canonical_texts(kind: str) -> None:
    """Every cell, with either sign, is the same value by both roads."""
    for text in [sign + cell for cell in CELLS for sign in ("", "-", "+")]:
        found: list[Any] = []
        for road in (ValueType(kind), ValueType(kind)):
            try:
                canonical = road.canonical(text)
                found.append((canonical, road.key(canonical)))
            except ValueError:
                found.append(None)
        assert found[0] == found[1], text


@pytest.mark.parametrize(
    ("cells", "kind"),
    [("7,007", "text"), ("007,8", "integer"), ("7,x", "text"), ("7,", "integer")],
)
def test_two_spellings_of_a_number_are_two_texts(
    cells: str, kind: str, tmp_path: Path
) -> None:
    section = {**SMALL_POLICY, "types": {"q": "integer", "g": "integer"}}
    text = "q,r,f,g\n" + "".join(f"{cell},u,a,1\n" for cell in cells.split(","))
    _, data = both(section, text, tmp_path)
    assert data.kinds["q"].name == kind
    one_table_two_roads(text.encode(), section, tmp_path)


@so_many(150)
@given(files_with_policies())
def test_tables_under_policies(
    tmp_path_factory: Any, given_: tuple[bytes, dict[str, Any]]
) -> None:
    one_table_two_roads(*given_, tmp_path_factory.getbasetemp())


@so_many(125)
@given(files_with_policies(), st.integers(0, 2**40))
def test_damaged_tables(
    tmp_path_factory: Any, given_: tuple[bytes, dict[str, Any]], seed: int
) -> None:
    rng, (content, section) = random.Random(seed), given_
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(content) + 1)
        piece = rng.choice(
            [
                b"",
                b'"',
                b",",
                b";",
                b"\n",
                b"\r",
                b"\xff",
                b"\x00",
                b"7",
                b'""',
                b"\xef\xbb\xbf",
            ]
        )
        content = content[:at] + piece + content[at + rng.randrange(2) :]
    one_table_two_roads(content, section, tmp_path_factory.getbasetemp())


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a\nx\n\ny\n", {"a": ("x", None, "y")}),
        ("a,b\nx,1\n\ny,2\n", {"a": ("x", "y"), "b": ("1", "2")}),
        (
            "a;b,c,d,e\nx;1,2,3,4\n",
            {"a": ("x",), "b,c,d,e": ("1,2,3,4",)},
        ),  # the wanted column decides
        (
            "e;f,g\nx;1,2\n",
            {"e;f": ("x;1",), "g": ("2",)},
        ),  # none does: the first separator of the two
        (
            "e;f;g,h\nx;1;2,3\n",
            {"e": ("x",), "f": ("1",), "g,h": ("2,3",)},
        ),  # the most columns do
    ],
)
def test_separators_and_blank_lines(
    text: str, columns: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(text)
    assert d.table(tmp_path / "t.csv", ("a", "z")) == columns
    engine = read(str(tmp_path / "t.csv"), ("a", "z"))
    assert {
        name: tuple(c.labels[k] for k in c.codes.tolist())
        for name, c in engine.columns.items()
    } == columns


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_tables(case: str, tmp_path: Path) -> None:
    content = BAD_TABLES[case][0]
    content = content.encode() if isinstance(content, str) else content
    one_table_two_roads(
        content, tomllib.loads(COLUMNS + "[rules]\nr = 'true'\n"), tmp_path
    )


DATA_DEPENDENT = {
    "hierarchy that is not there", "safety without secrets", "secrets of a stranger", "safety inside a secret",
    "column that the release lacks", "typed column with other values", "order that lacks a value",
    "contradictory assumptions", "one assumption that cannot be",
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_POLICIES)
def test_bad_policies(case: str) -> None:
    if case in DATA_DEPENDENT:
        assert d.policy(BAD_POLICIES[case][0]).columns
    else:
        with pytest.raises(d.Refused):
            d.policy(BAD_POLICIES[case][0])


@pytest.mark.parametrize(
    "weight",
    ["2", "-0.1", "true", "inf", "nan", '"x"', "[1]", '"1/0"', "1.0000000000000000001"],
)
def test_weights_that_are_none(weight: str) -> None:
    with pytest.raises(d.Refused):
        d.policy(
            '[columns]\n[rules]\nr = "true"\n[secrets]\n"*" = [{formula = "true",'
            f" weight = {weight}}}]"
        )


def test_a_policy_as_written() -> None:
    text = (
        '\ufeffmissing = "error"\n[columns]\nquasi = ["a"]\nsensitive ='
        ' ["b"]\n[types]\nb = ["x", "y"]\n[secrets]\n"*" = "b = x"\n[agents]\neve ='
        ' []\n[rules]\nr = "true"\n[hierarchies]\na = {prefixes = [1]}\n'
    )
    expected = d.PlainPolicy(
        ("a",), ("b",), (), None, "error", {"b": ValueType("ordered", ("x", "y"))}, {"a": Builder("prefixes", (1,))},
        {"eve": ()}, {"*": (("b = x", Fraction(1)),)}, {}, {"r": "true"},
    )  # fmt: skip
    assert d.policy(text) == expected


def test_the_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    assert (
        sha256(tmp_path / "x")
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    with pytest.raises(d.Refused):
        sha256(tmp_path / "y")
    with pytest.raises(d.Refused):
        d.table(tmp_path, ())


@st.composite
def sanitized(
    draw: st.DrawFn,
) -> tuple[list[dict[str, str]], list[dict[str, str]], dict[str, dict[Any, Any]]]:
    """An original, a release of it in any order, and the mappings behind it."""
    count = draw(st.integers(1, 6))
    quasi = st.sampled_from(["1", "2", "3", ""])
    row = st.fixed_dictionaries(
        {"q": quasi, "r": quasi, "g": st.sampled_from(["7", "007", "8", ""])}
    )
    before = [{"who": f"p{k}", **draw(row)} for k in range(count)]
    image = st.sampled_from(["x", "y", "", "1"])
    mapping: dict[str, dict[Any, Any]] = {
        q: {v: draw(image) for v in dict.fromkeys(r[q] for r in before)}
        for q in ("q", "r")
    }
    after = [
        {
            "q": mapping["q"][r["q"]],
            "r": mapping["r"][r["r"]],
            "g": r["g"].removeprefix("00"),
        }
        for r in before
    ]
    after = draw(st.permutations(after)) if draw(st.booleans()) else after
    return (
        before,
        after,
        {q: {v or None: u or None for v, u in m.items()} for q, m in mapping.items()},
    )


WITH_ORIGINAL: dict[str, Any] = {
    "columns": {"quasi": ["q", "r"], "sensitive": ["g"], "identifier": "who"},
    "types": {"g": "integer", "q": "integer"},
    "rules": {"r": "true"},
}


def no_hierarchies(_: Any) -> dict[str, Any]:
    return {}


@so_many(150)
@given(sanitized(), st.integers(0, 2**40))
def test_originals(tmp_path_factory: Any, given_: Any, seed: int) -> None:
    (before, after, mapping), folder = given_, tmp_path_factory.getbasetemp()
    (folder / "before.csv").write_text(lines(before))
    (folder / "after.csv").write_text(lines(after))
    policy = of(WITH_ORIGINAL)
    original, release = (
        d.table(folder / f"{which}.csv", policy.columns)
        for which in ("before", "after")
    )
    bound = engine_or_none(WITH_ORIGINAL, folder / "after.csv", folder / "before.csv")
    assert bound is not None and bound.sanitized is not None
    found = {name: dict(images) for name, images in bound.sanitized.mappings.items()}
    in_order = replace(policy, rows="same order")
    if (
        bound.sanitized.same_order and found != mapping
    ):  # another mapping explains the rows in their order
        with pytest.raises(d.Refused, match="row by row"):
            origin(in_order, release, original, mapping, no_hierarchies)
        assert origin(in_order, release, original, found, no_hierarchies)
    data = origin(policy, release, original, mapping, no_hierarchies).data
    assert data.home == tuple(
        (mapping["q"][r["q"] or None], mapping["r"][r["r"] or None]) for r in before
    )
    agree(
        origin(
            policy, release, original, bound.sanitized.mappings, no_hierarchies
        ).data,
        bound,
    )
    for wrong in spoilt(mapping, release, original, random.Random(seed)):
        with pytest.raises(d.Refused):
            origin(policy, *wrong, no_hierarchies)


def spoilt(
    mapping: Any, release: Any, original: Any, rng: random.Random
) -> Iterator[tuple[Any, Any, Any]]:
    """Mappings and tables with one change that must not pass."""
    yield release, original, {"q": mapping["q"]}
    yield release, original, {**mapping, "g": {}}
    yield release, original, {**mapping, "q": {**mapping["q"], "new": "x"}}
    yield release, original, {**mapping, "q": dict(list(mapping["q"].items())[1:])}
    value = rng.choice(list(mapping["q"]))
    yield release, original, {**mapping, "q": {**mapping["q"], value: "z"}}
    yield release, {k: v for k, v in original.items() if k != "g"}, mapping
    yield release, {k: v[:-1] for k, v in original.items()}, mapping
    yield (
        release,
        (
            {**original, "who": ("p", *original["who"][1:-1], "p")}
            if len(original["who"]) > 1
            else {}
        ),
        mapping,
    )
    row = rng.randrange(len(release["g"]))
    yield (
        {**release, "g": (*release["g"][:row], "99", *release["g"][row + 1 :])},
        original,
        mapping,
    )
    yield (
        release,
        {
            **original,
            "who": (*original["who"][:row], None, *original["who"][row + 1 :]),
        },
        mapping,
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"), ("a;x;*\na;x;*\n", "two lines"), ("a;*\nb\n", "has 1 entries"), ('a;"x\n', "no well-formed"),
        ("a;x;*\nb;x;+\n", "lies under '\\*' and '\\+'"),
    ],
)  # fmt: skip
def test_texts_that_are_no_hierarchy(text: str, said: str, tmp_path: Path) -> None:
    """Checker and engine refuse the same ones."""
    with pytest.raises(d.Refused, match=said):
        hierarchy(text, "q.csv")
    (tmp_path / "q.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_hierarchy(tmp_path / "q.csv")


@pytest.mark.parametrize(
    "paths",
    [
        {"a": ("a", "*"), "b": ("b",)}, {"a": ("b", "*")}, {"a": ("a", "x", "*"), "b": ("b", "x", "y")}, {"a": ()},
    ],
)  # fmt: skip
def test_hierarchies_that_are_none(
    paths: dict[str, tuple[str, ...]], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("q,r,f,g\nx,u,a,1\n")
    with pytest.raises(d.Refused):
        d.release_data(of(SMALL_POLICY), d.table(tmp_path / "t.csv", ()), {"f": paths})
