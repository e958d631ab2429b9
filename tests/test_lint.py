"""``lint``: vacuous, redundant, contradictory rules, and rules that are out of reach
for a table.
"""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import pytest

import phverify as ph

TABLE = pd.DataFrame({"zip": ["1", "1", "2", "2"], "s": ["a", "b", "c", "a"]})


def policy(rules: dict[str, str], **more: Any) -> ph.Policy:
    """A policy in which s is sensitive where a rule mentions it."""
    role = (
        "sensitive"
        if any(re.search(r"\bs\b", rule) for rule in rules.values())
        else "neutral"
    )
    return ph.Policy.from_dict(
        {"columns": {"quasi": ["zip"], role: ["s"]}, "rules": rules, **more}
    )


def lint(*given: Any, budget: float = 600.0) -> ph.Lint:
    """What is found in all the time that a slow machine needs."""
    return ph.lint(*given, budget=budget)


def kinds(found: ph.Lint) -> list[tuple[str, tuple[str, ...]]]:
    return [(f.kind, f.rules) for f in found.findings]


@pytest.mark.parametrize(
    "rule",
    [
        "k_anonymity(1)",
        "l_diversity(s, 1)",
        "t_closeness(s, 1)",
        "average_benefit(s, 1)",
        "forall i: l_a1(i) <= 1",
        "forall i: @i <a1> i",
        "forall v in s: l_a1(s = v) >= 0",
        "k_anonymity(2) -> k_anonymity(2)",
    ],
)
def test_rules_that_nothing_violates_are_vacuous(rule: str) -> None:
    found = lint(policy({"r": rule}))
    assert kinds(found) == [("vacuous", ("r",))]
    assert found.verdict == "findings"
    assert "any number of rows" in found.findings[0].why


@pytest.mark.parametrize(
    "rule",
    [
        "k_anonymity(2)",
        "t_closeness(s, 9/10)",
        "average_benefit(s, 1/2)",
        "l_diversity(s, 9)",
    ],
)
def test_rules_that_say_something_are_clean(rule: str) -> None:
    assert lint(policy({"r": rule})).verdict == "clean"


def test_a_rule_that_another_implies_is_redundant() -> None:
    found = lint(
        policy({"weak": "l_diversity(s, 2)", "strong": "entropy_l_diversity(s, 2)"})
    )
    assert kinds(found) == [("redundant", ("weak", "strong"))]


def test_of_two_equivalent_rules_the_later_is_redundant() -> None:
    found = lint(policy({"one": "k_anonymity(3)", "two": "forall i: l_a1(i) <= 1/3"}))
    assert kinds(found) == [("redundant", ("two", "one"))]


def test_rules_that_together_imply_another() -> None:
    rules = {
        "a": "k_anonymity(3)",
        "b": "forall v in s: l_a1(s = v) <= 1/2",
        "c": "alpha_k_anonymity(s, 1/2, 3)",
    }
    assert kinds(lint(policy(rules))) == [("redundant", ("c", "a", "b"))]
    apart = {
        "c": "alpha_k_anonymity(s, 1/2, 3)",
        "b": "forall v in s: l_a1(s = v) <= 1/2",
        "x": "k_anonymity(3)",
    }
    assert ("redundant", ("x", "c")) in kinds(lint(policy(apart)))
    both = {
        "a": "k_anonymity(3)",
        "b": "t_closeness(s, 1/5)",
        "c": "k_anonymity(2) & average_benefit(s, 1/5)",
    }
    assert kinds(lint(policy(both))) == [("redundant", ("c", "a", "b"))]


def test_rules_that_exclude_each_other() -> None:
    found = lint(
        policy(
            {
                "many": "k_anonymity(3)",
                "few": "forall i: l_a1(i) >= 1/2",
                "div": "l_diversity(s, 2)",
            }
        )
    )
    assert ("contradictory", ("many", "few")) in kinds(found)


def test_a_rule_that_nothing_satisfies() -> None:
    found = lint(
        policy({"never": "forall v in s: l_a1(s = v) > 1", "fine": "k_anonymity(2)"})
    )
    assert kinds(found) == [("contradictory", ("never",))]


