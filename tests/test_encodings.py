"""The files under encodings/ are what the code writes, and two solvers find the status
that each states.
"""

from __future__ import annotations

import importlib.util
import itertools
import re
from fractions import Fraction
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.encodings_cases import BELIEF, FOLDER, loaded
from support.so_many import so_many

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.document import document
from phverify.constraints.second import second_all
from phverify.constraints.smtlib import script
from phverify.constraints.solver import solve

SECONDS = 20.0


PAGES = [
    "release-models",
    "schemas",
    "likelihoods",
    "criteria",
    "merge-closure",
    "minimal-generalization",
    "certificates",
    "belief-compatibility",
    "audit",
]


LEMMAS = ["number-of-values", "recoding-by-tuples"]
"""Pages with a proof alone: ``tests/test_compare_values.py`` holds it against brute
force.
"""


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "generate_encodings", FOLDER / "generate.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def texts() -> dict[str, str]:
    """The files by their names: to write them takes a second."""
    written: dict[str, str] = generator().texts()
    return written


@cache
def queries() -> dict[str, str]:
    return {name: text for name, text in texts().items() if name.endswith(".smt2")}


def stated(text: str) -> str:
    (found,) = re.findall(r"^\(set-info :status (\w+)\)$", text, re.MULTILINE)
    return str(found)


def wrong(texts: dict[str, str]) -> list[str]:
    """The files whose stated status one of the solvers does not find."""
    seconds = second_all(list(texts.values()), SECONDS, strict=True)
    found = []
    for (name, text), other in zip(texts.items(), seconds, strict=True):
        first = solve(text, Deadline(SECONDS))
        if not first.status == other.status == stated(text):
            found.append(f"{name} states {stated(text)}; Z3: {first}; cvc5: {other}")
    return found


def test_files_are_fresh() -> None:
    for name, text in texts().items():
        path = FOLDER / name
        assert path.is_file() and path.read_text(encoding="utf-8") == text, (
            f"{name}: run make encodings"
        )


def test_nothing_is_left_over() -> None:
    found = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.smt2")}
    assert {name for name in found if not name.startswith("theorems/")} == set(
        queries()
    )
    assert {path.stem for path in FOLDER.glob("*.md")} == {
        *PAGES,
        *LEMMAS,
        "README",
        "FILES",
    }


def test_there_are_enough_and_all_are_small() -> None:
    assert len(queries()) >= 60
    assert all(len(text) < 32_000 for text in queries().values())
    assert {name.partition("/")[0] for name in queries()} == set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_two_solvers_find_the_stated_status(page: str) -> None:
    assert not wrong(
        {name: text for name, text in queries().items() if name.startswith(f"{page}/")}
    )


def test_a_wrong_status_is_noticed() -> None:
    """Half of the files, each with the opposite status."""
    chosen = dict(itertools.islice(queries().items(), 0, None, 2))
    swapped = {
        n: t.replace(f":status {stated(t)}", f":status {opposite(stated(t))}")
        for n, t in chosen.items()
    }
    assert len(wrong(swapped)) == len(chosen)


def opposite(status: str) -> str:
    return {"sat": "unsat", "unsat": "sat"}[status]


def test_the_header_says_what_is_asked() -> None:
    for name, text in queries().items():
        check_header(name, text)


def check_header(name: str, text: str) -> None:
    lines = text.splitlines()
    header = list(itertools.takewhile(lambda line: line.startswith(";"), lines))
    assert "?" in header[0], name
    assert any(f"{stated(text)}: " in line for line in header), (
        "the header says what its status means"
    )
    assert any(
        "unknowns" in line or " = 1: " in line or "_x" in line or "constant" in line
        for line in header
    )
    assert lines[len(header)] == "(set-info :smt-lib-version 2.6)"
    assert sum(line.startswith("(set-logic ") for line in lines) == 1
    assert lines[-1] == "(check-sat)"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_its_theorem_and_names_its_files(page: str) -> None:
    text = (FOLDER / f"{page}.md").read_text(encoding="utf-8")
    assert "**Theorem" in text and "iff" in text and "*Proof" in text
    for folder, stem in re.findall(r"\]\(([\w-]+)/([\w.-]+)\.smt2\)", text):
        assert f"{folder}/{stem}.smt2" in queries(), f"{page}.md points to {stem}"
    assert f"({page}/" in text
    assert f"({page}.md)" in (FOLDER / "README.md").read_text(encoding="utf-8")


