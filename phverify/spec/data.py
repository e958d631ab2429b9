"""A release under a policy, with the place of each individual; what the labels of a
column mean by its type.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.registry import NamedHierarchy, Unfit, build
from phverify.spec.memory import remembered
from phverify.spec.policy import PlainPolicy
from phverify.spec.reading import policy
from phverify.spec.separated import table
from phverify.spec.signature import Attribute, Signature
from phverify.spec.source import (
    Columns,
    Label,
    Names,
    Paths,
    Refused,
    Trees,
    Unsettled,
    Values,
    rational,
)
from phverify.spec.types import TEXT, ValueType


@dataclass(frozen=True)
class Data:
    """A release under a policy: everything that a formula can speak about.

    ``columns`` are the policy's, by row; ``domains`` the values that occur in each, in
    order, missing last. ``home[i]`` are the quasi-identifier values of the class where
    individual i is; ``names[i]`` is what i is called, and where ``names`` is empty i is
    called ``i{i + 1}``; ``numbered`` says that the names are numbers of another table,
    so that no number of this one is read.  ``known`` are texts that may be named beside
    those that occur: the values of the hierarchies and of the table before
    sanitization.  ``before`` is that table, where it is at hand.
    """

    rows: int
    columns: Columns
    quasi: Names
    agents: Mapping[str, Names]
    domains: Columns
    kinds: Mapping[str, ValueType]
    home: tuple[Values, ...]
    names: Names
    hierarchies: Trees
    known: Mapping[str, Container[Label]] = field(default_factory=dict)
    numbered: bool = False
    sensitive: Names = ()
    before: Mapping[str, Iterable[Label]] | None = None

    @cached_property
    def signature(self) -> Signature:
        """What formulas can speak of."""
        attributes = {
            name: Attribute(name, self.kinds[name], domain, self.known.get(name, ()))
            for name, domain in self.domains.items()
        }
        return Signature(
            attributes,
            tuple(self.agents),
            self.rows,
            self.names,
            len(self.home),
            self.numbered,
            sensitive=self.sensitive,
            quasi=self.quasi,
            before=self.before,
        )

    # Built once: some criteria sort or weigh a whole hierarchy.
    @remembered
    def criterion(self, node: s.Criterion) -> ClassCriterion:
        """The criterion of classes that a node names.

        Raises Refused where it needs an order or a hierarchy that is not there.
        """
        trees = {
            name: NamedHierarchy(f"the hierarchy of {name!r}", paths)
            for name, paths in self.hierarchies.items()
        }
        try:
            return build(node, self.signature, trees)
        except Unfit as error:
            raise Refused(str(error)) from None


def release_data(
    policy: PlainPolicy,
    release: Columns,
    hierarchies: Trees,
    before: Columns | None = None,
) -> Data:
    """The data when individual i is the person behind row i of the release.

    ``before`` is the table that was sanitized, where it is at hand.
    Raises Refused when the release does not fit the policy, or a hierarchy is none.
    """
    columns = released_columns(policy, release)
    home = tuples(policy.quasi, columns, height(release))
    return data_of(
        policy, columns, home, identifiers(policy, release), hierarchies, before
    )


def data_of(
    policy: PlainPolicy,
    columns: Columns,
    home: tuple[Values, ...],
    names: Names,
    hierarchies: Trees,
    before: Columns | None,
) -> Data:
    """The data of a released table and of the individuals' places in it.  Raises
    Refused.
    """
    kinds = {
        name: fitting(policy.types.get(name, TEXT), column)
        for name, column in columns.items()
    }
    domains = {name: domain(kinds[name], column) for name, column in columns.items()}
    # a0 has the released table alone, a1 also knows everybody's quasi-identifiers.
    agents = {"a0": (), "a1": policy.quasi, **policy.agents}
    if hierarchies:
        # Without hierarchies a check loads nothing of them.
        from phverify.spec.hierarchies import require_paths

        require_paths(hierarchies)
    # What may be named though no released row has it.
    others = before or {}
    known = {
        name: {*hierarchies.get(name, ()), *others.get(name, ())} for name in columns
    }
    return Data(
        len(home),
        columns,
        policy.quasi,
        agents,
        domains,
        kinds,
        home,
        names,
        dict(hierarchies),
        known,
        sensitive=policy.sensitive,
        before=before,
    )


def height(table: Columns) -> int:
    """How many rows a table has; it has at least one column."""
    column = next(iter(table.values()))
    return len(column)


def tuples(names: Names, columns: Columns, rows: int) -> tuple[Values, ...]:
    """The rows over some columns, perhaps none."""
    if not names:
        # Without quasi-identifiers all rows are one class.
        return ((),) * rows
    chosen = [columns[name] for name in names]
    held = zip(*chosen, strict=True)
    return tuple(held)


def typed(policy: PlainPolicy, table: Columns) -> dict[str, Values]:
    """The policy's columns; all but the quasi-identifiers in canonical texts."""
    absent = [name for name in policy.columns if name not in table]
    if absent:
        raise Refused(f"the table has no column {absent[0]!r}")
    columns = {name: table[name] for name in policy.columns}
    # Whoever sees a quasi-identifier sees how it is spelled: it stays as it is.
    for name in (*policy.sensitive, *policy.neutral):
        kind = policy.types.get(name, TEXT)
        columns[name] = _canonical(kind, table[name], name)
    return columns


