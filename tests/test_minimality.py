"""The plain checker of minimality against brute force: what merging keeps, violations,
mutants of certificates.
"""

from __future__ import annotations

import copy
import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.search_questions import (
    TREE,
    Case,
    criteria,
    drawn_about_classes,
    drawn_about_people,
    drawn_at_random,
    settings,
)
from test_agreement import cases

import phverify as ph
from phverify.budget import Deadline
from phverify.constraints.agree import smtlib
from phverify.constraints.solver import solve
from phverify.generalization.space import implications, implied, wider
from phverify.microdata.hierarchy import Hierarchy
from phverify.spec import syntax as s
from phverify.spec.along import Levels, Subtrees
from phverify.spec.along import tree as tree_of
from phverify.spec.certificate import digest
from phverify.spec.classes import Counting, Demands, PolicyPart
from phverify.spec.command import MALFORMED
from phverify.spec.data import Data, Refused, policy, release_data
from phverify.spec.least import all_covered, none_cheaper
from phverify.spec.merging import MERGE, OPEN, UPWARD, Merging, known
from phverify.spec.minimal import HOW, Judges, Minimality, check, queries
from phverify.spec.parser import parse
from phverify.spec.rules import looked_up as resolve
from phverify.spec.schemes import Scheme
from phverify.spec.spaces import Space, space
from phverify.spec.system import System
from phverify.spec.together import Intervals, Partitions, Together
from phverify.spec.types import ValueType
from phverify.spec.violations import Violations
from phverify.symbolic.histograms import merging
from phverify.verbs.check_inputs import given as inputs

TYPES = '[types]\nf = ["a", "b", "c"]\ng = "integer"\n'
HEAD = f'[columns]\nquasi = ["q"]\nsensitive = ["f", "g"]\n{TYPES}[rules]\nr = "true"\n'
PATHS = {"f": {v: tuple(path) for v, path in TREE.items()}}


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("check") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


# What is kept when classes are merged


def rows_of(cells: Sequence[str]) -> Data:
    """A table with one class, whose rows have these values of f and g."""
    columns = {
        "q": ("x",) * len(cells),
        "f": tuple(c[0] for c in cells),
        "g": tuple(c[1] for c in cells),
    }
    return replace(
        release_data(policy(HEAD), columns, PATHS), known={"f": "abc", "g": "01"}
    )


def holds(data: Data, text: str) -> list[bool]:
    """For every set of rows, as bits, whether it satisfies a formula as a class."""
    counting, part = (
        Counting(data),
        PolicyPart("r", s.TRUE, (resolve(parse(text), data),)),
    )
    return [
        counting.satisfies(part, rows) if rows else True
        for rows in range(1 << data.rows)
    ]


def kept(found: Sequence[bool]) -> int:
    """How closed a property of sets of rows is, by looking at all pairs of disjoint
    sets.
    """
    pairs = [
        (a, b) for a in range(1, len(found)) for b in range(1, len(found)) if not a & b
    ]
    if all(found[a | b] for a, b in pairs if found[a]):
        return UPWARD
    return (
        MERGE if all(found[a | b] for a, b in pairs if found[a] and found[b]) else OPEN
    )


CELLS = st.lists(
    st.sampled_from(["a0", "a1", "b0", "b1", "c0"]), min_size=2, max_size=6
)
ATOMS = [
    "f = a", "f >= b", "g != 0", "~[a1] f = a", "[a1] (f = a | g = 1)", "<a1> (f = b & g = 0)", "~<a1> f = c",
    "l_a1(f = a) <= 1/2", "l_a1(f = a) - l_a0(f = a) < 1/3", "l_a1(f = a) = l_a1(g = 0)", "l_a1(f = b) != 1/2",
    "abs(l_a1(f = a) - l_a0(f = a)) <= 1/4", "2 l_a1(f = a) - abs(l_a1(g = 0) - 1/2) <= 1", "k_anonymity(3)",
    "l_a1(f = a) <= 1/2 * l_a1(g = 1) + 1/3", "l_a0(f = a) >= 1/2", "[a0] f = a", "true", "false",
]  # fmt: skip


