"""``--redact``: no value and no name in reports, errors and queries."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.cli_cases import (
    ASKED,
    BAD,
    COLUMNS,
    GOOD,
    run,  # noqa: F401
)

from phverify.constraints import solver
from phverify.constraints.smtlib import script
from phverify.constraints.solver import SolverAnswer
from phverify.constraints.terms import FALSE, TRUE
from phverify.verbs.verify import verify
from phverify.verification.result import Report

SECRETS = [
    "zebra-flu",
    "yeti-pox",
    "xerus-gout",
    "walrus-ill",
    "770077",
    "880088",
    "990099",
]


PRIVATE = (
    "zip,age,height,health,pay\n"
    "1*,30,160,zebra-flu,770077\n1*,30,165,yeti-pox,880088\n"
    "2*,40,170,zebra-flu,770077\n2*,40,175,zebra-flu,770077\n"
    "3*,50,160,xerus-gout,990099\n3*,50,165,walrus-ill,880088\n3*,50,165,yeti-pox,770077\n"
)


BEFORE = (
    PRIVATE.replace("zip", "name,zip")
    .replace("\n1*", "\nA,11")
    .replace("\n2*", "\nC,21")
    .replace("\n3*", "\nE,31")
)


NUMBERED = "".join(
    f"n{k}{line[line.index(',') :]}" if k else line
    for k, line in enumerate(BEFORE.splitlines(True))
)


ROLES = (
    '[columns]\nquasi = ["zip", "age"]\nneutral = ["height"]\nsensitive = ["health",'
    ' "pay"]\nidentifier = "name"\n'
)


TYPED = ROLES + '[types]\npay = "integer"\n'


LISTED = (
    '[types]\npay = "integer"\nhealth = ["yeti-pox", "zebra-flu", "xerus-gout",'
    ' "walrus-ill"]\n'
)


HELD = (
    TYPED
    + "[secrets]\n'*' = [\"health = 'zebra-flu'\", {formula = 'pay >= 770077', weight ="
    " 0.5}]\n"
)


KNOWN = (
    HELD
    + "[assumptions]\nseen = \"@i1 health = 'zebra-flu'\"\nless = '@i6 pay < 990099'\n"
)


TREE = "zebra-flu;lung;*\nyeti-pox;skin;*\nxerus-gout;joint;*\nwalrus-ill;lung;*\n"


REFUTED_RULES = [
    "k_anonymity(3)",
    "l_diversity(health, 2)",
    "recursive_l_diversity(health, 1, 2)",
    "entropy_l_diversity(health, 2)",
    "t_closeness(health, 0)",
    "t_closeness(health, 0, distance=hierarchical)",
    "t_closeness(health, 0, distance=ordered)",
    "t_closeness(pay, 0.1, distance=ordered)",
    "delta_disclosure(health, 1)",
    "delta_disclosure(health, 0.5, absent=ignored)",
    "beta_likeness(health, 0)",
    "enhanced_beta_likeness(health, 0)",
    "average_benefit(health, 0)",
    "alpha_k_anonymity(health, 0.5, 2)",
    "logical_safety()",
    "weighted_safety(0.1)",
    "forall v in health: ~[a1] health = v",
    "forall i, v in pay: @i l_a1(pay = v) <= 1/2",
    "forall D in clauses(health, 2): l_a1(D) - l_a0(D) < 1/2",
    "@i3 ~[a1] health = 'zebra-flu'",
    "@i3 (health = 'zebra-flu' -> l_a1(pay in {770077, 880088}) < 1/2)",
    "~[a1] health in {'zebra-flu', 'yeti-pox'} & ~<a1> pay > 770076",
    "@i1 health != 'zebra-flu'",
    (
        "2 * l_a1(health = 'zebra-flu') + abs(l_a1(pay = 770077) - l_a0(pay = 770077))"
        " <= 1"
    ),
    "exists v in health: [a0] health = v",
    "guarded(health, 'zebra-flu', 0.5)",
    "~guarded(node=zebra-flu, share=1, f=health)",
    "em_anonymity(pay, 10, 3)",
]


def no_secret(text: str, what: str) -> None:
    found = [secret for secret in SECRETS if secret in text]
    assert not found, f"{what} tells {found}:\n{text}"


SLOW_IN_FULL = ("entropy", "enhanced")


REPORTS = [
    *((rule, HELD, "quotient") for rule in REFUTED_RULES),
    *((rule, KNOWN, "quotient") for rule in REFUTED_RULES[::2]),
    *(
        (rule, HELD, "full")
        for rule in REFUTED_RULES
        if not rule.startswith(SLOW_IN_FULL)
    ),
]


@pytest.mark.parametrize(("rule", "head", "encoding"), REPORTS)
def test_redacted_reports(
    run: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rule: str,
    head: str,
    encoding: str,
) -> None:
    reports: list[Report] = []

    def kept(*arguments: Any, **more: Any) -> Report:
        reports.append(verify(*arguments, **more))
        return reports[0]

    monkeypatch.setattr("phverify.cli.verify.verify", kept)
    (tmp_path / "tree.csv").write_text(TREE)
    (tmp_path / "original.csv").write_text(NUMBERED)
    options = [
        "--redact",
        "--encoding",
        encoding,
        "--original",
        "original.csv",
        "--json",
        "out.json",
    ]
    head = head + '[hierarchies]\nhealth = "tree.csv"\n'
    code, out, said = run(*options, text=PRIVATE, head=head, rule=rule)
    assert (code, said) == (1, "")
    no_secret(out, "the text")
    no_secret((tmp_path / "out.json").read_text(), "the JSON")
    found = json.loads((tmp_path / "out.json").read_text())["rules"][0]["witness"]
    assert found["class"]["zip"] in out
    assert found["rows"] in (2, 3)
    (report,) = reports
    for shown in (
        str(report),
        repr(report),
        report._repr_html_(),
        json.dumps(report.to_dict()),
    ):
        no_secret(shown, "the library")
    assert "(hidden)" in out or not any(secret in rule for secret in SECRETS)


def test_without_redact_the_values_are_shown(run: Any) -> None:
    _, out, _ = run(text=PRIVATE, head=HELD, rule="@i3 ~[a1] health = 'zebra-flu'")
    assert "zebra-flu" in out


SPOILED: dict[str, tuple[str, dict[str, str], str]] = {
    "a value of another type": (ROLES + '[types]\nhealth = "integer"\n', {}, GOOD),
    "a value of another type among decimals": (
        ROLES + '[types]\nhealth = "decimal"\n',
        {},
        GOOD,
    ),
    "a value that is no date": (ROLES + '[types]\npay = "date"\n', {}, GOOD),
    "an order that lacks a value": (
        ROLES + LISTED.replace(', "walrus-ill"', ""),
        {},
        GOOD,
    ),
    "a hierarchy that lacks a value": (
        TYPED + '[hierarchies]\nhealth = "tree.csv"\n',
        {"tree.csv": TREE.replace("walrus-ill;lung;*\n", "")},
        "t_closeness(health, 0.1, distance=hierarchical)",
    ),
    "an order by a hierarchy that lacks a value": (
        TYPED + '[hierarchies]\nhealth = "tree.csv"\n',
        {"tree.csv": TREE.replace("walrus-ill;lung;*\n", "")},
        "t_closeness(health, 0.1, distance=ordered)",
    ),
    "a hierarchy with a value twice": (
        TYPED + '[hierarchies]\nhealth = "tree.csv"\n',
        {"tree.csv": TREE + "zebra-flu;lung;*\n"},
        GOOD,
    ),
    "an unbalanced hierarchy": (
        TYPED + '[hierarchies]\nhealth = "tree.csv"\n',
        {"tree.csv": TREE.replace("yeti-pox;skin", "yeti-pox")},
        GOOD,
    ),
    "an original with another value": (
        TYPED,
        {"original.csv": NUMBERED.replace("walrus-ill", "yeti-pox")},
        GOOD,
    ),
    "an original with other values": (
        TYPED,
        {
            "original.csv": (
                NUMBERED.replace("770077", "880088").replace("xerus-gout", "yeti-pox")
            )
        },
        GOOD,
    ),
    "an original with a value of another type": (
        TYPED,
        {"original.csv": NUMBERED.replace("990099", "990099x")},
        GOOD,
    ),
    "a rule with a value that does not occur": (TYPED, {}, "health = 'zebra-fly'"),
    "a rule with a value and an unknown column": (
        TYPED,
        {},
        "health = 'zebra-flu' & helth = 'zebra-flu'",
    ),
    "a rule with a value and an unknown agent": (
        TYPED,
        {},
        "[a7] health = 'zebra-flu'",
    ),
    "a rule that breaks off": (TYPED, {}, "health = 'zebra-flu' and"),
    "a rule with two equal signs": (TYPED, {}, "pay == 770077"),
    "an order on text": (TYPED, {}, "health > 'zebra-flu'"),
    "a text for a number": (TYPED, {}, "pay = '770077x'"),
    "contradictory assumptions": (
        TYPED + '[assumptions]\na = "@i1 health = \'zebra-flu\'"\nb = "@i1 health ='
        " 'yeti-pox'\"\n",
        {},
        GOOD,
    ),
    "a weight": (
        TYPED + "[secrets]\n'*' = [{formula = \"health = 'zebra-flu'\", weight = 2}]\n",
        {},
        GOOD,
    ),
    "a secret that is none": (
        TYPED + "[secrets]\n'*' = [{formla = \"health = 'zebra-flu'\"}]\n",
        {},
        GOOD,
    ),
    "an assumption that is none": (
        TYPED + "[assumptions]\na = [\"health = 'zebra-flu'\"]\n",
        {},
        GOOD,
    ),
    "types that are none": (ROLES + LISTED.replace("]\n", ", 3]\n"), {}, GOOD),
}


@pytest.mark.parametrize("case", SPOILED)
def test_redacted_errors(run: Any, tmp_path: Path, case: str) -> None:
    head, more, rule = SPOILED[case]
    for name, text in more.items():
        (tmp_path / name).write_text(text)
    options = ["--original", "original.csv"] if "original.csv" in more else []
    code, out, said = run("--redact", *options, text=PRIVATE, head=head, rule=rule)
    assert (code, out) == (2, "")
    assert said.startswith("phverify: ")
    no_secret(said, "stderr")
    assert len(said.split(":", 2)[-1].strip()) > 10, "it still says what is wrong"


@pytest.fixture
def unknowing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that answers unknown to every question that needs one."""

    plain = solver.solve

    def solve(text: str, *more: Any) -> SolverAnswer:
        if text in (
            script([TRUE]),
            script([FALSE]),
        ):  # the last step of what grounding settles
            return plain(text, *more)
        return SolverAnswer("unknown", reason="Z3 ran out of time")

    for name in ("rule", "assumptions", "full"):
        monkeypatch.setattr(f"phverify.verification.{name}.solve", solve)


