"""audit.toml: the table, who knows what, which values a secret cell may have, and which
facts are protected.

::

    table = "accounts"
    key = "name"                          # public, one value a row
    public = ["branch", "sex"]            # the adversary knows these columns
    external = ["towns"]                  # public tables that queries may join, see
    ``external``

    [sensitive]                           # every cell of these is unknown; the
    adversary knows only what it may be
    balance = { from = 0, to = 1000 }     # integers
    illness = { values = ["flu", "cancer"], null = true }

    [taxonomies]                          # trees over the values of text columns
    illness = "illness.csv"               # a hierarchy file, or a nested table: {
    ailment = { viral = ["flu"], .. } }

    [distances]                           # how far a value is from another; defaults:
    numerval, nominal, taxoral
    balance = "numerical"

    [protect]                             # facts that must not follow from the answers
    cells = { column = "balance" }                             # the exact value, of
    every row
    near = { column = "balance", within = 10 }                 # the value up to 10
    few = { column = "illness", left = 3 }                     # at least 3 values stay
    possible
    rich = { fact = "balance >= 420", keys = ["Jean"] }        # a formula about each of
    some rows (or of all)
    viral = { fact = "illness below 'viral'" }                 # a node of the taxonomy
    pair = { formula = "balance[Jean] > balance[Ann] and illness[Ann] = 'flu'" }  # one
    that names its rows

What formulas may say is told in ``formula_parser``, and what they mean in ``formula``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from phverify.disclosure.connectives import Formula, ordered
from phverify.disclosure.facts.domains import LARGEST, Domain, Literal, kind_of
from phverify.disclosure.facts.formula_parser import Scope, parse
from phverify.disclosure.facts.taxonomy import Taxonomy, from_file, from_table
from phverify.errors import InputError, Problem, Problems, nearest, refusal
from phverify.microdata.read import existing_file
from phverify.policy.kind import for_queries
from phverify.spec.source import File

DISTANCES = ("nominal", "numerval", "numerical", "taxoral")
_FILES = (".csv", ".tsv", ".parquet", ".pq")
Entry = Mapping[str, Any]
Names = tuple[str, ...]


@dataclass(frozen=True)
class Protected:
    """One line of ``[protect]``.

    ``kind`` is exact (the cell's value), within (the value up to ``amount``), left (at
    least ``amount`` values stay possible), fact (``formula``, about each row) or
    formula (``formula``, which names its rows); ``keys`` is None for every row.
    """

    name: str
    column: str
    kind: str
    amount: int = 0
    formula: Formula | None = None
    keys: Names | None = None


@dataclass(frozen=True)
class External:
    """An external table; ``file`` is nothing where it is a table of the audited
    database.
    """

    name: str
    file: str = ""


@dataclass(frozen=True)
class AuditPolicy:
    """What an audit takes as given.  Column names are those of the policy; SQL compares
    them without case.

    ``files`` are those that it names: external tables and taxonomies.
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

    @property
    def columns(self) -> Names:
        """The key, the public and the sensitive columns, each once."""
        return tuple(dict.fromkeys((self.key, *self.public, *self.sensitive)))


def load(source: File | Entry | AuditPolicy) -> AuditPolicy:
    """A policy from a TOML file or from nested dictionaries.  Raises InputError with
    all its problems.
    """
    if isinstance(source, AuditPolicy):
        return source
    if isinstance(source, Mapping):
        data, name, folder = source, "policy", Path()
    else:
        path = existing_file(source, "policy", "a path, an AuditPolicy or a dictionary")
        data, name, folder = _toml(path), str(path), path.parent
    for_queries(data, name)
    return _Reader(data, name, folder).policy()


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise refusal(str(path), f"is no TOML: {error}") from None
    except (UnicodeDecodeError, OSError) as error:
        raise refusal(str(path), f"cannot be read: {error}") from None