def test_three_rules_of_which_two_are_possible() -> None:
    rules = {"a": "@i1 s = x | @i1 s = y", "b": "@i1 ~(s = x)", "c": "@i1 ~(s = y)"}
    found = lint(policy(rules))
    assert ("contradictory", ("a", "b", "c")) in kinds(found)
    assert not any(
        f.kind == "contradictory" and len(f.rules) < 3 for f in found.findings
    )


def test_thresholds_are_not_mistaken_for_contradictions() -> None:
    """Nine values need more values than a small bound allows."""
    assert lint(policy({"r": "l_diversity(s, 9)"})).verdict == "clean"
    assert lint(policy({"r": "forall v in s: l_a1(s = v) <= 1/7"})).verdict == "clean"


def test_out_of_reach_for_a_table() -> None:
    found = lint(policy({"nine": "l_diversity(s, 9)"}), TABLE)
    assert kinds(found) == [("out of reach", ("nine",))]
    assert "no release of this table" in found.findings[0].why
    assert any(
        "3 distinct values, fewer than 9" in line for line in found.findings[0].evidence
    )


def test_out_of_reach_at_the_top_only() -> None:
    """One large class violates it, and classes of two do not."""
    found = lint(policy({"few": "forall i: @i l_a1(i) >= 1/2"}), TABLE)
    assert kinds(found) == [("out of reach", ("few",))]
    assert "may still satisfy it" in found.findings[0].why


def test_assumptions_and_secrets_are_heeded() -> None:
    more = {"assumptions": {"tip": "@i1 ~(s = x)"}, "secrets": {"i1": ["s = x"]}}
    found = lint(policy({"told": "@i1 ~(s = x)", "safe": "k_anonymity(2)"}, **more))
    assert ("vacuous", ("told",)) in kinds(found)
    without = lint(policy({"told": "@i1 ~(s = x)", "safe": "k_anonymity(2)"}))
    assert "vacuous" not in {f.kind for f in without.findings}


def test_what_the_budget_leaves_open_is_said() -> None:
    found = lint(
        policy({"a": "l_diversity(s, 12)", "b": "recursive_l_diversity(s, 1/3, 11)"}),
        budget=0.2,
    )
    assert {f.kind for f in found.findings} == {"open"}
    assert found.verdict == "undecided"


def test_text_and_json() -> None:
    found = lint(policy({"r": "k_anonymity(1)"}))
    assert (
        str(found)
        .splitlines()[0]
        .startswith("FINDINGS  policy: 1 rule, 1 finding, 0 open")
    )
    assert found.to_dict()["findings"][0]["rules"] == ["r"]
    assert str(lint(policy({"r": "k_anonymity(2)"}))).startswith("CLEAN")


# What no rule protects


def test_a_secret_that_no_rule_protects() -> None:
    """Each value is diverse enough, and two of them together are certain."""
    secrets = {"*": ["s = x or s = y"], "i1": ["s = x"]}
    found = lint(policy({"div": "l_diversity(s, 2)"}, secrets=secrets))
    assert kinds(found) == [
        ("unprotected", ("secrets.*",))
    ]  # and that of i1 follows from the rule
    assert "may become certain of anyone" in found.findings[0].what
    assert {"x", "y"} <= set(" ".join(found.findings[0].evidence).split())
    assert found.verdict == "findings"
    for rule in (
        "logical_safety()",
        "weighted_safety(1/2)",
        "l_diversity(s, 3)",
        "forall i: @i ~[a1] s in {x, y}",
    ):
        assert "unprotected" not in {
            f.kind for f in lint(policy({"r": rule}, secrets=secrets)).findings
        }, rule


def test_a_secret_of_one_person() -> None:
    found = lint(policy({"other": "@i1 ~[a1] s = x"}, secrets={"i2": ["s = x"]}))
    assert kinds(found) == [("unprotected", ("secrets.i2",))]
    assert "may become certain of i2" in found.findings[0].what


def test_a_sensitive_column_that_no_rule_covers() -> None:
    columns = {"quasi": ["zip"], "sensitive": ["s", "t"]}
    plain = ph.Policy.from_dict(
        {
            "columns": columns,
            "rules": {"k": "k_anonymity(5)", "div": "l_diversity(s, 2)"},
        }
    )
    assert kinds(lint(plain)) == [("uncovered", ("columns.t",))]
    safe = {"columns": columns, "secrets": {"*": ["s = x | t = y"]}}
    assert (
        lint(
            ph.Policy.from_dict({**safe, "rules": {"safe": "logical_safety()"}})
        ).verdict
        == "clean"
    )
    idle = lint(ph.Policy.from_dict({**safe, "rules": {"k": "k_anonymity(2)"}}))
    assert [f.kind for f in idle.findings] == ["unprotected", "uncovered", "uncovered"]