@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_undecided(run: Any, unknowing: None, tmp_path: Path, encoding: str) -> None:
    code, out, said = run(
        "--encoding", encoding, "--budget", "60", "--json", "out.json", asked=ASKED
    )
    assert (code, said) == (3, "")
    assert "UNDECIDED  asked" in out
    assert "Z3 ran out of time" in out
    assert out.count("PROVED") == 0
    (query,) = tmp_path.glob("*.smt2")
    assert query.name in out
    text = query.read_text()
    assert solver.solve(text).status in (
        "sat",
        "unsat",
    ), "what is saved is a whole script"
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["verdict"] == "undecided"
    assert found["rules"][0]["reason"] == "Z3 ran out of time (budget 60 s)"
    assert found["rules"][0]["query"] == text
    assert found["rules"][0]["witness"] is None


def test_the_budget_of_an_undecided_rule_is_told(run: Any, unknowing: None) -> None:
    _, out, _ = run("--budget", "60", asked=ASKED)
    assert "60 s" in out


def test_refuted_outweighs_undecided_outweighs_proved(
    run: Any, unknowing: None
) -> None:
    assert run(small=GOOD, asked=ASKED)[0] == 3
    code, out, _ = run(small=GOOD, asked=ASKED, many=BAD)
    assert code == 1
    assert out.splitlines()[-2].startswith(
        "REFUTED: 3 rules, 1 proved, 1 refuted, 1 undecided"
    )


