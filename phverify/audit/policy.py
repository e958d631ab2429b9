"""audit.toml: the table, who knows what, which values a secret cell may have, and which facts are protected.

::

    table = "accounts"
    key = "name"                          # public, one value a row
    public = ["branch", "sex"]            # the adversary knows these columns

    [sensitive]                           # every cell of these is unknown; the adversary knows only what it may be
    balance = { from = 0, to = 1000 }     # integers
    illness = { values = ["flu", "cancer"], null = true }

    [protect]                             # facts that must not follow from the answers
    cells = { column = "balance" }                             # the exact value, of every row
    rich = { fact = "balance >= 420", keys = ["Jean"] }        # a threshold
    near = { column = "balance", within = 10 }                 # the value up to 10
    few = { column = "illness", left = 3 }                     # at least 3 values stay possible
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from phverify.errors import InputError, Problem, nearest
from phverify.tables.read import existing_file

KINDS = ("exact", "threshold", "within", "left")
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
Literal = int | str | bool
"""A value as a policy writes it.  A missing cell is ``None`` wherever cells are meant."""
LARGEST = 2**52
"""The largest magnitude of a declared integer: up to here a double holds each one, so that MEDIAN is exact."""
_FACT = re.compile(r"""\s*("(?:[^"]|"")+"|[A-Za-z_]\w*)\s*(<=|>=|!=|<>|=|<|>)\s*(.+?)\s*""", re.DOTALL)


@dataclass(frozen=True)
class Domain:
    """What a cell may be: the integers ``low..high``, or one of ``values``; ``null`` says that it may be missing."""

    low: int = 0
    high: int = -1
    values: tuple[Literal, ...] = ()
    null: bool = False

    def text(self) -> str:
        listed = ", ".join(map(str, self.values)) if self.values else f"{self.low}..{self.high}"
        return listed + (" or missing" if self.null else "")


@dataclass(frozen=True)
class Protected:
    """One line of ``[protect]``.

    ``kind`` is exact (the cell's value), threshold (``operator`` and ``bound``), within (the value up to ``amount``)
    or left (at least ``amount`` values stay possible); ``keys`` is None for every row.
    """

    name: str
    column: str
    kind: str
    operator: str = ""
    bound: Literal = 0
    amount: int = 0
    keys: tuple[str, ...] | None = None


@dataclass(frozen=True)
class AuditPolicy:
    """What an audit takes as given.  Column names are those of the policy; SQL compares them without case."""

    table: str
    key: str
    public: tuple[str, ...]
    sensitive: Mapping[str, Domain]
    protected: tuple[Protected, ...]
    source: str = "policy"

    @property
    def columns(self) -> tuple[str, ...]:
        """The key, the public and the sensitive columns, each once."""
        return tuple(dict.fromkeys((self.key, *self.public, *self.sensitive)))


def load(source: str | PathLike[str] | Mapping[str, Any] | AuditPolicy) -> AuditPolicy:
    """A policy from a TOML file or from nested dictionaries.  Raises InputError with all its problems."""
    if isinstance(source, AuditPolicy):
        return source
    if isinstance(source, Mapping):
        return _Reader(source, "policy").policy()
    path = existing_file(source, "policy")
    return _Reader(_toml(path), str(path)).policy()


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise InputError(Problem(str(path), f"is no TOML: {error}")) from None
    except (UnicodeDecodeError, OSError) as error:
        raise InputError(Problem(str(path), f"cannot be read: {error}")) from None


