"""Audits against the oracle: every verdict, every core and every interval, on random
tables and logs.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")

from support.audit_oracle import Case
from support.audit_worlds import Worlds
from support.so_many import FUZZ, sampled

from phverify.constraints import terms as t
from phverify.disclosure import decide, pool
from phverify.disclosure import understanding as run
from phverify.disclosure.log.query import Aggregate, SqlQuery
from phverify.disclosure.log.statements import split
from phverify.disclosure.result import (
    DISCLOSED,
    SAFE,
    Change,
    Distance,
    FactFinding,
    Remaining,
)
from phverify.disclosure.solving import bounds
from phverify.disclosure.solving.merging import merged
from phverify.disclosure.sums import count
from phverify.disclosure.worlds import aggregates, codings, constraints
from phverify.disclosure.worlds.constraints import Effect
from phverify.disclosure.worlds.relation import QueriedRows
from phverify.disclosure.worlds.rounding import sums
from phverify.disclosure.worlds.unknowns import World
from phverify.errors import Defect
from phverify.verbs.audit import audit

BLOCK = 500 if FUZZ else 4
"""Cases of a block.  A step is one verdict on one fact after one query: four blocks
have more than 10,000.
"""
TRIES = 120
"""So many cases are tried for each mutant."""


def agree(seed: int, folder: Path, case: Case | None = None) -> int:
    """One random case: audit and oracle agree after every step.  Returns how many
    verdicts were compared.
    """
    case = case or Case.random(seed)
    file = folder / f"{seed}.duckdb"
    case.write(file)
    report = audit(file, case.log, case.policy(), each=120, ranges=120)
    worlds = Worlds(case)
    compared = 0
    for step in report.steps:
        assert step.status == "answered", (seed, step.sql, step.reason)
        if step.number:
            worlds.ask(step.sql)
        assert {place(finding) for finding in step.findings} == worlds.facts(
            case.protect
        ), seed
        for finding, distance in zip(step.findings, step.distances, strict=True):
            check(finding, worlds, seed)
            check_distance(finding, distance, worlds, seed)
            compared += 1
        for left in step.remaining:
            check_remaining(left, worlds, seed)
    file.unlink()
    return compared


def place(finding: FactFinding) -> tuple[str, int]:
    """The line of the policy, and the row it is about; no fact of a row in these cases
    names another one.
    """
    protected, rows = finding.fact.protected, set(finding.fact.rows)
    assert protected.kind == "formula" or len(rows) == 1
    return protected.name, 0 if protected.kind == "formula" else rows.pop()


def check(finding: FactFinding, worlds: Worlds, seed: int) -> None:
    name, row = place(finding)
    entry = worlds.case.protect[name]
    expected = DISCLOSED if worlds.disclosed(entry, row, worlds.alive) else SAFE
    assert finding.verdict == expected, (seed, finding.fact.text(), finding)
    if finding.verdict == DISCLOSED:
        core = [number - 1 for number in finding.core]
        assert finding.minimal and worlds.disclosed(
            entry, row, worlds.consistent(core)
        ), (seed, entry, finding)
        for one in core:
            rest = [other for other in core if other != one]
            assert not worlds.disclosed(entry, row, worlds.consistent(rest)), (
                seed,
                entry,
                finding,
            )
    else:
        shown, holding = (
            {world_of(w, worlds) for w in finding.worlds},
            worlds.holding(entry, row) or set(),
        )
        assert shown <= set(worlds.alive) and not shown & holding, (
            seed,
            entry,
            finding,
        )
        views = {
            tuple(worlds.cell(*spot, w) for spot in finding.fact.places)
            for w in {*shown, worlds.truth}
        }
        assert len(views) >= (2 if holding else entry.get("left", 2)), (
            seed,
            entry,
            finding,
        )


def world_of(changes: tuple[Change, ...], worlds: Worlds) -> int:
    """Which of the oracle's worlds was shown."""
    cells, columns = list(worlds.all[worlds.truth]), list(worlds.case.domains)
    for change in changes:
        spot = int(change.key[1:]) * len(columns) + columns.index(change.column)
        assert cells[spot] == change.true
        cells[spot] = change.other
    return worlds.all.index(tuple(cells))


def check_distance(
    finding: FactFinding, distance: Distance, worlds: Worlds, seed: int
) -> None:
    """0 iff disclosed; where sets are compared it is the share of what the cells may be
    where the fact fails.
    """
    name, row = place(finding)
    assert distance.value is not None and 0 <= distance.value <= 1, (
        seed,
        name,
        distance,
    )
    assert (distance.value == 0) == (finding.verdict == DISCLOSED), (
        seed,
        name,
        distance,
    )
    if distance.value and distance.kind in ("nominal", "numerval"):
        expected = worlds.outside(worlds.case.protect[name], row, finding.fact.places)
        assert distance.value == expected and distance.tight, (
            seed,
            name,
            distance,
            expected,
        )


