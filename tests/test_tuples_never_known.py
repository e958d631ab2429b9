"""Releases by tuples under ``never_known``: decided on the release, and repaired."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.leisure import at_leisure
from support.search_oracle import Domain
from support.so_many import so_many
from support.tuples_oracle import TupleQuestion
from test_search_never_known import ASKED, HOSPITAL, policy

import phverify as ph
from phverify.spec.certificate import digest

Row = Mapping[str, Any]
Place = Mapping[str, int]
"""The row of each individual."""
Said = Callable[[Place, Sequence[Row]], bool]
"""Whether a formula is true where individuals are on rows of a release."""


@dataclass(frozen=True)
class KnownJudge:
    """Judges releases by all models: every placement within classes.

    Each of ``asked`` is about so many individuals, or with ``everyone`` about each.
    """

    rows: Sequence[dict[str, Any]]
    quasi: Sequence[str]
    asked: Said
    everyone: bool
    told: Sequence[Said]
    named: frozenset[int]
    always: Said
    """What is asked of each model."""

    def proved(self, shown: Sequence[Row], kept: tuple[int, ...]) -> bool:
        """Nothing that is asked is true in all models that are left."""
        rows = [shown[k] for k in kept]
        models = []
        for place in self.placements(rows, kept):
            if all(one(place, rows) for one in self.told):
                models.append(place)
        if not models:
            return False
        if not all(self.always(place, rows) for place in models):
            return False
        people = [f"i{k + 1}" for k in kept] if self.everyone else [""]
        for person in people:
            here = [{**place, "i": place.get(person, 0)} for place in models]
            if all(self.asked(place, rows) for place in here):
                return False
        return True

    def placements(
        self, rows: Sequence[Row], kept: tuple[int, ...]
    ) -> Iterator[dict[str, int]]:
        """All functions from individuals to rows of their own class."""
        classes: dict[tuple[Any, ...], list[int]] = {}
        for number, row in enumerate(rows):
            classes.setdefault(key(row, self.quasi), []).append(number)
        people = [f"i{k + 1}" for k in kept]
        for chosen in product(*(permutations(own) for own in classes.values())):
            place = {}
            for own, after in zip(classes.values(), chosen, strict=True):
                for number, row in zip(own, after, strict=True):
                    place[people[number]] = row
            yield place


def key(row: Row, quasi: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in quasi)


def has(who: str, column: str, value: str) -> Said:
    return lambda place, rows: rows[place[who]][column] == value


def certain(who: str, value: str, quasi: Sequence[str]) -> Said:
    """That all rows of somebody's class have a value."""

    def said(place: Place, rows: Sequence[Row]) -> bool:
        own = key(rows[place[who]], quasi)
        return all(row["f"] == value for row in rows if key(row, quasi) == own)

    return said


def negated(said: Said) -> Said:
    return lambda place, rows: not said(place, rows)


def both(one: Said, two: Said) -> Said:
    return lambda place, rows: one(place, rows) and two(place, rows)


def true_always(place: Place, rows: Sequence[Row]) -> bool:
    return True


QUASI = ("n", "q")


def values(rows: Sequence[Row], column: str) -> list[str]:
    return sorted({row[column] for row in rows})


