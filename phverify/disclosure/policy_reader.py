"""audit.toml: the table, who knows what, which values a secret cell may have, and which
facts are protected.

::

    table = "accounts"
    key = "name"                          # public, one value a row; or several
    columns, ["hospital", "number"]
    public = ["branch", "sex"]            # the adversary knows these columns
    person = "patient"                    # where rows are events: whose each is; public
    external = ["towns"]                  # public tables that queries may join, see
    ``external``
    dialect = "postgres"                  # that of the log; DuckDB's where none is said

    [names]                               # tables that the log calls by their schema
    "prod.public.accounts" = "accounts"

    [views]                               # views that the log asks
    rich = "SELECT * FROM accounts WHERE balance > 500"

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
    hiv = { person = "diagnosis = 'HIV'" }    # of every person: true of some event
    dear = { person = "sum(cost) >= 1000" }   # the sum over a person's events
    spent = { total = "cost", within = 10 }   # that sum, up to 10 (or exactly)

``[log]`` and ``[answers]`` are about the log, see ``policy_log``.
What formulas may say is told in ``formula_parser``, and what they mean in ``formula``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from phverify.disclosure.connectives import Proposition
from phverify.disclosure.facts.domains import unsummed
from phverify.disclosure.facts.formula_parser import parse
from phverify.disclosure.facts.formula_tokens import FormulaScope
from phverify.disclosure.grids import NUMBER, amount, sort_of
from phverify.disclosure.log.dialect_names import DIALECTS
from phverify.disclosure.policy import (
    AuditPolicy,
    External,
    Names,
    Protected,
    named,
)
from phverify.disclosure.policy_columns import Entry, SensitiveColumns
from phverify.disclosure.policy_log import log_columns, published
from phverify.errors import InputError, nearest, refusal
from phverify.microdata.files import existing_file
from phverify.policy.kind import for_queries
from phverify.policy.unreadable import unreadable
from phverify.spec.source import File
from phverify.spec.toml import toml

SECTIONS = (
    "table",
    "key",
    "public",
    "person",
    "external",
    "dialect",
    "names",
    "views",
    "sensitive",
    "taxonomies",
    "distances",
    "protect",
    "log",
    "answers",
)
KINDS = ("fact", "formula", "person", "total", "within", "left")
FORMULAS = ("fact", "formula", "person")
"""What a line of ``[protect]`` may ask for beside the exact value."""
EXTERNALS = 'external = ["towns"], or [external] towns = { file = "towns.csv" }'
_FILES = (".csv", ".tsv", ".parquet", ".pq")


def load(source: File | Entry | AuditPolicy) -> AuditPolicy:
    """A policy from a TOML file or from nested dictionaries.

    Raises InputError with all its problems.
    """
    if isinstance(source, AuditPolicy):
        return source
    if isinstance(source, Mapping):
        data, name, folder = source, "policy", Path()
    else:
        path = existing_file(source, "policy", "a path, an AuditPolicy or a dictionary")
        data = _toml(path)
        name = str(path)
        folder = path.parent
    for_queries(data, name)
    return _AuditPolicyReader(data, name, folder).policy()


def spoken(policy: AuditPolicy, dialect: str | None) -> AuditPolicy:
    """A policy for a log of another dialect, None for the policy's own.

    Raises InputError for one that is not known.
    """
    if dialect is None:
        return policy
    if dialect not in DIALECTS:
        hint = nearest(dialect, DIALECTS, "dialects")
        raise refusal("--dialect", f"there is no dialect {dialect!r}", hint)
    return replace(policy, dialect=dialect)


def _toml(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (UnicodeDecodeError, OSError) as error:
        raise refusal(str(path), f"cannot be read: {error}") from None
    try:
        return toml(text)
    except ValueError as error:
        raise unreadable(str(path), text, error) from None


class _AuditPolicyReader(SensitiveColumns):
    """One pass over the policy; each method reads one part and notes its problems."""

    def policy(self) -> AuditPolicy:
        """The whole policy.  Raises InputError with all problems."""
        self.unknown("", self.data, SECTIONS, "sections")
        table = self.text("table", "accounts")
        keys = self.key()
        person = self.person()
        public = tuple(dict.fromkeys((*self.public(), *filter(None, [person]))))
        for name, declared in self.section("sensitive").items():
            self.sensitive[name] = self.domain(f"sensitive.{name}", declared)
        for name in self.sensitive:
            if name in keys or name in public:
                what = f"the column {name!r} is public already"
                self.complain(f"sensitive.{name}", what, "a column has one role")

        # Distances and formulas need to know domains and trees.
        self.read_taxonomies()
        distances = self.distances()
        protected = tuple(
            self.protected(name, line) for name, line in self.section("protect").items()
        )
        external = self.external(table)
        dialect = self.dialect()
        names = self.texts("names", '"prod.public.people" = "people"')
        views = self.texts("views", 'adults = "SELECT * FROM people WHERE age >= 18"')
        log = log_columns(self.section("log"), self.complain)
        answers = published(self.section("answers"), self.complain)

        # Where other lines are wrong this would be a problem that follows from them.
        if not self.problems and not protected:
            example = 'for example: [protect] cells = { column = "balance" }'
            self.complain("", "there is nothing to protect", example)
        if self.problems:
            raise InputError(self.problems)
        tables = [self.folder / one.file for one in external if one.file]
        return AuditPolicy(
            table,
            keys[0],
            tuple(dict.fromkeys(name for name in public if name not in keys)),
            self.sensitive,
            protected,
            self.source,
            external,
            self.taxonomies,
            distances,
            (*tables, *self.files),
            dialect=dialect,
            names=names,
            views=views,
            log=log,
            published=answers,
            more_keys=keys[1:],
            person=person,
        )

    def person(self) -> str:
        """The column that says whose event a row is; "" where rows are persons."""
        if "person" in self.data:
            return self.text("person", "patient_id")
        lines = self.section("protect").items()
        for name, line in lines:
            if isinstance(line, Mapping) and {"person", "total"} & set(line):
                what = "protects persons, and no column says whose event a row is"
                hint = 'person = "patient_id" above all sections'
                self.complain(f"protect.{name}", what, hint)
        return ""

    def key(self) -> Names:
        """The column that names each row, or several that do together."""
        given = self.data.get("key")
        if not isinstance(given, (list, tuple)):
            return (self.text("key", "name"),)
        if _texts(given) and given and len(set(given)) == len(given):
            return tuple(given)
        hint = 'for example: key = ["hospital", "number"]'
        self.complain("key", f"is a list of different columns, not {given!r}", hint)
        return ("",)

    def text(self, name: str, example: str) -> str:
        """The entry of a name."""
        text = self.data.get(name)
        if not isinstance(text, str) or not text:
            what = f"is the name of the {name}, not {text!r}"
            self.complain(name, what, f'for example: {name} = "{example}"')
        return str(text)

    def dialect(self) -> str:
        """The dialect of the log."""
        named = self.data.get("dialect", "")
        if named != "" and named not in DIALECTS:
            hint = nearest(str(named), DIALECTS, "dialects")
            self.complain("dialect", f"there is no dialect {named!r}", hint)
        return str(named)

    def texts(self, section: str, example: str) -> dict[str, str]:
        """A section of texts by name."""
        found = {}
        for name, text in self.section(section).items():
            if not isinstance(text, str) or not text.strip():
                what = f"is a text, not {text!r}"
                self.complain(f"{section}.{name}", what, f"for example: {example}")
            found[name] = str(text)
        return found

    def public(self) -> Sequence[str]:
        """The public columns beside the key."""
        names: Any = self.data.get("public", [])
        if _texts(names):
            return tuple(names)
        self.complain("public", f"is a list of column names, not {names!r}")
        return ()

    def external(self, table: str) -> tuple[External, ...]:
        """The external tables; what is none is a problem."""
        entries = self.data.get("external", [])
        if _texts(entries):
            entries = {name: {} for name in entries}
        if not isinstance(entries, Mapping):
            what = f"is a list of tables or a section, not {entries!r}"
            self.complain("external", what, EXTERNALS)
            return ()
        several = []
        for name, entry in entries.items():
            file = self.external_file(name, entry, table)
            if file is not None:
                several.append(External(name, file))

        # SQL compares names of tables without case.
        names = {one.name.lower() for one in several}
        if len(names) < len(several):
            self.complain("external", "names a table twice")
        return tuple(several)

    def external_file(self, name: str, entry: Any, table: str) -> str | None:
        """The file of an external table, "" where it is of the database.

        None for what is no external table.
        """
        where = f"external.{name}"
        file = None
        if isinstance(entry, Mapping) and set(entry) <= {"file"}:
            file = entry.get("file", "")
        if not isinstance(file, str):
            what = f"is {{}} or {{ file = .. }}, not {entry!r}"
            self.complain(where, what, EXTERNALS)
            return None
        if name.lower() == table.lower():
            hint = "external tables are public"
            self.complain(where, "is the audited table", hint)
            return None
        if file and Path(file).suffix.lower() not in _FILES:
            hint = f"it ends in one of {_FILES}"
            self.complain(where, f"{file!r} is no CSV or Parquet file", hint)
            return None
        return file

    # taxonomies and distances

    # protected facts

    def protected(self, name: str, line: Any) -> Protected:
        """One line of what is protected."""
        where = f"protect.{name}"
        if not isinstance(line, Mapping):
            hint = '{ column = "balance" } or { fact = ".." }'
            self.complain(where, f"is a protected fact, not {line!r}", hint)
            return Protected(name, "", "exact")
        known = ("column", *KINDS, "keys")
        self.unknown(where, line, known, "a protected fact has")
        given = [kind for kind in KINDS if kind in line]
        if given == ["total", "within"]:
            given = ["total"]
        if len(given) > 1:
            what = f"asks for {' and '.join(given)}"
            self.complain(where, what, "one line protects one fact")
        kind = given[0] if given else "exact"
        keys = self.keys(where, line)
        if kind in FORMULAS:
            formula = self.formula(where, kind, line)
            return Protected(name, "", kind, formula=formula, keys=keys)
        if kind == "total":
            return self.total(name, where, line, keys)

        column = ""
        # A misspelt entry, which was a problem already, may be the column.
        if "column" in line or set(line) <= set(known):
            column = self.column(where, line.get("column"))
        amount = self.amount(where, kind, line, column) if given else 0
        if kind == "within" and column and not self.sensitive[column].integral:
            self.complain(where, f"within needs integers, and {column!r} has none")
        return Protected(name, column, kind, amount, keys=keys)

    def keys(self, where: str, line: Entry) -> Names | None:
        """The rows that a line is about; None for every row."""
        if "keys" not in line:
            return None
        keys = line["keys"]
        if not keys or not isinstance(keys, (list, tuple)):
            what = f"keys is a list of keys of rows, not {keys!r}"
            self.complain(where, what, "leave it out for every row")
            return ()
        # Keys are compared as texts, whatever the table has.
        return tuple(dict.fromkeys(map(named, keys)))

    def amount(self, where: str, kind: str, line: Entry, column: str) -> int | Fraction:
        """The number of a line that protects a value up to it, or so many values."""
        given = line[kind]
        scaled = column and self.sensitive[column].scaled
        if kind == "within" and scaled and sort_of(given) == NUMBER and given >= 0:
            return amount(given)
        number = self.integer(where, kind, given)
        least = 1 if kind == "left" else 0
        # What is no integer was a problem already.
        understood = number == given
        if understood and number < least:
            what = f"{kind} = {number} protects nothing"
            self.complain(where, what)
        return number

    def formula(self, where: str, kind: str, line: Entry) -> Proposition | None:
        """A formula about each row (``fact``), or one that names its rows."""
        text = line[kind]
        if "column" in line:
            what = f"a {kind} names its columns itself"
            self.complain(where, what, "leave column out")
        if kind == "formula" and "keys" in line:
            hint = "leave keys out, or write a fact about each row"
            self.complain(where, "a formula names its rows itself", hint)
        if not isinstance(text, str):
            what = f"a {kind} compares sensitive columns with values, not {text!r}"
            example = {
                "fact": "balance >= 420",
                "formula": "balance[Jean] >= 420",
                "person": "sum(cost) >= 1000 or diagnosis = 'HIV'",
            }[kind]
            self.complain(where, what, example)
            return None
        scope = FormulaScope(
            f"{self.source}, {where}",
            self.sensitive,
            self.taxonomies,
            kind == "formula",
            self.problems,
            kind == "person",
        )
        return parse(text, scope)

    def total(
        self, name: str, where: str, line: Entry, keys: Names | None
    ) -> Protected:
        """A line that protects the sum of a person's cells, perhaps up to a number."""
        if "column" in line:
            self.complain(where, "total names the column itself", "leave column out")
        column = self.column(where, line["total"])
        if column:
            wrong = unsummed(self.sensitive[column])
            if wrong:
                self.complain(where, f"total needs {wrong}")
        amount = self.amount(where, "within", line, column) if "within" in line else 0
        return Protected(name, column, "total", amount, keys=keys)


def _texts(names: Any) -> bool:
    """Whether something is a list of texts."""
    if not isinstance(names, (list, tuple)):
        return False
    are_texts = (isinstance(name, str) for name in names)
    return all(are_texts)
