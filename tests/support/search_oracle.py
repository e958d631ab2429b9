"""The judge of ``ph.search``: every candidate of a space, one after the other, by the
definitions.

Shares nothing with the search: plain enumeration, the cost worked out cell by cell, the
policy decided by the reference semantics (``oracle.valid``) or by the criteria's
definitions, every way to withhold classes tried.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, prod
from typing import Any

from phverify.spec import syntax as s
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.signature import Attribute, Signature
from phverify.spec.types import TEXT, ValueType
from support import oracle
from support.classes_oracle import of_classes
from support.entropy_oracle import entropies
from support.oracle import Row

WHOLE = ("discernibility", "class-size", "ambiguity")
"""Objectives about classes."""
Label = str | None
Block = frozenset[Label]
Paths = Mapping[str, Sequence[str]]
"""A hierarchy: each value followed by its generalizations; the line of the missing cell
starts with "".
"""
ClassTest = Callable[[Sequence[Row], Sequence[Row]], bool]
"""Whether a class passes, given its rows and those of the whole released table."""


# Attributes: all ways to map the occurring values


@dataclass(frozen=True)
class Place:
    """Where one value goes: the values that go there with it, and what that costs."""

    block: Block
    loss: Fraction
    level: int = 0
    height: int = 0
    """The number of levels of the hierarchy, 0 without one."""
    leaves: int = 1
    """The lines of the hierarchy below the node."""


@dataclass(frozen=True)
class Option:
    """One function s_f."""

    places: Mapping[Label, Place]
    level: int | None = None


@dataclass(frozen=True)
class Domain:
    """The occurring values of a quasi-identifier, with its hierarchy, and the order of
    an ordered type.
    """

    values: frozenset[Label]
    paths: Paths | None = None
    key: Callable[[str], Any] | None = None

    def path(self, value: Label) -> tuple[Hashable, ...]:
        """The nodes above a value; a missing cell without a line stays alone below the
        top.
        """
        assert self.paths is not None
        if value is not None or "" in self.paths:
            return tuple(self.paths[value or ""])
        height, tops = self.height, {path[-1] for path in self.paths.values()}
        return (None,) * height + (tops.pop() if len(tops) == 1 else None,)

    @property
    def height(self) -> int:
        assert self.paths is not None
        return len(next(iter(self.paths.values()))) - 1

    def leaves(self) -> list[tuple[Hashable, ...]]:
        """The paths of all lines, and of the missing cell when it occurs and has no
        line.
        """
        assert self.paths is not None
        extra = (
            [self.path(None)] if None in self.values and "" not in self.paths else []
        )
        return [*map(tuple, self.paths.values()), *extra]

    def node(self, level: int, members: Iterable[Label]) -> dict[Label, Place]:
        """These values at their common node of a level."""
        block = frozenset(members)
        name, leaves = self.path(next(iter(block)))[level], self.leaves()
        below = sum(path[level] == name for path in leaves)
        loss = Fraction(below - 1, len(leaves) - 1) if len(leaves) > 1 else Fraction(0)
        return dict.fromkeys(block, Place(block, loss, level, self.height, below))

    def together(self, blocks: Iterable[Iterable[Label]]) -> Option:
        """Blocks of values without a hierarchy."""
        places: dict[Label, Place] = {}
        for block in map(frozenset, blocks):
            loss = (
                Fraction(len(block) - 1, len(self.values) - 1)
                if len(self.values) > 1
                else Fraction(0)
            )
            places |= dict.fromkeys(block, Place(block, loss))
        return Option(places)


def at_levels(domain: Domain) -> Iterator[Option]:
    for level in range(domain.height + 1):
        places: dict[Label, Place] = {}
        for members in _grouped(domain, domain.values, level):
            places |= domain.node(level, members)
        yield Option(places, level)


def cuts(domain: Domain) -> Iterator[Option]:
    """All cuts through the hierarchy: a node, or a cut below each of its children."""

    def below(level: int, members: Block) -> Iterator[dict[Label, Place]]:
        yield domain.node(level, members)
        if level:
            yield from forest(level - 1, members)

    def forest(level: int, members: Block) -> Iterator[dict[Label, Place]]:
        for parts in itertools.product(
            *(list(below(level, group)) for group in _grouped(domain, members, level))
        ):
            yield {value: place for part in parts for value, place in part.items()}

    yield from map(Option, forest(domain.height, domain.values))


def _grouped(domain: Domain, values: Iterable[Label], level: int) -> list[Block]:
    groups: dict[Hashable, set[Label]] = {}
    for value in values:
        groups.setdefault(domain.path(value)[level], set()).add(value)
    return [frozenset(group) for group in groups.values()]


def intervals(domain: Domain) -> Iterator[Option]:
    """All splits of the ordered values; the missing cell joins only when everything is
    one block.
    """
    assert domain.key is not None
    line = sorted((v for v in domain.values if v is not None), key=domain.key)
    alone = [{None}] if None in domain.values else []
    gaps = range(1, len(line))
    for chosen in (
        c for k in range(len(line)) for c in itertools.combinations(gaps, k)
    ):
        ends = (0, *chosen, len(line))
        yield domain.together(
            [*(line[a:b] for a, b in itertools.pairwise(ends)), *alone]
        )
    if alone:
        yield domain.together([domain.values])


def partitions(domain: Domain) -> Iterator[Option]:
    """All set partitions of the occurring values."""

    def parts(values: list[Label]) -> Iterator[list[list[Label]]]:
        if not values:
            yield []
            return
        first, *rest = values
        for smaller in parts(rest):
            yield [[first], *smaller]
            for k in range(len(smaller)):
                yield [*smaller[:k], [first, *smaller[k]], *smaller[k + 1 :]]

    yield from map(domain.together, parts(list(domain.values)))


def options(domain: Domain, space: str) -> list[Option]:
    """All functions s_f of a space."""
    if space == "levels":
        return list(at_levels(domain))
    if space == "intervals" and domain.key is not None:
        return list(intervals(domain))
    if space == "partitions" and len(domain.values) <= 8:
        return list(partitions(domain))
    return list(cuts(domain))


# Candidates: one function for each attribute


@dataclass(frozen=True)
class Candidate:
    chosen: Mapping[str, Option]
    widest: int = 1
    """The tuples of lines of all hierarchies."""

    @property
    def mapping(self) -> dict[str, dict[Label, Block]]:
        return {
            f: {v: place.block for v, place in option.places.items()}
            for f, option in self.chosen.items()
        }

    @property
    def levels(self) -> tuple[int | None, ...]:
        return tuple(option.level for option in self.chosen.values())

    def released(self, rows: Sequence[Row]) -> list[dict[str, str | None]]:
        """The rows with a text for each block that names exactly its values."""
        return [
            {
                **row,
                **{
                    f: repr(sorted(o.places[row[f]].block, key=repr))
                    for f, o in self.chosen.items()
                },
            }
            for row in rows
        ]

    def cost(
        self, rows: Sequence[Row], objective: str, weights: Mapping[str, Fraction]
    ) -> Fraction:
        if objective in WHOLE:
            shown = [[row[f] for f in self.chosen] for row in self.released(rows)]
            return of_classes(self, shown, rows, objective, range(len(rows)))
        weight = {f: weights.get(f, Fraction(1)) for f in self.chosen}
        total = Fraction(0)
        for f, option in self.chosen.items():
            cells = [cell_cost(option.places[row[f]], objective) for row in rows]
            if objective == "entropy":
                blocks = {v: place.block for v, place in option.places.items()}
                cells = list(entropies(blocks, [row[f] for row in rows]))
            total += weight[f] * sum(cells, Fraction(0)) / len(rows)
        return total if objective == "height" else total / sum(weight.values())


def cell_cost(place: Place, objective: str) -> Fraction:
    if objective in ("loss", "entropy"):
        return place.loss
    return (
        Fraction(place.level)
        if objective == "height"
        else Fraction(place.level, place.height)
    )


def candidates(domains: Mapping[str, Domain], space: str) -> Iterator[Candidate]:
    graded = [domain for domain in domains.values() if domain.paths is not None]
    widest = prod(len(domain.leaves()) for domain in graded)
    for chosen in itertools.product(
        *(options(domain, space) for domain in domains.values())
    ):
        yield Candidate(dict(zip(domains, chosen, strict=True)), widest)


# The policy


def safety(secrets: Mapping[str, Sequence[str]]) -> str:
    """logical_safety() in words: nobody's secrets are known."""
    everyone = [f"(forall i: @i ~[a1] ({text}))" for text in secrets.get("*", ())]
    own = [
        f"@{who} ~[a1] ({text})"
        for who, texts in secrets.items()
        if who != "*"
        for text in texts
    ]
    return "(" + " & ".join([*everyone, *own]) + ")"


