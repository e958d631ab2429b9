"""Risk figures against definitions worked out from all pairs; growing knowledge; who
comes from whom; attackers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from support.reidentify_oracle import Case, cases, policy, subsets
from support.so_many import so_many

from phverify import Policy
from phverify.errors import Defect, InputError
from phverify.exact import LogSum, ln
from phverify.linkage.candidates import attackers
from phverify.linkage.candidates.pairs import linkage_of
from phverify.linkage.candidates.sets import Candidates
from phverify.linkage.risk.assess import RiskReport, assess
from phverify.linkage.risk.outcomes import THRESHOLDS
from phverify.microdata.dataframes import from_frame
from phverify.policy.agent import agents
from phverify.policy.bind import bind
from phverify.symbolic.models import mask

NAMES = ("zip", "age", "flu")


def plain(quasi: Sequence[str] = ("q", "r"), **more: Any) -> Policy:
    return Policy.from_dict(
        {"columns": {"quasi": list(quasi)}, "rules": {"k": "k_anonymity(3)"}, **more}
    )


def table(**columns: Sequence[Any]) -> pd.DataFrame:
    return pd.DataFrame(
        {name: list(cells) for name, cells in columns.items()}, dtype=object
    )


# Against all pairs


@so_many(40)
@given(cases())
def test_every_figure_of_every_attacker(case: Case) -> None:
    original, release = case.frames()
    report = assess(
        original, release, case.policy, [list(a) for a in subsets(NAMES) if a]
    )
    for risk, attributes in zip(
        report.attackers, [a for a in subsets(NAMES) if a], strict=True
    ):
        beliefs = [case.belief(attributes, y) for y in range(len(release))]
        random = bool(case.random & set(attributes))
        for y, found in enumerate(beliefs):
            outcome = risk.record(y)
            assert (outcome.size, outcome.highest, outcome.own) == (
                len(found),
                max(found.values()),
                found[y],
            )
            assert outcome.nonspecificity == (LogSum() if random else ln(len(found)))
        assert risk.outcomes.expected == sum(
            found[y] for y, found in enumerate(beliefs)
        )
        for share in risk.shares:
            assert share.records == sum(
                max(found.values()) >= share.threshold for found in beliefs
            )
        mean = sum(0 if random else math.log(len(found)) for found in beliefs) / len(
            beliefs
        )
        assert math.isclose(float(risk.outcomes.nonspecificity), mean, abs_tol=1e-12)
        assert risk.outcomes.singled_out == sum(len(found) == 1 for found in beliefs)


@so_many(40)
@given(cases())
def test_the_curve_is_what_each_attacker_alone_has(case: Case) -> None:
    original, release = case.frames()
    report = assess(
        original, release, case.policy, [list(a) for a in subsets(NAMES) if a]
    )
    assert report.curve is not None
    points = {point.attributes: point.outcomes for point in report.curve.points}
    assert set(points) == set(subsets(NAMES))
    assert points[()].items[0].size == len(original)
    for risk in report.attackers:
        assert points[risk.agent.knows] == risk.outcomes


@pytest.mark.parametrize("seed", range(5))
def test_the_curve_of_a_sample_whose_originals_have_other_values(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people = pd.DataFrame(
        {"who": range(30), **{n: rng.integers(0, 4, 30) for n in "qrs"}}
    ).astype(str)
    known = plain(columns={"quasi": list("qrs"), "identifier": "who"})
    report = assess(
        people, people.head(4), known, [list(a) for a in subsets("qrs") if a]
    )
    assert report.curve is not None
    points = {point.attributes: point.outcomes for point in report.curve.points}
    for risk in report.attackers:
        alike = [
            (
                people[list(risk.agent.knows)] == people.loc[y, list(risk.agent.knows)]
            ).all(axis=1)
            for y in range(4)
        ]
        assert [risk.record(y).size for y in range(4)] == [
            int(rows.sum()) for rows in alike
        ]
        assert points[risk.agent.knows] == risk.outcomes


# Growing knowledge


@so_many(30)
@given(cases())
def test_proposition_29_more_knowledge_is_never_less_specific(case: Case) -> None:
    """Nonspecificity and candidate sets never grow; without chance, expected links and
    the highest risk never fall.
    """
    report = assess(*case.frames(), case.policy)
    assert report.curve is not None
    points = {point.attributes: point.outcomes for point in report.curve.points}
    for more, after in points.items():
        for name in more:
            before = points[tuple(n for n in more if n != name)]
            assert after.nonspecificity <= before.nonspecificity
            assert after.smallest <= before.smallest
            if not case.random:
                assert (
                    after.expected >= before.expected
                    and after.highest >= before.highest
                )
    assert report.curve.rising or case.random


def test_with_chance_a_record_may_look_safer_with_more_knowledge() -> None:
    """Evidence that points elsewhere: the largest probability falls from 3/4 to 1/2,
    the candidates stay.
    """
    masking = {
        "f": {"table": {"a": {"x": "3/4", "y": "1/4"}, "b": {"x": "1/4", "y": "3/4"}}}
    }
    masking["g"] = masking["f"]
    people = table(f=["a", "b"], g=["a", "b"])
    how = {"masking": masking, "rows": "same order"}
    with pytest.raises(InputError, match="which records belong together is open"):
        assess(
            people,
            table(f=["x", "y"], g=["y", "x"]),
            plain(("f", "g"), masking=masking),
        )
    report = assess(
        people,
        table(f=["x", "y"], g=["y", "x"]),
        plain(("f", "g"), **how),
        ["f", "f,g"],
    )
    one, both = report.attackers
    assert (one.record(0).highest, both.record(0).highest) == (
        Fraction(3, 4),
        Fraction(1, 2),
    )
    assert one.record(0).size == both.record(0).size == 2


def test_a_candidate_set_that_grows_is_a_defect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong(classes: Any, originals: Any, shown: int) -> Any:
        return np.full(shown, classes.max() + 1)

    monkeypatch.setattr(attackers, "_sizes", wrong)
    with pytest.raises(Defect, match="grows with more knowledge"):
        assess(table(q="ab", r="cd"), table(q="ab", r="cd"), plain())


# Thresholds, exactly


def test_at_or_above_is_exact() -> None:
    """Classes of 5, 11, 12 and 20: 1/5 is at 0.2 and 1/20 at 0.05; 1/11 is above 0.09
    and 1/12 below.
    """
    column = [
        name
        for name, size in zip("abcd", (5, 11, 12, 20), strict=True)
        for _ in range(size)
    ]
    report = assess(table(q=column), table(q=column), plain(("q",)))
    found = {share.threshold: share.records for share in report.attackers[0].shares}
    assert found == {
        Fraction(1, 20): 48,
        Fraction(9, 100): 16,
        Fraction(1, 5): 5,
        Fraction(1, 3): 0,
    }
    assert report.thresholds == (*THRESHOLDS, Fraction(1, 3))
    at_risk = report.attackers[0].figures.prosecutor.share_above
    assert (at_risk[Fraction(1, 20)], at_risk[Fraction(1, 5)]) == (
        Fraction(28, 48),
        0,
    )  # ARX: above
    assert report.attackers[0].most_at_risk(6) == (0, 1, 2, 3, 4, 5)


def test_a_threshold_is_a_probability() -> None:
    with pytest.raises(InputError, match="from 0 to 1"):
        assess(table(q="a"), table(q="a"), plain(("q",)), thresholds=[Fraction(3, 2)])


# ARX and sdcMicro


def arx(
    sample: pd.DataFrame, population: pd.DataFrame | None, bound: Fraction
) -> dict[str, Fraction]:
    """The loops of ARX's RiskModelSampleSummary, over counters."""
    f = Counter(sample.itertuples(index=False, name=None))
    big = (
        f
        if population is None
        else Counter(population.itertuples(index=False, name=None))
    )
    n = sum(f.values())
    return {
        "prosecutor at risk": Fraction(
            sum(k for k in f.values() if Fraction(1, k) > bound), n
        ),
        "prosecutor highest": Fraction(1, min(f.values())),
        "prosecutor success": Fraction(len(f), n),
        "journalist at risk": Fraction(
            sum(k for j, k in f.items() if Fraction(1, big[j]) > bound), n
        ),
        "journalist highest": Fraction(1, min(big[j] for j in f)),
        "journalist success": max(
            Fraction(len(f), sum(big[j] for j in f)),
            sum(Fraction(k, big[j]) for j, k in f.items()) / n,
        ),
        "marketer": sum((Fraction(k, big[j]) for j, k in f.items()), Fraction(0)) / n,
    }


