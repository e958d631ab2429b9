"""What a certificate speaks about: a policy, and the release under it with the place of each individual."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from phverify.spec import syntax as s
from phverify.spec.criteria.base import ClassCriterion
from phverify.spec.criteria.registry import Tree, Unfit, build
from phverify.spec.names import Attribute, Signature
from phverify.spec.source import (
    Columns,
    Label,
    Refused,
    Unsettled,
    number,
    rational,
    sha256,
    shortened,
    table,
)
from phverify.spec.types import NAMES, TEXT, ValueType

Paths = Mapping[str, tuple[str, ...]]
"""A generalization hierarchy: each value with itself and its generalizations, in the order of its lines."""

SECTIONS = ("columns", "types", "hierarchies", "agents", "masking", "secrets", "assumptions", "rules")
SETTINGS = {"missing": ("value", "error"), "rows": ("any order", "same order")}
"""Single words of a policy with their choices, the first of which is meant where nothing is said."""
ROLES = ("quasi", "sensitive", "neutral")


@dataclass(frozen=True)
class Policy:
    """A policy as written; formulas are text, and a secret is a text with its weight in [0, 1].

    ``secrets["*"]`` are everyone's; ``hierarchies`` is left as TOML gives it.
    """

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    neutral: tuple[str, ...]
    identifier: str | None
    missing: str
    types: Mapping[str, ValueType]
    hierarchies: Mapping[str, Any]
    agents: Mapping[str, tuple[str, ...]]
    secrets: Mapping[str, tuple[tuple[str, Fraction], ...]]
    assumptions: Mapping[str, str]
    rules: Mapping[str, str]
    rows: str = "any order"
    """Whether row k of the release is known to be made of row k of the original."""

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.quasi, *self.sensitive, *self.neutral)


def policy(text: str) -> Policy:
    """The policy of a TOML text.  Raises Refused when it has not the form of one."""
    try:
        data = tomllib.loads(text.removeprefix("\ufeff"), parse_float=_exact)
    except (ValueError, RecursionError) as error:
        raise Refused(f"the policy is no TOML: {error}") from None
    _require(set(data) <= {*SECTIONS, *SETTINGS} and "columns" in data, "has an unknown section, or no [columns]")
    columns = _section(data, "columns")
    _require(set(columns) <= {*ROLES, "identifier", "missing"}, "has an unknown role in [columns]")
    quasi, sensitive, neutral = (_names(columns.get(role, [])) for role in ROLES)
    identifier = columns.get("identifier")
    _require(identifier is None or isinstance(identifier, str), "has an identifier that is no column")
    held = [*quasi, *sensitive, *neutral, *([identifier] if identifier else [])]
    _require(len(held) == len(set(held)), "names a column twice in [columns]")
    missing, rows = _setting({**columns, **data}, "missing"), _setting(data, "rows")
    types = {name: _kind(found) for name, found in _section(data, "types").items()}
    hierarchies = _section(data, "hierarchies")
    _require({*types, *hierarchies} <= {*quasi, *sensitive, *neutral}, "has a type or hierarchy of an unknown column")
    _require(all(isinstance(found, str | dict) for found in hierarchies.values()), "has a hierarchy that is none")
    secrets = {who: _secrets(found) for who, found in _section(data, "secrets").items()}
    agents, assumptions = _agents(_section(data, "agents"), quasi), _texts(_section(data, "assumptions"))
    rules = _texts(_section(data, "rules"))
    _require(bool(rules), "has no [rules]")
    return Policy(
        quasi, sensitive, neutral, identifier, missing, types, hierarchies, agents, secrets, assumptions, rules, rows
    )


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise Refused(f"the policy {what}")


def _exact(text: str) -> Fraction:
    """A number of TOML by its text; ``inf`` and ``nan`` are none."""
    return number(text.replace("_", ""))


def _setting(data: Mapping[str, Any], name: str) -> str:
    choices = SETTINGS[name]
    found = data.get(name, choices[0])
    _require(found in choices, f"has {name} = {shortened(repr(found))}, which is neither of {' and '.join(choices)}")
    return str(found)


def _section(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = data.get(name, {})
    _require(isinstance(found, dict), f"has no section [{name}] but something else of that name")
    return dict(found)


def _names(found: Any) -> tuple[str, ...]:
    _require(isinstance(found, list) and all(isinstance(name, str) for name in found), f"has no list: {found!r}")
    _require(len(set(found)) == len(found), f"names a column twice: {found!r}")
    return tuple(found)


def _kind(found: Any) -> ValueType:
    if isinstance(found, list) and all(isinstance(value, str) for value in found):
        return ValueType("ordered", tuple(found))
    _require(isinstance(found, str) and found in NAMES, f"has an unknown type: {found!r}")
    return ValueType(found)


def _agents(found: Mapping[str, Any], quasi: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    agents = {name: _names(knows) for name, knows in found.items()}
    for name, knows in agents.items():
        good = re.fullmatch(r"[A-Za-z]\w*", name) and name not in ("a0", "a1", "agents", "diversity")
        _require(bool(good) and set(knows) <= set(quasi), f"has no proper agent {name!r}")
    return agents


def _secrets(found: Any) -> tuple[tuple[str, Fraction], ...]:
    secrets = []
    for item in found if isinstance(found, list) else [found]:
        item = {"formula": item} if isinstance(item, str) else item
        _require(isinstance(item, dict) and "formula" in item, f"has no secret: {item!r}")
        _require(set(item) <= {"formula", "weight"} and isinstance(item["formula"], str), f"has no secret: {item!r}")
        secrets.append((item["formula"], _weight(item.get("weight", 1))))
    return tuple(secrets)


def _weight(found: Any) -> Fraction:
    _require(isinstance(found, int | str | Fraction) and not isinstance(found, bool), f"has no weight: {found!r}")
    try:
        weight = number(found) if isinstance(found, str) else Fraction(found)
    except ValueError as error:
        raise Refused(f"the policy has no weight: {error}") from None
    _require(0 <= weight <= 1, f"has a weight outside [0, 1]: {shortened(str(weight))}")
    return weight


def _texts(found: Mapping[str, Any]) -> dict[str, str]:
    _require(all(isinstance(text, str) for text in found.values()), "has a formula that is no text")
    return dict(found)


@dataclass(frozen=True)
class Data:
    """A release under a policy: everything that a formula can speak about.

    ``columns`` are the policy's, by row; ``domains`` the values that occur in each, in order, missing last.
    ``home[i]`` are the quasi-identifier values of the class where individual i is; ``names[i]`` is what i is
    called, and where ``names`` is empty i is called ``i{i + 1}``; ``numbered`` says that the names are numbers of
    another table, so that no number of this one is read.  ``known`` are texts that may be named beside those
    that occur: the values of the hierarchies and of the table before sanitization.
    """

    rows: int
    columns: Columns
    quasi: tuple[str, ...]
    agents: Mapping[str, tuple[str, ...]]
    domains: Columns
    kinds: Mapping[str, ValueType]
    home: tuple[tuple[Label, ...], ...]
    names: tuple[str, ...]
    hierarchies: Mapping[str, Paths]
    known: Mapping[str, Container[Label]] = field(default_factory=dict)
    numbered: bool = False
    sensitive: tuple[str, ...] = ()

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
        )

    @cached_property
    def _criteria(self) -> dict[s.Criterion, ClassCriterion]:
        return {}

    def criterion(self, node: s.Criterion) -> ClassCriterion:
        """The criterion of classes that a node names.

        Raises Refused where it needs an order or a hierarchy that is not there.
        """
        if node not in self._criteria:
            trees = {name: Tree(f"the hierarchy of {name!r}", paths) for name, paths in self.hierarchies.items()}
            try:
                self._criteria[node] = build(node, self.signature, trees)
            except Unfit as error:
                raise Refused(str(error)) from None
        return self._criteria[node]


def release_data(
    policy: Policy, release: Columns, hierarchies: Mapping[str, Paths], before: Columns | None = None
) -> Data:
    """The data when individual i is the person behind row i of the release.

    ``before`` is the table that was sanitized, where it is at hand.
    Raises Refused when the release does not fit the policy, or a hierarchy is none.
    """
    columns = released_columns(policy, release)
    home = tuples(policy.quasi, columns, height(release))
    return data_of(policy, columns, home, identifiers(policy, release), hierarchies, before or {})


def data_of(
    policy: Policy,
    columns: Columns,
    home: tuple[tuple[Label, ...], ...],
    names: tuple[str, ...],
    hierarchies: Mapping[str, Paths],
    before: Columns,
) -> Data:
    """The data of a released table and of the individuals' places in it.  Raises Refused."""
    kinds = {name: _fitting(policy.types.get(name, TEXT), set(column)) for name, column in columns.items()}
    domains = {name: _domain(kinds[name], set(column)) for name, column in columns.items()}
    agents = {"a0": (), "a1": policy.quasi, **policy.agents}
    for name, paths in hierarchies.items():
        _check_hierarchy(name, paths)
    known = {name: {*hierarchies.get(name, ()), *before.get(name, ())} for name in columns}
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
    )


