"""Records withheld where classes are compared with what is released: the least
candidate, as trying all sets of classes says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.compared_rules import asked, compared
from support.minimality_cases import above, satisfies, truths
from support.search_cases import check
from support.search_questions import (
    DELTAS,
    NAMES,
    SHARES,
    TREE,
    WHOLE,
    Case,
    settings,
)
from support.so_many import so_many

import phverify as ph
from phverify.spec.criteria.beta_likeness import BetaLikeness
from phverify.spec.criteria.delta_disclosure import DeltaDisclosure
from phverify.spec.criteria.enhanced_beta_likeness import EnhancedBetaLikeness
from phverify.spec.criteria.t_closeness import TCloseness
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.lost import lost_records
from phverify.spec.minimal import Judges, Minimality
from phverify.spec.withholding import ways
from phverify.verbs.check_inputs import given as inputs

WITHHELD = st.sampled_from([Fraction(1, 5), Fraction(1, 3), Fraction(1, 2)])


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("withheld") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


@so_many(40)
@given(st.data())
def test_the_least_of_all_candidates_and_ways(tree: Path, data: st.DataObject) -> None:
    setting = data.draw(settings(4, 12))
    if len(setting.rows) > len(NAMES):
        setting = replace(setting, names=())
    if setting.objective not in WHOLE:
        setting = replace(setting, suppress=data.draw(WITHHELD))
    case = asked(data.draw, tree, setting)
    check(case, case.ask())


@so_many(15)
@given(st.data())
def test_certificates(tree: Path, data: st.DataObject) -> None:
    """The checker counts again what follows, and tries what is left of the sets."""
    setting = data.draw(settings(3, 8))
    case = asked(data.draw, tree, replace(setting, suppress=data.draw(WITHHELD)))
    if setting.objective in WHOLE:
        return
    result = case.ask()
    if result.verdict != "optimal":
        return
    assert result.certificate is not None, result.uncertified
    hierarchies: Any = case.hierarchies
    answer = ph.check(result.certificate, case.frame, case.policy, hierarchies)
    assert answer.accepted, str(answer)


CLASSES = st.lists(
    st.dictionaries(st.sampled_from("abc"), st.integers(1, 4), min_size=1),
    min_size=2,
    max_size=7,
)


def some_way(classes: list[dict[str, int]], test: oracle.Test, budget: int) -> bool:
    """Whether some classes can be withheld so that the others satisfy a criterion."""
    numbers = range(len(classes))
    for count in numbers:
        for gone in combinations(numbers, count):
            rows = sum(sum(classes[k].values()) for k in gone)
            left = [Counter(classes[k]) for k in numbers if k not in gone]
            whole = sum(left, Counter[str]())
            if rows <= budget and all(test(one, whole) for one in left):
                return True
    return False


@so_many(150, fuzz=2000)
@given(st.data(), CLASSES, WITHHELD)
def test_whether_any_set_of_classes_will_do(
    tree: Path, data: st.DataObject, classes: list[dict[str, int]], share: Fraction
) -> None:
    """Nothing is lost iff some classes can be withheld as they are."""
    text, test = compared(data.draw)
    rows = []
    for k, counts in enumerate(classes):
        for value, count in counts.items():
            rows += [(f"x{k}", value)] * count
    rules = {"close": f"{text})"}
    asked = {
        "columns": {"quasi": ["q"], "sensitive": ["f"]},
        "types": {"f": ["a", "b", "c"]},
        "hierarchies": {"f": str(tree)},
        "rules": rules,
    }
    frame = pd.DataFrame(rows, columns=["q", "f"])
    found = ph.search(frame, ph.Policy.from_dict(asked), suppress=share)
    budget = int(share * len(rows))
    assert (found.cost == 0) == some_way(classes, test, budget)
    assert found.verdict in ("optimal", "infeasible")


@so_many(40, fuzz=1000)
@given(st.data())
def test_no_claim_of_the_checker_is_too_strong(tree: Path, data: st.DataObject) -> None:
    """No candidate that satisfies the policy is cut off, or has no way to withhold."""
    setting = replace(data.draw(settings(4, 8)), suppress=data.draw(WITHHELD))
    if setting.objective in WHOLE:
        return
    case = asked(data.draw, tree, setting)
    checker = bare_checker(case)
    if checker.space.decisions > 6:
        return
    every = list(truths(checker.space))
    for truth in every:
        good = satisfies(case, checker.space.mapping(truth))
        sets = list(ways(checker.violations, truth))
        assert sets or not good
        lost = lost_records(checker.violations, truth)
        finer = [other for other in every if above(truth, other)]
        kept = [satisfies(case, checker.space.mapping(other)) for other in finer]
        assert lost <= checker.violations.budget or not any(kept)


def bare_checker(case: Case) -> Minimality:
    """The checker on a case's table, before any claim."""
    question = case.question
    start = inputs(case.frame, case.policy, case.hierarchies)
    orders = {name: start.data.domains[name] for name in start.data.quasi}
    listed = {name: [[v, v] for v in values] for name, values in orders.items()}
    said = {
        "space": question.space,
        "suppress": str(question.suppress),
        "objective": question.objective,
        "mapping": listed,
        "closures": [],
        "minimal": [],
        "proofs": {},
        "agreed": {},
    }
    return Minimality(said, start, Judges())


