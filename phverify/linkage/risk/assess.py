"""``assess``: how well attackers could link a release with its original, for each
record and overall.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

from phverify.budget import Tell
from phverify.errors import InputError, Problem, Problems
from phverify.exact import Ints
from phverify.linkage.candidates.attackers import MOST, Curve, attackers_of, curve
from phverify.linkage.candidates.counted_pairs import counted_linkage
from phverify.linkage.candidates.pairs import linkage_of, population_of
from phverify.linkage.candidates.sets import Candidates, Linkage
from phverify.linkage.risk.figures import figures_of, sum_shares, withheld
from phverify.linkage.risk.outcomes import THRESHOLDS, AttackerRisk, outcomes_of
from phverify.linkage.risk.uniques import Uniques, linked
from phverify.microdata.pair_counts import RowsNeeded
from phverify.microdata.read import read
from phverify.microdata.table import CodedTable
from phverify.policy.agent import Agent
from phverify.policy.masking import PLAIN
from phverify.policy.model import Policy
from phverify.spec import syntax as s
from phverify.spec.decimals import fraction
from phverify.spec.parser import parse

Threshold = Fraction | float | str
"""A probability; a float is the number that its shortest text says."""

TRUTH_NOTES = {
    "identifier": "true records by the identifier {identifier!r}",
    "order": "true records by the order of the rows, as the policy says",
    "open": (
        "the rows fit in the same order; no figure depends on which record comes from"
        " which"
    ),
    "matching": (
        "true records by the mappings that explain the release, whose rows are in"
        " another order"
    ),
}
"""How the true records are known."""
ALIKE = "one of those that are alike (prosecutor)"
"""What whoever knows what became of each original links in each class."""


@dataclass(frozen=True, eq=False)
class RiskReport:
    """What ``assess`` found; all figures are exact.

    ``curve`` holds all subsets of the quasi-identifiers (None where there are more than
    ten, or when it was not asked for), ``uniques`` the minimal combinations that leave
    a released record one candidate.
    ``public_notes`` are the notes without numbers of records.
    """

    linkage: Linkage
    thresholds: tuple[Fraction, ...]
    attackers: tuple[AttackerRisk, ...]
    curve: Curve | None
    uniques: Uniques | None
    population: str
    notes: tuple[str, ...]
    public_notes: tuple[str, ...]

    @property
    def originals(self) -> int:
        """How many original records there are."""
        return self.linkage.originals

    @property
    def released(self) -> int:
        """How many released records there are."""
        return self.linkage.released

    def attacker(self, name: str) -> AttackerRisk:
        """The risk from an attacker by name.  Raises KeyError for one that was not
        asked for.
        """
        by_name: dict[str, AttackerRisk] = {}
        for risk in self.attackers:
            agent = risk.agent
            by_name[agent.name] = risk
        return by_name[name]


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

    Raises InputError with all problems of the input, and RowsNeeded for tables that are
    counted in an engine where counts do not settle it.
    """
    agents = attackers_of(policy, attackers)
    bounds = _bounds(policy, thresholds)
    progress("reading")
    before = table_of(original, policy, "original")
    after = table_of(release, policy, "release")
    people = None
    if population is not None:
        people = table_of(population, policy, "population")

    progress("relating values")
    # What a user names as known need not be a quasi-identifier of the policy.
    known = list(chain.from_iterable(agent.knows for agent in agents))
    relate = counted_linkage if after.elsewhere else linkage_of
    linkage = relate(before, after, policy, known)
    wider = None
    if people is not None:
        both = (*policy.quasi, *known)
        wider = population_of(people, after, policy, both, linkage)
        # by chance places are pairs of tuples, and the population has no pairs
        if after.elsewhere and linkage.random:
            raise RowsNeeded

    progress("candidate sets")
    suppression = _Suppression(policy, linkage)
    risks = [_risk(linkage, agent, bounds, wider, suppression) for agent in agents]

    progress("all attribute subsets")
    lattice = None
    if subsets and len(policy.quasi) <= MOST:
        lattice = curve(linkage, policy.quasi)
    progress("minimal unique combinations")
    combinations = linked(linkage, policy.quasi) if subsets else None
    notes = tuple(_notes(policy, linkage, subsets))
    better = tuple(_better(policy, linkage, risks))
    return RiskReport(
        linkage,
        bounds,
        tuple(risks),
        lattice,
        combinations,
        _source_of_people(before, after, people),
        (*notes, *_linked(linkage, better)),
        (*notes, *_unnumbered(linkage, better)),
    )