def height(table: Columns) -> int:
    return len(next(iter(table.values())))


def tuples(names: tuple[str, ...], columns: Columns, rows: int) -> tuple[tuple[Label, ...], ...]:
    """The rows over some columns, perhaps none."""
    return tuple(zip(*(columns[name] for name in names), strict=True)) if names else ((),) * rows


def typed(policy: Policy, table: Columns) -> dict[str, tuple[Label, ...]]:
    """The policy's columns; all but the quasi-identifiers in canonical texts."""
    if absent := [name for name in policy.columns if name not in table]:
        raise Refused(f"the table has no column {absent[0]!r}")
    columns = {name: table[name] for name in policy.columns}
    for name in (*policy.sensitive, *policy.neutral):
        columns[name] = _canonical(policy.types.get(name, TEXT), table[name], name)
    return columns


def released_columns(policy: Policy, release: Columns) -> dict[str, tuple[Label, ...]]:
    columns = typed(policy, release)
    if policy.missing == "error" and any(None in column for column in columns.values()):
        raise Refused('cells are missing, and the policy says missing = "error"')
    return columns


def _canonical(kind: ValueType, column: tuple[Label, ...], name: str) -> tuple[Label, ...]:
    try:
        texts = {label: None if label is None else kind.canonical(label) for label in set(column)}
    except ValueError as error:
        raise Refused(f"{name!r} has a value that is no {kind.name}: {error}") from None
    return tuple(texts[label] for label in column)