@st.composite
def formulas(draw: st.DrawFn) -> str:
    atom = st.one_of(st.sampled_from(ATOMS), criteria().map(lambda pair: pair[0]))
    whole = st.recursive(
        atom,
        lambda inner: st.one_of(
            inner.map(lambda f: f"~({f})"),
            st.tuples(inner, st.sampled_from(["&", "|", "->", "<->"]), inner).map(
                lambda p: f"({p[0]}) {p[1]} ({p[2]})"
            ),
        ),
        max_leaves=3,
    )
    return draw(whole)


@cases(150)
@given(CELLS, criteria())
def test_criteria_are_kept_as_the_table_says(
    cells: list[str], rule: tuple[str, Any]
) -> None:
    """By the definitions of the oracle, over all pairs of disjoint classes of a
    table.
    """
    text, test = rule
    table = [{"f": c[0], "g": c[1]} for c in cells]
    sets = [
        [row for k, row in enumerate(table) if which >> k & 1]
        for which in range(1 << len(table))
    ]
    found = [not members or test(members, table) for members in sets]
    assert kept(found) >= known(resolve(parse(text), rows_of(cells)), rows_of(cells))


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("delta_disclosure(f, 5/4, absent=ignored)", OPEN),
        ("delta_disclosure(f, 5/4)", MERGE),
        ("recursive_l_diversity(f, 3/2, 2)", MERGE),
        ("entropy_l_diversity(f, 2)", MERGE),
        ("alpha_k_anonymity(f, 3/4, 2)", MERGE),
        ("t_closeness(f, 1/4)", MERGE),
        ("l_diversity(f, 2)", UPWARD),
        ("k_anonymity(2)", UPWARD),
        ("l_a1(f = a) != 1/2", OPEN),
        ("f = a -> l_a1(f = a) <= 1/2", OPEN),
        ("~k_anonymity(3)", OPEN),
        ("[a1] f = a | [a1] f = b", OPEN),
        ("f = a | [a1] f = b", OPEN),
        ("l_a1(f = a) <= 1/4 | l_a1(f = b) <= 1/4", OPEN),
        ("l_a1(f = a) <= 1/4 | k_anonymity(3)", MERGE),
        ("f != a | <a1> f = c", MERGE),
        ("k_anonymity(3) | <a1> f = c", UPWARD),
    ],
)
def test_what_merging_keeps_in_a_table_where_it_shows(text: str, level: int) -> None:
    """No more is known than holds; the table has pairs of classes that show what is not
    kept.
    """
    data = rows_of(["a0"] * 4 + ["b0"] * 3 + ["c0"])
    assert known(resolve(parse(text), data), data) == level <= kept(holds(data, text))
    if text not in (
        "f = a -> l_a1(f = a) <= 1/2",
    ):  # which is kept, though it is not known to be
        assert kept(holds(data, text)) == level


@cases(150)
@given(CELLS, formulas())
def test_formulas_are_kept_as_is_said(cells: list[str], text: str) -> None:
    data = rows_of(cells)
    assert kept(holds(data, text)) >= known(resolve(parse(text), data), data)


@cases(60)
@given(CELLS, formulas(), st.sampled_from([MERGE, UPWARD]), st.booleans())
def test_what_a_query_shows_is_kept(
    cells: list[str], text: str, goal: int, exact: bool
) -> None:
    data = rows_of(cells)
    try:
        asked = merging(Merging((resolve(parse(text), data),), goal, exact, data))
    except Refused:
        return
    status = solve(asked, Deadline(5)).status
    found = kept(holds(data, text))
    assert status != "unsat" or found >= goal
    if exact and status != "unknown":
        assert (status == "unsat") == (found >= goal)


