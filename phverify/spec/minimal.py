"""``check``: a certificate of minimality read again without engine and search.

What is done here, in order: the released table is made again, row by row, and each rule
is seen to hold in it, as for the certificate of a verdict; the cost is added up; every
violation is counted again and gives its clause; what is preserved when classes are
merged is known of the criteria, or written out as a query; and nothing that meets all
clauses is cheaper, by comparing all level vectors or by a proof that is checked in
fractions.  What has no proof rests on two solvers, and the line says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from phverify.spec.certificate import Claims, stage
from phverify.spec.data import Data, Refused
from phverify.spec.form import shaped
from phverify.spec.merging import Merging
from phverify.spec.models import Table
from phverify.spec.posed import Claim, PosedSearch
from phverify.spec.published import (
    all_proved,
    intact,
    same_files,
    same_rules,
    same_sample,
)
from phverify.spec.released import Given, released
from phverify.spec.schemes import Clause, Truth
from phverify.spec.spaces import WHOLE, by_default
from phverify.spec.system import System
from phverify.spec.wording import called, many

if TYPE_CHECKING:
    from phverify.spec.charged import ChargedCosts

VECTORS = 100_000
"""So many level vectors are all compared: nothing else is asked."""


@dataclass(frozen=True)
class Judges:
    """Who is asked where a certificate has no proof.

    Without them such a certificate is refused.  ``texts`` says in how many texts
    solvers find that questions have no solution, 0 when they do not; ``bound`` names
    the solvers that find that nothing which meets the clauses costs less, by weights
    and a total.
    """

    texts: Callable[[Sequence[System | Merging]], int] | None = None
    bound: Callable[[tuple[int, ...], list[Clause], int], list[str]] | None = None

    def system(self, question: System) -> bool:
        """Whether a system has no solution."""
        if self.texts is None:
            return False
        return self.texts([question]) > 0


def check(claimed: Claim, given: Given, judges: Judges) -> Iterator[str]:
    """Verify claim after claim; yields what was verified.

    Raises Refused at the first that does not hold.
    """
    yield from intact(claimed, given.files, shaped)
    same_sample(claimed, given)
    yield from Minimality(claimed, given, judges).verified()


@dataclass(eq=False)
class Minimality(PosedSearch):
    """The claims of one certificate of minimality."""

    judges: Judges
    leaves: dict[str, int] = field(default_factory=dict)

    # Claim by claim

    def verified(self) -> Iterator[str]:
        """What holds, a line for each claim.

        Raises Refused at the first claim that does not hold.
        """
        claimed, given, space = self.claimed, self.given, self.space
        same_rules(claimed["rules"], given)
        self.require_sense()
        yield self.question()
        yield from same_files(claimed["files"], given)
        yield from stage(given.policy)
        yield from given.told
        for name in by_default(space, given.hierarchies):
            yield f"no hierarchy of {called(name)}: its values are kept, or become *"

        candidate = space.candidate(claimed["choice"])
        mapping = space.mapping(candidate)
        if claimed["mapping"] != _listed(mapping):
            raise Refused("the mapping is not that of the candidate")
        yield from self.satisfies(claimed, candidate)
        withheld = self.violations.withheld(candidate, claimed["withheld_classes"])
        if "release" in given.files:
            from phverify.spec.released_file import same_rows

            yield from same_rows(given, mapping, withheld)

        minimal = [space.candidate(one["choice"]) for one in claimed["minimal"]]
        yield f"{claimed['objective']} is {self.price(candidate, minimal)}"
        clauses = [self.clause(claim) for claim in claimed["clauses"]]
        yield f"{many(len(clauses), 'clause')} from violations, all counted again"
        # It may rest on what merging keeps, too.
        nothing_cheaper = self.least_of_all(candidate, minimal, clauses)
        yield self.closures()
        yield nothing_cheaper
        self.require_nothing_idle()

    def least_of_all(
        self, candidate: Truth, minimal: list[tuple[bool, ...]], clauses: list[Clause]
    ) -> str:
        """That no candidate is cheaper: by all minimal ones, or by a bound.

        Raises Refused.
        """
        if self.priced:
            return self.charges.none_cheaper(clauses)
        if not minimal:
            how = self.least(candidate, clauses)
            return f"nothing that meets all clauses is cheaper, by {how}"
        claims = self.claimed["minimal"]
        # All minimal candidates that satisfy the policy: each needs its own proof.
        pairs = zip(minimal, claims, strict=True)
        for one, said in pairs:
            # What is verified of each is not shown, but all of it is asked for.
            list(self.satisfies(said, one))
        from phverify.spec.least import all_covered

        return all_covered(self.space, clauses, minimal)

    def require_nothing_idle(self) -> None:
        """Raises Refused for a certificate that holds what nothing needs."""
        claimed = self.claimed
        has_bound = claimed["bound"] is not None
        if has_bound and claimed["minimal"]:
            raise Refused("the certificate has a bound beside all minimal candidates")
        # What is not needed was perhaps meant for another question.
        settled = {*claimed["proofs"], *claimed["agreed"]}
        if set(self.leaves) != settled:
            raise Refused("the certificate holds proofs of systems that nothing needs")

    def satisfies(self, said: Claim, candidate: Truth) -> Iterator[str]:
        """What a candidate releases satisfies the policy.  Raises Refused."""
        withheld = self.violations.withheld(candidate, said["withheld_classes"])
        judged = self.judged(self.release(candidate, withheld), said["released"])
        # Asked for, not shown: a generator does nothing by itself.
        list(judged.assumptions())
        lines = all_proved(judged, said["released"], self.given)
        rows = self.data.rows - len(withheld)
        counted = f"{many(rows, 'record')}, {len(withheld)} withheld"
        yield f"the released table satisfies the policy ({counted})"
        yield from lines

    def release(self, candidate: Truth, withheld: list[int]) -> Data:
        """What a candidate releases."""
        mapping = self.space.mapping(candidate)
        return released(self.given, mapping, withheld)

    def judged(self, data: Data, said: Claim) -> Claims:
        """The checker of verdicts, with the proofs of the whole certificate."""
        claims = {name: self.claimed[name] for name in ("proofs", "agreed")}
        return Claims(
            {**said, **claims},
            self.given.policy,
            Table(data),
            self.judges.system,
            leaves=self.leaves,
        )

    def price(self, candidate: Truth, minimal: list[tuple[bool, ...]]) -> Fraction:
        """The cost of the candidate, which is that of the cheapest minimal one.

        Raises Refused.
        """
        price = self.cost_of(candidate)
        # Compared as texts: there is one way to write a fraction.
        if str(price) != self.claimed["cost"]:
            raise Refused(f"the cost is {price}, not {self.claimed['cost']}")
        if minimal and candidate not in minimal:
            raise Refused("the candidate is none of the minimal ones")
        # Costs rise along generalization: the cheapest of all is a minimal one.
        if any(self.cost_of(other) < price for other in minimal):
            raise Refused(
                "a minimal candidate is cheaper than the one that is called the least"
            )
        return price

    @cached_property
    def charges(self) -> ChargedCosts:
        """What candidates cost where withheld records are charged."""
        # Few searches charge them.
        from phverify.spec.charged import ChargedCosts

        return ChargedCosts(self)

    def cost_of(self, candidate: Truth) -> Fraction:
        """What a candidate costs; where withheld records are charged, the one that is
        called the least.
        """
        objective = self.claimed["objective"]
        if self.priced:
            return self.charges.said_to_be_least(candidate)
        if objective not in WHOLE:
            return self.cost.fraction(self._total(candidate))
        # Few certificates are about whole classes.
        from phverify.spec.whole_costs import release_cost

        classes = self.violations.classes(candidate)
        return release_cost(objective, self.space, candidate, self.data, classes)

    def _total(self, candidate: Truth) -> int:
        solution = self.space.solution(candidate)
        return self.cost.total(solution)

    # Clauses

    def clause(self, claim: Claim) -> Clause:
        """The clause that a claim supports.  Raises Refused."""
        if claim["kind"] in ("box", "class"):
            return self.violations.box(claim)
        if claim["kind"] == "cut":
            return self.violations.cut(claim)
        # Few searches look at candidates one by one.
        from phverify.spec.excluded import excluded

        return excluded(self, claim)

    def closures(self) -> str:
        """What merging preserves, of the parts that clauses rest on.

        Raises Refused.
        """
        said = self.claimed["closures"]
        parts = many(len(self.violations.used) - len(said), "part")
        line = f"what is kept when classes are merged is known for {parts} of the rules"
        if not said:
            return line
        from phverify.spec.closures import agreed

        shown = many(agreed(self), "query", "queries")
        return f"{line}; for {len(said)} more two solvers agree on {shown}: no proof"

    # Nothing is cheaper

    def least(self, candidate: Truth, clauses: list[Clause]) -> str:
        """By what nothing that meets all clauses is cheaper.  Raises Refused."""
        weights = self.cost.weights
        total = self._total(candidate)
        everything = [*self.space.constraints, *clauses]
        if self.claimed["bound"] is not None:
            from phverify.spec.bound import proved

            leaves = proved(weights, everything, total, self.claimed["bound"])
            return f"a proof with {many(leaves, 'leaf', 'leaves')} checked in fractions"

        # A claim that needs no proof: so few candidates are looked at one by one.
        from phverify.spec.least import none_cheaper, vectors

        count = vectors(self.space)
        if 0 < count <= VECTORS:
            # Level vectors meet the constraints of the space by themselves.
            none_cheaper(self.space, weights, clauses, total)
            return f"looking at all {count} level vectors"
        from phverify.spec.shortest import shown

        if how := shown(self.space, weights, clauses, total):
            return how
        if self.budget and not clauses:
            from phverify.spec.budgeted import shown as shown_with_losses

            if how := shown_with_losses(self.violations, weights, total):
                return how
        if self.judges.bound is None:
            raise Refused(
                "the bound has no proof, and there is nobody here to ask again"
            )
        solvers = self.judges.bound(weights, everything, total)
        if not solvers:
            raise Refused(
                "a cheaper candidate meets all clauses: they do not prove the bound"
            )
        return f"{' and '.join(solvers)}, which agree: no proof"


def _listed(mapping: dict[str, dict[Any, Any]]) -> dict[str, list[list[Any]]]:
    """A mapping as a certificate writes it: pairs in the order of the values."""
    listed = {}
    for name, images in mapping.items():
        listed[name] = list(map(list, images.items()))
    return listed
