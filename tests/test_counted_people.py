"""Twenty people who share the rows of a class, and a tie of entropies among a million
rows: counted, not tried out.
"""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bridge import plain, told
from support.oracle import Row, valid
from support.so_many import so_many
from support.strategies import AGENTS, tables
from test_agreement import ask, looked_up, signature

import phverify as ph
from phverify.cli.main import main
from phverify.constraints.agree import smtlib
from phverify.constraints.solver import solve
from phverify.spec import parities, system
from phverify.spec import syntax as s
from phverify.spec.command import main as plain_check
from phverify.spec.criteria import entropy_l_diversity as entropy
from phverify.spec.models import Table
from phverify.spec.proofs import examined
from phverify.symbolic.release import SymbolicRelease
from phverify.verification.decision import Decision
from phverify.verification.rule import Decider

PEOPLE = range(1, 21)
KINDS = "(" + " | ".join(f"@i1 g = {kind}" for kind in "012") + ")"
"""What tells three kinds of rows apart, so that a value is that of several kinds."""


def shared_class(many: int) -> pd.DataFrame:
    """Twenty rows of one class, so many of which have f = v, and a class beside it."""
    rows: list[dict[str, Any]] = [
        {"a": "2", "b": "1", "f": "v", "g": "0"} for _ in range(12)
    ]
    for number in range(20):
        value = "v" if number < many else "w"
        rows.insert(number, {"a": "1", "b": "1", "f": value, "g": str(number % 3)})
    return pd.DataFrame(rows)


def parity() -> str:
    """An odd number of the twenty has f = v."""
    text = "@i1 f = v"
    for person in PEOPLE[1:]:
        text = f"!({text} <-> @i{person} f = v)"
    return text


def counting_rule(many: int) -> str:
    anyone = " | ".join(f"i{person}" for person in PEOPLE)
    return f"@i1 l_a1(({anyone}) & f = v) = {many}/20"


def verdict(frame: pd.DataFrame, text: str) -> str:
    """The verdict on a rule that is one question."""
    columns = {"quasi": ["a", "b"], "sensitive": ["f", "g"]}
    asked = {"columns": columns, "rules": {"rule": f"!!({text} & {KINDS})"}}
    return ph.verify(frame, ph.Policy.from_dict(asked)).verdict


@pytest.mark.parametrize("many", [9, 10])
def test_parity_of_twenty_people(many: int) -> None:
    odd, even = parity(), f"!{parity()}"
    right, wrong = (odd, even) if many % 2 else (even, odd)
    assert verdict(shared_class(many), right) == "proved"
    assert verdict(shared_class(many), wrong) == "refuted"


def test_exact_counts_of_twenty_people() -> None:
    assert verdict(shared_class(10), counting_rule(10)) == "proved"
    assert verdict(shared_class(10), counting_rule(9)) == "refuted"


CERTIFIED = [(10, counting_rule(10)), (9, parity()), (10, f"!{parity()}")]


@pytest.mark.parametrize(("many", "text"), CERTIFIED)
def test_they_have_a_certificate(many: int, text: str, tmp_path: Path) -> None:
    release, proof = tmp_path / "release.csv", tmp_path / "proof.json"
    shared_class(many).to_csv(release, index=False)
    rules = tmp_path / "policy.toml"
    head = '[columns]\nquasi = ["a", "b"]\nsensitive = ["f", "g"]\n[rules]\n'
    rule = f'rule = "!!({text} & {KINDS})"\n'
    rules.write_text(head + rule, encoding="utf-8")
    inputs = [str(release), "--policy", str(rules)]
    assert main(["verify", *inputs, "--certificate", str(proof)]) == 0
    # The plain checker asks no solver.
    files = ["--policy", str(rules), "--release", str(release)]
    assert plain_check([str(proof), *files]) == 0


def solvable(formula: s.Formula, release: SymbolicRelease) -> bool:
    """Whether a system of the checker's has a solution, as a solver says."""
    data = plain(release)
    for case in examined(told(formula, data), (), Table(data)):
        if case is not None and solve(smtlib(case.system)).status == "sat":
            return True
    return False


