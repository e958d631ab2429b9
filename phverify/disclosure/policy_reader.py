"""audit.toml: the table, who knows what, which values a secret cell may have, and which
facts are protected.

::

    table = "accounts"
    key = "name"                  # public, one value a row; or a list of columns
    public = ["branch", "sex"]    # the adversary knows these columns
    person = "patient"            # where rows are events: whose each is; public
    external = ["towns"]          # public tables that queries may join (``external``)
    dialect = "postgres"          # that of the log; DuckDB's where none is said

    [names]                       # tables that the log calls by their schema
    "prod.public.accounts" = "accounts"

    [views]                       # views that the log asks
    rich = "SELECT * FROM accounts WHERE balance > 500"

    [sensitive]                   # the adversary knows only what a cell may be
    balance = { from = 0, to = 1000 }     # integers
    illness = { values = ["flu", "cancer"], null = true }

    [taxonomies]                  # trees over the values of text columns: a hierarchy
    illness = "illness.csv"       # file, or a nested table
    ailment = { viral = ["flu"] }

    [distances]                   # how far a value is from another: numerval, nominal
    balance = "numerical"         # or taxoral where nothing is said

    [protect]                     # facts that must not follow from the answers
    # the exact value, of every row; the value up to 10; at least 3 values stay possible
    cells = { column = "balance" }
    near = { column = "balance", within = 10 }
    few = { column = "illness", left = 3 }
    # a formula about each of some rows, or of all; with a node of the taxonomy
    rich = { fact = "balance >= 420", keys = ["Jean"] }
    viral = { fact = "illness below 'viral'" }
    # one that names its rows
    pair = { formula = "balance[Jean] > balance[Ann] and illness[Ann] = 'flu'" }
    # of every person: true of some event; the sum over events; that sum, up to 10
    hiv = { person = "diagnosis = 'HIV'" }
    dear = { person = "sum(cost) >= 1000" }
    spent = { total = "cost", within = 10 }

``[log]`` and ``[answers]`` are about the log, see ``policy_log``.
What formulas may say is told in ``formula_parser``, and what they mean in ``formula``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from phverify.disclosure.log.dialect_names import DIALECTS
from phverify.disclosure.policy import AuditPolicy, External, Names
from phverify.disclosure.policy_columns import Entry
from phverify.disclosure.policy_log import log_columns, published
from phverify.disclosure.policy_protected import ProtectedLines
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


class _AuditPolicyReader(ProtectedLines):
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


def _texts(names: Any) -> bool:
    """Whether something is a list of texts."""
    if not isinstance(names, (list, tuple)):
        return False
    are_texts = (isinstance(name, str) for name in names)
    return all(are_texts)
