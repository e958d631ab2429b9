"""``check``: a certificate of minimality read again without phverify's engine and
without its search.

What is done here, in order: the released table is made again, row by row, and each rule
is seen to hold in it, as for the certificate of a verdict; the cost is added up; every
violation is counted again and gives its clause; what is kept when classes are merged is
known of the criteria, or written out as a query; and nothing that meets all clauses is
cheaper, by looking at all level vectors or by a proof that is checked in fractions.
What has no proof rests on two solvers, and the line says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from phverify.spec import syntax as s
from phverify.spec.certificate import Claims, digest, stage, whose
from phverify.spec.classes import Asked
from phverify.spec.data import Data, Refused
from phverify.spec.form import shaped
from phverify.spec.least import all_covered, none_cheaper, vectors
from phverify.spec.merging import MERGE, UPWARD, Merging, known
from phverify.spec.models import Table
from phverify.spec.published import same_files, same_rows
from phverify.spec.released import Given, released
from phverify.spec.rules import assumption, rule
from phverify.spec.schemes import Clause, Truth
from phverify.spec.source import number
from phverify.spec.spaces import Cost, Space, cost, senseless, space
from phverify.spec.system import System
from phverify.spec.violations import Violations
from phverify.spec.wording import called, many

Claim = Mapping[str, Any]

VECTORS = 100_000
"""So many level vectors are all looked at: nothing else is asked."""
HOW = ("each", "each, within the table", "together", "together, within the table")
"""How queries show a closure that is not known: one for each formula, or one for
all.
"""


@dataclass(frozen=True)
class Judges:
    """Who is asked where a certificate has no proof.  Without them such a certificate
    is refused.

    ``texts`` says in how many texts solvers find that questions have no solution, 0
    when they do not; ``bound`` names the solvers that find that nothing which meets the
    clauses costs less, by weights and a total.
    """

    texts: Callable[[Sequence[System | Merging]], int] | None = None
    bound: Callable[[tuple[int, ...], list[Clause], int], list[str]] | None = None

    def system(self, question: System) -> bool:
        """Whether a system has no solution."""
        return self.texts is not None and self.texts([question]) > 0


def check(claimed: Claim, given: Given, judges: Judges) -> Iterator[str]:
    """Verify claim after claim; yields what was verified.  Raises Refused at the first
    that does not hold.
    """
    yield (
        whose(given.files.get("policy"))
        if "policy" in given.files
        else "the policy is the one given, in memory"
    )
    shaped(dict(claimed))
    if digest(claimed) != claimed["digest"]:
        raise Refused(
            "the certificate was changed after it was written (its digest does not fit)"
        )
    yield "the digest fits"
    yield from Minimality(claimed, given, judges).verified()


@dataclass(eq=False)
class Minimality:
    """The claims of one certificate of minimality."""

    claimed: Claim
    given: Given
    judges: Judges
    leaves: dict[str, int] = field(default_factory=dict)

    # What was asked

    @property
    def data(self) -> Data:
        return self.given.data

    @cached_property
    def share(self) -> Fraction:
        share = _exact(self.claimed["suppress"])
        if not 0 <= share < 1:
            raise Refused(f"suppress is a share from 0 to below 1, not {share}")
        return share

    @property
    def budget(self) -> int:
        """How many records may be withheld."""
        return int(self.share * self.data.rows)

    @cached_property
    def weights(self) -> dict[str, Fraction]:
        weights = {name: _exact(text) for name, text in self.claimed["weights"].items()}
        if (
            set(weights) != set(self.data.quasi)
            or not min(weights.values()) >= 0
            or not any(weights.values())
        ):
            raise Refused("the weights are not those of the policy's quasi-identifiers")
        return weights

    def asked(self) -> None:
        """Raises Refused for a question that makes no sense."""
        objective, minimal = self.claimed["objective"], self.claimed["minimal"]
        weighted = set(self.weights.values()) != {1}
        for problem in senseless(
            self.claimed["space"], objective, self.share, weighted, bool(minimal)
        ):
            raise Refused(problem.what)
        if objective == "discernibility" and not minimal:
            raise Refused("discernibility is asked of all minimal level vectors")
        self.given.nameable(self.budget)

    def question(self) -> str:
        """What the candidate is called the least of: a certificate answers this
        question, and no other one.
        """
        schemes = ", ".join(f"{called(s.name)} {s.kind}" for s in self.space.schemes)
        heavy = ", ".join(
            f"{called(name)} {weight}"
            for name, weight in self.weights.items()
            if weight != 1
        )
        said = (
            f"the question: the least {self.claimed['objective']} in the space"
            f" {self.claimed['space']} ({schemes})"
        )
        said += f"; weights: {heavy}, others 1" if heavy else ""
        return said + (
            f"; at most {many(self.budget, 'record')} withheld" if self.share else ""
        )

    @cached_property
    def space(self) -> Space:
        orders = {}
        for name in self.data.quasi:
            orders[name] = tuple(
                value for value, _ in self.claimed["mapping"].get(name, ())
            )
            if Counter(orders[name]) != Counter(self.data.domains[name]):
                raise Refused(
                    "the mapping is not that of the candidate: it is about other values"
                )
        return space(
            self.claimed["space"], self.given.policy, orders, self.given.hierarchies
        )

    @cached_property
    def cost(self) -> Cost:
        objective = self.claimed["objective"]
        objective = "height" if objective == "discernibility" else objective
        records = {name: Counter(self.data.columns[name]) for name in self.data.quasi}
        return cost(self.space, objective, records, self.weights, self.data.rows)

    @cached_property
    def violations(self) -> Violations:
        policy, data, share = (
            self.given.policy,
            self.data,
            Fraction(self.budget, self.data.rows),
        )
        rules = {name: rule(policy, data, name) for name in policy.rules}
        assumptions = tuple(
            assumption(policy, data, name) for name in policy.assumptions
        )
        asked = Asked(
            data.signature, data.quasi, data.criterion, rules, assumptions, share
        )
        shown = {
            claim["part"]: UPWARD if claim["upward"] else MERGE
            for claim in self.claimed["closures"]
        }
        return Violations(data, asked, self.space, self.budget, shown)

    # Claim by claim

    def verified(self) -> Iterator[str]:
        """Raises Refused at the first claim that does not hold."""
        claimed, given, space = self.claimed, self.given, self.space
        if claimed["rules"] != given.policy.rules:
            raise Refused("the certificate is about other rules than the policy's")
        self.asked()
        yield self.question()
        yield from same_files(claimed["files"], given)
        yield from [*stage(given.policy), *given.told]
        candidate = space.candidate(claimed["choice"])
        mapping = space.mapping(candidate)
        if claimed["mapping"] != {
            name: list(map(list, images.items())) for name, images in mapping.items()
        }:
            raise Refused("the mapping is not that of the candidate")
        yield from self.satisfies(claimed, candidate)
        yield from same_rows(
            given,
            mapping,
            self.violations.withheld(candidate, claimed["withheld_classes"]),
        )
        minimal = [space.candidate(one["choice"]) for one in claimed["minimal"]]
        yield f"{claimed['objective']} is {self.price(candidate, minimal)}"
        clauses = [self.clause(claim) for claim in claimed["clauses"]]
        yield f"{many(len(clauses), 'clause')} from violations, all counted again"
        yield self.closures()
        for one, said in zip(minimal, claimed["minimal"], strict=True):
            list(self.satisfies(said, one))
        if minimal:
            yield all_covered(space, clauses, minimal)
        else:
            yield (
                "nothing that meets all clauses is cheaper, by"
                f" {self.least(candidate, clauses)}"
            )
        if minimal and claimed["bound"] is not None:
            raise Refused("the certificate has a bound beside all minimal candidates")
        if set(self.leaves) != {*claimed["proofs"], *claimed["agreed"]}:
            raise Refused("the certificate holds proofs of systems that nothing needs")

    def satisfies(self, said: Claim, candidate: Truth) -> Iterator[str]:
        """What a candidate releases satisfies the policy.  Raises Refused."""
        withheld = self.violations.withheld(candidate, said["withheld_classes"])
        judged, rules = (
            self.judged(self.release(candidate, withheld), said["released"]),
            said["released"]["rules"],
        )
        list(judged.assumptions())
        if [one["name"] for one in rules] != list(self.given.policy.rules):
            raise Refused("the certificate is about other rules than the policy's")
        for one in rules:
            if one["verdict"] != "proved":
                why = one.get("reason", one["verdict"])
                raise Refused(
                    f"nothing shows that the released table satisfies {one['name']}:"
                    f" {why}"
                )
        lines = [f"  {judged.rule(one)}" for one in rules]
        rows = self.data.rows - len(withheld)
        yield (
            f"the released table satisfies the policy ({many(rows, 'record')},"
            f" {len(withheld)} withheld)"
        )
        yield from lines

    def release(self, candidate: Truth, withheld: list[int]) -> Data:
        """What a candidate releases."""
        return released(self.given, self.space.mapping(candidate), withheld)

    def judged(self, data: Data, said: Claim) -> Claims:
        """The checker of verdicts, with the proofs of the whole certificate."""
        shared = {name: self.claimed[name] for name in ("proofs", "agreed")}
        return Claims(
            {**said, **shared},
            self.given.policy,
            Table(data),
            self.judges.system,
            leaves=self.leaves,
        )

    def price(self, candidate: Truth, minimal: list[tuple[bool, ...]]) -> Fraction:
        """The cost of the candidate, which is that of the cheapest minimal one.  Raises
        Refused.
        """
        found = self.priced(candidate)
        if str(found) != self.claimed["cost"]:
            raise Refused(f"the cost is {found}, not {self.claimed['cost']}")
        if minimal and candidate not in minimal:
            raise Refused("the candidate is none of the minimal ones")
        if any(self.priced(other) < found for other in minimal):
            raise Refused(
                "a minimal candidate is cheaper than the one that is called the least"
            )
        return found

    def priced(self, candidate: Truth) -> Fraction:
        """What a candidate costs."""
        if self.claimed["objective"] == "discernibility":
            return Fraction(
                sum(
                    rows.bit_count() ** 2
                    for _, rows in self.violations.classes(candidate)
                )
            )
        return self.cost.fraction(self.cost.total(self.space.solution(candidate)))

    # Clauses

    def clause(self, claim: Claim) -> Clause:
        """The clause that a claim supports.  Raises Refused."""
        if claim["kind"] in ("box", "class"):
            return self.violations.box(claim)
        if claim["kind"] == "cut":
            return self.violations.cut(claim)
        candidate = self.space.candidate(claim["choice"])
        wanted = Counter(self.violations.ways(candidate))
        if wanted != Counter(
            frozenset(map(tuple, one["withheld"])) for one in claim["witnesses"]
        ):
            raise Refused(
                "a candidate that the certificate excludes is not refuted in every way"
                " to withhold classes"
            )
        for said in claim["witnesses"]:
            self.refuted(candidate, said)
        return self.space.differs(candidate)

    def refuted(self, candidate: Truth, said: Claim) -> None:
        """Raises Refused unless a rule is false in what is released when these classes
        are withheld.
        """
        data = self.release(
            candidate, self.violations.withheld(candidate, said["withheld"])
        )
        judged = self.judged(data, {"assumptions": [], "rules": []})
        from phverify.spec.witness import refuted

        if "witness" not in said:
            judged.proved("that the assumptions exclude each other", s.FALSE)
            return
        if said["rule"] not in self.given.policy.rules:
            raise Refused(f"the policy has no rule {said['rule']!r}")
        refuted(
            rule(self.given.policy, data, said["rule"]),
            said["witness"],
            judged.given,
            judged.table,
        )

    def closures(self) -> str:
        """What is kept when classes are merged, of the parts that clauses rest on.
        Raises Refused.
        """
        said, shown, used = (
            self.claimed["closures"],
            self.violations.shown,
            self.violations.used,
        )
        if len(said) != len(shown) or not used.issuperset(shown):
            why = (
                "the certificate speaks twice of the closure of a part under merging,"
                " or of one that no clause needs"
            )
            raise Refused(why)
        found: list[Merging] = []
        for claim in said:
            part = self.violations.part(claim["part"])
            found += queries(part.bodies, shown[claim["part"]], claim["how"], self.data)
        if found and self.judges.texts is None:
            raise Refused(
                "what merging classes keeps rests on two solvers, and there is none"
                " here to ask again"
            )
        texts = self.judges.texts(found) if found and self.judges.texts else 0
        if found and not texts:
            raise Refused(
                "what is kept when classes are merged rests on two solvers, and they do"
                " not find it again"
            )
        line = (
            "what is kept when classes are merged is known for"
            f" {many(len(used) - len(said), 'part')} of the rules"
        )
        more = (
            f"; for {len(said)} more two solvers agree on"
            f" {many(texts, 'query', 'queries')}: no proof"
        )
        return f"{line}{more}" if texts else line

    # Nothing is cheaper

    def least(self, candidate: Truth, clauses: list[Clause]) -> str:
        """By what nothing that meets all clauses is cheaper.  Raises Refused."""
        weights, total = (
            self.cost.weights,
            self.cost.total(self.space.solution(candidate)),
        )
        everything = [*self.space.constraints, *clauses]
        if self.claimed["bound"] is not None:
            from phverify.spec.bound import proved

            leaves = proved(weights, everything, total, self.claimed["bound"])
            return f"a proof with {many(leaves, 'leaf', 'leaves')} checked in fractions"
        if 0 < (count := vectors(self.space)) <= VECTORS:
            none_cheaper(self.space, weights, clauses, total)
            return f"looking at all {count} level vectors"
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


def queries(bodies: tuple[Any, ...], goal: int, how: str, data: Data) -> list[Merging]:
    """The questions that show that a part is closed, where it is not known to be.
    Raises Refused.
    """
    open_ones = tuple(
        body for body in dict.fromkeys(bodies) if known(body, data) < goal
    )
    if not open_ones or how not in HOW:
        raise Refused(
            "what the certificate says about closure under merging is known, or is"
            " shown in no way there is"
        )
    groups = [bodies] if how.startswith("together") else [(body,) for body in open_ones]
    return [Merging(group, goal, how.endswith("table"), data) for group in groups]


def _exact(text: str) -> Fraction:
    """A number in lowest terms.  Raises Refused."""
    value = number(text)
    if str(value) != text:
        raise Refused(f"{text} is not written in lowest terms")
    return value