def _source_of_people(
    before: CodedTable, after: CodedTable, people: CodedTable | None
) -> str:
    """Where the people come from whom the released ones are a sample of."""
    if people is not None:
        return people.source
    # A release of fewer records is a sample of its original.
    return before.source if before.rows > after.rows else ""


class _Suppression:
    """What sdcMicro would call missing: marks of suppression, and missing cells.

    ``marks`` are those of each attribute, ``records`` the released records whose
    quasi-identifiers are all suppressed (None where there are none such, or only such).
    """

    def __init__(self, policy: Policy, linkage: Linkage) -> None:
        self.marks: dict[str, tuple[str | None, ...]] = {}
        for name in linkage.relations:
            masking = policy.masking.get(name, PLAIN)
            self.marks[name] = (*masking.suppressed, None)

        columns = [linkage.relations[name].after for name in policy.quasi]
        declared: list[list[str | None]] = []
        for name in policy.quasi:
            # a missing cell that nobody declared suppressed withholds no record
            *marks, _ = self.marks[name]
            declared.append([mark or None for mark in marks])

        self.records = withheld(columns, declared)


def _risk(
    linkage: Linkage,
    agent: Agent,
    bounds: Sequence[Fraction],
    wider: Linkage | None,
    suppression: _Suppression,
) -> AttackerRisk:
    """The risk from one attacker."""
    candidates = Candidates(linkage, agent.knows)
    people = _population(candidates, wider)
    missing = [suppression.marks[name] for name in agent.knows]
    # Figures of other tools, which have their own idea of what is missing; the
    # outcomes rest on the candidates alone.
    figures = figures_of(candidates, bounds, people, suppression.records, missing)
    outcomes, of_place = outcomes_of(candidates)
    shares = tuple(outcomes.share(bound) for bound in bounds)
    released = linkage.after
    # a record is one f-th of its class
    classes = int(sum_shares(candidates.classes, released))
    return AttackerRisk(agent, outcomes, of_place, released, shares, figures, classes)


def table_of(source: Any, policy: Policy, where: str) -> CodedTable:
    """A table with the columns that the policy speaks of: read, unless it was read
    before.
    """
    if isinstance(source, CodedTable):
        return source
    return read(source, policy.named, where)


def _bounds(policy: Policy, thresholds: Sequence[Threshold]) -> tuple[Fraction, ...]:
    """The thresholds as exact numbers, rising.

    Raises InputError for one that is no probability.
    """
    bounds: list[Fraction] = []
    problems: Problems = []
    for given in thresholds:
        bound = fraction(given)
        if bound is None or not 0 <= bound <= 1:
            what = f"is a probability from 0 to 1, not {given}"
            problems.append(Problem("--threshold", what))
        else:
            bounds.append(bound)

    if problems:
        raise InputError(problems)

    return tuple(sorted(set(bounds or (*THRESHOLDS, *_promised(policy)))))


def _promised(policy: Policy) -> list[Fraction]:
    """1/k for each k-anonymity that the policy's rules promise, and the bounds of
    pignistic(i, a) in them.

    Formulas with errors are reported elsewhere.
    """
    bounds: list[Fraction] = []
    for text in policy.rules.values():
        try:
            formula = parse(text, "rules")
        except InputError:
            # A rule that does not parse promises nothing here; ``verify`` explains it.
            continue
        for node in s.subformulas(formula):
            bounds += _promised_by(node)

    return bounds


