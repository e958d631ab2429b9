"""``reidentify``: the risk of a release, or the verdict on a linkage method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from phverify.budget import Tell, deadline_of
from phverify.errors import InputError, Problem, Problems, refusal
from phverify.given import (
    described,
    entries,
    listed,
    refuse,
    wrong_mapping,
    wrong_progress,
    wrong_switches,
)
from phverify.linkage.counted_tables import counted_tables
from phverify.linkage.methods.answers import reading
from phverify.linkage.result import Reidentification
from phverify.linkage.risk.assess import Threshold, assess, table_of
from phverify.microdata.at_hand import at_hand
from phverify.microdata.engines import named_engine
from phverify.microdata.pair_counts import RowsNeeded
from phverify.microdata.table import CodedTable
from phverify.policy.model import Policy, PolicySource, beside, examine
from phverify.verbs.judged_method import MethodQuestion
from phverify.verbs.linked_input import names, refuse_useless, usable

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource


def reidentify(
    original: TableSource,
    release: TableSource,
    policy: PolicySource,
    attackers: str | Sequence[str | Sequence[str]] = (),
    *,
    method: Any = None,
    truth: str | None = None,
    columns: Mapping[str, str] | None = None,
    normalize: bool = False,
    pairwise: bool = False,
    match_threshold: Threshold | None = None,
    thresholds: Sequence[Threshold] = (),
    population: TableSource | None = None,
    budget: float | None = None,
    engine: str = "auto",
    redact: bool = False,
    progress: Tell = lambda step: None,
) -> Reidentification:
    """How well attackers could link a release with its original, or whether a linkage
    method is sound.

    ``attackers`` are agents of the policy by name, or attributes ("zip,birth"); by
    default a1, who knows all quasi-identifiers, and the policy's agents.
    ``thresholds`` and ``population`` are those of ``assess``.  ``engine`` is pandas
    (all rows in memory), duckdb (the risk is counted where the rows are, as by
    ``verify``; rows are read only where counts do not settle it) or auto, which is
    duckdb for large tables.

    With ``method``, links as a file or a DataFrame (see ``links``), each answer is
    judged instead.  ``truth`` is what the true probability knows: "record", where each
    released record comes from, the default for a deterministic masking; or "possible",
    the masking and both tables only (Definition 6 as in Example 8), the default for a
    random one, and where the rows are in another order without identifiers: then nobody
    knows more.  By identifiers, what "record" knows needs no masking.  ``columns`` says
    what the columns are called; ``normalize``, ``pairwise`` (the numbers are match
    probabilities of pairs) and ``match_threshold`` (links below it are none) how the
    numbers are read, see ``answers``; ``budget`` is in seconds; when it runs out, or on
    Ctrl-C, what is left is undecided.

    Raises InputError with all problems of the input.
    """
    refuse(
        _wrong_attackers(attackers),
        wrong_mapping("columns", columns, '{"record": "id"}'),
        wrong_switches(normalize=normalize, pairwise=pairwise, redact=redact),
        _wrong_thresholds(thresholds),
        wrong_progress(progress),
    )
    deadline = deadline_of(budget)
    rules, problems = examine(policy)
    examined = policy, rules, problems
    _check_engine(engine)

    progress("reading")
    if method is None:
        of_methods = {
            "truth": truth,
            "columns": columns,
            # False is what nobody asked for
            "normalize": normalize or None,
            "pairwise": pairwise or None,
            "match threshold": match_threshold,
            "budget": budget,
        }
        risk = _RiskQuestion(
            *examined, attackers, thresholds, of_methods, redact, progress
        )
        return risk.answer(original, release, population, engine)

    of_risk = {
        "attacker": attackers or None,
        "threshold": thresholds or None,
        "population": population,
    }
    how = partial(reading, normalize, pairwise, match_threshold)
    question = MethodQuestion(*examined, truth, columns, how, of_risk, redact, progress)
    return question.answer(original, release, method, deadline)


@dataclass(frozen=True)
class _RiskQuestion:
    """What is asked of a release without a method."""

    source: PolicySource
    policy: Policy
    problems: Problems
    attackers: str | Sequence[str | Sequence[str]]
    thresholds: Sequence[Threshold]
    of_methods: Mapping[str, object]
    """What is given, and belongs to a method."""
    redact: bool
    progress: Tell

    def answer(
        self, original: Any, release: Any, population: Any, engine: str
    ) -> Reidentification:
        """The risk, from counts where they settle it, else from rows."""
        original = at_hand(original, engine, "original")
        release = at_hand(release, engine)
        population = at_hand(population, engine, "population")
        sources = original, release, population
        counted = counted_tables(sources, self.policy, self.attackers, engine)
        if counted is not None:
            try:
                people = population if counted.people is None else counted.people
                return self.of(counted.before, counted.after, people)
            except (InputError, RowsNeeded):
                # what is wrong, and with which rows, the rows tell
                counted.require_unchanged()
        before = table_of(original, self.policy, "original")
        after = table_of(release, self.policy, "release")
        return self.of(before, after, population)

    def of(
        self, before: CodedTable, after: CodedTable, people: Any
    ) -> Reidentification:
        """The risk of a release in these tables.  Raises InputError and RowsNeeded."""
        policy = self.policy
        problems = beside(self.source, self.problems, before.columns)
        usable(policy, before, problems)
        released = names(after, policy, "d")
        origin = names(before, policy, "i")
        refuse_useless(self.of_methods, "belongs to a method: give its links, too")
        risk = assess(
            before,
            after,
            policy,
            self.attackers,
            thresholds=self.thresholds,
            population=people,
            progress=self.progress,
        )
        return Reidentification(released, origin, risk, redact=self.redact)


def _check_engine(engine: object) -> None:
    """Raises InputError for an engine that there is not, or that counts no pairs."""
    if named_engine(engine) == "spark":
        what = "counts one table, and here two are put side by side"
        raise refusal("engine", f"spark {what}", "take duckdb, or leave it out")


def _wrong_attackers(given: object) -> Iterator[Problem]:
    """What is wrong with a list of attackers: each is a text, or a list of columns."""
    hint = 'for example: attackers=["zip,birth"]'
    if isinstance(given, str):
        return
    if not listed(given):
        what = f"is a list of what attackers know, not {described(given)}"
        yield Problem("attackers", what, hint)
        return
    for one in entries(given):
        # One attacker is a text with commas, or a list of columns.
        names = entries(one) if listed(one) else [one]
        for name in names:
            if not isinstance(name, str):
                what = f"knows columns by their names, and {described(name)} is none"
                yield Problem("attackers", what, hint)


def _wrong_thresholds(given: object) -> Iterator[Problem]:
    """What is wrong with a list of thresholds, before any is read."""
    if not listed(given):
        what = f"is a list of probabilities, not {described(given)}"
        yield Problem("thresholds", what, 'for example: thresholds=["0.1", "1/3"]')