def check_remaining(left: Remaining, worlds: Worlds, seed: int) -> None:
    row = int(left.key[1:])
    values = worlds.values(left.column, row)
    assert left.tight and left.missing == (None in values), (seed, left, values)
    present = {v for v in values if v is not None}
    if left.values is not None:
        assert set(left.values) == present, (seed, left, values)
    else:
        assert (left.low, left.high) == (min(present), max(present)), (
            seed,
            left,
            values,
        )


@pytest.mark.parametrize("block", range(4))
def test_audits_agree_with_every_world(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every other block counts different values without going through the domain."""
    monkeypatch.setattr(aggregates, "VALUES", aggregates.VALUES if block % 2 else 1)
    assert (
        sum(agree(seed, tmp_path) for seed in range(block * BLOCK, (block + 1) * BLOCK))
        > 130 * BLOCK
    )


def test_the_oracle_asks_each_world_as_the_query_is_written() -> None:
    for seed in range(0, 60, 3 if FUZZ else 12):
        case = Case.random(seed)
        worlds = Worlds(case)
        for sql in case.log:
            together = worlds.together(sql)
            for world in range(0, len(worlds.all), 11):
                assert together[world] == worlds.one(sql, world), (seed, sql, world)


# mutants: a broken translation is caught


def no_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package's own defences, so that only the oracle can catch a
    mutant.
    """
    adopt = pool.Pool.adopt

    def adopted(self: pool.Pool, world: World) -> World:
        asked, self.asked = self.asked, []
        try:
            return adopt(self, world)
        finally:
            self.asked = asked

    monkeypatch.setattr(pool.Pool, "adopt", adopted)
    learn = decide.AuditJudge.learn

    def learned(self: decide.AuditJudge, one: Effect) -> None:
        with monkeypatch.context() as unchecked:
            unchecked.setattr(Effect, "broken", lambda *_: [])
            learn(self, one)

    monkeypatch.setattr(decide.AuditJudge, "learn", learned)


def ignore_absent_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    group = constraints._group
    monkeypatch.setattr(
        constraints,
        "_group",
        lambda q, row, *rest: Effect(()) if row is None else group(q, row, *rest),
    )


def exact_average(monkeypatch: pytest.MonkeyPatch) -> None:
    def exactly(mean: float, count: int) -> range:
        total = Fraction(mean) * count
        return range(int(total), int(total) + (total.denominator == 1))

    monkeypatch.setattr(aggregates, "sums", exactly)
    monkeypatch.setattr(codings, "sums", exactly)


def ignore_multiplicity(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row of the table once, however often a join has it."""
    relation = run.relation

    def once(*given: Any) -> QueriedRows:
        found = relation(*given)
        places = [
            k
            for k, member in enumerate(found.members)
            if member not in found.members[:k]
        ]

        def kept(columns: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Any, ...]]:
            return {
                name: tuple(column[k] for k in places)
                for name, column in columns.items()
            }

        members = [found.members[k] for k in places]
        return replace(
            found,
            members=members,
            public=kept(found.public),
            cells=kept(found.cells),
            truth=kept(found.truth),
        )

    monkeypatch.setattr(run, "relation", once)


def loose_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds by linear programming that are one too narrow."""
    proven = bounds.proven
    monkeypatch.setattr(
        bounds,
        "proven",
        lambda *given: replace(b := proven(*given), value=b.value + b.sign),
    )


def ignore_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = constraints.chosen
    monkeypatch.setattr(
        constraints,
        "chosen",
        lambda where, over, among=None: among or whole(where, over),
    )


def ignore_distinct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        aggregates, "different", lambda cells: count(term for term, _ in cells)
    )


def ignore_having(monkeypatch: pytest.MonkeyPatch) -> None:
    """A group that is not shown has no row."""
    monkeypatch.setattr(constraints, "having", lambda where, cells: (t.TRUE, t.FALSE))


def unfiltered_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that only a FILTER tells apart exchange their cells."""
    seen = run.signature
    monkeypatch.setattr(
        run, "signature", lambda query, *rest: seen(_unfiltered(query), *rest)
    )


def _unfiltered(query: SqlQuery) -> SqlQuery:
    items = (
        replace(item, where=None) if isinstance(item, Aggregate) else item
        for item in query.shown
    )
    return replace(query, shown=tuple(items))


@pytest.mark.parametrize(
    ("mutate", "near"),
    [
        (ignore_absent_groups, 12),
        (exact_average, 50),
        (ignore_multiplicity, 9),
        (ignore_filter, 18),
        (ignore_distinct, 50),
        (ignore_having, 17),
        (unfiltered_signature, 20),
        (loose_bounds, 13),
    ],
)
@pytest.mark.parametrize("defended", sampled([False, True], 2))
def test_mutants_are_caught(
    mutate: Any,
    near: int,
    defended: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """``near`` is where a case is that shows it: the search begins there."""
    mutate(monkeypatch)
    if not defended:
        no_replay(monkeypatch)
    with pytest.raises((Defect, AssertionError) if defended else AssertionError):
        for seed in range(near, near + TRIES):
            agree(seed, tmp_path)


def test_without_its_defences_nothing_else_is_wrong(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What the tests above catch is the mutant."""
    no_replay(monkeypatch)
    assert all(agree(seed, tmp_path) for seed in (9, 17, 20))


# rounding and merging


@pytest.mark.parametrize("count", [1, 2, 3, 7, 10, 49, 1000])
def test_the_sums_behind_a_mean(count: int) -> None:
    """Exactly the integers whose quotient is this double."""
    for total in (-1, 0, 1, 2, 5, 110, 10**6 + 1, 2**50 + 1):
        mean = total / count
        near = range(total - 3, total + 4)
        assert [s for s in near if s in sums(mean, count)] == [
            s for s in near if s / count == mean
        ]


def test_a_mean_between_two_doubles_is_left_undecided() -> None:
    """A quotient that is rounded twice may end elsewhere: near a midpoint nothing is
    claimed.
    """
    count = 2**12
    mean = (2**53 - 1) / 2**12  # quotients of this size are spaced as the doubles are
    assert sums(mean, count) == range(2**53 - 1, 2**53)
    with pytest.raises(ArithmeticError):
        sums(1.0, 2**54)


def test_a_statement_keeps_its_quotes_and_its_line() -> None:
    text = "/* one; */ SELECT ';' -- two; three\n; ;\n  SELECT \"a;b\""
    assert [(s.text, s.line) for s in split(text)] == [
        ("SELECT ';' -- two; three", 1),
        ('SELECT "a;b"', 3),
    ]


def solved(
    terms: Sequence[t.Term], variables: Sequence[t.Variable]
) -> list[dict[str, int]]:
    """All values of the variables at which the terms are true."""
    names = [v.name for v in variables]
    points = [dict(zip(names, values, strict=True)) for values in product(variables)]
    return [point for point in points if all(t.evaluate(term, point) for term in terms)]


def test_merged_variables_have_the_same_solutions() -> None:
    """Against enumeration: random top-level sums over small ranges."""
    for seed in range(150):
        r = random.Random(seed)
        variables = [
            t.Variable(f"v{k}", *sorted((r.randrange(-2, 3), r.randrange(-2, 3))))
            for k in range(4)
        ]
        terms = [random_sum(r, variables) for _ in range(r.choice([1, 2]))]
        fewer = merged(terms)
        solutions = solved(
            fewer.terms, list(t.unknowns(fewer.terms).variables.values())
        )
        expected = bool(solved(terms, variables))
        assert bool(solutions) == expected, seed
        default = {v.name: v.low for v in variables}
        assert all(
            t.evaluate(term, default | fewer.spread(point))
            for point in solutions
            for term in terms
        ), seed


def test_what_occurs_elsewhere_is_not_merged() -> None:
    """Parts that are repeated, gated or in conditions, and ranges with gaps, against
    enumeration.
    """
    several = joint = 0
    for seed in range(300):
        r = random.Random(seed)
        variables = [t.Variable(f"v{k}", 0, r.choice([1, 2, 3])) for k in range(4)]
        if r.random() < 0.3:
            variables[3] = t.Variable("v3", 0, 3, (0, 1, 3))
        first, *others = variables
        parts = [(2, t.TRUE, v) for v in others] + [
            (1, t.TRUE, v) for v in others if r.random() < 0.2
        ]
        gate = t.equal(t.LinearSum(plain=((1, first),)), 1)
        parts += [(1, gate, r.choice(variables))] if r.random() < 0.4 else []
        high = r.randrange(2, 12)
        terms = [t.within(t.total(parts), high - r.choice([0, 0, 1]), high)]
        if r.random() < 0.4:
            terms.append(
                t.neg(
                    t.equal(
                        t.LinearSum(plain=((1, r.choice(variables)),)), r.randrange(3)
                    )
                )
            )
        fewer = merged(terms)
        joint += bool(fewer.groups)
        solutions = solved(
            fewer.terms, list(t.unknowns(fewer.terms).variables.values())
        )
        expected = bool(solved(terms, variables))
        assert bool(solutions) == expected, seed
        several += expected
        for point in map(fewer.spread, solutions):
            assert all(
                point.get(v.name, v.low) in (v.values or range(v.low, v.high + 1))
                for v in variables
            ), seed
        default = {v.name: v.low for v in variables}
        assert all(
            t.evaluate(term, default | fewer.spread(point))
            for point in solutions
            for term in terms
        ), seed
    assert several > 50 and joint > 50


def random_sum(r: random.Random, variables: list[t.Variable]) -> t.Term:
    body = t.LinearSum(
        r.randrange(3),
        tuple((r.choice([1, 1, 1, -2]), v) for v in variables if r.random() < 0.8),
    )
    low, high = sorted((r.randrange(-6, 7), r.randrange(-6, 7)))
    return t.conj([t.within(body, low, high), t.TRUE])


def product(variables: Sequence[t.Variable]) -> list[tuple[int, ...]]:
    return list(
        itertools.product(*(v.values or range(v.low, v.high + 1) for v in variables))
    )
