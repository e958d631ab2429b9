"""The lines of ``[protect]`` in an audit.toml: facts that must not follow."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from phverify.disclosure.connectives import Proposition
from phverify.disclosure.facts.domains import unsummed
from phverify.disclosure.facts.formula_parser import parse
from phverify.disclosure.facts.formula_tokens import FormulaScope
from phverify.disclosure.grids import NUMBER, amount, sort_of
from phverify.disclosure.policy import Names, Protected, named
from phverify.disclosure.policy_columns import Entry, SensitiveColumns

KINDS = ("fact", "formula", "person", "total", "within", "left")
"""What a line of ``[protect]`` may ask for beside the exact value."""
FORMULAS = ("fact", "formula", "person")
"""Those of them that are formulas."""


class ProtectedLines(SensitiveColumns):
    """What is read of protected facts; domains and trees are known by then."""

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