# Limits: what a class keeps to, whatever is withheld


def limiting(draw: Callable[[Any], Any]) -> ClassCriterion:
    share, delta = draw(SHARES), draw(DELTAS)
    return draw(  # type: ignore[no-any-return]
        st.sampled_from(
            [
                TCloseness("f", share),
                TCloseness("f", share, "hierarchical", tree=(*TREE.items(),)),
                BetaLikeness("f", 3 * share),
                EnhancedBetaLikeness("f", 3 * share),
                DeltaDisclosure("f", delta),
                DeltaDisclosure("f", delta, "ignored"),
            ]
        )
    )


COUNTS = st.dictionaries(st.sampled_from("abc"), st.integers(1, 9), min_size=1)


@so_many(200, fuzz=5000)
@given(st.data(), COUNTS, COUNTS, COUNTS)
def test_a_class_that_satisfies_a_criterion_is_within_its_limits(
    data: st.DataObject, own: dict[str, int], rest: dict[str, int], gone: dict[str, int]
) -> None:
    criterion = limiting(data.draw)
    released = Counter(own) + Counter(rest)
    whole = Counter(gone) + released
    withheld = sum(gone.values()) + data.draw(st.integers(0, 3))
    if withheld >= sum(whole.values()) or not criterion.holds(own, released):
        return
    limits = criterion.limits(whole, withheld)
    assert limits is not None
    assert limits.allows(own, sum(own.values()))


def test_limits_of_a_tree_are_those_of_its_lowest_level() -> None:
    """a and b are far apart as values, and one node: the distance is the mean."""
    criterion = TCloseness("f", Fraction(1, 4), "hierarchical", tree=(*TREE.items(),))
    whole = {"a": 2, "b": 2}
    assert criterion.holds({"a": 1}, whole)
    limits = criterion.limits(whole)
    assert limits is not None and limits.slack == Fraction(1, 2)
    assert limits.allows({"a": 1}, 1)


# What used to be left open


def many(classes: int) -> pd.DataFrame:
    """Small classes with all values, and as many with one value alone."""
    rows = []
    for k in range(classes):
        rows += [(f"x{k}", "a"), (f"x{k}", "b"), (f"y{k}", "ab"[k % 2])]
    return pd.DataFrame(rows, columns=["q", "f"])


BY_BRANCHING = "beta"


def policy(rule: str) -> ph.Policy:
    columns = {"quasi": ["q"], "sensitive": ["f"]}
    return ph.Policy.from_dict({"columns": columns, "rules": {"close": rule}})


@pytest.mark.parametrize(
    "rule",
    [
        "t_closeness(f, 1/5)",
        "beta_likeness(f, 1/2)",
        "enhanced_beta_likeness(f, 1/2)",
        "delta_disclosure(f, 1/2)",
        "average_benefit(f, 1/5)",
    ],
)
def test_more_classes_than_sets_could_be_tried(rule: str) -> None:
    """Of forty classes twenty break the rule whatever else is withheld."""
    enough = ph.search(many(20), policy(rule), suppress="1/3")
    assert (enough.verdict, enough.cost, enough.suppressed) == ("optimal", 0, 20)
    fewer = ph.search(many(20), policy(rule), suppress="19/60")
    assert (fewer.verdict, fewer.cost, fewer.suppressed) == ("optimal", 1, 0)
    if fewer.certificate is not None:
        assert ph.check(fewer.certificate, many(20), policy(rule)).accepted
    # Where the sets are told apart one by one, the checker is not asked to.
    assert (fewer.certificate is None) == rule.startswith(BY_BRANCHING)


@pytest.mark.parametrize("rule", ["beta_likeness(f, 2)", "delta_disclosure(f, 3)"])
@pytest.mark.parametrize("redact", [False, True])
def test_what_is_compared_with_the_release_is_said_of_each_criterion(
    rule: str, redact: bool
) -> None:
    rows = [("a", "x"), ("a", "x"), ("b", "x"), ("b", "y"), ("c", "y")]
    frame = pd.DataFrame(rows, columns=["q", "f"])
    policy = ph.Policy.from_dict(
        {
            "columns": {"quasi": ["q"], "sensitive": ["f"]},
            "rules": {"k": "k_anonymity(2)", "rule": rule},
        }
    )
    found = ph.search(frame, policy, suppress="1/5", redact=redact)
    said = "  rule: compared with what is released, which changes with what is withheld"
    assert said in str(found).splitlines()
    everybody = ph.search(frame, policy, redact=redact)
    assert said not in str(everybody).splitlines()
