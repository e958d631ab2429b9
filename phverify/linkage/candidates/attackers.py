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
from itertools import combinations, pairwise

import numpy as np

from phverify.errors import Defect, InputError, Problem, Problems, nearest, refusal
from phverify.exact import Ints
from phverify.linkage.candidates.masking import MaskingRelation
from phverify.linkage.candidates.sets import Candidates, Linkage, grouped
from phverify.linkage.risk.outcomes import Outcomes, outcomes_of, tally, uniform
from phverify.microdata.quotient import ranked
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
    found: list[Agent] = []
    for one in [asked] if isinstance(asked, str) else asked:
        if isinstance(one, str) and one in known and one not in policy.columns:
            found.append(known[one])
            continue
        names = (
            [name.strip() for name in one.split(",")]
            if isinstance(one, str)
            else list(one)
        )
        wanted = tuple(dict.fromkeys(names))
        alone = len(wanted) == 1  # then an agent may be meant
        for name in wanted:
            if name not in policy.columns:
                what = f"no role names the column {name!r}" + (
                    ", nor is it an agent" if alone else ""
                )
                hint = nearest(
                    name,
                    (*policy.columns, *known) if alone else policy.columns,
                    "columns and agents",
                )
                problems.append(Problem(f"attacker {','.join(names)}", what, hint))
        found.append(Agent(",".join(wanted), wanted))
    if problems:
        raise InputError(problems)
    return tuple(dict.fromkeys(found)) or (
        known["a1"],
        *(known[name] for name in policy.agents),
    )


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
        return tuple(point for point in self.points if len(point.attributes) == size)

    @property
    def worst(self) -> tuple[AttackPoint, ...]:
        """For each number of attributes, the attacker with the most expected correct
        links (the first of them).
        """
        sizes = range(len(self.attributes) + 1)
        return tuple(
            max(self.of_size(k), key=lambda point: point.outcomes.expected)
            for k in sizes
        )

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
        raise refusal(
            "attackers", what, f"name at most {MOST} attributes for all their subsets"
        )
    first, numbers = Candidates(linkage, tuple(attributes)).tuples
    released = np.bincount(numbers, minlength=len(first))
    relations = [linkage.relations[name] for name in attributes]
    originals, columns = _cells(linkage, relations, first)
    points: list[AttackPoint] = []
    sizes: dict[Subset, Ints] = {}
    classes: dict[Subset, Ints] = {}
    for size in range(len(attributes) + 1):
        for subset in combinations(range(len(attributes)), size):
            names = tuple(attributes[k] for k in subset)
            if all(k in columns for k in subset):
                codes, width = (
                    columns[subset[-1]]
                    if subset
                    else (np.zeros(len(originals), dtype=np.int64), 1)
                )
                coarse = classes[subset[:-1]] if subset else codes
                classes[subset] = ranked(
                    coarse * width + codes, (int(coarse.max()) + 1) * width
                )[1]
                sizes[subset] = _sizes(classes[subset], originals, len(first))
                outcomes = uniform(*tally(sizes[subset], released))
            else:
                found = Candidates(linkage, names)
                sizes[subset], outcomes = (
                    found.sizes[first].astype(np.int32),
                    outcomes_of(found)[0],
                )
            for less in combinations(subset, size - 1) if size else ():
                if (sizes[subset] > sizes[less]).any():
                    raise Defect(
                        f"a candidate set grows with more knowledge, from {less} to"
                        f" {subset}"
                    )
            points.append(AttackPoint(names, outcomes))
        # the next level needs this one alone
        sizes = {subset: some for subset, some in sizes.items() if len(subset) == size}
        classes = {
            subset: some for subset, some in classes.items() if len(subset) == size
        }
    result = Curve(tuple(attributes), tuple(points))
    if not result.rising and not any(found.random for found in relations):
        raise Defect("the expected correct links fall with more knowledge")
    return result


def _cells(
    linkage: Linkage, relations: Sequence[MaskingRelation], first: Ints
) -> tuple[Ints, Mapping[int, tuple[Ints, int]]]:
    """The originals by what they become in the attributes that part them, then the
    distinct released tuples.

    How many originals are in each, and its code in each of these attributes, with how
    many codes there are; ``first`` has a record of each distinct released tuple.
    """
    parting = {k: found for k, found in enumerate(relations) if found.parting}
    images = [found.image_of[found.before.codes] for found in parting.values()]
    widths = [len(found.after.labels) + 1 for found in parting.values()]
    rows, numbers = grouped(images, widths, linkage.originals)
    columns = {}
    for (k, found), image, width in zip(parting.items(), images, widths, strict=True):
        columns[k] = np.concatenate((image[rows], found.after.codes[first])), width
    return (
        np.concatenate((np.bincount(numbers), np.zeros(len(first), dtype=np.int64))),
        columns,
    )


def _sizes(classes: Ints, originals: Ints, shown: int) -> Ints:
    """How many originals are in the class of each released tuple, which are the last
    ones.
    """
    counts = np.zeros(int(classes.max()) + 1, dtype=np.int64)
    np.add.at(counts, classes, originals)
    return counts[classes[-shown:]].astype(np.int32)
