"""``reidentify``: the risk of a release, or the verdict on a linkage method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from phverify.budget import Tell, deadline_of
from phverify.errors import InputError, Problem, Problems, nearest, refusal
from phverify.given import (
    described,
    entries,
    listed,
    refuse,
    wrong_mapping,
    wrong_progress,
    wrong_switches,
)
from phverify.linkage.candidates.pairs import linkage_of
from phverify.linkage.candidates.sets import Candidates, Linkage
from phverify.linkage.candidates.truth import OPEN
from phverify.linkage.counted_tables import counted_tables
from phverify.linkage.methods.answers import reading
from phverify.linkage.methods.links import read_links
from phverify.linkage.methods.record_names import RecordNames
from phverify.linkage.methods.soundness import TrueShares, certain, judge, possible
from phverify.linkage.result import Reidentification
from phverify.linkage.risk.assess import Threshold, assess, table_of
from phverify.microdata.at_hand import at_hand
from phverify.microdata.engines import named_engine
from phverify.microdata.pair_counts import RowsNeeded
from phverify.microdata.pairing import by_identifier
from phverify.microdata.table import CodedTable
from phverify.policy.model import Policy, PolicySource, beside, examine
from phverify.policy.spelling import misspelt

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource

TRUTHS = ("record", "possible")


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
        question = _RiskQuestion(
            policy,
            rules,
            problems,
            attackers,
            thresholds,
            of_methods,
            redact,
            progress,
        )
        return question.answer(original, release, population, engine)

    before = table_of(original, rules, "original")
    after = table_of(release, rules, "release")
    _usable(rules, before, beside(policy, problems, before.columns))
    released = names(after, rules, "d")
    origin = names(before, rules, "i")
    of_risk = {
        "attacker": attackers or None,
        "threshold": thresholds or None,
        "population": population,
    }
    _refuse(of_risk, "a method is judged by the truth alone: no {} plays a part")
    how = reading(normalize, pairwise, match_threshold)
    links = read_links(method, released, origin, columns=columns, how=how)
    known = _knowledge(truth, before, after, rules, progress)

    answers = len(links.said)

    def report(done: int) -> None:
        progress(f"answer {done + 1:,} of {answers:,}")

    judged = judge(links, known.truth, known.true, deadline, report)
    return Reidentification(
        released, origin, None, judged, known.name, redact, known.by, known.inferred
    )


@dataclass(frozen=True)
class _RiskQuestion:
    """What is asked of a release without a method."""

    source: PolicySource
    policy: Policy
    problems: Problems
    attackers: str | Sequence[str | Sequence[str]]
    thresholds: Sequence[Threshold]
    of_methods: Mapping[str, object]
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
        _usable(policy, before, problems)
        released = names(after, policy, "d")
        origin = names(before, policy, "i")
        _refuse(self.of_methods, "belongs to a method: give its links, too")
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


class _Knowledge(NamedTuple):
    """What the true probability knows, by the name of ``--truth``.

    ``true`` are the original records of the released ones where they are known (``by``:
    how), ``inferred`` the columns whose masking nobody declared.
    """

    name: str
    truth: TrueShares
    true: Sequence[int | None]
    by: str
    inferred: tuple[str, ...] = ()


def _knowledge(
    asked: str | None,
    before: CodedTable,
    after: CodedTable,
    policy: Policy,
    progress: Tell,
) -> _Knowledge:
    """What is known of the true records.

    Raises InputError for an unknown choice, and where it cannot be known.
    """
    if asked is not None and asked not in TRUTHS:
        what = f"is {' or '.join(TRUTHS)}, not {asked!r}"
        raise refusal("--truth", what, nearest(asked, TRUTHS, "truths"))
    # who has the identifiers knows where records come from, and needs no masking
    if asked == "record" or not (asked or _random(before, after, policy)):
        identified = by_identifier(before, after, policy.identifier)
        if identified is not None:
            rows = identified.tolist()
            return _Knowledge("record", certain(rows), rows, "identifier")
    progress("relating values")
    linkage = linkage_of(before, after, policy)
    name = _truth(asked, linkage)
    rows = linkage.truth.rows.tolist()
    if name == "record":
        truth = certain(rows)
    else:
        truth = possible(Candidates(linkage, tuple(linkage.relations)))
    # one of several origins that fit is no knowledge
    true = rows if linkage.truth.known else [None] * len(rows)
    return _Knowledge(name, truth, true, linkage.truth.by, linkage.inferred)


def _random(before: CodedTable, after: CodedTable, policy: Policy) -> bool:
    """Whether chance plays a part in the masking of a column that both tables have."""
    both = set(before.columns) & set(after.columns)
    for column, masking in policy.masking.items():
        if column in both and masking.random:
            return True
    return False


def _usable(policy: Policy, original: CodedTable, problems: Problems) -> None:
    """Raises InputError for what is wrong with a policy, which needs no rules here, and
    for misspelt columns.
    """
    wrong: Problems = []
    for problem in problems:
        no_rules = problem.what.startswith("there are no [rules]")
        if policy.rules or not no_rules:
            wrong.append(problem)

    # columns that are no quasi-identifiers are compared where they are
    absent = any(name not in original.columns for name in policy.quasi)
    if wrong or absent or policy.meant(original.columns):
        raise InputError([*wrong, *misspelt(policy, original)])


def _refuse(given: Mapping[str, object], what: str) -> None:
    """Raises InputError for what is given (not None) and plays no part."""
    useless = [name for name, value in given.items() if value is not None]
    if useless:
        raise InputError(
            Problem(f"--{name.replace(' ', '-')}", what.format(name))
            for name in useless
        )


def _truth(asked: str | None, linkage: Linkage) -> str:
    """What the true probability knows.

    Raises InputError where it cannot know what is asked for.
    """
    settled = linkage.truth.known
    if asked == "record" and not settled:
        what = (
            "nothing says that the rows are in the order of the original: which record"
            " comes from which is not known"
        )
        raise refusal("--truth", what, "take 'possible', or: " + OPEN[1])
    if asked:
        return asked

    if settled and not linkage.random:
        return "record"
    return "possible"


def names(table: CodedTable, policy: Policy, letter: str) -> RecordNames:
    """What the records of a table are called.

    Raises InputError for identifiers that do not tell them apart.
    """
    name = policy.identifier
    if name is None or name not in table.columns:
        return RecordNames(letter, table.rows)
    if table.elsewhere is not None:
        if table.elsewhere.flaws(name):
            # which identifiers they are, the rows tell
            raise RowsNeeded
        return RecordNames(letter, table.rows, table.elsewhere.names(name))
    column = table.columns[name]
    labels = column.cells()
    missing = labels.count(None)
    if missing or len(column.labels) < len(labels):
        wrong = f"{missing} are missing" if missing else "some occur twice"
        what = f"identifiers do not tell the records apart: {wrong}"
        hint = "give every record its own, or leave the identifier out of the policy"
        raise refusal(f"{table.source}, {name}", what, hint)

    return RecordNames(letter, table.rows, tuple(label or "" for label in labels))
