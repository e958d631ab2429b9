"""What an audit takes as given, as data; ``policy_reader`` reads an audit.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from phverify.disclosure.connectives import Proposition
from phverify.disclosure.facts.domains import Domain
from phverify.disclosure.facts.taxonomy import Taxonomy
from phverify.disclosure.histories.settings import EXACTLY, LogColumns, Published

Names = tuple[str, ...]


class CompositeKey(tuple[Any, ...]):
    """What several columns have that name a row together; ``St. Mary, 17`` as text."""

    def __str__(self) -> str:
        texts = map(str, self)
        return ", ".join(texts)


def named(key: Any) -> str:
    """A key as it is written; of several columns a list."""
    if isinstance(key, (list, tuple)):
        several = CompositeKey(key)
        return str(several)
    return str(key)


@dataclass(frozen=True)
class Protected:
    """One line of ``[protect]``.

    ``kind`` is exact (the cell's value), within (the value up to ``amount``), left (at
    least ``amount`` values stay possible), fact (``formula``, about each row), formula
    (``formula``, which names its rows), person (``formula``, true of some row of a
    person) or total (the sum of a person's cells, up to ``amount``); ``keys`` is None
    for every row, or person.
    """

    name: str
    column: str
    kind: str
    amount: int | Fraction = 0
    formula: Proposition | None = None
    keys: Names | None = None


@dataclass(frozen=True)
class External:
    """An external table.

    ``file`` is nothing where it is a table of the audited database.
    """

    name: str
    file: str = ""


@dataclass(frozen=True)
class AuditPolicy:
    """What an audit takes as given.  Column names are those of the policy; SQL compares
    them without case.

    ``files`` are those that it names: external tables and taxonomies.  ``dialect`` is
    that of the log, nothing for DuckDB's; ``names`` are qualified names of tables in
    it, and ``views`` the SELECT of each.
    ``log`` and ``published`` are about the log: its columns, and how exact its answers
    are.
    ``files`` are those that it names: external tables and taxonomies.  Of a key of
    several columns ``key`` is the first one.  Rows that have one thing in ``person``
    are one person's.
    """

    table: str
    key: str
    public: Names
    sensitive: Mapping[str, Domain]
    protected: tuple[Protected, ...]
    source: str = "policy"
    external: tuple[External, ...] = ()
    taxonomies: Mapping[str, Taxonomy] = field(default_factory=dict)
    distances: Mapping[str, str] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    dialect: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    views: Mapping[str, str] = field(default_factory=dict)
    log: LogColumns = field(default_factory=LogColumns)
    published: Published = EXACTLY
    more_keys: Names = ()
    person: str = ""

    @property
    def keys(self) -> Names:
        """The columns that together name each row."""
        return (self.key, *self.more_keys)

    @property
    def columns(self) -> Names:
        """The key, the public and the sensitive columns, each once."""
        names = (*self.keys, *self.public, *self.sensitive)
        return tuple(dict.fromkeys(names))
