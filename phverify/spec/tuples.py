"""A release beside its original table, recoded by tuples (Definition 6, with one
function on tuples of quasi-identifier values instead of one on each column).

Which rows belong together is known: by the identifiers, or because the policy says that
the rows are in the same order.  Then nothing need be given: every released cell must
surely contain the original one, other columns stay as they are, and rows that are alike
in all quasi-identifiers become alike.

Where alike rows became different ones, there is no function.  Whoever knows the
quasi-identifiers of these people, and no more, cannot tell who of them is in which
class: each way to exchange them explains the release as well.  Formulas that name none
of them do not depend on it (see ``Origin.settled``); any other one is refused.

A release of fewer rows withholds the others (see ``withheld``): the individuals are
those who are released, and nobody else can be named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from phverify.spec import syntax as s
from phverify.spec.contained import CellMeaning
from phverify.spec.data import (
    Columns,
    Data,
    PlainPolicy,
    Refused,
    data_of,
    height,
    identifiers,
    released_columns,
    tuples,
    typed,
)
from phverify.spec.nominals import numbered
from phverify.spec.source import Trees, Values
from phverify.spec.types import TEXT
from phverify.spec.wording import many

if TYPE_CHECKING:
    from phverify.spec.withheld import Kept


@dataclass(frozen=True, eq=False)
class TupleOrigin:
    """A release whose individuals are the rows of an original table, recoded by tuples.

    ``before`` are the tuples of the individuals, ``torn`` those that became several;
    ``kept`` says who the individuals are where records are withheld.
    """

    data: Data
    before: tuple[Values, ...]
    torn: frozenset[Values]
    kept: Kept | None = None

    def settled(self, formulas: Iterable[s.Formula]) -> str:
        """That the classes of all who are named are known, in words.

        Raises Refused.
        """
        people, _ = numbered(formulas)
        for who in people:
            if self._open(self.before[who]):
                name = self.data.names[who] if self.data.names else f"i{who + 1}"
                raise Refused(
                    f"the release is recoded by tuples, and not by a function: {name}"
                    " may be in several classes, those of all who have the same"
                    f" quasi-identifiers{self._or_withheld}"
                )
        said = (
            "the release is a sanitization of the original, recoded by tuples: every"
            " cell contains the original one"
        )
        if self.kept is not None:
            said += f"; {many(len(self.kept.withheld), 'record')} withheld"
        if not self.torn:
            return f"{said}, and who was alike is alike"
        return f"{said}; some who were alike are not, and nobody named is among them"

    def _open(self, values: Values) -> bool:
        """Whether people with these quasi-identifiers may be in several classes."""
        if self.kept is not None:
            return self.kept.is_open(values)
        return values in self.torn

    @property
    def _or_withheld(self) -> str:
        return "" if self.kept is None else ", or withheld"


def tuple_origin(
    policy: PlainPolicy,
    release: Columns,
    original: Columns,
    hierarchies: Callable[[Columns], Trees],
) -> TupleOrigin:
    """The release with the individuals of the original.  ``hierarchies`` are those over
    the original's values.

    Raises Refused unless the release is the original, recoded by tuples.
    """
    if height(release) > height(original):
        raise Refused("a sanitization adds no rows, and the release has more")
    released = released_columns(policy, release)
    whole = typed(policy, original)
    paths = hierarchies(whole)
    meanings = {}
    for name in policy.quasi:
        kind = policy.types.get(name, TEXT)
        meanings[name] = CellMeaning(kind, frozenset(whole[name]), paths.get(name))
        _lined(name, meanings[name])

    kept = None
    people = tuple(range(height(original)))
    if height(release) == height(original):
        rows = paired_rows(policy, release, original)
    else:
        kept = _kept(policy, (release, original), (released, whole), meanings)
        people, rows = kept.rows, kept.partners
    before = _taken(whole, people)
    after = _taken(released, rows)
    # Only quasi-identifiers are recoded: a swapped value would be no sanitization.
    for name in (*policy.sensitive, *policy.neutral):
        if after[name] != before[name]:
            raise Refused(f"{name!r} is not as it is in the original, row by row")
    for name in policy.quasi:
        _contained(name, meanings[name], before[name], after[name])

    places = tuples(policy.quasi, before, len(rows))
    home = tuples(policy.quasi, after, len(rows))
    names = identifiers(policy, original)
    if kept is not None:
        names = tuple(names[row] if names else f"i{row + 1}" for row in people)
    data = data_of(policy, released, home, names, paths, whole)
    # The number in the whole table stays the name: no number of the release is read.
    data = replace(data, numbered=kept is not None)
    return TupleOrigin(data, places, torn_tuples(places, home), kept)


def _taken(columns: Columns, rows: Sequence[int]) -> dict[str, Values]:
    """These rows of a table."""
    taken = {}
    for name, column in columns.items():
        taken[name] = tuple(column[row] for row in rows)
    return taken


def _kept(
    policy: PlainPolicy,
    files: tuple[Columns, Columns],
    read: tuple[Columns, Columns],
    meanings: Mapping[str, CellMeaning],
) -> Kept:
    """Which records are released, of release and original as files and as read."""
    # Most releases withhold nothing: they need not load how to find who is released.
    from phverify.spec.withheld import TwoTables, kept_rows

    release, original = files
    released, whole = read
    others = (*policy.sensitive, *policy.neutral)
    tables = TwoTables(
        tuples(policy.quasi, whole, height(original)),
        tuples(others, whole, height(original)),
        tuples(policy.quasi, released, height(release)),
        tuples(others, released, height(release)),
        tuple(meanings[name] for name in policy.quasi),
    )
    paired = None
    if policy.identifier in release and policy.identifier in original:
        place = {name: row for row, name in enumerate(identifiers(policy, original))}
        names = identifiers(policy, release)
        if not place.keys() >= set(names):
            raise Refused("the identifiers of release and original differ")
        paired = [place[name] for name in names]
    return kept_rows(tables, paired, policy.rows == "same order")


def paired_rows(
    policy: PlainPolicy, release: Columns, original: Columns
) -> tuple[int, ...]:
    """The released row of each original row.  Raises Refused where nothing tells."""
    in_order = tuple(range(height(original)))
    column = policy.identifier
    if column is None or column not in release or column not in original:
        # Nothing is guessed: rows that only seem to belong together prove nothing.
        if policy.rows != "same order":
            raise Refused(
                "recoding by tuples needs to be told which rows belong together: by an"
                ' identifier column in both tables, or by rows = "same order"'
            )
        return in_order
    place = {name: row for row, name in enumerate(identifiers(policy, release))}
    names = identifiers(policy, original)
    if place.keys() != set(names):
        raise Refused("the identifiers of release and original differ")
    rows = tuple(place[name] for name in names)
    # Two answers to one question: identifiers and order must agree.
    if policy.rows == "same order" and rows != in_order:
        raise Refused("the identifiers are in another order than the policy says")
    return rows


def _lined(name: str, meaning: CellMeaning) -> None:
    """Raises Refused for an original value without a line in its hierarchy."""
    for value in meaning.values:
        if not meaning.above(value):
            raise Refused(f"{value!r} is not in the hierarchy of {name!r}")


def _contained(name: str, meaning: CellMeaning, before: Values, after: Values) -> None:
    """Raises Refused unless each released cell surely contains the original one."""
    # Each pair once: a column has few of them, however many rows.
    for value, label in set(zip(before, after, strict=True)):
        if not meaning.contains(label, value):
            raise Refused(
                f"{value!r} became {label!r}, which does not surely contain it, in"
                f" {name!r}"
            )


def torn_tuples(before: Iterable[Values], after: Iterable[Values]) -> frozenset[Values]:
    """The original tuples that became several released ones."""
    image: dict[Values, Values] = {}
    torn = set()
    for values, cells in zip(before, after, strict=True):
        if image.setdefault(values, cells) != cells:
            torn.add(values)
    return frozenset(torn)
