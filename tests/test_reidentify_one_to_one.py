"""One-to-one answers, and the command that reads match probabilities."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reidentify_pairwise_cases import F
from support.so_many import so_many

import phverify as ph
from phverify.cli.main import main
from phverify.errors import InputError
from phverify.linkage.methods.matches import Link, matches, total
from phverify.report.risk_text import short

some_links = st.dictionaries(
    st.tuples(st.integers(0, 4), st.integers(0, 4)),
    st.sampled_from([F(k, 4) for k in range(5)]),
    max_size=10,
)


def one_to_one(pairs: Mapping[tuple[int, int], Fraction]) -> set[tuple[int, int]]:
    """Level by level, links that meet no other one of their level, and no record of a
    level above.
    """
    taken: set[tuple[int, int]] = set()
    before: list[tuple[int, int]] = []
    for level in sorted(set(pairs.values()), reverse=True):
        here = [
            p
            for p in pairs
            if pairs[p] == level
            and not any(p[0] == q[0] or p[1] == q[1] for q in before)
        ]
        taken |= {
            p
            for p in here
            if not any(p != q and (p[0] == q[0] or p[1] == q[1]) for q in here)
        }
        before += here
    return taken


@so_many(75)
@given(
    some_links,
    st.lists(st.sampled_from([F(0), F(1, 3), F(1)]), min_size=25, max_size=25),
)
def test_figures_by_counting(
    pairs: dict[tuple[int, int], Fraction], chances: list[Fraction]
) -> None:
    truth = {(r, x): chances[5 * r + x] for r in range(5) for x in range(5)}
    found = matches(
        [Link(r, x, number, truth[r, x]) for (r, x), number in pairs.items()],
        5,
        F(2, 3),
    )
    assert F(2, 3) in [level.threshold for level in found.curve]
    single = one_to_one(pairs)
    for level in found.curve:
        above = {
            p for p, number in pairs.items() if number and number >= level.threshold
        }
        for count, kept in ((level.every, above), (level.single, above & single)):
            correct = sum((truth[p] for p in kept), F(0))
            assert (count.links, count.correct, count.recall) == (
                len(kept),
                correct,
                correct / 5,
            )
            assert count.precision == (correct / len(kept) if kept else None)
    assert sum(found.links for found in found.calibration) == len(pairs)
    for item in found.calibration:
        held = [
            p
            for p, n in pairs.items()
            if item.low <= n < item.high or n == item.high == 1
        ]
        assert item.high <= 1
        assert item.links == len(held)
        assert item.stated == sum(pairs[p] for p in held) / len(held)
        assert item.correct == sum(truth[p] for p in held) / len(held)


def test_one_to_one_does_not_depend_on_the_lines() -> None:
    """Two records that are given the same original alike are both left alone, and the
    next best link is taken.
    """
    lines = [
        Link(0, 0, F(1, 2), F(1)),
        Link(1, 0, F(1, 2), F(0)),
        Link(2, 1, F(1, 3), F(1)),
        Link(0, 1, F(1, 4), F(0)),
    ]
    for order in (lines, lines[::-1]):
        assert matches(order, 3).curve[0].single.links == 1


def test_sums_for_figures() -> None:
    assert total([F(1, 3)] * 6) == 2
    terms = [F(1, 10**40 + k) for k in range(1, 30)]
    assert total(terms) == 0  # beyond 18 decimals
    assert abs(total([F(1, 3), *terms]) - F(1, 3)) < F(1, 10**16)


PEOPLE = "person,name\nAnn,ann\nBob,bob\nCem,cem\nDan,ann\n"


SHOWN = "person,name\nDan,ann\nCem,cem\nAnn,an\nBob,bo b\n"


POLICY = '[columns]\nquasi = ["name"]\nidentifier = "person"\n'


PAIRS = "record,original,probability\nAnn,Ann,0.9\nAnn,Bob,0.5\nBob,Cem,0.000036\nCem,Dan,0.9\nCem,Cem,0.2\nDan,Dan,0.4\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("people.csv", PEOPLE),
        ("shown.csv", SHOWN),
        ("p.toml", POLICY),
        ("links.csv", PAIRS),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


COMMAND = [
    "reidentify",
    "people.csv",
    "shown.csv",
    "--policy",
    "p.toml",
    "--method",
    "links.csv",
]


def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND, "--pairwise", "--match-threshold", "1/2"]) == 1
    out = capsys.readouterr().out
    for line in (
        (
            "  truth: where each released record comes from is known for certain, by"
            " the identifier"
        ),
        (
            "  pairwise: each number is the probability that this pair is a match; the"
            " rest is on none of them"
        ),
        (
            "  match threshold: links below 1/2 are none (figures of links have other"
            " thresholds, too)"
        ),
        "  no match: 2 records linked to nobody, which says nothing and is sound",
        (
            "UNSOUND  Cem: gives nothing to Cem, from which it comes, 1/10 to none of"
            " them, and 9/10 to Dan"
        ),
        "UNSOUND: 1 of 4 answers",
        (
            "  >= 0.5       3        1      33.3%     25%           2        1       "
            " 50%     25%"
        ),
        "  0.9 to 1        2    90%      50%",
    ):
        assert line in out.splitlines(), out
    assert main([*COMMAND, "--normalize"]) == 1
    assert "UNSOUND: 2 of 4 answers" in capsys.readouterr().out


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main([*COMMAND, "--pairwise", "--match-threshold", "0.5", "--json", "-"]) == 1
    )
    data = json.loads(capsys.readouterr().out)
    assert (data["pairwise"], data["match_threshold"], data["no_match"]) == (
        True,
        "1/2",
        2,
    )
    assert data["unsound"] == [
        {"record": "Cem", "why": "outweighed", "true": "Cem", "given": "0", "other": "Dan",
         "given_other": "9/10", "given_none": "1/10"}
    ]  # fmt: skip
    level = next(
        level for level in data["links"]["curve"] if level["threshold"] == "1/2"
    )
    assert level["all"] == {
        "links": 3,
        "correct": "1",
        "precision": "1/3",
        "recall": "1/4",
    }
    assert level["one_to_one"] == {
        "links": 2,
        "correct": "1",
        "precision": "1/2",
        "recall": "1/4",
    }
    assert data["links"]["calibration"][0] == {
        "from": "0", "to": "1/10", "links": 1, "given": "9/250000", "correct": "0"
    }  # fmt: skip


def test_the_python_door(folder: Path) -> None:
    found = ph.reidentify(
        "people.csv",
        "shown.csv",
        "p.toml",
        method="links.csv",
        pairwise=True,
        match_threshold="1/2",
    )
    assert found.verdict == "unsound"
    assert found.method is not None
    assert found.method.matches is not None
    assert found.method.unmatched == 2
    with pytest.raises(InputError) as error:
        ph.reidentify(
            "people.csv", "shown.csv", "p.toml", pairwise=True, match_threshold=0.5
        )
    assert [problem.where for problem in error.value.problems] == [
        "--pairwise",
        "--match-threshold",
    ]


def test_typos_need_no_masking_where_identifiers_tell_the_truth(
    folder: Path, capsys: Any
) -> None:
    for more in ([], ["--truth", "record"]):
        assert main([*COMMAND, "--pairwise", *more]) == 1
        assert "UNSOUND: 1 of 4 answers" in capsys.readouterr().out
    for more in (["--method", "links.csv", "--pairwise", "--truth", "possible"], []):
        assert main([*COMMAND[:5], *more]) == 2
        assert "is no value of the original" in capsys.readouterr().err


def test_a_random_masking_is_related_all_the_same(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("p.toml").write_text(
        POLICY + '[masking]\nname = {table = {ann = {ann = "1/2", an = "1/2"}}}\n',
        "utf-8",
    )
    assert main([*COMMAND, "--pairwise"]) == 2
    assert "nothing that the table of [masking] makes" in capsys.readouterr().err
    assert main([*COMMAND, "--pairwise", "--truth", "record"]) == 1


def test_numbers_with_thousands_of_digits_are_shown_rounded(
    folder: Path, capsys: Any
) -> None:
    """Match probabilities of 17 digits, 400 of them for one record: odds with more
    digits than Python writes.
    """
    many = pd.DataFrame({"person": [f"p{k}" for k in range(400)]}).assign(name="x")
    many.to_csv("people.csv", index=False)
    many.iloc[:1].to_csv("shown.csv", index=False)
    numbers = [F(10**16 + 2 * k + 1, 10**17) for k in range(399)] + [1 - F(1, 10**17)]
    lines = [
        f"p0,p{k},{numbers[k].numerator}/{numbers[k].denominator}"
        for k in range(1, 400)
    ]
    Path("links.csv").write_text(
        "record,original,probability\n" + "\n".join(lines) + "\np0,p0,0\n", "utf-8"
    )
    for form in ([], ["--json", "-"]):
        assert main([*COMMAND, "--normalize", *form]) == 1
        assert main([*COMMAND, "--pairwise", *form]) == 1
    assert "about 0." in capsys.readouterr().out


def test_short_numbers_are_not_shown_as_0_or_1() -> None:
    values = [F(36, 10**6), 1 - F(1, 10**9), F(1, 3), F(4914, 5000), F(1, 3 * 10**5000)]
    assert [short(value) for value in values[:4]] == [
        "~0.000036",
        ">0.9999",
        "1/3",
        "~0.9828",
    ]
    assert short(values[4]).startswith("~3.3E-5001")
