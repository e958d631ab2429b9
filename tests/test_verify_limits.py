"""What must not cost a verdict: agents that no rule asks, and one rule that is hard."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stopping import counted

import phverify as ph
from phverify.budget import Deadline
from phverify.cli.main import main
from phverify.constraints.solver import solve
from phverify.policy.bound_formulas import Rule
from phverify.spec.encoder import Place
from phverify.spec.parser import parse
from phverify.spec.source import Refused
from phverify.spec.universe import Cell, Group, Universe
from phverify.verification.result import RuleResult
from phverify.verification.turns import decided_by_counting, in_turns

HEAD = '[columns]\nquasi = ["a", "b"]\nsensitive = ["f", "g"]\n'
AGENT = '[agents]\nhospital = ["a"]\n'
LINKED = "forall i, j: (@i f = u & @j f = v) -> @i (l_a1(f = u) > 0)"


# --- agents that no rule asks


def released(folder: Path) -> Path:
    """Forty classes of two rows with the same values: one group."""
    lines = ["a,b,f,g"]
    for number in range(40):
        for value in "uv":
            lines.append(f"{number % 8},{number // 8},{value},x")
    path = folder / "release.csv"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def policy(folder: Path, rule: str, agents: str = "") -> Path:
    path = folder / f"policy{len(agents)}.toml"
    rules = f"[rules]\nrule = {rule!r}\n".replace("'", '"')
    path.write_text(HEAD + agents + rules, encoding="utf-8")
    return path


def question(release: Path, policy: Path) -> str:
    (result,) = ph.verify(release, policy, keep=True).rules
    assert result.verdict == "proved"
    (query,) = result.kept
    return query.text


def test_an_agent_that_no_rule_asks_changes_no_question(tmp_path: Path) -> None:
    release = released(tmp_path)
    without = question(release, policy(tmp_path, LINKED))
    assert question(release, policy(tmp_path, LINKED, AGENT)) == without


def test_an_agent_that_a_rule_asks_tells_classes_apart(tmp_path: Path) -> None:
    release = released(tmp_path)
    asked = "i1 & f = u -> l_hospital(i1 & f = u) <= 1/2"
    report = ph.verify(release, policy(tmp_path, asked, AGENT), keep=True)
    assert report.verdict == "proved"
    # One class in eight agrees with i1's on a: ten rows are in hospital's cell.
    exact = "i1 & f = u -> l_hospital(i1 & f = u) = 1/10"
    assert ph.verify(release, policy(tmp_path, exact, AGENT)).verdict == "proved"
    alone = "i1 & f = u -> l_hospital(i1 & f = u) = 1/2"
    assert ph.verify(release, policy(tmp_path, alone, AGENT)).verdict == "refuted"


def test_the_checker_accepts_a_policy_with_such_an_agent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release, rules = released(tmp_path), policy(tmp_path, LINKED, AGENT)
    proof = tmp_path / "proof.json"
    inputs = [str(release), "--policy", str(rules)]
    assert main(["verify", *inputs, "--certificate", str(proof)]) == 0
    capsys.readouterr()
    assert ph.check(proof, policy=rules, release=release).accepted


def test_the_cell_of_an_agent_that_was_left_out_is_refused() -> None:
    cells = (Cell(2, (1,)),)
    universe = Universe((Group(cells, {}, (0,)),), (), frozenset({"a1"}))
    assert universe.around("a1", Place(0, 0).group) == [(0, 1)]
    with pytest.raises(Refused, match="no agent of the question"):
        universe.around("hospital", 0)


# --- a share of the time for each rule


def rule(name: str, text: str) -> Rule:
    formula = parse(text)
    return Rule(name, formula, formula)


HARD = rule("hard", "@i1 f = u | @i2 f = u")
LONGER = rule("longer", "@i1 f = v | @i2 f = v")
SIMPLE = rule("simple", "forall i: @i l_a1(f = u) < 1")
SHORT = [rule(name, "@i1 f = w | @i2 f = w") for name in ("one", "other")]
NEEDED = {"hard": 10**9, "longer": 60, "simple": 1, "one": 1, "other": 1}
"""Looks at the clock that a rule needs."""


class Deciding:
    """Rules that take so many looks at the clock; ``stops`` is where Ctrl-C comes."""

    def __init__(self, stops: str = "") -> None:
        self.turns: list[str] = []
        self.stops = stops

    def __call__(self, rule: Rule, share: Deadline) -> RuleResult:
        self.turns.append(rule.name)
        if rule.name == self.stops:
            raise KeyboardInterrupt
        for _ in range(NEEDED[rule.name]):
            if share.over:
                return RuleResult(rule.name, "", "undecided", 0.0, reason="time")
        return RuleResult(rule.name, "", "proved", 0.0)


def test_a_hard_rule_leaves_time_for_the_others() -> None:
    decide = Deciding()
    results: dict[str, RuleResult] = {}
    with counted():
        in_turns([HARD, LONGER, SIMPLE], Deadline(300.0), decide, results)
    verdicts = {name: result.verdict for name, result in results.items()}
    assert verdicts == {"simple": "proved", "longer": "proved", "hard": "undecided"}
    assert decide.turns[0] == "simple"


def test_what_others_do_not_use_goes_to_the_rule_that_needs_it() -> None:
    """A third of the time is too short for ``longer``, what is left then is enough."""
    decide = Deciding()
    results: dict[str, RuleResult] = {}
    with counted():
        in_turns([LONGER, SIMPLE, *SHORT], Deadline(150.0), decide, results)
    assert {result.verdict for result in results.values()} == {"proved"}
    assert decide.turns == ["simple", "longer", "one", "other", "longer"]


def test_without_a_budget_each_rule_has_one_turn() -> None:
    decide = Deciding()
    results: dict[str, RuleResult] = {}
    in_turns([LONGER, SIMPLE], Deadline(), decide, results)
    assert decide.turns == ["simple", "longer"]


def test_ctrl_c_keeps_what_is_final() -> None:
    results: dict[str, RuleResult] = {}
    with pytest.raises(KeyboardInterrupt):
        in_turns([HARD, SIMPLE], Deadline(), Deciding("hard"), results)
    assert set(results) == {"simple"}


@pytest.mark.parametrize(
    ("text", "counting"),
    [
        ("forall i: @i l_a1(f = u) < 1", True),
        ("f = u | g = x", True),
        ("f = u & (forall v in f: l_a1(f = v) < 1)", True),
        ("k_anonymity(2)", True),
        ("f = u & @i1 f = u", True),
        ("f = u & (i1 | g = x)", False),
        ("@i1 f = u | @i2 f = u", False),
        ("forall i: @i (i1 | f = u)", False),
        ("never_known(@i1 f = u)", False),
    ],
)
def test_rules_that_counting_decides(text: str, counting: bool) -> None:
    assert decided_by_counting(parse(text)) == counting


def test_results_are_in_the_order_of_the_policy(tmp_path: Path) -> None:
    release = released(tmp_path)
    rules = HEAD + '[rules]\nhard = "i1 | !i1"\nlast = "k_anonymity(2)"\n'
    path = tmp_path / "order.toml"
    path.write_text(rules, encoding="utf-8")
    report = ph.verify(release, path)
    assert [result.name for result in report.rules] == ["hard", "last"]


# --- the reason of a solver


def test_a_solver_whose_time_is_over_says_so() -> None:
    cubes = "".join(f"(declare-const {v} Int)(assert (> {v} 1))" for v in "xyz")
    cubes += "(assert (= (+ (* x x x) (* y y y)) (* z z z)))(check-sat)"
    answer = solve(cubes, Deadline(0.05))
    assert (answer.status, answer.reason) == (
        "unknown",
        "the budget of 0.05 s ran out",
    )