class _Reader:
    """One pass over the policy; each method reads one part and collects its
    problems.
    """

    def __init__(self, data: Entry, source: str, folder: Path) -> None:
        self.data, self.source, self.folder = data, source, folder
        self.problems: Problems = []
        self.files: list[Path] = []
        self.sensitive: dict[str, Domain] = {}
        self.taxonomies: dict[str, Taxonomy] = {}

    def complain(self, where: str, what: str, hint: str = "") -> None:
        self.problems.append(
            Problem(f"{self.source}, {where}" if where else self.source, what, hint)
        )

    def policy(self) -> AuditPolicy:
        known = (
            "table",
            "key",
            "public",
            "external",
            "sensitive",
            "taxonomies",
            "distances",
            "protect",
        )
        self.unknown("", self.data, known, "sections")
        table, key = self.text("table", "accounts"), self.text("key", "name")
        public = self.data.get("public", [])
        if not _texts(public):
            self.complain("public", f"is a list of column names, not {public!r}")
            public = ()
        for name, found in self.section("sensitive").items():
            self.sensitive[name] = self.domain(f"sensitive.{name}", found)
        for name in self.sensitive:
            if name == key or name in public:
                self.complain(
                    f"sensitive.{name}",
                    f"the column {name!r} is public already",
                    "a column has one role",
                )
        self.read_taxonomies()
        distances = self.distances()
        protected = tuple(
            self.protected(n, p) for n, p in self.section("protect").items()
        )
        external = self.external(table)
        if not self.problems and not protected:
            self.complain(
                "",
                "there is nothing to protect",
                'for example: [protect] cells = { column = "balance" }',
            )
        if self.problems:
            raise InputError(self.problems)
        return AuditPolicy(
            table,
            key,
            tuple(dict.fromkeys(name for name in public if name != key)),
            self.sensitive,
            protected,
            self.source,
            external,
            self.taxonomies,
            distances,
            (*(self.folder / one.file for one in external if one.file), *self.files),
        )

    def unknown(self, where: str, found: Entry, known: Names, say: str) -> None:
        for name in found:
            if name not in known:
                self.complain(
                    where, f"unknown entry {name!r}", nearest(name, known, say)
                )

    def text(self, name: str, example: str) -> str:
        found = self.data.get(name)
        if not isinstance(found, str) or not found:
            self.complain(
                name,
                f"is the name of the {name}, not {found!r}",
                f'for example: {name} = "{example}"',
            )
        return str(found)

    def section(self, name: str) -> Entry:
        found = self.data.get(name, {})
        if isinstance(found, Mapping):
            return found
        self.complain(f"[{name}]", f"is a section, not {found!r}")
        return {}

    def domain(self, where: str, found: Any) -> Domain:
        if not isinstance(found, Mapping):
            hint = (
                "{ from = 0, to = 100 }, or { values = [..] }; null = true where a cell"
                " may be missing"
            )
            self.complain(where, f"is the domain of a column, not {found!r}", hint)
            return Domain(0, 0)
        self.unknown(where, found, ("from", "to", "values", "null"), "a domain has")
        null = found.get("null", False)
        if not isinstance(null, bool):
            self.complain(where, f"null is true or false, not {null!r}")
        if "values" in found:
            return Domain(values=self.values(where, found), null=bool(null))
        low, high = (
            self.integer(where, name, found.get(name)) for name in ("from", "to")
        )
        if low > high:
            self.complain(where, f"no integer is from {low} to {high}")
        return Domain(low, high, (), bool(null))

    def values(self, where: str, found: Entry) -> tuple[Literal, ...]:
        values = found["values"]
        if "from" in found or "to" in found:
            self.complain(
                where, "has a list of values and a range", "a domain is one of the two"
            )
        one_kind = (
            isinstance(values, (list, tuple)) and len(set(map(type, values))) == 1
        )
        if not one_kind or not kind_of(values[0]):
            self.complain(
                where,
                "values is a list of integers, of texts, or [true, false], not"
                f" {values!r}",
            )
            return (0,)
        for value in values:
            if kind_of(value) == "integer":
                self.integer(where, "values", value)
        return tuple(sorted(set(values), key=ordered))

    def integer(self, where: str, name: str, found: Any) -> int:
        if kind_of(found) == "integer" and abs(found) <= LARGEST:
            return int(found)
        self.complain(where, f"{name} is an integer up to 2^52, not {found!r}")
        return 0

    def external(self, table: str) -> tuple[External, ...]:
        """The external tables; what is none is told."""
        found = self.data.get("external", [])
        example = 'external = ["towns"], or [external] towns = { file = "towns.csv" }'
        if _texts(found):
            found = {name: {} for name in found}
        if not isinstance(found, Mapping):
            self.complain(
                "external", f"is a list of tables or a section, not {found!r}", example
            )
            return ()
        several = []
        for name, entry in found.items():
            where = f"external.{name}"
            file = (
                entry.get("file", "")
                if isinstance(entry, Mapping) and set(entry) <= {"file"}
                else None
            )
            if not isinstance(file, str):
                self.complain(
                    where, f"is {{}} or {{ file = .. }}, not {entry!r}", example
                )
            elif name.lower() == table.lower():
                self.complain(
                    where, "is the audited table", "external tables are public"
                )
            elif file and Path(file).suffix.lower() not in _FILES:
                self.complain(
                    where,
                    f"{file!r} is no CSV or Parquet file",
                    f"it ends in one of {_FILES}",
                )
            else:
                several.append(External(name, file))
        if len({one.name.lower() for one in several}) < len(several):
            self.complain("external", "names a table twice")
        return tuple(several)

    # taxonomies and distances

    def read_taxonomies(self) -> None:
        """The trees of columns; what is no tree, or does not fit its column, is
        told.
        """
        for name, found in self.section("taxonomies").items():
            where = f"taxonomies.{name}"
            column = self.column(where, name)
            if not isinstance(found, (str, PathLike, Mapping)):
                hint = f'{name} = "{name}.csv", or {{ root = {{ node = ["value"] }} }}'
                self.complain(
                    where, f"is a hierarchy file or nested tables, not {found!r}", hint
                )
                continue
            try:
                if isinstance(found, Mapping):
                    tree = from_table(found, f"{self.source}, {where}")
                else:
                    tree = from_file(self.folder / found)
                    self.files.append(self.folder / found)
            except InputError as error:
                self.problems.extend(error.problems)
                continue
            if column:
                self.placed(where, self.sensitive[column], tree)
                self.taxonomies[column] = tree

    def placed(self, where: str, domain: Domain, tree: Taxonomy) -> None:
        """Each value is a node, and none is above another: what is known of a cell is
        then a node, too.
        """
        if domain.kind != "text":
            self.complain(where, "a taxonomy is over a column of texts")
            return
        for value in map(str, domain.values):
            if value not in tree:
                self.complain(
                    where,
                    f"the value {value!r} is no node",
                    nearest(value, tree.nodes(), "nodes"),
                )
                continue
            above = [other for other in tree.path(value)[1:] if other in domain.values]
            if above:
                first = min(above, key=domain.values.index)
                self.complain(
                    where,
                    f"the value {first!r} lies above the value {value!r}",
                    "values are leaves",
                )

    def distances(self) -> dict[str, str]:
        """The distance of each sensitive column."""
        found: dict[str, str] = {}
        for name, domain in self.sensitive.items():
            found[name] = (
                "taxoral"
                if name in self.taxonomies
                else "numerval"
                if domain.integral
                else "nominal"
            )
        for name, kind in self.section("distances").items():
            where = f"distances.{name}"
            column = self.column(where, name)
            if kind not in DISTANCES:
                self.complain(
                    where,
                    f"no distance is called {kind!r}",
                    nearest(str(kind), DISTANCES, "distances"),
                )
            elif kind == "taxoral" and column and column not in self.taxonomies:
                self.complain(
                    where, f"{name!r} has no taxonomy", "[taxonomies] names its tree"
                )
            elif (
                column
                and kind in ("numerval", "numerical")
                and not self.sensitive[column].integral
            ):
                self.complain(
                    where,
                    f"{kind} is for integers, and {name!r} has none",
                    "nominal, or taxoral",
                )
            elif column:
                found[column] = kind
        return found

    # protected facts

    def protected(self, name: str, found: Any) -> Protected:
        where = f"protect.{name}"
        if not isinstance(found, Mapping):
            self.complain(
                where,
                f"is a protected fact, not {found!r}",
                '{ column = "balance" } or { fact = ".." }',
            )
            return Protected(name, "", "exact")
        self.unknown(
            where,
            found,
            ("column", "fact", "formula", "within", "left", "keys"),
            "a protected fact has",
        )
        given = [
            kind for kind in ("fact", "formula", "within", "left") if kind in found
        ]
        if len(given) > 1:
            self.complain(
                where, f"asks for {' and '.join(given)}", "one line protects one fact"
            )
        kind = given[0] if given else "exact"
        keys = found.get("keys")
        if "keys" in found and (not keys or not isinstance(keys, (list, tuple))):
            self.complain(
                where,
                f"keys is a list of keys of rows, not {keys!r}",
                "leave it out for every row",
            )
            keys = ()
        chosen = None if keys is None else tuple(dict.fromkeys(map(str, keys)))
        if kind in ("fact", "formula"):
            return Protected(
                name, "", kind, formula=self.formula(where, kind, found), keys=chosen
            )
        column = self.column(where, found.get("column"))
        amount = self.integer(where, kind, found[kind]) if given else 0
        if given and amount == found[kind] and amount < (1 if kind == "left" else 0):
            self.complain(where, f"{kind} = {amount} protects nothing")
        if kind == "within" and column and not self.sensitive[column].integral:
            self.complain(where, f"within needs integers, and {column!r} has none")
        return Protected(name, column, kind, amount, keys=chosen)

    def column(self, where: str, found: Any) -> str:
        if isinstance(found, str) and found in self.sensitive:
            return found
        hint = nearest(str(found), self.sensitive, "sensitive")
        self.complain(where, f"no sensitive column is called {found!r}", hint)
        return ""

    def formula(self, where: str, kind: str, found: Entry) -> Formula | None:
        """A formula about each row (``fact``), or about the rows that it names
        (``formula``).
        """
        text = found[kind]
        if "column" in found:
            self.complain(
                where, f"a {kind} names its columns itself", "leave column out"
            )
        if kind == "formula" and "keys" in found:
            self.complain(
                where,
                "a formula names its rows itself",
                "leave keys out, or write a fact about each row",
            )
        if not isinstance(text, str):
            example = "balance >= 420" if kind == "fact" else "balance[Jean] >= 420"
            self.complain(
                where,
                f"a {kind} compares sensitive columns with values, not {text!r}",
                example,
            )
            return None
        place = f"{self.source}, {where}"
        scope = Scope(
            place, self.sensitive, self.taxonomies, kind == "formula", self.problems
        )
        return parse(text, scope)


def _texts(found: Any) -> bool:
    """Whether something is a list of texts."""
    return isinstance(found, (list, tuple)) and all(
        isinstance(name, str) for name in found
    )