def weighted(
    secrets: Mapping[str, Sequence[str]], weight: Fraction, bound: Fraction
) -> str:
    """weighted_safety(bound) in words, all secrets of one weight."""
    shared = list(secrets.get("*", ()))

    def expected(texts: Sequence[str]) -> str:
        return " + ".join(f"{weight} l_a1({text})" for text in texts) + f" <= {bound}"

    everyone = [f"(forall i: @i ({expected(shared)}))"] if shared else []
    own = [
        f"@{who} ({expected([*shared, *texts])})"
        for who, texts in secrets.items()
        if who != "*"
    ]
    return "(" + " & ".join([*everyone, *own]) + ")"


@dataclass(frozen=True)
class Judge:
    """Decides releases of one table.

    A rule is a formula as text, or a test of each class.  ``names`` are the
    individuals', row by row.
    """

    rows: Sequence[Row]
    quasi: Sequence[str]
    rules: Sequence[str | ClassTest]
    assumptions: Sequence[str] = ()
    agents: Mapping[str, Sequence[str]] = field(default_factory=dict)
    types: Mapping[str, ValueType] = field(default_factory=dict)
    names: Sequence[str] = ()
    secretive: Sequence[str] = ()
    """Individuals with secrets of their own."""
    memo: dict[Hashable, bool] = field(default_factory=dict)

    @property
    def people(self) -> Sequence[str]:
        return self.names or [f"i{k + 1}" for k in range(len(self.rows))]

    @property
    def named(self) -> frozenset[int]:
        """The rows of individuals that some formula names."""
        texts = [
            text for text in (*self.rules, *self.assumptions) if isinstance(text, str)
        ]
        words = {word for text in texts for word in re.findall(r"\w+", text)} | set(
            self.secretive
        )
        return frozenset(k for k, name in enumerate(self.people) if name in words)

    def satisfied(self, released: Sequence[Row], withheld: int = 0) -> bool:
        """Whether the policy holds, after some classes of at most so many records are
        withheld.
        """
        return any(
            self.proved(released, kept) for kept in self.kept(released, withheld)
        )

    def kept(self, released: Sequence[Row], withheld: int) -> Iterator[tuple[int, ...]]:
        """The rows that remain, for every set of classes that may be withheld."""
        groups: dict[Hashable, list[int]] = {}
        for k, row in enumerate(released):
            groups.setdefault(tuple(row[q] for q in self.quasi), []).append(k)
        loose = [group for group in groups.values() if not self.named & set(group)]
        for count in range(len(loose) + 1):
            for chosen in itertools.combinations(loose, count):
                gone = set(itertools.chain(*chosen))
                if len(gone) <= withheld and len(gone) < len(released):
                    yield tuple(k for k in range(len(released)) if k not in gone)

    def proved(self, released: Sequence[Row], kept: tuple[int, ...]) -> bool:
        """All rules for the kept rows; only who is indiscernible from whom matters, for
        each agent.
        """
        rows = [released[k] for k in kept]
        cells = tuple(
            tuple(_pattern(rows, known))
            for known in (self.quasi, *self.agents.values())
        )
        if (kept, cells) not in self.memo:
            self.memo[kept, cells] = all(
                self.rule(rule, rows, kept) for rule in self.rules
            )
        return self.memo[kept, cells]

    def rule(
        self, rule: str | ClassTest, rows: Sequence[Row], kept: tuple[int, ...]
    ) -> bool:
        if not isinstance(rule, str):
            return all(
                rule(members, rows) for members in oracle.classes(rows, self.quasi)
            )
        signature = self.signature(rows, kept)
        agents = {"a0": (), "a1": self.quasi, **self.agents}
        given = [self.read(text, signature) for text in self.assumptions]
        return (
            oracle.valid(rows, agents, signature, self.read(rule, signature), given)
            is True
        )

    def imaginable(self, released: Sequence[Row]) -> bool:
        """Whether the assumptions can be met at all."""
        signature = self.signature(released, tuple(range(len(released))))
        given = [self.read(text, signature) for text in self.assumptions]
        return (
            oracle.valid(
                released,
                {"a0": (), "a1": self.quasi, **self.agents},
                signature,
                s.TRUE,
                given,
            )
            is True
        )

    def signature(self, rows: Sequence[Row], kept: tuple[int, ...]) -> Signature:
        attributes = {}
        for f in rows[0]:
            texts = {row[f] for row in rows}
            values = tuple(sorted(texts, key=lambda v: (v is None, str(v))))
            known = frozenset(v for row in self.rows if (v := row[f]) is not None)
            kind = TEXT if f in self.quasi else self.types.get(f, TEXT)
            attributes[f] = Attribute(f, kind, values, known)
        names = tuple(self.people[k] for k in kept)
        return Signature(
            attributes,
            ("a0", "a1", *self.agents),
            len(rows),
            names,
            len(rows),
            not self.names,
        )

    def read(self, text: str, signature: Signature) -> s.Formula:
        formula, problems = resolve(parse(text), signature, "oracle", text)
        assert not problems, problems
        return formula