def test_a_query_is_about_its_goal_and_all_its_bodies() -> None:
    data = rows_of(["a0"] * 4 + ["b0"] * 4)
    alike, uneven = (
        resolve(parse(text), data) for text in ("[a1] f = a", "l_a1(f = a) != 1/2")
    )
    asked = [
        ((alike,), MERGE),
        ((alike,), UPWARD),
        ((alike, uneven), MERGE),
        ((s.TRUE, uneven), MERGE),
    ]
    found = [
        solve(merging(Merging(bodies, goal, True, data)), Deadline(5)).status
        for bodies, goal in asked
    ]
    assert found == ["unsat", "sat", "unsat", "sat"]


def test_queries_go_further_than_what_is_known() -> None:
    data = rows_of(["a0", "a0", "b1", "b0", "c0"])
    for text in (
        "f = a -> l_a1(f = a) <= 1/2",
        "abs(l_a1(f = a) - l_a0(f = a)) <= 1/4",
        "~l_a1(f = a) > 1/3",
    ):
        body = resolve(parse(text), data)
        assert known(body, data) < MERGE
        (asked,) = queries((body,), MERGE, "each", data)
        assert solve(merging(asked), Deadline(5)).status == "unsat"
    for how in HOW:
        with pytest.raises(Refused):
            queries((resolve(parse("k_anonymity(2)"), data),), UPWARD, how, data)


@cases(80)
@given(
    CELLS,
    st.sampled_from(["variational", "hierarchical"]),
    st.integers(0, 12),
    st.data(),
)
def test_what_t_closeness_demands_of_a_class_while_records_are_withheld(
    cells: list[str], distance: str, t: int, data: st.DataObject
) -> None:
    """A class that is t-close to the released table is close to the whole one within
    the share withheld.
    """
    whole = rows_of(cells)
    out = data.draw(st.sets(st.integers(0, len(cells) - 1), max_size=len(cells) - 1))
    left = rows_of([cell for k, cell in enumerate(cells) if k not in out])
    share, bound = Fraction(len(out), len(cells)), Fraction(t, 12)
    inside = data.draw(st.integers(1, (1 << left.rows) - 1))
    mine, weaker = (
        s.Criterion(
            "t_closeness", (), (("f", "f"), ("t", str(most)), ("distance", distance))
        )
        for most in (bound, bound + share)
    )
    numbers = [k for k in range(len(cells)) if k not in out]
    same = sum(1 << numbers[k] for k in range(left.rows) if inside >> k & 1)
    if Counting(left).true(mine, inside):
        assert Counting(whole).true(weaker, same)


# Schemes


PAIRS = {
    "1": ("1", "p", "*"),
    "2": ("2", "p", "*"),
    "3": ("3", "r", "*"),
    "4": ("4", "r", "*"),
    "": ("", "", "*"),
}
FIVE = ("1", "2", "3", "4", None)
OVER = tree_of("n", FIVE, PAIRS)
SCHEMES = {
    "levels": (Levels("n", FIVE, OVER), 3),
    "subtrees": (Subtrees("n", FIVE, OVER), 2 * 2 + 1),
    "named": (Subtrees("n", FIVE, OVER, True), 2 * 2 * 2 + 1),
    "intervals": (Intervals("n", FIVE), 2**3 + 1),
    "partitions": (Partitions("n", FIVE), 52),
}


@pytest.mark.parametrize("name", SCHEMES)
def test_clauses_of_schemes_say_what_they_should(name: str) -> None:
    scheme, count = SCHEMES[name]
    found = list(truths(Space((scheme,))))
    assert len(found) == count
    assert {block for truth in found for block in scheme.blocks(truth)} == set(
        filter(scheme.valid, range(-9, 99))
    )
    for truth, block in itertools.product(
        found, filter(scheme.valid, range(1 << len(FIVE)))
    ):
        inside, blocks = set(scheme.members(block)), scheme.blocks(truth)
        apart = all(set(scheme.members(blocks[v])) <= inside for v in inside)
        kept_apart = not any(truth[u - 1] for u in scheme.cut(block))
        assert apart or not kept_apart
        assert (block in blocks) == (
            kept_apart and all(truth[u - 1] for u in scheme.inner(block))
        )
    for truth, other in itertools.product(found, found):
        finer = all(
            set(scheme.members(a)) <= set(scheme.members(b))
            for a, b in both(scheme, other, truth)
        )
        assert finer or any(other[u - 1] for u in scheme.beyond(truth))
        assert truth != other or not any(other[u - 1] for u in scheme.beyond(truth))