@st.composite
def questions(draw: Any) -> tuple[KnownJudge, str, dict[str, str]]:
    """A table with a rule and assumptions, as text and as what they say."""
    row = st.fixed_dictionaries(
        {
            "n": st.sampled_from(("1", "2", "5")),
            "q": st.sampled_from("xy"),
            "f": st.sampled_from("aab"),
            "g": st.sampled_from("01"),
        }
    )
    some = draw(st.lists(row, min_size=1, max_size=4))
    rows = [{"n": "1", "q": "x", "f": "b", "g": "0"}, *some]
    people = [f"i{k + 1}" for k in range(len(rows))]
    one, two, third = (draw(st.sampled_from(people)) for _ in range(3))
    everyone = draw(st.booleans())
    who = "i" if everyone else one
    v, w = (
        draw(st.sampled_from(values(rows, "f"))),
        draw(st.sampled_from(values(rows, "g"))),
    )
    value, other = has(who, "f", v), has(two, "g", w)
    known = certain(who, v, QUASI)
    phi, said = draw(
        st.sampled_from(
            [
                (f"@{who} f = {v}", value),
                (f"@{who} f = {v}", value),
                (f"@{who} ~(f = {v})", negated(value)),
                (f"@{who} f = {v} & @{two} g = {w}", both(value, other)),
                (f"~(@{who} f = {v} & @{two} g = {w})", negated(both(value, other))),
                (f"@{who} [a1] f = {v}", known),
                (f"@{who} ~[a1] f = {v}", negated(known)),
            ]
        )
    )  # fmt: skip
    u = draw(st.sampled_from(values(rows, "f")))
    tip = has(third, "f", u)
    told = draw(
        st.sampled_from(
            [
                {},
                {f"@{third} f = {u}": tip},
                {f"@{third} ~(f = {u})": negated(tip)},
                {f"~(@{third} f = {u} & @{two} g = {w})": negated(both(tip, other))},
            ]
        )
    )
    beside, always = draw(
        st.sampled_from(
            [
                ("", true_always),
                ("", true_always),
                (f" & @{two} g = {w}", other),
                (f" & @{two} ~(g = {w})", negated(other)),
                (f" & @{two} [a1] f = {v}", certain(two, v, QUASI)),
            ]
        )
    )
    texts = " ".join([phi, beside, *told])
    named = frozenset(k for k, name in enumerate(people) if name in texts)
    rule = f"(never_known({phi}){beside})"
    judge = KnownJudge(rows, QUASI, said, everyone, [*told.values()], named, always)
    return judge, f"forall i: {rule}" if everyone else rule, dict.fromkeys(told, "")


@so_many(45)
@given(questions(), st.sampled_from(["0", "0", "1/4", "1/2"]), st.booleans())
def test_against_all_functions_and_all_models(
    question: tuple[KnownJudge, str, dict[str, str]], suppress: str, disjoint: bool
) -> None:
    judge, rule, told = question
    frame = pd.DataFrame(judge.rows)
    frame["row"] = [str(k) for k in range(len(frame))]
    asked = ph.Policy.from_dict(
        {
            "columns": {
                "quasi": list(QUASI),
                "sensitive": ["f", "g"],
                "neutral": ["row"],
            },
            "types": {"n": "integer"},
            "assumptions": {f"t{k}": text for k, text in enumerate(told)},
            "rules": {"rule": rule},
        }
    )
    domains = {
        "n": Domain(frozenset(frame["n"]), None, int),
        "q": Domain(frozenset(frame["q"]), None, None),
    }
    oracle = TupleQuestion(judge, domains, Fraction(suppress), {})  # type: ignore[arg-type]
    least = oracle.least()
    try:
        found = ph.anonymize(
            frame, policy=asked, suppress=suppress, disjoint=disjoint, budget=0.3
        )
    except ph.InputError as error:
        assert "contradict" in str(error)
        return
    if found.verdict == "infeasible":
        assert least is None
    if found.cost is None:
        return
    assert least is not None
    assert found.bound <= least <= found.cost
    shown = [dict(row) for row in judge.rows]
    kept = tuple(int(k) for k in found.release["row"])
    for k, line in zip(kept, found.release.to_dict("records"), strict=True):
        shown[k] |= {name: line[name] for name in QUASI}
    assert judge.proved(shown, kept)