def _pattern(rows: Sequence[Row], known: Sequence[str]) -> Iterator[int]:
    seen: dict[Hashable, int] = {}
    for row in rows:
        yield seen.setdefault(tuple(row[q] for q in known), len(seen))


# What the search should find


@dataclass(frozen=True)
class Question:
    """A table to be sanitized: candidates of a space under a policy at least cost."""

    judge: Judge
    domains: Mapping[str, Domain]
    space: str = "levels"
    objective: str = "loss"
    suppress: Fraction = Fraction(0)
    weights: Mapping[str, Fraction] = field(default_factory=dict)

    @property
    def budget(self) -> int:
        return floor(self.suppress * len(self.judge.rows))

    def candidates(self) -> Iterator[Candidate]:
        return candidates(self.domains, self.space)

    def good(self, candidate: Candidate) -> bool:
        return self.judge.satisfied(candidate.released(self.judge.rows), self.budget)

    def cost(self, candidate: Candidate) -> Fraction:
        return candidate.cost(self.judge.rows, self.objective, self.weights)

    def least(self) -> Fraction | None:
        """The cost of the cheapest candidate that satisfies the policy, None when there
        is none.
        """
        ranked = sorted(
            ((self.cost(c), c) for c in self.candidates()), key=lambda pair: pair[0]
        )
        return next((cost for cost, candidate in ranked if self.good(candidate)), None)

    def minimal(self) -> set[tuple[int | None, ...]]:
        """The level vectors that satisfy the policy with none strictly below."""
        found = {c.levels for c in candidates(self.domains, "levels") if self.good(c)}
        return {
            v
            for v in found
            if not any(
                w != v and all(a <= b for a, b in zip(w, v, strict=True)) for w in found
            )
        }

    def matching(self, mapping: Mapping[str, Mapping[Label, Label]]) -> list[Candidate]:
        """The candidates that put the same values together as a mapping does."""

        def kernel(f: str) -> set[Block]:
            images = {v: mapping[f][v] for v in self.domains[f].values}
            return {
                frozenset(v for v in images if images[v] == image)
                for image in images.values()
            }

        wanted = {f: kernel(f) for f in self.domains}
        return [
            c
            for c in self.candidates()
            if all(
                {p.block for p in option.places.values()} == wanted[f]
                for f, option in c.chosen.items()
            )
        ]
