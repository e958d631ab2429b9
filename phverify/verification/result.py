"""What phverify answers: a verdict for each rule, with the witness that breaks it or
what the proof covers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, get_args

from phverify.result import Result, Status, reports
from phverify.words import plural

if TYPE_CHECKING:
    from phverify.measurement.result import Portrait
    from phverify.utility.result import DataComparison
    from phverify.verification.failing_elsewhere import FailingElsewhere

Label = str | None


@dataclass(frozen=True)
class Fact:
    """A likelihood comparison at the witness, with its numbers: ``l_a1(health = 2) =
    2/3 > 1/2``.

    ``values`` maps each likelihood term to its value (an exact fraction as text);
    ``holds`` says whether the comparison as written in the rule is true there.
    """

    text: str
    values: Mapping[str, str]
    holds: bool


@dataclass(frozen=True)
class Failing:
    """How much of the release breaks a rule: classes and the rows in them; ``exact``
    unless there may be more.
    """

    classes: int
    rows: int
    exact: bool = True
    where: tuple[int, ...] = field(default=(), repr=False, compare=False)
    """The classes themselves, by their numbers from 0."""


@dataclass(frozen=True)
class Witness:
    """A concrete leak: an identity assignment and a world where the rule is false.

    ``assignment`` maps the individuals that matter to pseudonyms; everyone else may be
    on any row left in the own class.  ``cls`` holds the quasi-identifier values of the
    world's class, ``rows`` its size. ``instance`` is the instance of the rule that
    fails (as text) and ``bindings`` how its variables were chosen.
    """

    world: str
    assignment: Mapping[str, str]
    cls: Mapping[str, Label]
    rows: int
    instance: str
    facts: tuple[Fact, ...] = ()
    bindings: Mapping[str, str] = field(default_factory=dict)
    statement: str = ""
    failing: Failing | None = None
    leak: Placed | None = None


@dataclass(frozen=True)
class Placed:
    """A witness by numbers, from 0: who is on which row, at which row the rule is
    false, and in which instance.

    ``path`` leads from the rule to the instance: the number of a conjunct, or what a
    schema's variables are.
    """

    place: Mapping[int, int]
    row: int
    path: tuple[Any, ...]


@dataclass(frozen=True)
class SavedQuery:
    """A question behind a verdict, as SMT-LIB text, with its status: sat, unsat or
    unknown.

    ``kind`` is instance (one instance of the rule, from the counts), full (the whole
    rule with nothing precomputed) or assumptions (whether all of them can be met).
    ``about`` is the formula in question, ``legend`` says what the unknowns mean.
    ``asked`` is false where the status follows from the verdict alone.
    """

    kind: str
    text: str
    status: str
    about: str = ""
    legend: tuple[str, ...] = ()
    asked: bool = True


@dataclass(frozen=True)
class NotKnown:
    """Why a formula is not known: it is false when some individuals are where
    ``false_if`` says, and, unless that is None, true when they are where ``true_if``
    says; both are possible under the assumptions.
    """

    formula: str
    false_if: Mapping[str, str]
    true_if: Mapping[str, str] | None


@dataclass(frozen=True)
class RuleResult:
    """The verdict on one rule.

    ``formula`` is the rule as phverify reads it, ``queries`` how many
    answers of the solver it rests on.  ``reason`` and ``query`` (SMT-LIB text) are
    there when it is undecided, ``kept`` when all questions were to be kept.
    """

    name: str
    formula: str
    verdict: Status
    seconds: float
    witness: Witness | None = None
    reason: str = ""
    query: str = ""
    queries: int = 0
    kept: tuple[SavedQuery, ...] = ()
    unknown: tuple[NotKnown, ...] = ()
    """For ``never_known``: two models that leave a formula open."""
    promise: str = ""
    """What the rule promises, in English."""
    public_promise: str = ""
    """The same without any value or individual."""
    criteria: tuple[str, ...] = ()
    """The criteria of the rule, by name."""
    threats: tuple[str, ...] = ()
    """Which of singling out, linkability and inference it speaks of."""


Extent = Literal["all", "some", "witness", "none"]
"""Which rows of a refuted rule are listed.