def test_each_undecided_rule_has_its_own_query(
    run: Any, unknowing: None, tmp_path: Path
) -> None:
    rules = {
        "a b": ASKED,
        "a/b": "forall i: @i l_a1(health = gout | i) <= 1",
        "a_b": ASKED,
        "../up": ASKED,
        "é": ASKED,
    }
    code, out, _ = run("--json", "out.json", **rules)
    assert code == 3
    saved = re.findall(r"saved as (\S+)", out)
    assert len(set(saved)) == len(rules)
    held = {
        rule["query"]
        for rule in json.loads((tmp_path / "out.json").read_text())["rules"]
    }
    assert {(tmp_path / path).read_text() for path in saved} == held
    assert not list(tmp_path.parent.glob("*.smt2")), "nothing beside the working folder"


def test_undecided_assumptions(run: Any, unknowing: None) -> None:
    head = COLUMNS + "[assumptions]\nseen = '@i1 health = flu'\n"
    code, out, said = run("--json", "out.json", head=head, small=GOOD)
    assert code == 3
    assert "Z3 ran out of time" in out + said
    assert "Traceback" not in said


@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_redacted_queries(
    run: Any, unknowing: None, tmp_path: Path, encoding: str
) -> None:
    rule = (
        "forall i, v in pay: @i (l_a1(health = 'zebra-flu' | i) <= 1 & l_a1(pay = v |"
        " i) <= 1)"
    )
    options = ["--encoding", encoding, "--redact", "--json", "out.json"]
    code, out, _ = run(*options, text=PRIVATE, head=TYPED, rule=rule)
    assert code == 3
    no_secret(out, "the text")
    no_secret((tmp_path / "out.json").read_text(), "the JSON")
    for query in tmp_path.glob("*.smt2"):
        no_secret(query.read_text(), "the saved query")


