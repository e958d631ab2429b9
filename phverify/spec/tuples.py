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
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

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
from phverify.spec.separated import Trees
from phverify.spec.source import Values
from phverify.spec.types import TEXT


@dataclass(frozen=True, eq=False)
class TupleOrigin:
    """A release whose individuals are the rows of an original table, recoded by tuples.

    ``before`` are the tuples of the individuals, ``torn`` those that became several.
    """

    data: Data
    before: tuple[Values, ...]
    torn: frozenset[Values]

    def settled(self, formulas: Iterable[s.Formula]) -> str:
        """That the classes of all who are named are known, in words.

        Raises Refused.
        """
        people, _ = numbered(formulas)
        for who in people:
            if self.before[who] in self.torn:
                name = self.data.names[who] if self.data.names else f"i{who + 1}"
                raise Refused(
                    f"the release is recoded by tuples, and not by a function: {name}"
                    " may be in several classes, those of all who have the same"
                    " quasi-identifiers"
                )
        said = (
            "the release is a sanitization of the original, recoded by tuples: every"
            " cell contains the original one"
        )
        if not self.torn:
            return f"{said}, and who was alike is alike"
        return f"{said}; some who were alike are not, and nobody named is among them"


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
    if height(release) != height(original):
        raise Refused("a sanitization keeps all rows, and the release has not as many")
    released = released_columns(policy, release)
    before = typed(policy, original)
    paths = hierarchies(before)

    rows = paired_rows(policy, release, original)
    after = {}
    for name, column in released.items():
        after[name] = tuple(column[row] for row in rows)
    # Only quasi-identifiers are recoded: a swapped value would be no sanitization.
    for name in (*policy.sensitive, *policy.neutral):
        if after[name] != before[name]:
            raise Refused(f"{name!r} is not as it is in the original, row by row")
    for name in policy.quasi:
        kind = policy.types.get(name, TEXT)
        meaning = CellMeaning(kind, frozenset(before[name]), paths.get(name))
        _contained(name, meaning, before[name], after[name])

    places = tuples(policy.quasi, before, height(original))
    # Classes are of what is released: there models exchange people.
    home = tuples(policy.quasi, after, height(original))
    data = data_of(policy, released, home, identifiers(policy, original), paths, before)
    return TupleOrigin(data, places, torn_tuples(places, home))


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


def _contained(name: str, meaning: CellMeaning, before: Values, after: Values) -> None:
    """Raises Refused unless each released cell surely contains the original one."""
    for value in set(before):
        if not meaning.above(value):
            raise Refused(f"{value!r} is not in the hierarchy of {name!r}")
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
