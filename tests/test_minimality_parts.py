"""Minimality: the parts of a policy that are about single classes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from support.minimality_cases import (
    HEAD,
    PATHS,
    asked,
    rows_of,
)

from phverify.spec import syntax as s
from phverify.spec.classes import Counting
from phverify.spec.data import Refused, policy, release_data
from phverify.spec.parser import parse
from phverify.spec.rules import looked_up as resolve
from phverify.spec.spaces import Space
from phverify.spec.together import Partitions
from phverify.spec.violations import Violations
from phverify.spec.withholding import ways


@pytest.mark.parametrize(
    ("text", "whole", "withholding"),
    [
        ("k_anonymity(2) & l_diversity(f, 2)", 2, 2),
        (
            "t_closeness(f, 1/4)",
            1,
            1,
        ),  # the second, for the released part: within t + share
        ("t_closeness(f, 1/4, ordered)", 1, 0),
        ("t_closeness(q, 1/4)", 0, 0),
        ("beta_likeness(f, 1)", 1, 0),
        ("forall v in f: l_a1(f = v) <= 1/2", 1, 0),
        ("l_a1(f = a) <= l_a0(f = a)", 1, 0),
        ("l_a1(f = a) <= 1/2", 1, 1),
        ("q = x | k_anonymity(2)", 0, 0),
        ("~[half] f = a", 0, 0),
        ("[a0] <a1> f = a", 0, 0),
        ("@i1 ~[a1] f = a & @i2 ~[a1] f = a", 1, 1),
        ("@i1 f = a -> @i2 g = 0", 0, 0),
        ("forall i: @i ~[a1] (i & f = a)", 0, 0),
        ("forall i: @i ~[a1] f = a", 1, 1),
        ("forall c in clauses(f, 2): ~[a1] c", 1, 0),
        ("forall c in clauses(f, 2), i: @i ~[a1] (i & c)", 0, 0),
    ],
)
def test_parts_are_about_single_classes(
    text: str, whole: int, withholding: int
) -> None:
    """Beside who is where, a part depends on its class alone, whatever else is withheld
    or generalized.
    """
    data = rows_of(["a0", "b1", "c0", "a1"])
    data = replace(data, agents={**data.agents, "half": ()})
    rules = {"r": resolve(parse(text), data)}
    for share, count in ((Fraction(0), whole), (Fraction(1, 4), withholding)):
        assert len(asked(data, rules, (), share).parts) == count


def test_every_conjunct_of_every_instance_is_demanded() -> None:
    data = rows_of(["a0", "b1", "c0", "a1"])
    for text, bodies in (
        ("forall v in f: (l_a1(f = v) <= 1/2 & ~[a1] f = v)", 6),
        ("forall v in f, w in g: (<a1> f = v | <a1> g = w)", 6),
        ("forall i: @i ~[a1] f = a & (forall c in clauses(f, 2): ~[a1] c)", 1 + 6),
    ):
        parts = asked(data, {"r": resolve(parse(text), data)}, (), Fraction(0)).parts
        assert len({body for part in parts for body in part.bodies}) == bodies


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("f = a", "a"),
        ("f in {a, b}", "ab"),
        ("~(f = c)", "ab"),
        ("f = a | f = c", "ac"),
    ],
)
def test_a_set_of_rows_is_asked_row_by_row(text: str, values: str) -> None:
    letters = "abca"
    counting = Counting(rows_of([f"{letter}0" for letter in letters]))
    formula = resolve(parse(text), counting.data)
    for chosen in range(1, 2 ** len(letters)):
        inside = {letters[k] for k in range(len(letters)) if chosen >> k & 1}
        assert counting.true(formula, chosen) == (inside <= set(values))


def test_what_is_demanded_while_records_are_withheld() -> None:
    data = rows_of(["a0", "b1", "c0", "a1"])
    rules = {"r": resolve(parse("t_closeness(f, 1/4)"), data)}
    (body,) = (
        body
        for part in asked(data, rules, (), Fraction(1, 3)).parts
        for body in part.bodies
    )
    assert isinstance(body, s.Criterion)
    assert dict(body.named)["t"] == "7/12"


def test_assumptions_say_where_in_a_class_somebody_is() -> None:
    data = rows_of(["a0", "b1", "c0", "a1"])
    given = (resolve(parse("@i1 ~(f = a)"), data),)
    for text, count in (
        ("@i1 f != b", 0),
        ("forall i: @i f != b", 0),
        ("@i1 ~[a1] f = b", 1),
        ("f != b", 1),
    ):
        rules = {"r": resolve(parse(text), data)}
        assert len(asked(data, rules, given, Fraction(0)).parts) == count


def three(text: str, budget: int) -> Violations:
    """One row with q = x and f = b, two with q = y and f = a; one rule."""
    columns = {"q": ("x", "y", "y"), "f": ("b", "a", "a"), "g": ("0", "0", "0")}
    data = release_data(policy(HEAD), columns, PATHS)
    question = asked(data, {"r": resolve(parse(text), data)}, (), Fraction(budget, 3))
    return Violations(data, question, Space((Partitions("q", ("x", "y")),)), budget, {})


ALL = {"part": 0, "blocks": [3]}


def test_a_box_around_somebody_needs_more_than_mergers() -> None:
    """i1 is in no violating class of the finest release, though the whole table
    violates.
    """
    where = three("@i1 l_a1(f = a) <= 1/2", 0)
    with pytest.raises(Refused, match="not closed"):
        where.box({"kind": "box", **ALL, "person": 0})
    with pytest.raises(Refused, match="concerns nobody"):
        where.box({"kind": "box", **ALL})
    assert where.box({"kind": "class", **ALL, "person": 0}) == (-1,)


def test_a_violation_that_could_be_withheld_says_nothing() -> None:
    claim = {"kind": "box", **ALL}
    assert three("l_a1(f = a) <= 1/2", 0).box(claim) == ()
    with pytest.raises(Refused, match="withheld"):
        three("l_a1(f = a) <= 1/2", 1).box(claim)


def test_ways_to_withhold() -> None:
    x, y = ("x",), ("y",)
    rule = "l_a1(f = a) <= 1/2"
    assert set(ways(three(rule, 1), (False,))) == set()  # two records violate
    assert set(ways(three(rule, 2), (False,))) == {frozenset({y})}
    assert set(ways(three("k_anonymity(1)", 2), (False,))) == {
        frozenset(),
        frozenset({x}),
        frozenset({y}),
    }
    named = three("@i1 <a1> f = b", 2)
    assert set(ways(named, (False,))) == {frozenset(), frozenset({y})}
    assert named.withheld((False,), [["y"]]) == [1, 2]
    for where, labels in ((named, "x"), (three(rule, 1), "y"), (three(rule, 1), "z")):
        with pytest.raises(Refused):
            where.withheld((False,), [[labels]])