def both(
    scheme: Scheme, one: Sequence[bool], two: Sequence[bool]
) -> Iterator[tuple[int, int]]:
    """The blocks of each value under two partitions."""
    return zip(scheme.blocks(one), scheme.blocks(two), strict=True)


@pytest.mark.parametrize("name", SCHEMES)
def test_where_a_search_goes_from_a_partition(name: str) -> None:
    """The finest coarser partition with an unknown true, and the next larger blocks: by
    looking at all of them.
    """
    scheme, _ = SCHEMES[name]
    found = list(truths(Space((scheme,))))
    blocks = {
        block: frozenset(scheme.members(block))
        for truth in found
        for block in scheme.blocks(truth)
    }
    for truth, unknown in itertools.product(found, range(scheme.decisions)):
        coarser = [one for one in found if above(one, truth) and one[unknown]]
        raised = implied(
            implications(scheme),
            {u for u, true in enumerate(truth) if true} | {unknown},
        )
        (finest,) = (
            one for one in coarser if all(above(other, one) for other in coarser)
        )
        assert tuple(u in raised for u in range(scheme.decisions)) == finest
    for truth in found:
        parts = {frozenset(scheme.members(block)) for block in scheme.blocks(truth)}
        unions = {
            block: inside for block, inside in blocks.items() if is_union(inside, parts)
        }
        for block, inside in unions.items():
            further = {other for other in unions.values() if other > inside}
            smallest = {
                other for other in further if not any(one < other for one in further)
            }
            found_ones = {
                unions[other]
                for other in wider(scheme, block, np.array(truth, dtype=bool))
            }
            assert found_ones == smallest or not isinstance(scheme, Together)
            assert all(inside <= other for other in found_ones)


def is_union(inside: frozenset[int], parts: set[frozenset[int]]) -> bool:
    return all(part <= inside or not part & inside for part in parts)


TWO = Space((SCHEMES["levels"][0], Levels("m", FIVE, OVER)))
UNKNOWNS = st.integers(1, TWO.decisions)
CUTS = st.lists(UNKNOWNS, min_size=1, max_size=2)
LITERALS = UNKNOWNS.flatmap(lambda u: st.sampled_from([u, -u]))


@cases(300)
@given(
    st.lists(st.one_of(CUTS, CUTS, st.lists(LITERALS, max_size=3)), max_size=4),
    st.data(),
)
def test_level_vectors_are_all_looked_at(
    clauses: list[list[int]], data: st.DataObject
) -> None:
    """By brute force: none that meets all clauses is cheaper, or above no minimal
    one.
    """
    vectors = list(truths(TWO))
    good = [
        v
        for v in vectors
        if all(any(v[abs(u) - 1] == (u > 0) for u in clause) for clause in clauses)
    ]
    weights = data.draw(
        st.lists(st.integers(0, 3), min_size=TWO.decisions, max_size=TWO.decisions)
    )
    bound = data.draw(st.integers(0, sum(weights) + 1))
    minimal = data.draw(
        st.one_of(st.just(lowest(good)), st.lists(st.sampled_from(vectors), max_size=3))
    )
    minimal = minimal[: data.draw(st.integers(max(len(minimal) - 1, 0), len(minimal)))]
    asked = [tuple(clause) for clause in clauses]
    cheap = any(
        sum(w for w, true in zip(weights, v, strict=True) if true) < bound for v in good
    )
    assert refuses(lambda: none_cheaper(TWO, weights, asked, bound)) == cheap
    covered = all(any(above(v, one) for one in minimal) for v in good)
    apart = not any(above(a, b) for a, b in itertools.permutations(minimal, 2))
    assert refuses(lambda: all_covered(TWO, asked, minimal)) != (covered and apart)


