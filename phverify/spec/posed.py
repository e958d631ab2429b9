"""What a search was asked, as its certificate says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from phverify.spec.classes import Demands
from phverify.spec.data import Data, Refused
from phverify.spec.merging import MERGE, UPWARD
from phverify.spec.published import exact
from phverify.spec.released import Given
from phverify.spec.rules import assumption, rule
from phverify.spec.spaces import WHOLE, Cost, Space, cost, senseless, space
from phverify.spec.violations import Violations
from phverify.spec.wording import called, many

Claim = Mapping[str, Any]


@dataclass(eq=False)
class PosedSearch:
    """The question that a certificate of minimality answers, over the files given."""

    claimed: Claim
    given: Given

    @property
    def data(self) -> Data:
        """The original table, as the policy reads it."""
        return self.given.data

    @cached_property
    def share(self) -> Fraction:
        """The share of the records that may be withheld.  Raises Refused."""
        share = exact(self.claimed["suppress"])
        if not 0 <= share < 1:
            raise Refused(f"suppress is a share from 0 to below 1, not {share}")
        return share

    @property
    def budget(self) -> int:
        """How many records may be withheld."""
        # Rounded down: not one record above the share.
        most = self.share * self.data.rows
        return int(most)

    @cached_property
    def weights(self) -> dict[str, Fraction]:
        """The weight of each quasi-identifier in the cost.

        Raises Refused unless all have one, none is negative and one is not 0.
        """
        said = self.claimed["weights"]
        weights = {name: exact(text) for name, text in said.items()}
        complete = set(weights) == set(self.data.quasi)
        # Without a weight above 0 everything would be called least.
        if not complete or min(weights.values()) < 0 or not any(weights.values()):
            raise Refused("the weights are not those of the policy's quasi-identifiers")
        return weights

    @property
    def priced(self) -> bool:
        """Whether a more general candidate may cost less, as it withholds less."""
        if self.claimed["objective"] in WHOLE:
            return self.share > 0
        return "charged" in self.claimed

    def require_sense(self) -> None:
        """Raises Refused for a question that makes no sense."""
        objective = self.claimed["objective"]
        minimal = self.claimed["minimal"]
        kind, all_minimal = self.claimed["space"], bool(minimal)
        weighted = set(self.weights.values()) != {1}

        # The first problem is enough: nothing of the certificate is believed then.
        for problem in senseless(kind, objective, self.share, weighted, all_minimal):
            raise Refused(problem.what)
        if "charged" in self.claimed or objective in WHOLE:
            # Few searches charge withheld records, or are about whole classes.
            from phverify.spec.charged import require_priced

            require_priced(self)
        self.given.nameable(self.budget)

    def question(self) -> str:
        """What the candidate is called the least of.

        A certificate answers this question, and no other one.
        """
        objective = self.claimed["objective"]
        kind = self.claimed["space"]
        schemes = [f"{called(one.name)} {one.kind}" for one in self.space.schemes]
        said = (
            f"the question: the least {objective} in the space {kind}"
            f" ({', '.join(schemes)})"
        )
        heavy = []
        for name, weight in self.weights.items():
            if weight != 1:
                heavy.append(f"{called(name)} {weight}")
        if heavy:
            said += f"; weights: {', '.join(heavy)}, others 1"
        if self.share:
            said += f"; at most {many(self.budget, 'record')} withheld"
        if "charged" in self.claimed:
            said += ", each of which loses 1 in every column"
        return said

    @cached_property
    def space(self) -> Space:
        """The space of candidates, in the order of values that the mapping has."""
        orders = {}
        for name in self.data.quasi:
            # Unknowns are numbered by the order of values, which is the certificate's.
            images = self.claimed["mapping"].get(name, ())
            order = tuple(value for value, _ in images)
            orders[name] = order
            if Counter(order) != Counter(self.data.domains[name]):
                raise Refused(
                    "the mapping is not that of the candidate: it is about other values"
                )
        kind = self.claimed["space"]
        policy = self.given.policy
        return space(kind, policy, orders, self.given.hierarchies)

    @cached_property
    def cost(self) -> Cost:
        """What candidates cost; some objectives are no sum over unknowns."""
        objective = self.claimed["objective"]
        if objective in WHOLE:
            objective = "height"
        records = {name: Counter(self.data.columns[name]) for name in self.data.quasi}
        return cost(self.space, objective, records, self.weights, self.data.rows)

    @cached_property
    def violations(self) -> Violations:
        """What the policy demands, and what the certificate says of merging it."""
        policy, data = self.given.policy, self.data
        rules = {name: rule(policy, data, name) for name in policy.rules}
        assumed = [assumption(policy, data, name) for name in policy.assumptions]
        # Records are withheld whole: this is the share that they can be.
        share = Fraction(self.budget, data.rows)
        asked = Demands(
            data.signature,
            data.quasi,
            data.criterion,
            rules,
            tuple(assumed),
            share=share,
        )
        shown = {}
        for claim in self.claimed["closures"]:
            shown[claim["part"]] = UPWARD if claim["upward"] else MERGE
        return Violations(data, asked, self.space, self.budget, shown)