@st.composite
def chains(draw: st.DrawFn) -> tuple[list[Row], str]:
    """A chain of exclusive ors about people and rows, in some order of brackets."""
    rows = draw(tables(4))
    value = st.sampled_from(sorted({f"f = '{row['f']}'" for row in rows if row["f"]}))
    person = st.integers(1, len(rows))
    places = st.builds(lambda k: f"@i{k} ", person) | st.just("")
    negation = st.sampled_from(["", "!"])
    known = draw(value) if any(row["f"] for row in rows) else "true"
    link = st.builds(lambda no, at: f"({no}{at}({known}))", negation, places)
    parts = draw(st.lists(link, min_size=2, max_size=6))
    while len(parts) > 1:
        k = draw(st.integers(0, len(parts) - 2))
        sign = draw(negation)
        parts[k : k + 2] = [f"{sign}({parts[k]} <-> {parts[k + 1]})"]
    return rows, parts[0]


@so_many(75)
@given(chains())
def test_chains_agree_with_all_models(asked: tuple[list[Row], str]) -> None:
    rows, text = asked
    expected = valid(rows, AGENTS, signature(rows), looked_up(text, rows))
    decide = Decider.decide

    def judged(self: Decider, formula: s.Formula) -> Decision:
        decision = decide(self, formula)
        assert solvable(formula, self.release) == (decision.status == "refuted")
        return decision

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parities, "LONG_PARITY", 2)
        patched.setattr(system, "CHAINED", 0)
        patched.setattr(Decider, "decide", judged)
        report = ask(rows, text, "quotient")
    assert report.verdict == ("proved" if expected else "refuted")


@st.composite
def sums(draw: st.DrawFn) -> tuple[list[Row], str]:
    """How many of some people have a value, where several kinds of rows have it."""
    rows = draw(tables(4))
    people = draw(st.sets(st.integers(1, len(rows)), min_size=1))
    anyone = " | ".join(f"i{person}" for person in sorted(people))
    body = draw(st.sampled_from(["true", "g > 0", "g < 1 | g > 2", "!(g = 1)"]))
    op = draw(st.sampled_from(["=", "<", ">=", "!="]))
    bound = draw(st.sampled_from(["0", "1/4", "1/3", "1/2", "2/3", "1"]))
    told_apart = draw(st.sampled_from(["g = 0", "g = 1", "g <= 2", "i1"]))
    sign = draw(st.sampled_from(["", "!"]))
    return (
        rows,
        f"l_a1({sign}(({anyone}) & ({body}))) {op} {bound} | @i1 ({told_apart})",
    )


@so_many(75)
@given(sums())
def test_sums_over_people_agree_with_all_models(asked: tuple[list[Row], str]) -> None:
    rows, text = asked
    expected = valid(rows, AGENTS, signature(rows), looked_up(text, rows))
    assert ask(rows, text, "quotient").verdict == ("proved" if expected else "refuted")


# --- a tie of entropies


@so_many(150)
@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=6).filter(any),
    st.fractions(1, 6, max_denominator=4),
)
def test_entropy_is_that_of_integer_powers(counts: list[int], least: Fraction) -> None:
    """A class of few rows, decided as one of many."""
    n = sum(counts)
    product = math.prod(k**k for k in counts)
    expected = (least.denominator * n) ** n >= least.numerator**n * product
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(entropy, "FEW", 0)
        criterion = entropy.EntropyDiversity("f", least)
        assert criterion.rich(tuple(counts)) == expected


def test_a_tie_among_a_million_rows() -> None:
    criterion = entropy.EntropyDiversity("f", Fraction(4))
    assert criterion.rich((250_000,) * 4)
    assert not criterion.rich((250_001, 249_999, 250_000, 250_000))
    assert criterion.rich((250_000,) * 4 + (1,))


def test_the_rest_of_an_exact_count() -> None:
    anyone = " | ".join(f"i{person}" for person in PEOPLE)
    rest = f"@i1 l_a1(!(({anyone}) & f = v))"
    assert verdict(shared_class(8), f"{rest} = 12/20") == "proved"
    assert verdict(shared_class(8), f"{rest} = 13/20") == "refuted"