def lowest(vectors: Sequence[tuple[bool, ...]]) -> list[tuple[bool, ...]]:
    """Those that lie above no other one."""
    return [
        one
        for one in vectors
        if not any(above(one, other) and one != other for other in vectors)
    ]


def above(one: Sequence[bool], other: Sequence[bool]) -> bool:
    return all(more or not less for more, less in zip(one, other, strict=True))


def refuses(ask: Callable[[], object]) -> bool:
    try:
        ask()
    except Refused:
        return True
    return False


# Which rules are about single classes


def asked(
    data: Data,
    rules: dict[str, s.Formula],
    assumptions: tuple[s.Formula, ...],
    share: Fraction,
) -> Demands:
    return Demands(
        data.signature, data.quasi, data.criterion, rules, assumptions, share
    )


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


# What may be withheld, and who is concerned


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
    assert set(three(rule, 1).ways((False,))) == set()  # two records violate
    assert set(three(rule, 2).ways((False,))) == {frozenset({y})}
    assert set(three("k_anonymity(1)", 2).ways((False,))) == {
        frozenset(),
        frozenset({x}),
        frozenset({y}),
    }
    named = three("@i1 <a1> f = b", 2)
    assert set(named.ways((False,))) == {frozenset(), frozenset({y})}
    assert named.withheld((False,), [["y"]]) == [1, 2]
    for where, labels in ((named, "x"), (three(rule, 1), "y"), (three(rule, 1), "z")):
        with pytest.raises(Refused):
            where.withheld((False,), [[labels]])


# Claims, true or false, about violations


def minimality(case: Case, **changes: Any) -> Minimality:
    """The checker on a case's table, before any claim."""
    question, empty = case.question, {name: {} for name in ("proofs", "agreed")}
    start = inputs(case.frame, case.policy, case.hierarchies)
    orders = {name: start.data.domains[name] for name in start.data.quasi}
    said = {
        "space": question.space,
        "suppress": str(question.suppress),
        "objective": question.objective,
        "mapping": {
            name: [[value, value] for value in values]
            for name, values in orders.items()
        },
        "closures": [],
        "minimal": [],
        **empty,
    }
    return Minimality({**said, **changes}, start, Judges(texts=unsatisfiable))


def unsatisfiable(questions: Sequence[System | Merging]) -> int:
    texts = {
        smtlib(one) if isinstance(one, System) else merging(one) for one in questions
    }
    return (
        len(texts)
        if all(solve(text, Deadline(5)).status == "unsat" for text in texts)
        else 0
    )


def truths(space: Space) -> Iterator[tuple[bool, ...]]:
    """All candidates of a space."""
    for bits in itertools.product((False, True), repeat=space.decisions):
        try:
            yield space.candidate([u for u, true in enumerate(bits) if true])
        except Refused:
            continue


def claims(checker: Minimality) -> Iterator[dict[str, Any]]:
    """Claims about all boxes and candidates, which say of them what is true as far as
    counting goes.
    """
    blocks = [
        list(filter(scheme.valid, range(256))) for scheme in checker.space.schemes
    ]
    for box in itertools.islice(itertools.product(*blocks), 400):
        inside = checker.violations.inside(box)
        people = [{"person": p} for p in range(checker.data.rows) if inside >> p & 1]
        for number in range(len(checker.violations.asked.parts)):
            for kind, person in itertools.product(("box", "class"), ({}, *people)):
                yield {"kind": kind, "part": number, "blocks": list(box), **person}
    for truth in truths(checker.space):
        yield from about(truth)


def about(truth: tuple[bool, ...]) -> Iterator[dict[str, Any]]:
    """Claims about a whole candidate."""
    chosen = [u for u, true in enumerate(truth) if true]
    yield {"kind": "cut", "choice": chosen}
    yield {"kind": "candidate", "choice": chosen, "witnesses": []}