Those of all classes that break it; of some, there may be more; the row of the witness
alone; none, as the rule is about no single row.
"""


@dataclass(frozen=True)
class FailingRow:
    """A row that breaks ``rules``; ``row`` and ``cls``, its class, count from 0."""

    row: int
    cls: int
    rules: tuple[str, ...]
    cells: Mapping[str, Label]


@dataclass(frozen=True)
class FailingRows:
    """The rows that break some rule, ascending, with these ``columns`` of the release;
    ``extents`` says of each refuted rule what is listed.
    """

    columns: tuple[str, ...]
    rows: tuple[FailingRow, ...]
    extents: Mapping[str, Extent]

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.rows)


@dataclass(frozen=True)
class TupleCounts:
    """How many different tuples of quasi-identifier values became how many.

    ``alike`` are two rows of the original, from 0, that were alike and are not, where
    there are such; ``torn`` is the number of rows whose class is therefore open.
    """

    before: int
    after: int
    torn: int = 0
    alike: tuple[int, int] | None = None
    withheld: int = 0


@dataclass(frozen=True)
class Sanitized:
    """What ``--original`` showed: the mappings of Definition 6 and their kind."""

    mappings: Mapping[str, Mapping[Label, Label]]
    same_order: bool
    proper: bool
    trivial: bool
    by: str = "order"
    """How it is known which rows belong together: identifier, policy, order (it fits;
    others may) or matching.
    """
    certain: bool = True
    """Whether it is known that no other mappings explain the release."""
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """How many values of each quasi-identifier there are before and after; redacted,
    there are no ``mappings`` beside it.
    """
    tupled: TupleCounts | None = None
    """Where tuples were recoded, and not each column by itself: then there are no
    ``mappings``.
    """


@dataclass(frozen=True)
class RowOfFile:
    """One of the files of a release, and a row in it, from 1."""

    file: str
    row: int


@dataclass(frozen=True)
class StatedSecret:
    """What nobody may learn: whose it is ("" for everybody's), in words, and how
    serious it would be.

    ``public_words`` name no value.
    """

    whose: str
    words: str
    public_words: str
    weight: Fraction


@dataclass(frozen=True)
class Report(Result):
    """The answer to one ``verify``."""

    verb = "verify"
    drawn = True

    rules: tuple[RuleResult, ...]
    rows: int
    classes: int
    individuals: int
    release: str
    assumptions: tuple[str, ...]
    version: str
    solver: str
    encoding: str
    sanitized: Sanitized | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    met: Mapping[int, int] = field(default_factory=dict)
    """A placement in which all assumptions are true: individuals and rows, from 0."""
    suppressed: tuple[str, ...] = ()
    """Quasi-identifiers that are ``*`` in every row."""
    failing_rows: FailingRows | FailingElsewhere | None = None
    """Which rows break which rules, where that was asked for."""
    portrait: Portrait | None = None
    """The classes of the release, where that was asked for."""
    utility: DataComparison | None = None
    """What the release is still good for, where that was asked for."""
    agents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The agents of the policy, with the columns that each knows."""
    secrets: tuple[StatedSecret, ...] = ()
    """What the policy declares as secret, for readers."""
    assumed: tuple[str, ...] = ()
    """The assumptions in words, in their order."""
    files: tuple[tuple[str, int], ...] = ()
    """Where the release is several files, each with its number of rows, in order."""
    identified: str = ""
    """The identifier column that the release still carries: verdicts are about the
    other columns, and no gate lets it pass.
    """

    @property
    def verdict(self) -> Status:
        """refuted if some rule is, else undecided if some rule is, else proved."""
        verdicts = {rule.verdict for rule in self.rules}
        if "refuted" in verdicts:
            return "refuted"
        if "undecided" in verdicts:
            return "undecided"
        return "proved"

    def lines(self, classes: bool = True) -> list[str]:
        """The report as text; without ``classes`` that of a witness is named by its
        record, and no quasi-identifier is told.
        """
        lines: list[str] = reports().rendered(self, "text", classes)
        return lines

    def in_file(self, record: str) -> RowOfFile | None:
        """Where a record (``d7``) stands; None where the release is one file."""
        row = int(record.removeprefix("d"))
        for file, rows in self.files:
            if row <= rows:
                return RowOfFile(file, row)
            row -= rows
        return None

    def counted(self) -> str:
        """How many rules there are, and how many of each verdict."""
        verdicts = [rule.verdict for rule in self.rules]
        counts = [plural(len(verdicts), "rule")]
        for status in get_args(Status):
            if status in verdicts:
                counts.append(f"{verdicts.count(status)} {status}")
        return ", ".join(counts)