@pytest.mark.parametrize(("rule", "assumptions"), ASKED)
def test_no_worse_than_whole_columns(rule: str, assumptions: dict[str, str]) -> None:
    """Recoding column by column is a function on tuples, too."""
    asked = policy(rule, assumptions)
    with at_leisure():
        found = ph.anonymize(HOSPITAL / "original.csv", policy=asked, budget=0.5)
    assert found.verdict == "proved"
    columns = ph.search(HOSPITAL / "original.csv", asked, objective="loss")
    assert found.cost <= columns.cost
    assert "certificates do not cover never_known" in str(found.uncertified)
    plain = {name: part for name, part in asked.items() if name != "hierarchies"}
    again = ph.verify(found.release, plain)
    assert again.verdict == "proved"


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few tuples are all seen after a slice: no budget has to run out."""
    monkeypatch.setattr("phverify.recoding.run.SLICE", 1 / 32)


@pytest.mark.usefixtures("few")
def test_a_tip_is_repaired() -> None:
    """By the release alone nobody knows of i1; who knows that i2 has no b does."""
    frame = pd.DataFrame({"n": ["1", "1", "9", "9"], "f": ["a", "b", "a", "b"]})
    asked = {
        "columns": {"quasi": ["n"], "sensitive": ["f"]},
        "types": {"n": "integer"},
        "assumptions": {"tip": "@i2 ~(f = b)"},
        "rules": {"rule": "never_known(@i1 f = b)"},
    }
    found = ph.anonymize(frame, policy=asked, budget=60)
    assert found.verdict == "proved"
    assert found.release["n"].tolist() == ["*"] * 4
    assert found.cost == 1
    assert found.bound == 0
    assert "no class can be split: every way to split it breaks a rule" in str(found)


def test_what_stands_beside_it_is_asked_of_each_model() -> None:
    """Of which one class of all has more: that it breaks the rule proves nothing."""
    frame = pd.DataFrame({"n": ["1", "1", "9", "9"], "f": [*"aabc"]})
    asked = {
        "columns": {"quasi": ["n"], "sensitive": ["f"]},
        "types": {"n": "integer"},
        "rules": {"rule": "never_known(@i3 f = b) & @i1 f = a"},
    }
    found = ph.anonymize(frame, policy=asked, budget=60)
    assert (found.verdict, found.cost) == ("proved", 0)


@pytest.mark.usefixtures("few")
def test_what_others_assume_is_possible_in_the_release() -> None:
    """Who takes i3 for a carrier of a is not contradicted by a class that has one."""
    frame = pd.DataFrame({"n": ["1", "1", "2", "9"], "f": [*"abbc"]})
    asked = {
        "columns": {"quasi": ["n"], "sensitive": ["f"]},
        "types": {"n": "integer"},
        "assumptions": {"tip": "@i3 f = a"},
        "rules": {"k": "k_anonymity(2)", "rule": "never_known(@i1 f = b)"},
    }
    found = ph.anonymize(frame, policy=asked, budget=60)
    assert found.verdict == "proved"
    assert ph.verify(found.release, asked).verdict == "proved"


def test_what_every_release_tells() -> None:
    """Joined classes tell less; what one class of all tells, every release does."""
    frame = pd.DataFrame({"n": ["1", "2", "9"], "f": ["a", "b", "a"]})
    asked = {
        "columns": {"quasi": ["n"], "sensitive": ["f"]},
        "types": {"n": "integer"},
        "assumptions": {"tip": "@i2 f = b"},
        "rules": {"rule": "never_known(@i3 f = a)"},
    }
    found = ph.anonymize(frame, policy=asked, budget=60)
    assert found.verdict == "infeasible"
    assert found.reason == "even the most general release breaks rule"


@pytest.mark.parametrize("phi", ["~[a1] f = a", "~(n = '1')"])
def test_what_one_class_of_all_tells_and_others_do_not(phi: str) -> None:
    """Of what agents know, and of released values, it proves nothing."""
    frame = pd.DataFrame({"n": ["1", "2"], "f": ["a", "b"]})
    asked = {
        "columns": {"quasi": ["n"], "sensitive": ["f"]},
        "types": {"n": "integer"},
        "rules": {"rule": f"never_known(@i1 {phi})"},
    }
    found = ph.anonymize(frame, policy=asked, budget=60)
    assert (found.verdict, found.cost) == ("proved", 0)


def test_no_certificate_says_it() -> None:
    """Its checker reads no such rule, whatever the certificate claims."""
    frame = pd.DataFrame({"n": [1, 1], "f": ["a", "b"]})
    asked: dict[str, Any] = {
        "columns": {"quasi": ["n"], "sensitive": ["f"]},
        "types": {"n": "integer"},
        "rules": {"rule": "true"},
    }
    claimed = dict(ph.anonymize(frame, policy=asked, budget=60).certificate)
    asked["rules"] = {"rule": "never_known(@i1 f = a)"}
    claimed["rules"] = asked["rules"]
    del claimed["digest"]
    forged = {**claimed, "digest": digest(claimed)}
    refused = ph.check(forged, table=frame, policy=ph.Policy.from_dict(asked))
    assert refused.verdict == "refused"
    assert "certificates do not cover never_known" in str(refused)