def closures(checker: Minimality) -> list[dict[str, Any]]:
    """Claims about the closure of all parts, the strongest first, as far as Z3 finds
    it.
    """
    found = []
    for number, part in enumerate(checker.violations.asked.parts):
        for goal, how in itertools.product((UPWARD, MERGE), HOW):
            try:
                texts = queries(part.bodies, goal, how, checker.data)
            except Refused:
                continue
            if unsatisfiable(texts):
                found.append({"part": number, "upward": goal == UPWARD, "how": how})
                break
    return found


DRAWN = {
    "classes": drawn_about_classes,
    "people": drawn_about_people,
    "random": drawn_at_random,
}


@cases(60)
@given(st.sampled_from(sorted(DRAWN)), st.data())
def test_clauses_hold_for_whatever_satisfies_the_policy(
    tree: Path, kind: str, data: st.DataObject
) -> None:
    """Whatever the checker makes of true counts is never too strong."""
    case = DRAWN[kind](data.draw, tree, data.draw(settings(2, 4)))
    try:
        checker = minimality(case)
        checker = minimality(case, closures=closures(checker))
        checker.violations.used.update(checker.violations.shown)
        checker.closures()
    except (ph.InputError, Refused):
        return
    if checker.space.decisions > 8:
        return
    found = set()
    for claim in claims(checker):
        try:
            found.add(checker.clause(claim))
        except Refused:
            continue
    good = [
        truth
        for truth in truths(checker.space)
        if satisfies(case, checker.space.mapping(truth))
    ]
    for truth in good:
        whole = checker.space.solution(truth)
        assert all(
            any(whole[abs(u) - 1] == (u > 0) for u in clause) for clause in found
        )


def satisfies(case: Case, mapping: Mapping[str, Mapping[Any, Any]]) -> bool:
    """Whether the oracle finds that a mapping satisfies the policy."""
    return any(map(case.question.good, case.question.matching(mapping)))


# Mutants

SAID = ("rules", "space", "objective", "weights", "suppress", "cost", "choice")
EVIDENCE = (
    "clauses",
    "closures",
    "minimal",
    "withheld_classes",
    "withheld",
    "witnesses",
    "person",
)
"""Lists may be in another order or longer than need be; another person may be in the
same box, another witness true.
"""
CLAUSE = {"kind", "part", "blocks", "choice"}
"""What a clause says may be as true of another box, or of another candidate."""
MUTANTS = 60
"""Of each certificate; 20 certificates make more than a thousand in all."""
FRAME = pd.DataFrame(
    {
        "q": list("aabbccdd"),
        "r": list("xyxyxyxx"),
        "f": list("stuvstss"),
        "g": list("01010101"),
    }
)
HIERARCHIES = {
    "q": Hierarchy("q", {v: (v, "p" if v in "ab" else "s", "*") for v in "abcd"}),
    "r": Hierarchy("r", {v: (v, "*") for v in "xy"}),
}
RULES = {
    "k": "k_anonymity(2)",
    "l": "l_diversity(f, 2) | k_anonymity(4)",
    "a": "forall v in f: f = v -> l_a1(f = v) <= 2/3",
    "o": "@i1 f = s -> @i3 ~[a1] g = 0",
}
ASKED: list[dict[str, Any]] = [
    {"space": "levels"},
    {"space": "subtrees"},
    {"space": "subtrees", "suppress": "1/4"},
    {"space": "levels", "all_minimal": True},
    {"space": "levels", "objective": "discernibility"},
]


def certified(
    asked: Mapping[str, Any], rules: Mapping[str, str]
) -> tuple[Any, dict[str, Any]]:
    section = {
        "columns": {"quasi": ["q", "r"], "sensitive": ["f", "g"]},
        "rules": dict(rules),
    }
    mine = ph.Policy.from_dict(section)
    found = ph.search(FRAME, mine, HIERARCHIES, **asked)
    assert found.certificate is not None, found.uncertified
    return mine, json.loads(json.dumps(found.certificate))


