"""The sensitive columns of an audit.toml: domains, taxonomies and distances."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from phverify.disclosure.connectives import ordered
from phverify.disclosure.facts.domains import LARGEST, Domain, Literal, kind_of
from phverify.disclosure.facts.ranges import NoDomain, listed, ranged
from phverify.disclosure.facts.taxonomy import Taxonomy, from_file, from_table
from phverify.disclosure.grids import sort_of
from phverify.disclosure.policy import Names
from phverify.errors import InputError, Problem, Problems, nearest
from phverify.words import toml_key, toml_string

NUMERIC = ("numerval", "numerical")
DISTANCES = ("nominal", "numerval", "numerical", "taxoral")
Entry = Mapping[str, Any]


class SensitiveColumns:
    """What is read of columns; each method reads one part and notes its problems."""

    def __init__(self, data: Entry, source: str, folder: Path) -> None:
        self.data = data
        self.source = source
        self.folder = folder
        self.problems: Problems = []
        self.files: list[Path] = []
        self.sensitive: dict[str, Domain] = {}
        self.taxonomies: dict[str, Taxonomy] = {}

    def complain(self, where: str, what: str, hint: str = "") -> None:
        """Note a problem, and go on reading."""
        place = self.source
        if where:
            place = f"{self.source}, {where}"
        problem = Problem(place, what, hint)
        self.problems.append(problem)

    def unknown(self, where: str, entries: Entry, known: Names, say: str) -> None:
        """Complain of entries that are not read."""
        for name in entries:
            if name not in known:
                hint = nearest(name, known, say)
                self.complain(where, f"unknown entry {name!r}", hint)

    def section(self, name: str) -> Entry:
        """A section; one that is not there is empty."""
        section = self.data.get(name, {})
        if isinstance(section, Mapping):
            return section
        self.complain(f"[{name}]", f"is a section, not {section!r}")
        return {}

    def domain(self, where: str, declared: Any) -> Domain:
        """What the cells of a column may be."""
        if not isinstance(declared, Mapping):
            what = f"is the domain of a column, not {declared!r}"
            hint = (
                "{ from = 0, to = 100 }, or { values = [..] }; null = true where a cell"
                " may be missing"
            )
            self.complain(where, what, hint)
            # Some domain, so that what else is wrong can be told.
            return Domain(0, 0)
        known = ("from", "to", "step", "values", "null")
        self.unknown(where, declared, known, "a domain has")
        null = declared.get("null", False)
        if not isinstance(null, bool):
            what = f"null is true or false, not {null!r}"
            self.complain(where, what)
        if _scaled(declared):
            return self.scaled(where, declared, bool(null))
        if "values" in declared:
            return Domain(values=self.values(where, declared), null=bool(null))

        # Ends that are none count as 0, so that reading goes on.
        low = self.integer(where, "from", declared.get("from"))
        high = self.integer(where, "to", declared.get("to"))
        if low > high:
            self.complain(where, f"no integer is from {low} to {high}")
        return Domain(low, high, (), bool(null))

    def scaled(self, where: str, declared: Entry, null: bool) -> Domain:
        """A domain of decimals, dates or timestamps, or of integers with a step."""
        ends = {"from", "to", "step"} & set(declared)
        if "values" in declared and ends:
            what = "has a list of values and a range"
            self.complain(where, what, "a domain is one of the two")
        try:
            if "values" in declared:
                return listed(declared["values"], null)
            low, high = declared.get("from"), declared.get("to")
            return ranged(low, high, declared.get("step"), null)
        except NoDomain as error:
            self.complain(where, str(error), error.hint)
            return Domain(0, 0)

    def values(self, where: str, declared: Entry) -> tuple[Literal, ...]:
        """The values of a domain, in their order."""
        values = declared["values"]
        if "from" in declared or "to" in declared:
            what = "has a list of values and a range"
            self.complain(where, what, "a domain is one of the two")
        if not _one_kind(values):
            what = (
                "values is a list of numbers, of dates, of texts, or [true, false],"
                f" not {values!r}"
            )
            self.complain(where, what)
            return (0,)
        for value in values:
            # Its size is checked, and the value is the caller's.
            if kind_of(value) == "integer":
                self.integer(where, "values", value)
        # In order: places among the values are codes.
        return tuple(sorted(set(values), key=ordered))

    def integer(self, where: str, name: str, number: Any) -> int:
        """An integer of a size that is audited."""
        if kind_of(number) == "integer" and abs(number) <= LARGEST:
            return int(number)
        what = f"{name} is an integer up to 2^52, not {number!r}"
        self.complain(where, what)
        return 0

    def read_taxonomies(self) -> None:
        """The trees of columns; what is no tree, or does not fit, is a problem."""
        for name, entry in self.section("taxonomies").items():
            where = f"taxonomies.{name}"
            column = self.column(where, name)
            if not isinstance(entry, (str, PathLike, Mapping)):
                what = f"is a hierarchy file or nested tables, not {entry!r}"
                path = f"{toml_key(name)} = {toml_string(f'{name}.csv')}"
                hint = f'{path}, or {{ root = {{ node = ["value"] }} }}'
                self.complain(where, what, hint)
                continue
            try:
                tree = self.tree(where, entry)
            except InputError as error:
                self.problems.extend(error.problems)
                continue
            if column:
                self.placed(where, self.sensitive[column], tree)
                self.taxonomies[column] = tree

    def tree(self, where: str, entry: str | PathLike[str] | Entry) -> Taxonomy:
        """A taxonomy from nested tables or a file.  Raises InputError."""
        if isinstance(entry, Mapping):
            return from_table(entry, f"{self.source}, {where}")
        path = self.folder / entry
        tree = from_file(path)
        self.files.append(path)
        return tree

    def placed(self, where: str, domain: Domain, tree: Taxonomy) -> None:
        """Complain where values of a domain are not the leaves of a tree.

        Each value is a node, and none is above another: what is known of a cell is then
        a node, too.
        """
        if domain.kind != "text":
            self.complain(where, "a taxonomy is over a column of texts")
            return
        for value in map(str, domain.values):
            if value not in tree:
                hint = nearest(value, tree.nodes(), "nodes")
                what = f"the value {value!r} is no node"
                self.complain(where, what, hint)
                continue

            # What is known of a cell is one node only where values are leaves.
            ancestors = tree.path(value)[1:]
            above = [other for other in ancestors if other in domain.values]
            if above:
                first = min(above, key=domain.values.index)
                what = f"the value {first!r} lies above the value {value!r}"
                self.complain(where, what, "values are leaves")

    def distances(self) -> dict[str, str]:
        """The distance of each sensitive column."""
        # A distance that does not fit leaves the usual one, and reading goes on.
        kinds = {name: self.usual(name) for name in self.sensitive}
        for name, kind in self.section("distances").items():
            where = f"distances.{name}"
            column = self.column(where, name)
            if kind not in DISTANCES:
                hint = nearest(str(kind), DISTANCES, "distances")
                what = f"no distance is called {kind!r}"
                self.complain(where, what, hint)
            elif not column:
                continue
            elif kind == "taxoral" and column not in self.taxonomies:
                what = f"{name!r} has no taxonomy"
                hint = "[taxonomies] names its tree"
                self.complain(where, what, hint)
            elif kind in NUMERIC and not self.sensitive[column].integral:
                what = f"{kind} is for integers, and {name!r} has none"
                hint = "nominal, or taxoral"
                self.complain(where, what, hint)
            else:
                kinds[column] = kind
        return kinds

    def usual(self, name: str) -> str:
        """The distance of a column of which the policy says none."""
        if name in self.taxonomies:
            return "taxoral"
        if self.sensitive[name].integral:
            return "numerval"
        return "nominal"

    def column(self, where: str, name: Any) -> str:
        """A sensitive column; "" for what is none."""
        if isinstance(name, str) and name in self.sensitive:
            return name
        hint = nearest(str(name), self.sensitive, "sensitive")
        what = f"no sensitive column is called {name!r}"
        if name is None:
            what = "names no column"
        self.complain(where, what, hint)
        return ""


def _scaled(declared: Entry) -> bool:
    """Whether a domain is of numbers that are no plain integers, or of dates."""
    if "step" in declared:
        return True
    given = []
    for name in ("from", "to"):
        if name in declared:
            given.append(declared[name])
    values = declared.get("values", ())
    if isinstance(values, (list, tuple)):
        given += values
    # Texts and Booleans are no numbers, and integers need no unit.
    plain = all(map(kind_of, given))
    understood = all(map(sort_of, given))
    return understood and not plain


def _one_kind(values: Any) -> bool:
    """Whether this is a list of values of one kind."""
    if not isinstance(values, (list, tuple)):
        return False
    # By type, for True is an integer to Python.
    types = set(map(type, values))
    if len(types) != 1:
        return False
    return bool(kind_of(values[0]))