def told(report: RiskReport, bound: Fraction) -> dict[str, Fraction]:
    figures = report.attackers[0].figures
    found = {"marketer": figures.marketer}
    for name, figure in {
        "prosecutor": figures.prosecutor,
        "journalist": figures.journalist,
    }.items():
        found[f"{name} at risk"] = figure.share_above[bound]
        found |= {f"{name} highest": figure.highest, f"{name} success": figure.average}
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("how", ["sample", "subset", "population"])
def test_figures_of_arx(seed: int, how: str) -> None:
    """A sample by itself, as a part of its original (by identifiers), and with a table
    of the population.
    """
    rng = np.random.default_rng(seed)
    people = pd.DataFrame(
        {"who": range(60), "q": rng.integers(0, 4, 60), "r": rng.integers(0, 3, 60)}
    ).astype(str)
    sample = people.sample(25, random_state=seed).reset_index(drop=True)
    bound, columns = Fraction(1, 5), ["q", "r"]
    known = plain(columns={"quasi": columns, "identifier": "who"})
    if how == "sample":
        report, other = assess(sample, sample, known), None
    elif how == "subset":
        report, other = assess(people, sample, known), people[columns]
    else:
        report, other = (
            assess(sample, sample, known, population=people),
            people[columns],
        )
    assert told(report, bound) == arx(sample[columns], other, bound)
    assert bool(report.population) == (how != "sample")