def leaves(item: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of everything in a certificate."""
    if isinstance(item, dict | list):
        pairs = item.items() if isinstance(item, dict) else enumerate(item)
        for key, inner in pairs:
            yield (*path, key)
            yield from leaves(inner, (*path, key))


def changed(value: Any, chance: random.Random) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + chance.choice((-1, 1, 7))
        case str():
            return chance.choice([value + "1", value[:-1], f"{value}/2", "1", "x"])
        case None:
            return "x"
        case list():
            return chance.choice([value[:-1], [*value, *value[-1:]], value[::-1], []])
    return dict(list(value.items())[1:])


def mutants(
    written: dict[str, Any], chance: random.Random, count: int
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    paths = [path for path in leaves(written) if path[0] != "digest"]
    for path in chance.choices(paths, k=count):
        mutant = copy.deepcopy(written)
        place = mutant
        for key in path[:-1]:
            place = place[key]
        before = place[path[-1]]
        place[path[-1]] = changed(before, chance)
        if place[path[-1]] != before or type(place[path[-1]]) is not type(before):
            yield path, {**mutant, "digest": digest(mutant)}


@pytest.mark.parametrize("asked", ASKED, ids=str)
@pytest.mark.parametrize("names", ["k", "kl", "a", "ko"])
def test_mutants_are_refused(asked: dict[str, Any], names: str) -> None:
    """What is accepted after a change says the same, by another true claim or by
    another proof that is one.
    """
    rules = {name: RULES[name] for name in names}
    mine, honest = certified(asked, rules)
    assert ph.check(honest, FRAME, mine, HIERARCHIES).accepted
    start, chance = inputs(FRAME, mine, HIERARCHIES), random.Random(f"{asked}{names}")
    for path, mutant in mutants(honest, chance, MUTANTS):
        try:
            list(check(mutant, start, Judges()))
        except (Refused, *MALFORMED):
            continue
        other = path[0] == "clauses" and CLAUSE & {*path}
        assert (
            other
            or path[0] in ("bound", "mapping")
            or "witness" in path
            or path[-1] in EVIDENCE
        ), path
        assert all(mutant[name] == honest[name] for name in SAID)
        assert meant(mutant) == meant(honest)


def meant(written: dict[str, Any]) -> dict[str, dict[Any, Any]]:
    """The mapping of a certificate, whatever the order in which it names the values."""
    return {name: dict(map(tuple, pairs)) for name, pairs in written["mapping"].items()}


def test_every_way_to_withhold_is_refuted() -> None:
    """A candidate is excluded only if it fails whatever is withheld of it."""
    mine, honest = certified(ASKED[2], {"a": RULES["a"]})
    checker = Minimality(honest, inputs(FRAME, mine, HIERARCHIES), Judges())
    claim, *_ = (
        c
        for c in honest["clauses"]
        if c["kind"] == "candidate" and len(c["witnesses"]) > 1
    )
    assert checker.clause(claim)
    for k in range(len(claim["witnesses"])):
        fewer = [one for j, one in enumerate(claim["witnesses"]) if j != k]
        with pytest.raises(Refused, match="not refuted in every way"):
            checker.clause({**claim, "witnesses": fewer})


def test_clauses_are_in_one_order() -> None:
    """A proof of the bound names clauses by number: boxes that were found after whole
    candidates count, too.
    """
    mine, honest = certified(
        {"space": "partitions", "suppress": "1/8"}, {name: RULES[name] for name in "lo"}
    )
    whole = [clause["kind"] in ("cut", "candidate") for clause in honest["clauses"]]
    assert whole != sorted(whole) and honest["bound"]
    assert ph.check(honest, FRAME, mine, HIERARCHIES).accepted


def test_all_minimal_candidates_are_minimal() -> None:
    """A list with one above another, without the candidate, or with a cheaper one is
    refused.
    """
    mine, honest = certified(
        {"space": "levels", "all_minimal": True}, {"k": RULES["k"]}
    )
    checker = Minimality(honest, inputs(FRAME, mine, HIERARCHIES), Judges())
    minimal = [checker.space.candidate(one["choice"]) for one in honest["minimal"]]
    top = (True,) * checker.space.decisions
    clauses = [checker.clause(claim) for claim in honest["clauses"]]
    with pytest.raises(Refused, match="above another"):
        all_covered(checker.space, clauses, [*minimal, top])
    with pytest.raises(Refused, match="none of the minimal"):
        checker.price(checker.space.candidate(honest["choice"]), [top])
    dear = Minimality({**honest, "cost": "1"}, checker.given, Judges())
    with pytest.raises(Refused, match="cheaper"):
        dear.price(top, [*minimal, top])
    with pytest.raises(Refused, match="none of the space"):
        checker.space.candidate([1])


def test_questions_that_make_no_sense() -> None:
    mine, honest = certified({"space": "levels"}, {"k": RULES["k"]})
    start = inputs(FRAME, mine, HIERARCHIES)
    assert Minimality(honest, start, Judges()).require_sense() is None  # type: ignore[func-returns-value]
    for change in (
        {"objective": "discernibility"},
        {"space": "all"},
        {"objective": "beauty"},
    ):
        with pytest.raises(Refused):
            Minimality({**honest, **change}, start, Judges()).question()
            Minimality({**honest, **change}, start, Judges()).require_sense()
    typed = replace(policy(HEAD), types={"q": ValueType("integer")})
    for values in (("2", "10"), ("10", "2")):
        assert [
            one.values for one in space("intervals", typed, {"q": values}, {}).schemes
        ] == [("2", "10")]
    with pytest.raises(Refused, match="no integer"):
        space("intervals", typed, {"q": ("2", "x")}, {})


def test_the_question_is_told() -> None:
    """Another space, other weights or more that may be withheld would be another claim,
    as true as this one.
    """
    for asked, told in (
        ({}, "the least loss in the space levels (q levels, r levels)"),
        (
            {"suppress": "1/4"},
            (
                "the least loss in the space levels (q levels, r levels); at most 2"
                " records withheld"
            ),
        ),
        (
            {"space": "subtrees", "objective": "height", "weights": {"r": "1/3"}},
            (
                "the least height in the space subtrees (q subtrees, r subtrees);"
                " weights: r 1/3, others 1"
            ),
        ),
    ):
        mine, honest = certified(asked, {"k": RULES["k"]})
        assert (
            ph.check(honest, FRAME, mine, HIERARCHIES).verified[2]
            == f"the question: {told}"
        )


def test_numbers_that_would_mean_somebody_else() -> None:
    """Whoever is third in the table need not be third in what is released; i₃ is i3."""
    columns = {"quasi": ["q", "r"], "sensitive": ["f", "g"], "identifier": "id"}
    frame = FRAME.assign(id=[f"p{k}" for k in range(len(FRAME))])
    for text in ("@i3 ~[a1] f = s", "@i₃ ~[a1] f = s", "~(@'p1' f = s & @ i₁ g = 0)"):
        mine = ph.Policy.from_dict(
            {"columns": columns, "rules": {"k": "k_anonymity(2)", "r": text}}
        )
        start = inputs(frame, mine, HIERARCHIES)
        start.nameable(0)
        with pytest.raises(Refused, match="by number"):
            start.nameable(1)
        with pytest.raises(ph.InputError, match="by number"):
            ph.search(frame, mine, HIERARCHIES, suppress="1/4")


def test_a_cell_of_the_table_is_another_one() -> None:
    mine, honest = certified(ASKED[1], {name: RULES[name] for name in "kl"})
    for row, name in itertools.product(range(len(FRAME)), ("q", "r", "f")):
        other = FRAME.copy()
        other.loc[row, name] = next(
            v for v in sorted(set(FRAME[name])) if v != FRAME.loc[row, name]
        )
        result = ph.check(honest, other, mine, HIERARCHIES)
        if result.accepted:  # the same counts: another table with the same answer
            found = ph.search(other, mine, HIERARCHIES, **ASKED[1])
            assert str(found.cost) == honest["cost"]
