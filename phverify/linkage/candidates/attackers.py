"""Who attacks: agents of the policy, attribute subsets that the user names, and all
subsets (Example 9).

``curve`` walks the lattice of all subsets level by level: the classes of a subset are
those of the subset without its last attribute, refined by that attribute's column, on
the distinct tuples of both tables.  More knowledge never makes a candidate set larger
(Proposition 29, which speaks of nonspecificity: ln of the size here); that is checked
for every edge of the lattice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np

from phverify.errors import Defect, InputError, Problem, Problems, nearest, refusal
from phverify.exact import Ints
from phverify.linkage.candidates.masking import MaskingRelation
from phverify.linkage.candidates.records import CountedRecords
from phverify.linkage.candidates.sets import Candidates, Linkage, grouped
from phverify.linkage.risk.outcomes import Outcomes, outcomes_of, tally, uniform
from phverify.microdata.keys import ranked
from phverify.policy.agent import Agent, agents
from phverify.policy.model import Policy

MOST = 10
"""Attributes at most for all 2^m subsets."""

Subset = tuple[int, ...]
"""Attributes by their places, rising."""


def attackers_of(
    policy: Policy, asked: str | Iterable[str | Sequence[str]]
) -> tuple[Agent, ...]:
    """The attackers that are asked for: agents by name, or attributes ("zip,birth", or
    a list of names).

    A single text is one attacker.

    Without any, a1, who knows all quasi-identifiers, and the agents that the policy
    names. Raises InputError for unknown names.
    """
    known = {agent.name: agent for agent in agents(policy)}
    problems: Problems = []
    attackers: list[Agent] = []
    for one in [asked] if isinstance(asked, str) else asked:
        # a column wins over an agent of the same name
        if isinstance(one, str) and one in known and one not in policy.columns:
            attackers.append(known[one])
            continue
        names = _split(one) if isinstance(one, str) else one
        wanted = tuple(dict.fromkeys(names))
        # A table may well have a column without a name.
        if "" in wanted and "" not in policy.columns:
            problems.append(_empty(one))
            continue
        problems += _unknown(wanted, policy, known)
        attackers.append(Agent(",".join(wanted), wanted))

    if problems:
        raise InputError(problems)
    # Who is asked for twice attacks once.
    if attackers:
        return tuple(dict.fromkeys(attackers))

    return (known["a1"], *(known[name] for name in policy.agents))


def _split(text: str) -> list[str]:
    """Names that commas part."""
    return [name.strip() for name in text.split(",")]


def _empty(given: str | Sequence[str]) -> Problem:
    """A list of attributes with a place where no name stands."""
    text = given if isinstance(given, str) else ",".join(given)
    what = f"{text!r} holds an empty name"
    hint = "columns or an agent, for example: --attacker zip,birth, or --attacker a1"
    return Problem("--attacker", what, hint)


def _unknown(wanted: Sequence[str], policy: Policy, known: Iterable[str]) -> Problems:
    """The names that no column has; one that stands alone may be meant as an agent."""
    alone = len(wanted) == 1
    names = (*policy.columns, *known) if alone else policy.columns
    problems: Problems = []
    for name in wanted:
        if name not in policy.columns:
            what = f"no role names the column {name!r}"
            if alone:
                what += ", nor is it an agent"
            hint = nearest(name, names, "columns and agents")
            problems.append(Problem(f"--attacker {','.join(wanted)}", what, hint))

    return problems


@dataclass(frozen=True)
class AttackPoint:
    """What an attacker with exactly these attributes makes of the released records."""

    attributes: tuple[str, ...]
    outcomes: Outcomes


@dataclass(frozen=True)
class Curve:
    """All subsets of some attributes, by size, then in the order of the attributes; the
    first knows nothing.
    """

    attributes: tuple[str, ...]
    points: tuple[AttackPoint, ...]

    def of_size(self, size: int) -> tuple[AttackPoint, ...]:
        """The attackers who know so many attributes."""
        points: list[AttackPoint] = []
        for point in self.points:
            if len(point.attributes) == size:
                points.append(point)
        return tuple(points)

    @property
    def worst(self) -> tuple[AttackPoint, ...]:
        """For each number of attributes, the attacker with the most expected correct
        links (the first of them).
        """

        def expected(point: AttackPoint) -> Fraction:
            return point.outcomes.expected

        worst: list[AttackPoint] = []
        sizes = range(len(self.attributes) + 1)
        for size in sizes:
            points = self.of_size(size)
            # of several that link as many the first
            riskiest = max(points, key=expected)
            worst.append(riskiest)
        return tuple(worst)

    @property
    def rising(self) -> bool:
        """Whether the expected correct links of ``worst`` never fall; certain without
        random maskings.
        """
        expected = [point.outcomes.expected for point in self.worst]
        return all(low <= high for low, high in pairwise(expected))


def curve(linkage: Linkage, attributes: Sequence[str]) -> Curve:
    """The risk from every subset of the attributes.

    Raises InputError for too many attributes, and Defect should more knowledge enlarge
    a candidate set.
    """
    if len(attributes) > MOST:
        what = f"{len(attributes)} attributes have {2 ** len(attributes):,} subsets"
        hint = f"name at most {MOST} attributes for all their subsets"
        raise refusal("attackers", what, hint)
    walk = _LatticeWalk(linkage, attributes)
    points: list[AttackPoint] = []
    for size in range(len(attributes) + 1):
        for subset in combinations(range(len(attributes)), size):
            points.append(walk.point(subset))
        walk.forget(size)

    result = Curve(tuple(attributes), tuple(points))
    # A random masking's true record may get less probable by more knowledge, though no
    # candidate set grows.
    random = any(relation.random for relation in walk.relations)
    if not result.rising and not random:
        raise Defect("the expected correct links fall with more knowledge")

    return result


class _LatticeWalk:
    """The lattice of subsets, level by level: the classes of each subset, and how many
    candidates each distinct released tuple has.
    """

    def __init__(self, linkage: Linkage, attributes: Sequence[str]) -> None:
        self.linkage = linkage
        self.attributes = attributes
        self.relations = [linkage.relations[name] for name in attributes]
        self.first, numbers = Candidates(linkage, tuple(attributes)).tuples
        tuples = len(self.first)
        counts = linkage.after.tally(numbers, tuples)
        self.released = CountedRecords(tuples, counts)
        cells = _cells(linkage, self.relations, self.first)
        self.originals, self.columns = cells
        self.sizes: dict[Subset, Ints] = {}
        self.classes: dict[Subset, Ints] = {}

    def point(self, subset: Subset) -> AttackPoint:
        """The attacker who knows one more subset.  Raises Defect."""
        names = tuple(self.attributes[k] for k in subset)
        # where all attributes part the originals, classes tell the sizes
        if all(k in self.columns for k in subset):
            self.refine(subset)
            classes = self.classes[subset]
            sizes = _sizes(classes, self.originals, len(self.first))
            outcomes = uniform(*tally(sizes, self.released))
        else:
            candidates = Candidates(self.linkage, names)
            sizes = candidates.sizes[self.first].astype(np.int32)
            outcomes = outcomes_of(candidates)[0]
        self.sizes[subset] = sizes
        self.compare(subset)
        return AttackPoint(names, outcomes)

    def refine(self, subset: Subset) -> None:
        """The classes of a subset by those without its last attribute."""
        if not subset:
            self.classes[subset] = np.zeros(len(self.originals), dtype=np.int64)
            return
        # ``combinations`` gave the subset without its last one level before.
        codes, width = self.columns[subset[-1]]
        coarse = self.classes[subset[:-1]]
        # a class and a code make one number
        space = (int(coarse.max()) + 1) * width
        self.classes[subset] = ranked(coarse * width + codes, space)[1]

    def compare(self, subset: Subset) -> None:
        """Proposition 29 along the edges that lead to a subset.  Raises Defect."""
        if not subset:
            return

        sizes = self.sizes[subset]
        for less in combinations(subset, len(subset) - 1):
            grown = sizes > self.sizes[less]
            if grown.any():
                what = f"from {less} to {subset}"
                raise Defect(f"a candidate set grows with more knowledge, {what}")

    def forget(self, size: int) -> None:
        """Keep this level alone: the next one needs no other."""
        for by_subset in (self.sizes, self.classes):
            for subset in [some for some in by_subset if len(some) < size]:
                del by_subset[subset]


def _cells(
    linkage: Linkage, relations: Sequence[MaskingRelation], first: Ints
) -> tuple[Ints, Mapping[int, tuple[Ints, int]]]:
    """The originals by what they become in the attributes that part them, then the
    distinct released tuples.

    How many originals are in each, and its code in each of these attributes, with how
    many codes there are; ``first`` has a record of each distinct released tuple.
    """
    parting = {k: some for k, some in enumerate(relations) if some.parting}
    images = [some.image_of[some.before.codes] for some in parting.values()]
    # One code more: originals that become none of the released values.
    widths = [len(some.after.labels) + 1 for some in parting.values()]
    rows, numbers = grouped(images, widths, linkage.before.size)
    counts = linkage.before.tally(numbers, len(rows))
    # Released tuples are classed with the originals, and count for none of them.
    none = np.zeros(len(first), dtype=np.int64)
    originals = np.concatenate((counts, none))
    columns: dict[int, tuple[Ints, int]] = {}
    for k, image, width in zip(parting, images, widths, strict=True):
        released = parting[k].after.codes[first]
        columns[k] = np.concatenate((image[rows], released)), width

    return originals, columns


def _sizes(classes: Ints, originals: Ints, shown: int) -> Ints:
    """How many originals are in the class of each released tuple, which are the last
    ones.
    """
    counts = np.zeros(int(classes.max()) + 1, dtype=np.int64)
    np.add.at(counts, classes, originals)
    return counts[classes[-shown:]].astype(np.int32)