def _fitting(kind: ValueType, labels: set[Label]) -> ValueType:
    """The type, unless some label is no such value or two labels are one value: then they are texts."""
    texts = {label for label in labels if label is not None}
    try:
        return kind if len({kind.canonical(text) for text in texts}) == len(texts) else TEXT
    except ValueError:
        return TEXT


def _domain(kind: ValueType, labels: set[Label]) -> tuple[Label, ...]:
    """The labels in the order of the type, missing last."""
    texts = sorted((kind.key(kind.canonical(text)), text) for text in labels if text is not None)
    return (*(text for _, text in texts), *([None] if None in labels else []))


def identifiers(policy: Policy, people: Columns) -> tuple[str, ...]:
    if policy.identifier is None or policy.identifier not in people:
        return ()
    names = [name for name in people[policy.identifier] if name is not None]
    if len(names) < height(people) or len(set(names)) < len(names):
        raise Refused(f"identifiers in {policy.identifier!r} are missing or occur twice")
    return tuple(names)


def _check_hierarchy(name: str, paths: Paths) -> None:
    """Every path starts with its value, all are equally long, and no node has two parents."""
    parents: dict[tuple[int, str], str] = {}
    width = len(next(iter(paths.values()), ()))
    for value, path in paths.items():
        if len(path) != width or path[:1] != (value,):
            raise Refused(f"the path of {value!r} in the hierarchy of {name!r} does not fit")
        for level in range(width - 1):
            if parents.setdefault((level, path[level]), path[level + 1]) != path[level + 1]:
                raise Refused(f"{path[level]!r} has two parents in the hierarchy of {name!r}")


__all__ = [
    "Columns", "Data", "Label", "Paths", "Policy", "Refused", "Unsettled",
    "data_of", "height", "identifiers", "policy", "rational", "release_data", "released_columns",
    "sha256", "table", "tuples", "typed",
]  # fmt: skip