def released_columns(policy: PlainPolicy, release: Columns) -> dict[str, Values]:
    """The policy's columns of a release.  Raises Refused for cells that the policy
    does not let be missing.
    """
    columns = typed(policy, release)
    if policy.missing != "error":
        return columns
    some_missing = any(None in column for column in columns.values())
    if some_missing:
        raise Refused('cells are missing, and the policy says missing = "error"')
    return columns


def _canonical(kind: ValueType, column: Values, name: str) -> Values:
    try:
        texts = {
            label: None if label is None else kind.canonical(label)
            for label in set(column)
        }
    except ValueError as error:
        raise Refused(f"{name!r} has a value that is no {kind.name}: {error}") from None
    return tuple(texts[label] for label in column)


def fitting(kind: ValueType, labels: Iterable[Label]) -> ValueType:
    """The type, unless some label is no such value or two labels are one value: then
    they are texts.

    Quasi-identifiers keep their spelling, since whoever sees the release can tell
    spellings apart.
    """
    texts = {label for label in labels if label is not None}
    try:
        if len({kind.canonical(text) for text in texts}) == len(texts):
            return kind
        # As numbers 1 and 1.0 would be one label, which an adversary can tell apart.
        return TEXT
    except ValueError:
        return TEXT


def domain(kind: ValueType, labels: Iterable[Label]) -> Values:
    """The labels in the order of the type, missing last."""
    distinct = set(labels)
    keyed = []
    for text in distinct:
        if text is not None:
            canonical = kind.canonical(text)
            # Texts of one value, such as 1 and 1.0, stand in the order of the texts.
            keyed.append((kind.key(canonical), text))
    in_order: list[Label] = [text for _, text in sorted(keyed)]
    if None in distinct:
        in_order.append(None)
    return tuple(in_order)


def identifiers(policy: PlainPolicy, people: Columns) -> Names:
    """What the individuals are called, where the table has the identifier column.
    Raises Refused.
    """
    if policy.identifier is None or policy.identifier not in people:
        return ()
    column = people[policy.identifier]
    names = [name for name in column if name is not None]
    incomplete = len(names) < height(people)
    ambiguous = len(set(names)) < len(names)
    if incomplete or ambiguous:
        raise Refused(
            f"identifiers in {policy.identifier!r} are missing or occur twice"
        )
    return tuple(names)


__all__ = [
    "Columns", "Data", "Label", "Paths", "PlainPolicy", "Refused", "Unsettled",
    "data_of", "domain", "height", "identifiers", "policy", "rational", "release_data",
    "released_columns", "table", "tuples", "typed",
]  # fmt: skip