def test_an_agent_that_no_rule_mentions() -> None:
    agents = {"agents": {"landlord": ["zip"]}}
    assert kinds(lint(policy({"div": "l_diversity(s, 2)"}, **agents))) == [
        ("unused", ("agents.landlord",))
    ]
    for rule in (
        "forall i, v in s: @i ~[landlord] s = v",
        "forall a in agents, v in s: l_a(s = v) < 1",
    ):
        assert lint(policy({"div": rule}, **agents)).verdict == "clean", rule


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("~[a1] @i1 s = x", "[a1] says nothing before @i1 s = 'x'"),
        (
            "~[a1](@i1 s = x & @i2 s = x)",
            "[a1] says nothing before @i1 s = 'x' & @i2 s = 'x'",
        ),
        ("forall i: ~[a1] @i s = x", "[a1] says nothing before @i s = 'x'"),
        ("~<a0> @i1 s = x", "<a0> says nothing"),
        ("l_a1(@i1 s = x) <= 1/2", "l_a1(@i1 s = 'x') is 0 or 1"),
        ("@i1 @i2 ~(s = x)", "the first @ of @i1 @i2 ~(s = 'x') says nothing"),
        ("forall v in s: l_diversity(s, 2)", "v is bound and not used"),
        ("forall i: l_diversity(s, 2)", "i is bound and not used"),
    ],
)
def test_operators_that_say_nothing(rule: str, said: str) -> None:
    found = lint(policy({"r": rule}), budget=1)
    assert ("idle", ("r",)) in kinds(found)
    assert any(said in f.what for f in found.findings)


def test_what_agents_know_of_a_person_is_not_idle() -> None:
    rules = {
        "one": "forall i: @i ~[a1] s = x",
        "two": "@i1 (l_a1(s = x) <= 1/2)",
        "three": "pignistic(i1, a1) <= 1/2",
    }
    assert "idle" not in {f.kind for f in lint(policy(rules)).findings}


# With the values of a table


def test_a_rule_out_of_reach_is_not_called_redundant_too() -> None:
    """No release of the table satisfies either, so that what one of them implies says
    nothing.
    """
    found = lint(
        policy({"weak": "l_diversity(s, 8)", "strong": "entropy_l_diversity(s, 9)"}),
        TABLE,
    )
    assert {f.kind for f in found.findings} == {"out of reach"}


def test_bounds_of_findings_come_from_the_table() -> None:
    """With three values the ordered distance bounds the other one; of four values that
    is not said.
    """
    rules = {
        "far": "t_closeness(s, 2/5)",
        "near": "t_closeness(s, 1/5, distance=ordered)",
    }
    numbers = {"types": {"s": "integer"}}
    three, four = (
        pd.DataFrame({"zip": list("1122"), "s": list(values)})
        for values in ("1231", "1234")
    )
    found = lint(policy(rules, **numbers), three)
    assert [(f.kind, f.up_to) for f in found.findings] == [
        ("redundant", "3 values of s")
    ]
    assert found.findings[0].what == "near implies it with at most 3 values of s"
    assert found.to_dict()["findings"][0]["up_to"] == "3 values of s"
    assert lint(policy(rules, **numbers), four).verdict == "clean"
    assert lint(policy(rules, **numbers)).verdict == "clean"


def test_assumptions_that_no_rule_hears_of() -> None:
    section = {
        "columns": {"quasi": ["q"], "sensitive": ["s"]},
        "assumptions": {"t": "@i1 s = x"},
    }
    section |= {"secrets": {"i1": ["s = x"]}}
    found = lint(ph.Policy.from_dict({**section, "rules": {"a": "logical_safety()"}}))
    assert "add a rule never_known()" in str(found)
    asked = lint(ph.Policy.from_dict({**section, "rules": {"a": "never_known()"}}))
    assert (asked.verdict, asked.aside) == ("clean", ("a",))