def _promised_by(node: s.Formula) -> list[Fraction]:
    """The bounds that one part of a rule sets."""
    match node:
        case s.Criterion("k_anonymity", args, named):
            written = [*args[:1], *dict(named).values()]
            # By place or by name; what is no number is for verify to refuse.
            numbers = [int(k) for k in written if k.isdecimal()]
            return [Fraction(1, k) for k in numbers if k]
        # @i l_a(i) <= bound, which is how pignistic(i, a) <= bound is read
        case s.At(
            who,
            s.Compare(
                s.Linear(((_, s.Likelihood(_, s.Nominal(other))),)),
                _,
                s.Linear((), bound),
            ),
        ) if who == other and 0 < bound <= 1:
            return [bound]
    return []


def _population(candidates: Candidates, wider: Linkage | None) -> Ints | None:
    """For each released record, how many of the population it can come from; None where
    the original is the sample.

    Raises InputError where nobody of the population can have become a record.
    """
    linkage = candidates.linkage
    if wider is None:
        if linkage.originals > linkage.released:
            return candidates.sizes
        return None
    sizes = Candidates(wider, candidates.attributes).sizes
    # 1/0 is no risk: a released person is one of the population.
    if not sizes.all():
        first = int((sizes == 0).argmax())
        what = (
            "no record of the population can have become it, as far as"
            f" {', '.join(candidates.attributes)} tell"
        )
        hint = "a population has everybody of the release in it"
        release = linkage.sources[1]
        redacted = Problem(f"{release}, a record", what, hint)
        place = f"{release}, record {first + 1}"
        raise InputError(Problem(place, what, hint, redacted=redacted))

    return sizes


def _notes(policy: Policy, linkage: Linkage, subsets: bool) -> Iterator[str]:
    """What the figures rest on, and what was left out."""
    yield TRUTH_NOTES[linkage.truth.by].format(identifier=policy.identifier)
    if linkage.random:
        names = ", ".join(linkage.random)
        yield (
            f"random masking of {names}: every original is equally probable beforehand"
        )

    if linkage.kept:
        names = ", ".join(linkage.kept)
        why = "may have been kept" if linkage.truth.by == "open" else "were kept"
        yield (
            f"{names}: values of the original that {why} are themselves, not what their"
            " texts name besides"
        )

    if subsets and len(policy.quasi) > MOST:
        yield (
            f"{len(policy.quasi)} quasi-identifiers: all subsets are listed for at most"
            f" {MOST}"
        )


def _better(
    policy: Policy, linkage: Linkage, risks: Sequence[AttackerRisk]
) -> Iterator[AttackerRisk]:
    """Which attackers would link more by what became of each original.

    Cells may stand for more originals than became them, and for some that are withheld.
    Of numbers that were changed by chance, or by their neighbours, nobody knows what
    became of each.
    """
    for risk in risks:
        knows = risk.agent.knows
        changed = any(policy.masking.get(name, PLAIN).changing for name in knows)
        if not changed and risk.outcomes.expected < risk.classes:
            yield risk


def _linked(linkage: Linkage, better: Sequence[AttackerRisk]) -> Iterator[str]:
    """How many records these attackers would link."""
    links: list[str] = []
    for risk in better:
        name = risk.agent.name or "nothing"
        links.append(f"{risk.classes:,} of {linkage.released:,} ({name})")
    if links:
        yield f"{_knowing(linkage)} would link {', '.join(links)}: {ALIKE}"


def _unnumbered(linkage: Linkage, better: Sequence[AttackerRisk]) -> Iterator[str]:
    """The same for everybody: from exact numbers small ones follow."""
    names = [risk.agent.name or "nothing" for risk in better]
    if names:
        who = ", ".join(names)
        yield f"{who}: {_knowing(linkage)} would link more: {ALIKE}"


def _knowing(linkage: Linkage) -> str:
    """Who knows more than the attackers do."""
    known = "who also knows what became of each original"
    if linkage.originals > linkage.released:
        return f"{known}, and who is withheld,"
    return known
