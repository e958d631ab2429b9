"""Match probabilities of pairs, match thresholds, answers that leave something open,
and the figures of links.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.evidence_oracle import random_shares, uniform
from support.reidentify_oracle import quick

import phverify as ph
from phverify.cli.main import main
from phverify.constraints.solver import solve
from phverify.errors import InputError
from phverify.linkage.belief.plans import Farkas, Plan, check_farkas
from phverify.linkage.methods.answers import LinkReading, MethodAnswer, reading
from phverify.linkage.methods.links import Links, read_links
from phverify.linkage.methods.matches import Link, matches, total
from phverify.linkage.methods.record_names import RecordNames
from phverify.linkage.methods.soundness import Outweighed, Overpriced, certain, judge
from phverify.linkage.methods.uncommitted import sound_with_rest
from phverify.report.risk_text import short

F = Fraction
NAMES = RecordNames("d", 4), RecordNames("i", 5)


def said(*lines: tuple[str, str, str]) -> pd.DataFrame:
    return pd.DataFrame(
        lines, columns=["record", "original", "probability"], dtype=object
    )


def links(*lines: tuple[str, str, str], **how: Any) -> Links:
    return read_links(said(*lines), *NAMES, how=LinkReading(**how))


def answer(*numbers: Any, **how: Any) -> MethodAnswer | None:
    return LinkReading(**how).answer(
        {(k,): F(number) for k, number in enumerate(numbers)}
    )


def shares(*numbers: Any) -> dict[tuple[int, ...], Fraction]:
    return {(k,): F(number) for k, number in enumerate(numbers) if F(number)}


# --- what numbers amount to
# ------------------------------------------------------------------------------


def by_worlds(numbers: list[Fraction]) -> dict[int | None, Fraction]:
    """The pairs are matches independently of one another, under the condition that one
    of them is at most.
    """
    weights: dict[int | None, Fraction] = {}
    for one in (None, *range(len(numbers))):
        weights[one] = math.prod(
            (p if k == one else 1 - p for k, p in enumerate(numbers)), start=F(1)
        )
    return {one: weight / sum(weights.values()) for one, weight in weights.items()}


@quick(200)
@given(
    st.lists(st.fractions(0, F(39, 40), max_denominator=40), min_size=1, max_size=5),
    st.booleans(),
)
def test_pairwise_is_the_probability_under_one_match_at_most(
    numbers: list[Fraction], sure: bool
) -> None:
    numbers = [*numbers, F(1)] if sure else numbers
    found, wanted = answer(*numbers, pairwise=True), by_worlds(numbers)
    assert found is not None
    assert found.rest == wanted.pop(None)
    assert found.masses == {(k,): share for k, share in wanted.items() if share}


def test_certain_pairs_share_everything() -> None:
    assert answer("1", pairwise=True) == MethodAnswer(shares(1))
    assert answer("1", "0.999", "1", pairwise=True) == MethodAnswer(
        shares("1/2", 0, "1/2")
    )
    near = answer(
        *["0.9999999"] * 2, "0.999", pairwise=True
    )  # the limit, as both go to 1 alike
    assert near is not None
    assert all(abs(near.masses[(k,)] - F(1, 2)) < F(1, 1000) for k in (0, 1))


@pytest.mark.parametrize(
    ("numbers", "how", "wanted"),
    [
        (("1/2",), {"pairwise": True}, MethodAnswer(shares("1/2"), F(1, 2))),
        (
            ("1/2", "1/2"),
            {"pairwise": True},
            MethodAnswer(shares("1/3", "1/3"), F(1, 3)),
        ),
        (("0",), {"pairwise": True}, MethodAnswer({}, F(1))),
        (
            ("1/2", "3/4"),
            {"pairwise": True, "match_threshold": F(3, 4)},
            MethodAnswer(shares(0, "3/4"), F(1, 4)),
        ),
        (
            ("1/2",),
            {"pairwise": True, "match_threshold": F(3, 4)},
            MethodAnswer({}, F(1)),
        ),
        (("3", "1"), {"normalize": True}, MethodAnswer(shares("3/4", "1/4"))),
        (
            ("3", "1"),
            {"normalize": True, "match_threshold": F(2)},
            MethodAnswer(shares(1)),
        ),
        (
            ("3", "1"),
            {"normalize": True, "match_threshold": F(4)},
            MethodAnswer({}, F(1)),
        ),
        (("0",), {"normalize": True, "match_threshold": F(4)}, MethodAnswer({}, F(1))),
        (("0",), {"normalize": True}, None),
        (("0",), {"normalize": True, "match_threshold": F(0)}, None),
        (
            ("2/3", "1/3"),
            {"match_threshold": F(1, 2)},
            MethodAnswer(shares("2/3"), F(1, 3)),
        ),
        (("2/3", "1/2"), {"match_threshold": F(2, 3)}, None),
        (("1/2",), {}, None),
    ],
)
def test_readings(
    numbers: tuple[str, ...], how: dict[str, Any], wanted: MethodAnswer | None
) -> None:
    assert answer(*numbers, **how) == wanted


def test_a_record_without_a_link_is_no_match() -> None:
    found = links(
        ("1", "1", "0.9"), ("2", "1", "0.4"), pairwise=True, match_threshold=F(1, 2)
    )
    assert (found.said, found.rest) == (
        {0: (((0,), F(9, 10)),), 1: ()},
        {0: F(1, 10), 1: F(1)},
    )
    assert (found.unmatched, found.pairs[1]) == (1, {0: F(2, 5)})


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ((True, True, None), "or match probabilities of pairs, not both"),
        ((False, True, "often"), "is a probability from 0 to 1, not often"),
        ((False, False, F(3, 2)), "is a probability from 0 to 1, not 3/2"),
        ((False, False, -1), "is a probability from 0 to 1, not -1"),
    ],
)
def test_readings_that_contradict_themselves(
    how: tuple[bool, bool, Any], problem: str
) -> None:
    with pytest.raises(InputError) as error:
        reading(*how)
    assert problem in str(error.value)
    assert reading(True, False, "3/2").match_threshold == F(3, 2)  # of scores


def test_numbers_that_are_no_match_probabilities() -> None:
    with pytest.raises(
        InputError,
        match=r"1\.5 is no match probability of a pair\n.*--normalize is for scores",
    ):
        links(("1", "1", "1.5"), pairwise=True)
    with pytest.raises(
        InputError, match="the masses of sets are no match probabilities"
    ):
        read_links(
            pd.DataFrame({"record": ["1"], "set": ["{1 2}"]}),
            *NAMES,
            how=LinkReading(pairwise=True),
        )
    with pytest.raises(
        InputError, match="--pairwise takes each number as the probability"
    ):
        links(("1", "1", "0.9"))
    with pytest.raises(InputError, match=r"sum to about 1E-9 more than 1, not to 1"):
        links(("1", "1", "1"), ("1", "2", "0.000000001"))


# --- soundness of what is left open
# ----------------------------------------------------------------------


def open_by_subsets(
    masses: Mapping[int, Fraction], truth: Mapping[int, Fraction], n: int
) -> bool:
    """Some belief function compatible with the truth has a pignistic distribution with
    these masses at least.
    """
    every = [c for size in range(1, n + 1) for c in combinations(range(n), size)]
    flow = {(b, x): f"f_{'_'.join(map(str, b))}_to_{x}" for b in every for x in b}
    lines = [
        f"(declare-const {name} Real)(assert (>= {name} 0.0))" for name in flow.values()
    ]
    for x in range(n):
        taken = " ".join(name for (_, y), name in flow.items() if y == x)
        spread = " ".join(
            f"(* (/ 1.0 {len(b)}.0) {name})" for (b, _), name in flow.items() if x in b
        )
        for relation, terms, share in (
            ("=", taken, truth.get(x, F(0))),
            (">=", spread, masses.get(x, F(0))),
        ):
            lines.append(
                f"(assert ({relation} (+ 0.0 {terms}) (/ {share.numerator}.0"
                f" {share.denominator}.0)))"
            )
    return solve("\n".join(lines)).status == "sat"


@quick(100)
@example(
    {1: F(5, 7), 2: F(2, 7)}, {0: F(1, 2), 2: F(1, 2)}, F(3, 10)
)  # only a program finds where the rest belongs
@given(
    random_shares(4),
    random_shares(4),
    st.fractions(F(1, 20), F(19, 20), max_denominator=20),
)
def test_what_is_left_open_by_all_belief_functions(
    given_: dict[int, Fraction], truth: dict[int, Fraction], rest: Fraction
) -> None:
    masses = {x: share * (1 - rest) for x, share in given_.items() if share}
    true = {x: share for x, share in truth.items() if share}
    found = sound_with_rest(masses, true)
    assert isinstance(found, Plan) == open_by_subsets(masses, true, 4)
    if isinstance(found, Farkas):
        assert check_farkas(found, masses, true)
        assert min(found.prices.values()) >= 0
    judged = judge(open_links(masses, rest), lambda record: true, [None])
    assert (judged.verdict == "sound") == isinstance(found, Plan)


def open_links(masses: Mapping[int, Fraction], rest: Fraction) -> Links:
    return Links(
        "test",
        {0: tuple(((x,), share) for x, share in masses.items())},
        False,
        rest={0: rest},
    )


def test_a_rejected_link_is_no_claim() -> None:
    """A false pair with 3.6e-5, the only one of its record: nearly everything is on
    none of them.
    """
    lines = ("1", "2", "3.6e-5"), ("1", "3", "1e-6")
    loud = judge(links(*lines, normalize=True), certain([0]), [0])
    assert isinstance(loud.unsound[0].witness, Outweighed)
    assert loud.unsound[0].witness.given_other > F(9, 10)
    quiet = judge(links(*lines, pairwise=True), certain([0]), [0])
    assert quiet.verdict == "sound"
    assert quiet.correct == quiet.first == 0


@pytest.mark.parametrize(
    ("false", "true", "sound"),
    [
        ("0.5", "0", True),
        ("0.51", "0", False),
        ("0.8", "3/4", True),
        ("0.9", "0.8", False),
        ("1", "0.99", False),
        ("1", "1", True),
    ],
)
def test_a_false_link_counts_where_it_outweighs_the_true_one_and_none(
    false: str, true: str, sound: bool
) -> None:
    found = judge(
        links(("1", "2", false), ("1", "1", true), pairwise=True), certain([0]), [0]
    )
    assert (found.verdict == "sound") == sound
    odds = [F(p) / (1 - F(p)) for p in (false, true) if F(p) < 1]
    if len(odds) == 2:
        assert sound == (odds[0] <= 1 + odds[1])


def test_prices_of_what_is_left_open() -> None:
    """The truth is even over two records, and a third has 7/10: with at most 3/10 for
    the two, none can be sound.
    """
    found = judge(
        open_links({2: F(7, 10)}, F(3, 10)), lambda record: uniform(0, 1), [None]
    )
    witness = found.unsound[0].witness
    assert isinstance(witness, Overpriced)
    assert witness.claimed > witness.most
    assert (
        judge(
            open_links({2: F(1, 2)}, F(1, 2)), lambda record: uniform(0, 1), [None]
        ).verdict
        == "sound"
    )
    assert (
        judge(open_links({}, F(1)), lambda record: uniform(0, 1), [None]).verdict
        == "sound"
    )


# --- figures of links
# ------------------------------------------------------------------------------------

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


@quick(150)
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


# --- as a user meets it
# ----------------------------------------------------------------------------------

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
        "pairwise",
        "match_threshold",
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