def fits(n: int, masses: Any, truth: Any) -> bool:
    """Definition 7 word for word: P(C) >= Bel(C) for every set C."""
    every = [
        frozenset(c)
        for k in range(n + 1)
        for c in itertools.combinations(range(1, n + 1), k)
    ]
    believed = {
        c: sum((m for b, m in masses.items() if b <= c), Fraction(0)) for c in every
    }
    return all(
        sum((truth.get(x, Fraction(0)) for x in c), Fraction(0)) >= believed[c]
        for c in every
    )


@pytest.mark.parametrize("belief", BELIEF.BELIEFS, ids=lambda b: b.name)
def test_beliefs_by_all_sets(belief: Any) -> None:
    assert sum(belief.masses.values()) == 1 == sum(belief.truth.values())
    assert fits(belief.n, belief.masses, belief.truth) == belief.compatible


SUBSETS = [
    frozenset(c) for k in (1, 2, 3, 4) for c in itertools.combinations((1, 2, 3, 4), k)
]


def shares(keys: list[Any]) -> st.SearchStrategy[dict[Any, Fraction]]:
    """Shares of at most three keys that add up to 1."""
    weights = st.dictionaries(
        st.sampled_from(keys), st.integers(1, 4), min_size=1, max_size=3
    )
    return weights.map(
        lambda w: {key: Fraction(k, sum(w.values())) for key, k in w.items()}
    )


@so_many(40)
@given(shares(SUBSETS), shares([1, 2, 3, 4]))
def test_the_transport_and_the_cut_are_definition_7(masses: Any, truth: Any) -> None:
    belief = BELIEF.Belief("any", 4, masses, truth, fits(4, masses, truth), "")
    for file in BELIEF.definition_7(belief):
        assert solve(file.content).status == file.status, file.path


@so_many(30)
@given(shares([1, 2, 3, 4]), shares([1, 2, 3, 4]))
def test_the_matrix_is_definition_14(guess: Any, truth: Any) -> None:
    pair = BELIEF.Pair("any", 4, guess, truth, True, "")
    assert (
        solve(BELIEF.definition_14(pair).text).status
        == solve(BELIEF.directly(pair).text).status
    )


WITNESSES = {
    # the belief function behind a guess: its masses, and who receives them when it is
    # the true record
    "example_15": (4, {(1, 2, 3): {1: "1/2", 2: "1/2"}}),
    "proposition_19_guess": (
        4,
        {(1, 2): {2: "1/3"}, (1, 3): {3: "1/3"}, (1, 4): {4: "1/3"}},
    ),
    "example_23_guess": (
        8,
        {
            (1, 2): {1: "2/13", 2: "2/13"},
            (1, 2, 3, 4, 5): {1: "5/26", 2: "5/26"},
            (1, 2, 3, 4, 5, 6, 7, 8): {1: "2/13", 2: "2/13"},
        },
    ),
}


DUALS = {
    # u of rows, v of columns, w of (row, column): see test_guesses_by_hand
    "proposition_16": ({1: 1}, {1: -4}, {(1, y): 1 for y in (2, 3, 4)}),
    "more_than_half": (
        {1: -2, 2: -1, 3: -1, 4: -1},
        {1: 2},
        {(x, 1): 1 for x in (2, 3, 4)},
    ),
    "example_23_printed": (
        dict.fromkeys(range(1, 9), 1),
        dict.fromkeys(range(1, 9), -1),
        {},
    ),
}