def test_a_population_without_somebody() -> None:
    with pytest.raises(
        InputError, match="release, record 2: no record of the population"
    ):
        assess(
            table(q="ab", r="cd"),
            table(q="ab", r="cd"),
            plain(),
            population=table(q="aab", r="cdc"),
        )
    with pytest.raises(InputError, match="'b' is no value of the population"):
        assess(table(q="ab"), table(q="ab"), plain(("q",)), population=table(q="aac"))


def test_withheld_records_do_not_count_in_arx() -> None:
    report = assess(table(q="aabb", r="ccdd"), table(q="aa**", r="cc**"), plain())
    figures = report.attackers[0].figures
    assert (figures.records, figures.prosecutor.highest, figures.marketer) == (
        2,
        Fraction(1, 2),
        Fraction(1, 2),
    )
    everything = (
        assess(table(q="aabb", r="ccdd"), table(q="****", r="****"), plain())
        .attackers[0]
        .figures
    )
    assert (everything.records, everything.prosecutor.highest) == (4, Fraction(1, 4))
    partly = (
        assess(table(q="aaab", r="cccd"), table(q="aa**", r="ccc*"), plain())
        .attackers[0]
        .figures
    )
    assert (partly.records, partly.prosecutor.highest, partly.marketer) == (
        3,
        1,
        Fraction(2, 3),
    )


@so_many(30)
@given(cases(chance=False))
def test_sdcmicro_counts_missing_cells_as_every_value(case: Case) -> None:
    original, release = case.frames()
    report = assess(original, release, case.policy)
    rows = list(release.itertuples(index=False, name=None))

    def agree(a: Any, b: Any) -> bool:
        return all(x == y or "*" in (x, y) for x, y in zip(a, b, strict=True))

    expected = sum(Fraction(1, sum(agree(a, b) for b in rows)) for a in rows)
    figures = report.attackers[0].figures
    assert (figures.expected, figures.overall) == (expected, expected / len(rows))


# Who comes from whom


def test_identifiers_tell_the_truth_in_any_order() -> None:
    masking = {"f": {"table": {"a": {"a": "3/4", "b": "1/4"}}}}
    known = plain(
        ("f",), columns={"quasi": ["f"], "identifier": "who"}, masking=masking
    )
    report = assess(table(who="123", f="aab"), table(who="31", f="ba"), known)
    assert (report.linkage.truth.by, report.linkage.truth.rows.tolist()) == (
        "identifier",
        [2, 0],
    )
    assert [report.attackers[0].record(y).own for y in range(2)] == [
        Fraction(2, 3),
        Fraction(1, 2),
    ]
    assert report.attackers[0].record(0).size == 3


