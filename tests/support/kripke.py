"""General PH(@) models (Definitions 2 and 3): any frame, any finite probability
spaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from phverify.errors import InputError, Problem
from phverify.spec import syntax as s
from phverify.spec.bitset import bits, members
from phverify.spec.semantics import Viewpoint, Worlds
from phverify.spec.signature import Signature


@dataclass(frozen=True, eq=False)
class KripkeModel:
    """An explicit model over worlds 0 to size - 1.

    ``relations[a][w]`` are the worlds that a takes for possible at w; ``spaces[a][w]``
    gives the probability of each world of W_{w,a} (every set of worlds is measurable);
    ``facts[(f, v)]`` are the worlds where the descriptor (f, v) holds, and ``nominals``
    places nominals. Raises InputError unless every space is a probability distribution.
    """

    size: int
    signature: Signature
    relations: Mapping[str, Mapping[int, frozenset[int]]]
    spaces: Mapping[str, Mapping[int, Mapping[int, Fraction]]]
    facts: Mapping[tuple[str, str | None], frozenset[int]]
    nominals: Mapping[s.Reference, int]

    def __post_init__(self) -> None:
        for agent, by_world in self.spaces.items():
            for world, space in by_world.items():
                if any(p < 0 for p in space.values()) or sum(space.values()) != 1:
                    where = f"probability space of {agent} at world {world}"
                    raise InputError(
                        Problem(
                            where, "probabilities must be >= 0 and sum to exactly 1"
                        )
                    )

    def world(self, name: s.Reference) -> int:
        return self.nominals[name]

    def extension(self, descriptor: s.Descriptor) -> Worlds:
        attribute = self.signature.attributes[descriptor.attribute]
        operands = s.texts(descriptor)
        if (
            descriptor.op == "!="
        ):  # not (f, v), which is more than the other values of f
            return self._facts(descriptor.attribute, operands) ^ ((1 << self.size) - 1)
        return self._facts(
            descriptor.attribute, list(attribute.matches(descriptor.op, operands))
        )

    def _facts(self, attribute: str, values: list[str | None]) -> Worlds:
        worlds: set[int] = set()
        return bits(
            worlds.union(*(self.facts.get((attribute, v), frozenset()) for v in values))
        )

    def viewpoints(self, agent: str, among: Worlds) -> Iterator[Viewpoint]:
        for world in members(among):
            space = self.spaces[agent][world]
            successors = bits(self.relations[agent][world])
            yield Viewpoint(
                1 << world,
                successors,
                bits(space),
                lambda worlds, p=space: _measure(p, worlds),
            )  # type: ignore[misc]

    def criterion(self, node: s.Criterion, among: Worlds) -> Worlds:
        raise TypeError(f"{node.name} is defined for releases, not for general models")


def _measure(space: Mapping[int, Fraction], worlds: Worlds) -> Fraction:
    return sum((p for world, p in space.items() if worlds >> world & 1), Fraction(0))