@pytest.mark.parametrize("pair", BELIEF.PAIRS, ids=lambda p: p.name)
def test_guesses_by_hand(pair: Any) -> None:
    """A compatible guess has a belief function behind it; any other is refuted by
    weights, added up here.

    With w >= 0, sum F(x,y) (u(x) + v(y)) + sum w(x,y) (F(x,x) - F(x,y)) is u P + v P'
    or more; if every F(x,y) has a coefficient <= 0 in it, and u P + v P' > 0, then
    there is no F.
    """
    assert pair.compatible == (pair.name in WITNESSES)
    if pair.compatible:
        n, given = WITNESSES[pair.name]
        masses = {
            frozenset(b): sum(map(Fraction, to.values())) for b, to in given.items()
        }
        assert all(set(to) <= set(b) for b, to in given.items())
        got = {
            x: sum((Fraction(to.get(x, 0)) for to in given.values()), Fraction(0))
            for x in range(1, n + 1)
        }
        assert {x: p for x, p in got.items() if p} == pair.truth
        assert all(
            BELIEF.pignistic(n, masses)[y] == pair.guess.get(y, 0)
            for y in range(1, n + 1)
        )
        return
    u, v, w = DUALS[pair.name]
    for x, y in itertools.product(range(1, pair.n + 1), repeat=2):
        own = (
            sum(w.get((x, z), 0) for z in range(1, pair.n + 1))
            if x == y
            else -w.get((x, y), 0)
        )
        assert u.get(x, 0) + v.get(y, 0) + own <= 0
    total = sum(u.get(x, 0) * p for x, p in pair.truth.items()) + sum(
        v.get(y, 0) * p for y, p in pair.guess.items()
    )
    assert total > 0


AUDIT: Any = loaded("pages.audit")


TENS = np.arange(0, 51) * 10


SMALL_LOGS = [log for log in AUDIT.LOGS if len(log.people) == 4]


FACTS: dict[str, list[Any]] = {
    # the answers, and last the secret, as functions of the four values
    "extremes": [
        lambda a, b, c, d: max(a, b) == 7,
        lambda a, b, c, d: max(a, c) == 5,
        lambda a, b, c, d: b == 7,
    ],
    "bounds": [lambda a, b, c, d: a + b + c == 3, lambda a, b, c, d: a == 1],
    "groups": [
        lambda a, b, c, d: [a, b, c, d].count(1) == 2,
        lambda a, b, c, d: [a, b, c, d].count(0) == 0,
        lambda a, b, c, d: a + b == 2,
        lambda a, b, c, d: c == 2,
    ],
    "average": [
        lambda a, b, c, d: (
            Fraction(865, 100) <= Fraction(a + b + c, 3) <= Fraction(875, 100)
        ),
        lambda a, b, c, d: min(b, c) == 8,
        lambda a, b, c, d: a == 9,
    ],
    "impossible": [
        lambda a, b, c, d: a == 4,
        lambda a, b, c, d: max(a, b, c, d) == 3,
        lambda a, b, c, d: b == 3,
    ],
}


@pytest.mark.parametrize("log", SMALL_LOGS, ids=lambda log: log.name)
def test_logs_by_all_worlds(log: Any) -> None:
    *answers, secret = FACTS[log.name]
    assert len(answers) == len(log.answers)
    worlds = list(itertools.product(range(log.low, log.high + 1), repeat=4))
    for number, answer in enumerate(answers, start=1):
        worlds = [world for world in worlds if answer(*world)]
        free = any(not secret(*world) for world in worlds)
        assert stated(queries()[f"audit/{log.name}.{number}.smt2"]) == (
            "sat" if free else "unsat"
        )
        assert (log.disclosed is not None and number >= log.disclosed) == (
            bool(worlds) and not free
        )
    assert (
        log.consistent
        == bool(worlds)
        == (stated(queries()[f"audit/{log.name}.possible.smt2"]) == "sat")
    )


def test_the_bank_by_all_worlds_in_tens() -> None:
    """Balances in steps of 10 up to 500 hold the worlds that matter; what is disclosed
    follows by subtraction.
    """
    others = sum(np.meshgrid(*[TENS] * 4, indexing="ij"))
    jean = 1580 - others
    possible = (jean >= 0) & (jean <= 500)
    assert stated(queries()["audit/bank.1.smt2"]) == (
        "sat" if (possible & (jean < 420)).any() else "unsat"
    )
    assert 1580 - 1160 == 420 and stated(queries()["audit/bank.2.smt2"]) == "unsat"
    assert (
        stated(queries()["audit/bank_minimum.1.smt2"])
        == "sat"
        == stated(queries()["audit/bank_minimum.possible.smt2"])
    )
    assert stated(queries()["audit/bank_minimum.2.smt2"]) == "unsat"
    grid = np.meshgrid(*[TENS] * 4, indexing="ij")
    top = np.maximum(np.maximum.reduce(grid), jean)
    assert (possible & (top == 420) & (jean < 420)).any() and stated(
        queries()["audit/bank_safe.2.smt2"]
    ) == "sat"


