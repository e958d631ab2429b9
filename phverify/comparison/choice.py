"""One choice of the values that the columns of a table may have."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from phverify.comparison.sides import Names
from phverify.errors import PhverifyError
from phverify.microdata.table import Label
from phverify.spec.signature import Attribute, Signature

Values = tuple[Label, ...]
MOST_PROFILES = 96


class Undecided(PhverifyError):
    """Why a question stays open."""


@dataclass(frozen=True, eq=False)
class ValueChoice:
    """``attributes`` have their possible values as domains; those of ``active`` must
    occur.

    ``bundles`` are labels in these domains that stand for any number of values each,
    which no formula names. A profile gives a row its value in every column.
    """

    attributes: Mapping[str, Attribute]
    active: Mapping[str, Values]
    bundles: Mapping[str, Values] = field(default_factory=dict)

    @cached_property
    def profiles(self) -> list[Mapping[str, Label]]:
        """Every row that formulas tell apart.  Raises Undecided for too many."""
        domains = [attribute.domain for attribute in self.attributes.values()]
        many = math.prod(map(len, domains))
        # counted before any row is made
        if many > MOST_PROFILES:
            raise Undecided(
                f"the formulas tell {many} kinds of rows apart (at most"
                f" {MOST_PROFILES})"
            )
        rows = itertools.product(*domains)
        return [dict(zip(self.attributes, row, strict=True)) for row in rows]

    def single(self, name: str) -> Values:
        """The values of a column that are looked at one by one."""
        bundles = self.bundles.get(name, ())
        attribute = self.attributes[name]
        left = [value for value in attribute.domain if value not in bundles]
        return tuple(left)

    def signature(self, agents: Names = ()) -> Signature:
        """A language whose schemas range over single values."""
        single: dict[str, Attribute] = {}
        for name, attribute in self.attributes.items():
            domain = self.single(name)
            single[name] = replace(attribute, domain=domain)
        return Signature(single, agents, 0)