def test_another_order_is_matched_by_the_mappings() -> None:
    original = table(zip=["10", "11", "20", "21"], age=["3", "5", "3", "5"], f="wxyz")
    release = table(zip=["2*", "1*", "2*", "1*"], age=["5", "3", "3", "5"], f="zwyx")
    rules = policy(
        {}, columns={"quasi": ["zip", "age"], "sensitive": ["f"]}, rows="any order"
    )
    report = assess(original, release, rules, ["zip"])
    assert (report.linkage.truth.by, report.linkage.truth.rows.tolist()) == (
        "matching",
        [3, 0, 2, 1],
    )
    assert report.attackers[0].outcomes.expected == 2
    assert "in another order" in report.notes[0]


def test_who_comes_from_whom_must_be_known() -> None:
    with pytest.raises(InputError, match="which come from which is open"):
        assess(table(q="abc"), table(q="ab"), plain(("q",)))
    known = plain(("q",), columns={"quasi": ["q"], "identifier": "who"})
    with pytest.raises(InputError, match="'9' is none of the original"):
        assess(table(who="123", q="abc"), table(who="19", q="ab"), known)
    with pytest.raises(InputError, match="'1' occurs twice"):
        assess(table(who="113", q="abc"), table(who="13", q="ab"), known)
    with pytest.raises(InputError, match="cannot come from"):
        assess(table(who="123", q="abc"), table(who="32", q="ab"), known)


def test_confidential_columns_tell_that_rows_do_not_correspond() -> None:
    rules = plain(("q",), columns={"quasi": ["q"], "sensitive": ["f"]})
    with pytest.raises(InputError, match="record 1, f: 'y' cannot come from 'x'"):
        assess(table(q="aa", f="xy"), table(q="aa", f="yy"), rules)


# Attackers


def test_attackers_are_agents_or_attributes() -> None:
    people = table(q="aab", r="cdd")
    rules = plain(agents={"half": ["q"]})
    assert [risk.agent.name for risk in assess(people, people, rules).attackers] == [
        "a1",
        "half",
    ]
    assert [risk.agent.knows for risk in assess(people, people, plain()).attackers] == [
        ("q", "r")
    ]
    report = assess(people, people, rules, ["half", "r", "q, r", "a1", "a0"])
    assert [risk.agent.knows for risk in report.attackers] == [
        ("q",),
        ("r",),
        ("q", "r"),
        ("q", "r"),
        (),
    ]
    assert report.attacker("a0").outcomes.expected == 1
    assert report.attacker("half").outcomes.expected == 2
    with pytest.raises(
        InputError, match="no role names the column 'zip', nor is it an agent"
    ):
        assess(people, people, rules, ["zip"])


def test_an_agent_is_the_same_in_logic_and_in_linkage() -> None:
    """The class of a generalized release is its categorical belief, whose pignistic
    distribution is l_a.
    """
    original = table(zip=["10", "11", "20", "21"], age=["3", "5", "3", "5"])
    release = table(zip=["1*", "1*", "2*", "2*"], age=["3", "5", "3", "5"])
    rules = policy({}, ("zip", "age"), agents={"half": ["zip"]})
    world = bind(rules, from_frame(release), from_frame(original)).release
    linkage = linkage_of(from_frame(original), from_frame(release), rules)
    for agent in agents(rules):
        assert world.agents[agent.name] == agent.knows
        for row in range(4):
            cell = np.flatnonzero(mask(world.cell(agent.name, row), 4)).tolist()
            assert Candidates(linkage, agent.knows).belief(row) == dict.fromkeys(
                cell, Fraction(1, len(cell))
            )


def test_too_many_attributes_have_no_curve() -> None:
    names = [f"q{k}" for k in range(11)]
    people = table(**dict.fromkeys(names, "aab"))
    report = assess(people, people, plain(names))
    assert report.curve is None and "11 quasi-identifiers" in report.notes[-1]