@pytest.mark.parametrize("budget", ["1e-9", "0.000001"])
@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_a_tiny_budget(run: Any, budget: str, encoding: str) -> None:
    code, out, said = run("--budget", budget, "--encoding", encoding, asked=ASKED)
    assert code == 3
    assert "budget" in out + said
    assert re.search(r"1e-0[69] s", out + said)
    assert "PROVED" not in out


def test_a_tiny_budget_with_assumptions(run: Any) -> None:
    head = COLUMNS + "[assumptions]\nseen = '@i1 health = flu'\n"
    code, out, said = run("--budget", "1e-9", head=head, small=GOOD)
    assert code == 3
    assert "budget" in out + said


def test_large_budgets_do_not_wrap_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """Z3 counts milliseconds in 32 bits."""
    given: list[int] = []
    plain = solver.z3.SimpleSolver

    def watched(**more: Any) -> Any:
        made = plain(**more)
        keep = made.set
        made.set = lambda key, value: (given.append(value), keep(key, value))
        return made

    monkeypatch.setattr(solver.z3, "SimpleSolver", watched)
    for seconds in (4294968.0, 1e9, 1e300):
        assert (
            solver.solve("(assert true)(check-sat)", solver.Deadline(seconds)).status
            == "sat"
        )
    assert all(10**6 <= value < 2**32 for value in given)
