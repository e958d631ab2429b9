"""``assess``: how well attackers could link a release with its original, for each
record and overall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from phverify.budget import Tell
from phverify.errors import InputError, Problem, refusal
from phverify.exact import Ints
from phverify.linkage.candidates.attackers import MOST, Curve, attackers_of, curve
from phverify.linkage.candidates.pairs import linkage_of, population_of
from phverify.linkage.candidates.sets import Candidates, Linkage
from phverify.linkage.risk.figures import figures_of, withheld
from phverify.linkage.risk.outcomes import THRESHOLDS, AttackerRisk, outcomes_of
from phverify.linkage.risk.uniques import Uniques, linked
from phverify.microdata.read import read
from phverify.microdata.table import Table
from phverify.policy.masking import PLAIN
from phverify.policy.model import Policy
from phverify.spec import syntax as s
from phverify.spec.parser import parse
from phverify.spec.source import fraction

Threshold = Fraction | float | str
"""A probability; a float is the number that its shortest text says."""


@dataclass(frozen=True, eq=False)
class RiskReport:
    """What ``assess`` found; all figures are exact.

    ``curve`` holds all subsets of the quasi-identifiers (None where there are more than
    ten, or when it was not asked for), ``uniques`` the minimal combinations that leave
    a released record one candidate.
    """

    linkage: Linkage
    thresholds: tuple[Fraction, ...]
    attackers: tuple[AttackerRisk, ...]
    curve: Curve | None
    uniques: Uniques | None
    population: str
    notes: tuple[str, ...]

    @property
    def originals(self) -> int:
        return self.linkage.originals

    @property
    def released(self) -> int:
        return self.linkage.released

    def attacker(self, name: str) -> AttackerRisk:
        """The risk from an attacker by name.  Raises KeyError for one that was not
        asked for.
        """
        return {risk.agent.name: risk for risk in self.attackers}[name]


def assess(
    original: Any,
    release: Any,
    policy: Policy,
    attackers: str | Sequence[str | Sequence[str]] = (),
    *,
    thresholds: Sequence[Threshold] = (),
    population: Any = None,
    subsets: bool = True,
    progress: Tell = lambda step: None,
) -> RiskReport:
    """The re-identification risk of a release.

    The tables are paths, DataFrames or tables read before.  ``attackers`` are agents by
    name or attributes ("zip,birth"); by default a1, who knows all quasi-identifiers,
    and the policy's agents.  ``thresholds`` are probabilities (0.1 and "1/10" are one
    tenth exactly); by default 0.05, 0.09, 0.2 and 1/k for each k of the policy's rules.
    ``population`` is the table that the released people are a sample of, by default the
    original where it has more records.  ``subsets`` asks for all attribute subsets and
    for minimal unique combinations.

    Raises InputError with all problems of the input.
    """
    agents = attackers_of(policy, attackers)
    bounds = _bounds(policy, thresholds)
    progress("reading")
    before, after = (
        table_of(original, policy, "original"),
        table_of(release, policy, "release"),
    )
    people = None if population is None else table_of(population, policy, "population")
    progress("relating values")
    known = [name for agent in agents for name in agent.knows]
    linkage = linkage_of(before, after, policy, known)
    wider = (
        None
        if people is None
        else population_of(people, after, policy, (*policy.quasi, *known))
    )
    progress("candidate sets")
    # what sdcMicro would call missing: marks of suppression, and missing cells
    marks = {
        name: (*policy.masking.get(name, PLAIN).suppressed, None)
        for name in linkage.relations
    }
    columns = [linkage.relations[name].after for name in policy.quasi]
    hidden = withheld(
        columns, [[mark or None for mark in marks[name][:-1]] for name in policy.quasi]
    )
    risks = []
    for agent in agents:
        candidates = Candidates(linkage, agent.knows)
        missing = [marks[name] for name in agent.knows]
        figures = figures_of(
            candidates, bounds, _population(candidates, wider), hidden, missing
        )
        outcomes, of_record = outcomes_of(candidates)
        shares = tuple(outcomes.share(bound) for bound in bounds)
        risks.append(AttackerRisk(agent, outcomes, of_record, shares, figures))
    progress("all attribute subsets")
    lattice = (
        curve(linkage, policy.quasi) if subsets and len(policy.quasi) <= MOST else None
    )
    progress("minimal unique combinations")
    found = linked(linkage, policy.quasi) if subsets else None
    said = (
        people.source
        if people is not None
        else before.source
        if before.rows > after.rows
        else ""
    )
    return RiskReport(
        linkage,
        bounds,
        tuple(risks),
        lattice,
        found,
        said,
        tuple(_notes(policy, linkage, subsets)),
    )


def table_of(source: Any, policy: Policy, where: str) -> Table:
    """A table with the columns that the policy speaks of: read, unless it was read
    before.
    """
    if isinstance(source, Table):
        return source
    return read(source, policy.named, where)


def _bounds(policy: Policy, thresholds: Sequence[Threshold]) -> tuple[Fraction, ...]:
    """The thresholds as exact numbers, rising.  Raises InputError for one that is no
    probability.
    """
    read_as = [(given, fraction(given)) for given in thresholds]
    wrong = [given for given, bound in read_as if bound is None or not 0 <= bound <= 1]
    if wrong:
        raise InputError(
            Problem("threshold", f"is a probability from 0 to 1, not {given}")
            for given in wrong
        )
    found = [bound for _, bound in read_as if bound is not None]
    return tuple(sorted(set(found or (*THRESHOLDS, *_promised(policy)))))


def _promised(policy: Policy) -> list[Fraction]:
    """1/k for each k-anonymity that the policy's rules promise, and the bounds of
    pignistic(i, a) in them.

    Formulas with errors are told elsewhere.
    """
    found = []
    for text in policy.rules.values():
        try:
            nodes = list(s.subformulas(parse(text, "rules")))
        except InputError:
            continue
        for node in nodes:
            match node:
                case s.Criterion("k_anonymity", args, named):
                    written = [*args[:1], *dict(named).values()]
                    found += [
                        Fraction(1, int(k)) for k in written if k.isdecimal() and int(k)
                    ]
                # @i l_a(i) <= bound, which is how pignistic(i, a) <= bound is read
                case s.At(
                    who,
                    s.Compare(
                        s.Linear(((_, s.Likelihood(_, s.Nominal(other))),)),
                        _,
                        s.Linear((), bound),
                    ),
                ):
                    found += [bound] if who == other and 0 < bound <= 1 else []
    return found


def _population(candidates: Candidates, wider: Linkage | None) -> Ints | None:
    """For each released record, how many of the population it can come from; None where
    the original is the sample.
    """
    linkage = candidates.linkage
    if wider is None:
        return candidates.sizes if linkage.originals > linkage.released else None
    sizes = Candidates(wider, candidates.attributes).sizes
    if not sizes.all():
        row = int((sizes == 0).argmax())
        what = (
            "no record of the population can have become it, as far as"
            f" {', '.join(candidates.attributes)} tell"
        )
        hint = "a population has everybody of the release in it"
        raise refusal(f"{linkage.sources[1]}, record {row + 1}", what, hint)
    return sizes


def _notes(policy: Policy, linkage: Linkage, subsets: bool) -> list[str]:
    notes = {
        "identifier": f"true records by the identifier {policy.identifier!r}",
        "order": "true records by the order of the rows, as the policy says",
        "open": (
            "the rows fit in the same order; no figure depends on which record comes"
            " from which"
        ),
        "matching": (
            "true records by the mappings that explain the release, whose rows are in"
            " another order"
        ),
    }
    said = [notes[linkage.truth.by]]
    if linkage.random:
        said.append(
            f"random masking of {', '.join(linkage.random)}: every original is equally"
            " probable beforehand"
        )
    if subsets and len(policy.quasi) > MOST:
        said.append(
            f"{len(policy.quasi)} quasi-identifiers: all subsets are listed for at most"
            f" {MOST}"
        )
    return said
