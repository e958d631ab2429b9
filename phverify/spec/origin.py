"""A release beside its original table: who is in which class, by the mapping that a
certificate gives (Definition 6).

The mapping must turn the rows of the original into those of the release, along the
policy's hierarchies, with the same identifiers where both tables have them, and row by
row where the policy says that the rows are in the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from phverify.spec import syntax as s
from phverify.spec.data import (
    Columns,
    Data,
    Label,
    PlainPolicy,
    Refused,
    data_of,
    height,
    identifiers,
    released_columns,
    tuples,
    typed,
)
from phverify.spec.hierarchies import path_of
from phverify.spec.mappings import Images, Puzzle, elsewhere
from phverify.spec.nominals import numbered
from phverify.spec.source import Mappings, Paths, Recoding, Trees, Values


@dataclass(frozen=True, eq=False)
class Origin:
    """A release whose individuals are the rows of an original table, placed by mappings
    that explain it.
    """

    policy: PlainPolicy
    data: Data
    before: Columns
    mapping: Mappings
    puzzle: Puzzle

    def settled(self, formulas: Iterable[s.Formula]) -> str:
        """That it does not matter which of the mappings that explain the release is
        meant, in words.

        Raises Refused when another mapping puts somebody whom the formulas name into
        another class.
        """
        # Who is not named may be exchanged with anybody alike: it changes no verdict.
        people, _ = numbered(formulas)
        quasi = self.policy.quasi
        values = tuples(quasi, self.before, height(self.before))
        own = [self.mapping[name] for name in quasi]
        values_of_named = [values[k] for k in people]
        # Counted from 1, so that 0 is nobody.
        number = elsewhere(self.puzzle, self.images, own, values_of_named)
        if number:
            who = people[number - 1]
            name = f"i{who + 1}"
            if self.data.names:
                name = self.data.names[who]
            raise Refused(
                f"several mappings explain the release, and they put {name} into"
                " different classes; if row k of the release is row k of the original,"
                ' the policy can say so: rows = "same order"'
            )
        if self.policy.rows == "same order":
            return "row k of the release is row k of the original, as the policy says"
        if not people:
            return (
                "the release is a sanitization of the original; nobody is named,"
                " whichever mapping is meant"
            )
        return (
            "the release is a sanitization of the original; no other mapping puts"
            " anyone named into another class"
        )

    @property
    def images(self) -> Images:
        """What each original value may have become: along its hierarchy, where there is
        one.
        """
        images = {}
        for column, name in enumerate(self.policy.quasi):
            released = frozenset(self.data.domains[name])
            paths = self.data.hierarchies.get(name, {})
            for value in set(self.before[name]):
                # Without a hierarchy a value may have become any other.
                allowed = above(name, value, paths) if paths else released
                # What was not released is no image, whatever the hierarchy allows.
                images[column, value] = released & allowed
        return images


def origin(
    policy: PlainPolicy,
    release: Columns,
    original: Columns,
    mapping: Mappings,
    hierarchies: Callable[[Columns], Trees],
) -> Origin:
    """The release with the individuals of the original.  ``hierarchies`` are those over
    the original's values.

    Raises Refused unless the mapping explains the release.
    """
    columns = released_columns(policy, release)
    before = typed(policy, original)
    paths = hierarchies(before)
    if set(mapping) != set(policy.quasi):
        raise Refused("the mapping is not about the quasi-identifiers")
    for name in policy.quasi:
        _along(name, mapping[name], before[name], paths.get(name))

    # Definition 6: the mapped original has the rows of the release, each as often
    after = _counts(policy, columns, _rest(policy, columns, release, original))
    kept = _rest(policy, before, original, release)
    mapped = {}
    for name in policy.quasi:
        image = mapping[name]
        mapped[name] = tuple(image[label] for label in before[name])
    # As bags: which of several equal rows is whose nobody can see.
    if _counts(policy, mapped, kept) != after:
        also = ", row by row" if policy.rows == "same order" else ""
        raise Refused(
            "the release is no sanitization of the original under this mapping"
            f" (Definition 6){also}"
        )
    home = tuples(policy.quasi, mapped, height(original))
    data = data_of(policy, columns, home, identifiers(policy, original), paths, before)
    puzzle = Puzzle(_counts(policy, before, kept), after)
    return Origin(policy, data, before, mapping, puzzle)


def _along(name: str, recoding: Recoding, values: Values, paths: Paths | None) -> None:
    """Raises Refused unless each original value became one above it."""
    if set(recoding) != set(values):
        raise Refused(f"the mapping of {name!r} is not about its original values")
    if paths is None:
        return
    for value, image in recoding.items():
        if image not in above(name, value, paths):
            raise Refused(
                f"{value!r} became {image!r}, which is not above it in the hierarchy"
                f" of {name!r}"
            )


def above(name: str, value: Label, paths: Paths) -> set[Label]:
    """What a value may become along a hierarchy.  Raises Refused for a value that has
    no line.
    """
    path = path_of(value, paths)
    if not path:
        raise Refused(f"{value!r} is not in the hierarchy of {name!r}")
    return set(path)


def _rest(
    policy: PlainPolicy, columns: Columns, table: Columns, other: Columns
) -> list[Hashable]:
    """What is known of each row beside its quasi-identifiers, whatever mapping explains
    the release.
    """
    rows = height(columns) if columns else height(table)
    others = list(tuples((*policy.sensitive, *policy.neutral), columns, rows))
    # An identifier in one of the tables alone explains no row of the other.
    both = (
        policy.identifier is not None
        and policy.identifier in table
        and policy.identifier in other
    )
    # A constant in place of what is not known: rows then match whatever they are.
    names = identifiers(policy, table) if both else ("",) * rows
    places = range(rows) if policy.rows == "same order" else (0,) * rows
    return list(zip(others, names, places, strict=True))


def _counts(
    policy: PlainPolicy, columns: Columns, rest: list[Hashable]
) -> Counter[tuple[Values, Hashable]]:
    values = tuples(policy.quasi, columns, len(rest))
    return Counter(zip(values, rest, strict=True))
