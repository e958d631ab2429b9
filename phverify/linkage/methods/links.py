"""What a linkage method says: for each released record, numbers on original records or
on sets of them.

A method is a file or a DataFrame with one line for each link: released record, original
record, probability (Torra and Stokes, Definition 5), or released record, set of
original records, mass (Definition 10).  Numbers are read from their texts as exact
fractions and must sum to 1 for each released record, unless ``answers`` reads them in
another way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from phverify.errors import InputError, Problem, Problems, refusal
from phverify.exact import ZERO
from phverify.linkage.methods.answers import LinkReading, Members, MethodAnswer
from phverify.linkage.methods.number_text import sum_text
from phverify.linkage.methods.record_names import RecordNames, UnreadableCell
from phverify.linkage.methods.roles import BY_ROW, roles_of
from phverify.microdata.read import read
from phverify.microdata.table import CodedTable
from phverify.spec.source import rational, shortened

Focal = tuple[tuple[Members, Fraction], ...]
"""Sets of original records (numbers from 0, ascending) with their masses."""
Given = dict[int, dict[Members, Fraction]]
"""The number of each link, by released record and set of original records."""

PLAIN = LinkReading()
FEW = 5
"""So many problems of one kind are told; of the rest their number."""
SUMS = (
    "--pairwise takes each number as the probability that this pair is a match; "
    "--normalize divides the numbers by their sum, as it fits scores"
)
"""What is said where numbers do not sum to 1."""


@dataclass(frozen=True, eq=False)
class Links:
    """A linkage method's answers.

    ``said[record]`` are the focal sets of a released record with their masses; where
    ``sets`` is false the method gave probabilities, and every set is one record.
    ``rest[record]`` is the mass of the whole frame ("none of them"), where there is
    some; all sum to 1.  ``pairs[record]`` are the numbers of its links as ``reading``
    has them: match probabilities where they are pairwise, else shares of the answer.
    ``normalized`` counts the released records whose numbers did not sum to 1 and were
    divided by their sum.
    """

    source: str
    said: Mapping[int, Focal]
    sets: bool
    normalized: int = 0
    rest: Mapping[int, Fraction] = field(default_factory=dict)
    pairs: Mapping[int, Mapping[int, Fraction]] = field(default_factory=dict)
    reading: LinkReading = PLAIN

    @property
    def unmatched(self) -> int:
        """How many released records are linked to nobody: their answer is the whole
        frame.
        """
        unmatched = 0
        for rest in self.rest.values():
            if rest == 1:
                unmatched += 1
        return unmatched

    @property
    def level(self) -> Fraction | None:
        """The match threshold where it speaks of the numbers of ``pairs``, and not of
        scores.
        """
        if self.reading.normalize:
            return None
        return self.reading.match_threshold

    def probability(self, record: int) -> dict[int, Fraction]:
        """The pignistic distribution of the answer for a record (Definition 4) without
        that of the whole frame.
        """
        shares: dict[int, Fraction] = defaultdict(Fraction)
        # Each set's mass is shared alike by its members.
        for members, mass in self.said[record]:
            for member in members:
                shares[member] += mass / len(members)
        return dict(shares)


def read_links(
    source: Any,
    released: RecordNames,
    original: RecordNames,
    *,
    columns: Mapping[str, str] | None = None,
    how: LinkReading = PLAIN,
) -> Links:
    """The links in a file (CSV, Parquet) or a DataFrame.

    ``columns`` says what the columns ``record``, ``original`` (or ``set``) and
    ``probability`` are called there, ``how`` what the numbers mean.  Raises InputError
    with everything that is wrong.
    """
    table = read(source, (), "links")
    roles = roles_of(table, columns or {}, released.find, original.find)
    pairs_only = how.pairwise or how.match_threshold is not None
    if "set" in roles and pairs_only:
        what = "the masses of sets are no match probabilities of pairs"
        raise refusal(table.source, what, "leave out --pairwise and --match-threshold")

    return _LinkLines(table, roles, released, original, how).links()


class _LinkLines:
    """One walk over the lines of a links table; collects problems."""

    def __init__(
        self,
        table: CodedTable,
        roles: Mapping[str, str],
        released: RecordNames,
        original: RecordNames,
        how: LinkReading,
    ) -> None:
        self.table = table
        self.roles = roles
        self.how = how
        self.sets = "set" in roles
        self.released = released
        self.original = original
        # columns of row numbers know no identifiers
        if roles["record"] in BY_ROW:
            self.released = replace(released, names=())
        others = {*roles.values()} - {roles["record"]}
        if BY_ROW & others:
            self.original = replace(original, names=())
        self.problems: Problems = []

    def given(self) -> Given:
        """The number of each link; tells links that are given twice."""
        records = self.column("record", self.released.number)
        if self.sets:
            focal = self.column("set", self.members)
        else:
            focal = self.column("original", lambda text: (self.original.number(text),))
        numbers: list[Any] = [Fraction(1)] * self.table.rows
        if "probability" in self.roles:
            numbers = self.column("probability", self.number)

        given: Given = defaultdict(dict)
        twice: list[UnreadableCell] = []
        for released, members, value in zip(records, focal, numbers, strict=True):
            # One of its cells has been reported.
            if None in (released, members, value):
                continue
            if members in given[released]:
                twice.append(self.twice(released, members))
            given[released][members] = value

        self.report([cell.problem(self.table.source) for cell in twice], "records")
        # By record, however the lines were sorted: answers and messages come in order.
        return dict(sorted(given.items()))

    def twice(self, released: int, members: Members) -> UnreadableCell:
        """What is said of a link that two lines give."""
        record = repr(self.released.say(released))
        return UnreadableCell(
            "{} is linked to {} twice",
            record,
            repr(self.shown(members)),
            hint="give every link once",
        )

    def column(self, role: str, meaning: Callable[[str], Any]) -> list[Any]:
        """What the cells of a column mean; None where they mean nothing, which is
        reported.  Each distinct text is read once.
        """
        name = self.roles[role]
        column = self.table.columns[name]
        problems: Problems = []
        meanings: list[Any] = []
        for code, label in enumerate(column.labels):
            try:
                if label is None:
                    raise UnreadableCell("the cell is empty")
                meanings.append(meaning(label))
            except UnreadableCell as cell:
                # the first row that has this text
                first = np.argmax(column.codes == code)
                row = int(first) + 1
                place = f"{name}, row {row}"
                problem = cell.problem(self.table.source, place)
                problems.append(problem)
                meanings.append(None)

        self.report(problems, f"values of {name!r}")
        codes = column.codes.tolist()
        return [meanings[code] for code in codes]

    def members(self, text: str) -> Members:
        """``{r1 r2}``: names apart by blanks, or by semicolons where names hold
        blanks.
        """
        inner = text.strip().removeprefix("{").removesuffix("}").strip()
        # A name that holds a blank or a semicolon is one record, not a list of others.
        single = self.original.find(inner)
        if single is not None:
            return (single,)
        separator = ";" if ";" in inner else None
        names = [part.strip() for part in inner.split(separator)]
        if not any(names):
            raise UnreadableCell(
                "a mass is on the empty set",
                hint="nothing comes from no record: leave the line out",
            )
        records = sorted(self.original.number(name) for name in names if name)
        if len(set(records)) < len(records):
            raise UnreadableCell(
                "a record is in {} twice",
                repr(text),
                hint="a set holds every record once",
            )

        return tuple(records)

    def number(self, text: str) -> Fraction:
        """A probability, mass or score, exactly."""
        try:
            value = rational(text)
        except ValueError as error:
            by_zero = str(error).endswith("divides by zero")
            sentence = "{} divides by zero" if by_zero else "{} is no number"
            hint = "write 0.25, 1/4 or 25%"
            quoted = repr(shortened(text.strip()))
            raise UnreadableCell(sentence, quoted, hint=hint) from None

        if value < 0:
            hint = "probabilities, masses and scores are at least 0"
            raise UnreadableCell("{} is negative", text, hint=hint)
        # Scores may pass 1, and shares that do are seen by their sum.
        if value > 1 and self.how.pairwise:
            hint = "--normalize is for scores"
            sentence = "{} is no match probability of a pair"
            raise UnreadableCell(sentence, text, hint=hint)

        return value

    def links(self) -> Links:
        """What the numbers of each record amount to.

        Reports those that do not sum to 1, and raises all problems.
        """
        given = self.given()
        answers = self.answers(given)
        said: dict[int, Focal] = {}
        rest: dict[int, Fraction] = {}
        pairs: dict[int, dict[int, Fraction]] = {}
        for record, answer in answers.items():
            said[record] = tuple(sorted(answer.masses.items()))
            if answer.rest:
                rest[record] = answer.rest
            if not self.sets:
                # scores are no numbers of links: the shares of the answer are
                numbers = answer.masses if self.how.normalize else given[record]
                pairs[record] = _of_single(numbers)

        normalized = self.divided(given) if self.how.normalize else 0
        source = self.table.source
        return Links(source, said, self.sets, normalized, rest, pairs, self.how)

    def answers(self, given: Given) -> dict[int, MethodAnswer]:
        """The answer of each record.  Raises InputError with all problems so far."""
        hint = "a sum of 0 cannot be normalized" if self.how.normalize else SUMS
        answers: dict[int, MethodAnswer] = {}
        wrong: Problems = []
        for record, numbers in given.items():
            answer = self.how.answer(numbers)
            if answer:
                answers[record] = answer
                continue
            total = sum_text(sum(numbers.values(), ZERO))
            sentence = f"the numbers of {{}} sum to {total}, not to 1"
            name = repr(self.released.say(record))
            cell = UnreadableCell(sentence, name, hint=hint)
            wrong.append(cell.problem(self.table.source))

        # sums of numbers some of which were not read mean nothing
        if not self.problems:
            self.report(wrong, "records")
        if self.problems:
            raise InputError(self.problems)

        return answers

    def divided(self, given: Given) -> int:
        """How many records have numbers that do not sum to 1."""
        divided = 0
        for numbers in given.values():
            total = sum(numbers.values(), ZERO)
            if total != 1:
                divided += 1
        return divided

    def shown(self, members: Members) -> str:
        """A record, or some of a set of records."""
        names = [self.original.say(member) for member in members]
        if len(names) == 1:
            return names[0]
        first = names[:FEW]
        shown = " ".join(first)
        if len(names) > FEW:
            shown += " .."
        return f"{{{shown}}}"

    def report(self, problems: Iterable[Problem], things: str) -> None:
        """Some of what is wrong with cells or records, and how much more there is."""
        wrong = list(problems)
        self.problems += wrong[:FEW]
        more = len(wrong) - FEW
        if more > 0:
            what = f"and {more:,} more {things} like these"
            rest = Problem(self.table.source, what)
            self.problems.append(rest)


def _of_single(numbers: Mapping[Members, Fraction]) -> dict[int, Fraction]:
    """Numbers of sets of one record by that record; 0 is no link."""
    by_record: dict[int, Fraction] = {}
    for members, number in numbers.items():
        if number:
            record = members[0]
            by_record[record] = number
    return by_record
