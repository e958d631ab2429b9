"""Who attacks: agents of the policy, attribute subsets that the user names, and all subsets (Example 9).

``curve`` walks the lattice of all subsets level by level: the classes of a subset are those of the subset without its
last attribute, refined by that attribute's column, on the distinct tuples of both tables.  More knowledge never makes
a candidate set larger (Proposition 29, which speaks of nonspecificity: ln of the size here); that is checked for
every edge of the lattice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from phverify.errors import Defect, InputError, Problem, nearest, refusal
from phverify.exact import Ints
from phverify.linkage.candidates.sets import Candidates, Linkage
from phverify.linkage.risk.measures import Outcomes, outcomes_of, tally, uniform
from phverify.microdata.quotient import packed, ranked
from phverify.policy.agent import Agent, agents
from phverify.policy.model import Policy

MOST = 10
"""Attributes at most for all 2^m subsets."""

Subset = tuple[int, ...]
"""Attributes by their places, rising."""


def attackers_of(policy: Policy, asked: str | Iterable[str | Sequence[str]]) -> tuple[Agent, ...]:
    """The attackers that are asked for: agents by name, or attributes ("zip,birth", or a list of names).

    A single text is one attacker.

    Without any, a1, who knows all quasi-identifiers, and the agents that the policy names.
    Raises InputError for unknown names.
    """
    known = {agent.name: agent for agent in agents(policy)}
    problems: list[Problem] = []
    every = [asked] if isinstance(asked, str) else asked
    found = [_attacker(policy, known, one, problems) for one in every]
    if problems:
        raise InputError(problems)
    return tuple(dict.fromkeys(found)) or (known["a1"], *(known[name] for name in policy.agents))


def _attacker(policy: Policy, known: Mapping[str, Agent], asked: str | Sequence[str], problems: list[Problem]) -> Agent:
    if isinstance(asked, str) and asked in known and asked not in policy.columns:
        return known[asked]
    names = [name.strip() for name in asked.split(",")] if isinstance(asked, str) else list(asked)
    wanted = tuple(dict.fromkeys(names))
    for name in wanted:
        if name not in policy.columns:
            choices = (*policy.columns, *known) if len(wanted) == 1 else policy.columns
            what = f"no role names the column {name!r}" + (", nor is it an agent" if len(wanted) == 1 else "")
            problems.append(Problem(f"attacker {','.join(names)}", what, nearest(name, choices, "columns and agents")))
    return Agent(",".join(wanted), wanted)


@dataclass(frozen=True)
class Point:
    """What an attacker with exactly these attributes makes of the released records."""

    attributes: tuple[str, ...]
    outcomes: Outcomes


@dataclass(frozen=True)
class Curve:
    """All subsets of some attributes, by size, then in the order of the attributes; the first knows nothing."""

    attributes: tuple[str, ...]
    points: tuple[Point, ...]

    def of_size(self, size: int) -> tuple[Point, ...]:
        return tuple(point for point in self.points if len(point.attributes) == size)

    @property
    def worst(self) -> tuple[Point, ...]:
        """For each number of attributes, the attacker with the most expected correct links (the first of them)."""
        sizes = range(len(self.attributes) + 1)
        return tuple(max(self.of_size(k), key=lambda point: point.outcomes.expected) for k in sizes)

    @property
    def rising(self) -> bool:
        """Whether the expected correct links of ``worst`` never fall; certain without random maskings."""
        expected = [point.outcomes.expected for point in self.worst]
        return all(low <= high for low, high in pairwise(expected))


def curve(linkage: Linkage, attributes: Sequence[str]) -> Curve:
    """The risk from every subset of the attributes.

    Raises InputError for too many attributes, and Defect should more knowledge enlarge a candidate set.
    """
    if len(attributes) > MOST:
        what = f"{len(attributes)} attributes have {2 ** len(attributes):,} subsets"
        raise refusal("attackers", what, f"name at most {MOST} attributes for all their subsets")
    lattice = _Lattice(linkage, tuple(attributes))
    points: list[Point] = []
    below: dict[Subset, Ints] = {}
    for size in range(len(attributes) + 1):
        level = {}
        for subset in combinations(range(len(attributes)), size):
            level[subset], outcomes = lattice.of(subset)
            points.append(Point(tuple(attributes[k] for k in subset), outcomes))
            _check(subset, level[subset], below)
        below = level
    found = Curve(tuple(attributes), tuple(points))
    if not found.rising and not any(linkage.relations[name].random for name in attributes):
        raise Defect("the expected correct links fall with more knowledge")
    return found


def _check(subset: Subset, sizes: Ints, below: Mapping[Subset, Ints]) -> None:
    """No candidate set is larger than with one attribute less."""
    for k in subset:
        less = tuple(j for j in subset if j != k)
        if (sizes > below[less]).any():
            raise Defect(f"a candidate set grows with more knowledge, from {less} to {subset}")


class _Lattice:
    """Sizes of candidate sets, for each distinct released tuple over all attributes, subset by subset."""

    def __init__(self, linkage: Linkage, attributes: tuple[str, ...]) -> None:
        self.linkage, self.attributes = linkage, attributes
        self.relations = [linkage.relations[name] for name in attributes]
        self.parts = [found.functional and not found.random for found in self.relations]
        everyone = Candidates(linkage, attributes)
        self.first, numbers, count = everyone.tuples
        self.released = np.bincount(numbers, minlength=count)
        self.places = [k for k, parts in enumerate(self.parts) if parts]
        self.originals, self.columns = self._cells()
        self.kept: dict[Subset, Ints] = {}

    def _cells(self) -> tuple[Ints, dict[int, Ints]]:
        """The distinct original tuples by what is released of them: their counts, and joint columns of both tables."""
        parting = [self.relations[k] for k in self.places]
        before = [found.image_of[found.before.codes] for found in parting]
        sizes = [len(found.after.labels) + 1 for found in parting]
        packing, keys, space = packed(before, sizes, self.linkage.originals)
        distinct, numbers = ranked(keys, space)
        cells = packing.unpack(distinct)
        after = [found.after.codes[self.first] for found in parting]
        joint = {k: np.concatenate(pair) for k, pair in zip(self.places, zip(cells, after, strict=True), strict=True)}
        return np.bincount(numbers, minlength=len(distinct)), joint

    def of(self, subset: Subset) -> tuple[Ints, Outcomes]:
        """The sizes of the candidate sets, and the outcomes of all released records."""
        if not all(self.parts[k] for k in subset):
            found = Candidates(self.linkage, tuple(self.attributes[k] for k in subset))
            return found.sizes[self.first].astype(np.int32), outcomes_of(found)[0]
        classes = self._classes(subset)
        own, shown = classes[: len(self.originals)], classes[len(self.originals) :]
        counts = np.zeros(int(classes.max()) + 1, dtype=np.int64)
        np.add.at(counts, own, self.originals)
        sizes = counts[shown]
        distinct, records = tally(sizes, self.released)
        return sizes.astype(np.int32), uniform(distinct.tolist(), records.tolist())

    def _classes(self, subset: Subset) -> Ints:
        """Joint class numbers of the cells of both tables, refined from the subset without its last attribute."""
        if not subset:
            return np.zeros(len(self.originals) + len(self.first), dtype=np.int64)
        if subset not in self.kept:
            self.kept = {s: c for s, c in self.kept.items() if len(s) >= len(subset) - 1}
            coarse, width = self._classes(subset[:-1]), len(self.relations[subset[-1]].after.labels) + 1
            keys = coarse * width + self.columns[subset[-1]]
            self.kept[subset] = ranked(keys, (int(coarse.max()) + 1) * width)[1]
        return self.kept[subset]
