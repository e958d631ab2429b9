"""``phverify check`` believes nothing of a certificate: hierarchies, mappings, values,
policies, files.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import builders_oracle
from support.certificate_cases import sealed
from support.check_claims_cases import (
    Desk,
    desk,  # noqa: F401
)
from support.hierarchies_cases import built
from support.so_many import so_many

import phverify as ph
from phverify.errors import InputError
from phverify.spec import builders
from phverify.spec.data import Refused

TREE = "a;1;*\nb;1;*\nc;2;*\ne;2;*\n"


FLAT = "".join(f"{value};*;*\n" for value in "abce")


CLOSE = """[columns]
quasi = ["q"]
sensitive = ["d"]
[hierarchies]
d = "d.csv"
[rules]
close = "t_closeness(d, 0.3, distance=hierarchical)"
"""


def flat(desk: Desk) -> dict[str, Any]:
    """A certificate that is true of another hierarchy than the policy's, which is put
    back.
    """
    release, policy = (
        desk("release.csv", "q,d\nx,a\nx,b\ny,c\ny,e\n"),
        desk("policy.toml", CLOSE),
    )
    desk("d.csv", FLAT)
    certificate = ph.certify(ph.verify(release, policy), release, policy)
    desk("d.csv", TREE)
    assert ph.verify(release, policy).verdict == "refuted"
    return certificate


def test_a_forged_hierarchy_is_compared_with_the_file(desk: Desk) -> None:
    certificate = flat(desk)
    found = ph.check(
        certificate, release=desk("release.csv"), policy=desk("policy.toml")
    )
    assert (
        not found.accepted and "is not that of the policy's file d.csv" in found.problem
    )


def test_a_hierarchy_without_a_policy_is_shown_as_a_claim(desk: Desk) -> None:
    found = ph.check(flat(desk), release=desk("release.csv"))
    digest = hashlib.sha256(FLAT.encode()).hexdigest()
    assert found.accepted, "true of what it quotes"
    assert found.verified[0].startswith("the policy is the certificate's own")
    assert (
        "the hierarchy of 'd' is the certificate's own: 4 values, 2 levels, SHA-256"
        f" {digest}" in found.verified
    )


def test_the_lines_of_a_hierarchy_are_its_order(desk: Desk) -> None:
    desk("d.csv", "a;*\nb;*\nc;*\n")
    release = desk("release.csv", "q,d\nx,a\nx,c\ny,a\ny,b\n")
    policy = desk(
        "policy.toml",
        CLOSE.replace("0.3, distance=hierarchical", "1/5, distance=ordered"),
    )
    certificate = ph.certify(ph.verify(release, policy), release, policy)
    assert ph.check(certificate, release=release, policy=policy).accepted
    desk("d.csv", "b;*\na;*\nc;*\n")
    assert not ph.check(certificate, release=release, policy=policy).accepted


@pytest.mark.parametrize(
    "reading",
    [
        {},
        {"x": TREE},
        {"d": "a;1\na;2\n"},
        {"d": "a;1;*\nb;1;+\n"},
        {"d": 3},
        {"d": ""},
    ],
)
def test_quoted_hierarchies_that_are_none(reading: dict[str, Any], desk: Desk) -> None:
    assert not ph.check(
        sealed({**flat(desk), "hierarchies": reading}), release=desk("release.csv")
    ).accepted


AT_CUTS = st.sampled_from(["-3", "17", "18", "19", "29", "30", "31", "64", "65", "66"])


NUMBERS = st.lists(
    st.one_of(st.integers(-12, 40), st.decimals(-9, 40, places=1)).map(str), min_size=1
)
CODED = st.lists(
    st.one_of(
        st.integers(-3, 40).map(str),
        st.decimals(-3, 40, places=1).map(str),
        st.sampled_from(["40+", ">=31", ">12", "<3", "<=3", "<=2", "<4", "30+"]),
    ),
    min_size=1,
)
"""Numbers, some of them coded already."""
DAY = datetime.date(1980, 1, 1)


SPECS: list[tuple[dict[str, Any], st.SearchStrategy[list[str]]]] = [
    (
        {"intervals": ["5", "10", "20"], "start": "3"},
        st.lists(st.integers(-30, 99).map(str), min_size=1),
    ),
    (
        {"intervals": ["0.5", "1"]},
        st.lists(st.decimals(-9, 9, places=2).map(str), min_size=1),
    ),
    (
        {"ranges": [["18", "30", "65"], ["18", "65"]]},
        st.lists(AT_CUTS, min_size=1),
    ),
    ({"round": [5, 10]}, NUMBERS),
    ({"round": ["0.5", "1.5"]}, NUMBERS),
    ({"at_least": 3, "at_most": 20}, CODED),
    ({"at_most": "12.5"}, CODED),
    ({"at_least": 4, "at_most": 31, "intervals": [5, 20], "start": 2}, CODED),
    ({"at_least": 4, "at_most": 31, "round": [5, 10, 30]}, CODED),
    ({"at_most": "30.5", "ranges": [[3, 18, 30], [3, 30]]}, CODED),
    (
        {"at_least": "1990-01-15", "at_most": "2010-06-03", "dates": ["month", "year"]},
        st.lists(st.dates(DAY, DAY.replace(2020)).map(str), min_size=1),
    ),
    (
        {"at_least": "1990-01-15"},
        st.lists(st.sampled_from(["1990-01-14", "1990-01-15", "<1980-01-01"])),
    ),
    (
        {"prefixes": [3, 1]},
        st.lists(st.text("abÄ 1", max_size=5).filter(bool), min_size=1),
    ),
    (
        {"masking": "right"},
        st.lists(st.text("abÄ*", max_size=5).filter(bool), min_size=1),
    ),
    (
        {"masking": "left"},
        st.lists(st.text("abÄ*", max_size=5).filter(bool), min_size=1),
    ),
    (
        {"dates": ["month", "quarter", "year", "decade"]},
        st.lists(st.dates().map(str), min_size=1),
    ),
    (
        {"groups": [{"low": ["A", "B"], "high": ["C"]}, {"all": ["low", "high"]}]},
        st.lists(st.sampled_from("ABC")),
    ),
    (
        {"groups": [{"low": ["A", "B"], "high": ["C"]}, {"*": ["low", "high"]}]},
        st.lists(st.sampled_from("ABC")),
    ),
]


ODD = st.lists(
    st.sampled_from(
        [
            "07",
            "7",
            "1e1",
            "-0.50",
            "x",
            "1/0",
            "2024-02-29",
            "2023-02-29",
            "A",
            "a" * 65,
        ]
    )
)
"""What fits some builder, or none."""


@so_many(150)
@given(st.sampled_from(SPECS), st.data())
def test_builders_by_three_roads(
    spec: tuple[dict[str, Any], st.SearchStrategy[list[str]]], data: st.DataObject
) -> None:
    """Paths and their order are those of the oracle, as checker and engine read the
    policy; or all refuse.
    """
    kind, values = spec[0], data.draw(st.one_of(spec[1], ODD))
    try:
        expected = builders_oracle.lines(kind, values)
    except builders_oracle.Unbuilt:
        expected = []
    try:
        read = list(built(kind, values).paths.values())
    except InputError:
        read = []
    try:
        found = list(builders.built(builders.builder(kind), values, "q").values())
    except Refused:
        found = []
    assert found == read == expected


def test_builders_that_are_none() -> None:
    for spec in (
        {}, {"start": 1}, {"prefixes": [1], "masking": "left"}, {"prefixes": [0]}, {"masking": "up"}, {"prefixes": []},
        {"intervals": ["x"]}, {"intervals": [0]}, {"ranges": [[3, 1]]}, {"groups": [{"a": "b"}]}, {"ranges": [[]]},
        {"groups": [{"low": ["1"], "high": ["1"]}]}, {"prefixes": [1], "start": 1}, {"intervals": True},
        {"dates": ["week"]},
    ):  # fmt: skip
        with pytest.raises((Refused, ValueError)):
            builders.built(builders.builder(spec), ["1", "12"], "q")
    with pytest.raises(ValueError, match="two groups"):
        builders.builder({"groups": [{"low": ["1"], "high": ["1"]}]})


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ("", []),
        ('[types]\ng = "integer"\n', ["type of g: integer"]),
        ('[types]\ng = ["1", "2"]\n', ["type of g: 1 < 2"]),
        ("[agents]\nhalf = []\n", ["agent half knows nothing"]),
        ('[agents]\nhalf = ["q"]\n', ["agent half knows q"]),
        ('[secrets]\n"*" = "f = a"\n', ["secret of everyone: f = a"]),
        (
            '[agents]\nhalf = []\n[secrets]\ni1 = [{formula = "f = b", weight = 0.5}]\n',
            ["agent half knows nothing", "secret of i1: f = b (weight 1/2)"],
        ),
    ],
)
@pytest.mark.parametrize("missing", ["value", "error"])
def test_what_verdicts_take_for_granted_is_told(
    section: str, told: list[str], missing: str, desk: Desk
) -> None:
    release = desk("release.csv", "q,f,g\nx,a,1\nx,b,2\n")
    policy = desk(
        "policy.toml",
        f'[columns]\nquasi = ["q"]\nsensitive = ["f"]\nneutral = ["g"]\n'
        f'missing = "{missing}"\n{section}[rules]\nk = "k_anonymity(2)"\n',
    )
    certificate = ph.certify(ph.verify(release, policy), release, policy)
    lines = ph.check(certificate, release=release, policy=policy).verified
    first = lines.index("quasi-identifiers: q") + 1
    none_missing = ["no cell is missing"] if missing == "error" else []
    # Types stand before it, what people know and hide behind it.
    types = [line for line in told if line.startswith("type of")]
    expected = [*types, *none_missing, *(line for line in told if line not in types)]
    assert list(lines[first : lines.index(next(_rules(lines)))]) == expected


def _rules(lines: Sequence[str]) -> Iterator[str]:
    return (line for line in lines if line.startswith("PROVED"))