def test_the_census_block_is_the_only_one() -> None:
    """All ages that fit the counts, sums and medians of the groups, without a solver.

    7 people, 4 women, 4 black, 3 black women: one white woman, one black man, two white
    men.  A mean of m tenths and whole ages fix the sums: 266, 134, 132, 194, 72, 216
    and 110.
    """
    census = loaded("pages.census")
    black_man, white_woman = 194 - 110, 134 - 110
    found = []
    for a, c in itertools.combinations_with_replacement(range(126), 2):  # the white men
        if a + c != 132 - black_man or a + c + white_woman != 72:
            continue
        for women in itertools.combinations_with_replacement(range(126), 3):
            if sum(women) != 110:
                continue
            people = [
                *((w, "F", "B") for w in women),
                (white_woman, "F", "W"),
                (black_man, "M", "B"),
            ]
            people += [(a, "M", "W"), (c, "M", "W")]
            if medians(people):
                found += [
                    sorted(zip(people, married, strict=True))
                    for married in marriages(people)
                ]
    shown = [
        [(age, sex, race, "M" if wed else "S") for (age, sex, race), wed in one]
        for one in found
    ]
    assert shown == [census.SOLUTION]


def medians(people: list[tuple[int, str, str]]) -> bool:
    groups = {
        30: [
            people,
            [p for p in people if p[1] == "F"],
            [p for p in people if p[1] == "M"],
        ],
        51: [[p for p in people if p[2] == "B"]],
        24: [[p for p in people if p[2] == "W"]],
        36: [[p for p in people if p[1:] == ("F", "B")]],
    }
    return all(
        np.median([p[0] for p in group]) == m
        for m, some in groups.items()
        for group in some
    )


def marriages(people: list[tuple[int, str, str]]) -> list[tuple[bool, ...]]:
    found = []
    for married in itertools.product((False, True), repeat=len(people)):
        ages = [p[0] for p, wed in zip(people, married, strict=True) if wed]
        if (
            len(ages) == 4
            and min(ages) >= 15
            and sum(ages) == 216
            and np.median(ages) == 51
        ):
            found.append(married)
    return found


SEARCHES: Any = loaded("pages.minimal_generalization")


@pytest.mark.parametrize("question", SEARCHES.QUESTIONS, ids=lambda q: q.name)
def test_searches_by_all_candidates(question: Any) -> None:
    """The stated cost is that of the cheapest candidate that satisfies the policy, each
    of them counted.
    """
    hunt = SEARCHES.hunted(question)
    fits = [c for c in hunt.master.left if hunt.refuter.examine(c).status == "fits"]
    assert str(hunt.fraction(min(map(hunt.total, fits)))) == question.cost


SINGLE = (
    "; a comment\n(set-info :status unknown)\n(declare-const y Bool)\n(assert"
    " y)\n(check-sat)\n"
)


def test_a_document_is_strict() -> None:
    """Whatever the values in a comment; the printer writes no abs, which the logic
    lacks.
    """
    shown = document(SINGLE, ["two\nlines\r(assert false)", "  indented"], "sat")
    assert (
        "; two lines (assert false)\n;   indented\n(set-info" in shown
        and "(assert y)" in shown
    )
    x = t.number("x", "Int", low=None)
    distance = t.magnitude(x + 3) + t.magnitude(x)
    three, four = (
        document(script([t.compare(distance, "<", bound)]), ["?"], "unknown")
        for bound in (3, 4)
    )
    assert [
        a.status for a in second_all([shown, three, four], SECONDS, strict=True)
    ] == ["sat", "unsat", "sat"]
    assert (solve(three).status, solve(four).status) == ("unsat", "sat")