class _Reader:
    """One pass over the policy; each method reads one part and collects its problems."""

    def __init__(self, data: Mapping[str, Any], source: str) -> None:
        self.data, self.source = data, source
        self.problems: list[Problem] = []

    def complain(self, where: str, what: str, hint: str = "") -> None:
        self.problems.append(Problem(f"{self.source}, {where}" if where else self.source, what, hint))

    def policy(self) -> AuditPolicy:
        known = ("table", "key", "public", "sensitive", "protect")
        self.unknown("", self.data, known, "sections")
        table, key = self.text("table", "accounts"), self.text("key", "name")
        public = self.names("public", self.data.get("public", []))
        sensitive = {n: self.domain(f"sensitive.{n}", d) for n, d in self.section("sensitive").items()}
        for name in sensitive:
            if name == key or name in public:
                self.complain(f"sensitive.{name}", f"the column {name!r} is public already", "a column has one role")
        protected = tuple(self.protected(n, p, sensitive) for n, p in self.section("protect").items())
        if not self.problems and not protected:
            self.complain("", "there is nothing to protect", 'for example: [protect] cells = { column = "balance" }')
        if self.problems:
            raise InputError(self.problems)
        return AuditPolicy(table, key, tuple(n for n in public if n != key), sensitive, protected, self.source)

    def unknown(self, where: str, found: Mapping[str, Any], known: tuple[str, ...], say: str) -> None:
        for name in found:
            if name not in known:
                self.complain(where, f"unknown entry {name!r}", nearest(name, known, say))

    def text(self, name: str, example: str) -> str:
        found = self.data.get(name)
        if not isinstance(found, str) or not found:
            self.complain(name, f"is the name of the {name}, not {found!r}", f'for example: {name} = "{example}"')
        return str(found)

    def names(self, where: str, found: Any) -> tuple[str, ...]:
        if isinstance(found, (list, tuple)) and all(isinstance(name, str) for name in found):
            return tuple(dict.fromkeys(found))
        self.complain(where, f"is a list of column names, not {found!r}")
        return ()

    def section(self, name: str) -> Mapping[str, Any]:
        found = self.data.get(name, {})
        if isinstance(found, Mapping):
            return found
        self.complain(f"[{name}]", f"is a section, not {found!r}")
        return {}

    def domain(self, where: str, found: Any) -> Domain:
        if not isinstance(found, Mapping):
            hint = "{ from = 0, to = 100 }, or { values = [..] }; null = true where a cell may be missing"
            self.complain(where, f"is the domain of a column, not {found!r}", hint)
            return Domain(0, 0)
        self.unknown(where, found, ("from", "to", "values", "null"), "a domain has")
        null = found.get("null", False)
        if not isinstance(null, bool):
            self.complain(where, f"null is true or false, not {null!r}")
        if "values" in found:
            return Domain(values=self.values(where, found), null=bool(null))
        low, high = (self.integer(where, name, found.get(name)) for name in ("from", "to"))
        if low > high:
            self.complain(where, f"no integer is from {low} to {high}")
        return Domain(low, high, (), bool(null))

    def values(self, where: str, found: Mapping[str, Any]) -> tuple[Literal, ...]:
        values = found["values"]
        if "from" in found or "to" in found:
            self.complain(where, "has a list of values and a range", "a domain is one of the two")
        one_kind = isinstance(values, (list, tuple)) and len({type(v) for v in values}) == 1
        if not one_kind or not isinstance(values[0], (bool, int, str)):
            self.complain(where, f"values is a list of integers, of texts, or [true, false], not {values!r}")
            return (0,)
        for value in values:
            if isinstance(value, int) and not isinstance(value, bool):
                self.integer(where, "values", value)
        return tuple(sorted(set(values), key=lambda v: v.encode() if isinstance(v, str) else v))

    def integer(self, where: str, name: str, found: Any) -> int:
        if not isinstance(found, int) or isinstance(found, bool) or abs(found) > LARGEST:
            self.complain(where, f"{name} is an integer up to 2^52, not {found!r}")
            return 0
        return found

    def protected(self, name: str, found: Any, sensitive: Mapping[str, Domain]) -> Protected:
        where = f"protect.{name}"
        if not isinstance(found, Mapping):
            self.complain(where, f"is a protected fact, not {found!r}", '{ column = "balance" } or { fact = ".." }')
            return Protected(name, "", "exact")
        self.unknown(where, found, ("column", "fact", "within", "left", "keys"), "a protected fact has")
        given = [kind for kind in ("fact", "within", "left") if kind in found]
        if len(given) > 1:
            self.complain(where, f"asks for {' and '.join(given)}", "one line protects one fact")
        keys = None if "keys" not in found else self.keys(where, found["keys"])
        if "fact" in found:
            return self.threshold(name, found["fact"], sensitive, keys)
        column = self.column(where, found.get("column"), sensitive)
        if not given:
            return Protected(name, column, "exact", keys=keys)
        amount = self.integer(where, given[0], found[given[0]])
        if amount < (1 if given[0] == "left" else 0):
            self.complain(where, f"{given[0]} = {amount} protects nothing")
        if given[0] == "within" and column and not _integers(sensitive[column]):
            self.complain(where, f"within needs integers, and {column!r} has none")
        return Protected(name, column, given[0], amount=amount, keys=keys)

    def keys(self, where: str, found: Any) -> tuple[str, ...]:
        if isinstance(found, (list, tuple)) and found:
            return tuple(dict.fromkeys(str(key) for key in found))
        self.complain(where, f"keys is a list of keys of rows, not {found!r}", "leave it out for every row")
        return ()

    def column(self, where: str, found: Any, sensitive: Mapping[str, Domain]) -> str:
        if found in sensitive:
            return str(found)
        self.complain(where, f"no sensitive column is called {found!r}", nearest(str(found), sensitive, "sensitive"))
        return ""

    def threshold(
        self, name: str, found: Any, sensitive: Mapping[str, Domain], keys: tuple[str, ...] | None
    ) -> Protected:
        where = f"protect.{name}"
        match = _FACT.fullmatch(found) if isinstance(found, str) else None
        if not match:
            self.complain(where, f"a fact compares a sensitive column with a value, not {found!r}", "balance >= 420")
            return Protected(name, "", "threshold")
        quoted, operator, written = match.groups()
        column = self.column(where, quoted[1:-1].replace('""', '"') if quoted[0] == '"' else quoted, sensitive)
        bound = _literal(written)
        if column and (bound is None or not _fits(bound, sensitive[column])):
            self.complain(where, f"{column!r} cannot be compared with {written}", "texts stand in single quotes")
        return Protected(name, column, "threshold", "!=" if operator == "<>" else operator, bound or 0, keys=keys)


def _integers(domain: Domain) -> bool:
    return not domain.values or (isinstance(domain.values[0], int) and not isinstance(domain.values[0], bool))


def _fits(bound: Literal, domain: Domain) -> bool:
    """Whether values of the domain can be compared with a value."""
    return isinstance(bound, int) and not isinstance(bound, bool) if _integers(domain) else bound in domain.values


def _literal(text: str) -> Literal | None:
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return {"true": True, "false": False}.get(text.lower())
