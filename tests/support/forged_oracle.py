"""The judge of certificates of ``verify``: what a policy says of a release, worked out
from the definitions.

Shares nothing with the checker: all mappings and all models are enumerated, criteria
are decided by their texts (``oracle``).  Formulas are read by ``phverify.logic``.
"""

from __future__ import annotations

import itertools
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from phverify.errors import InputError
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import Unfit, arguments
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.signature import Attribute, Signature
from phverify.spec.types import TEXT, ValueType
from support import builders_oracle, oracle
from support.search_oracle import safety

Label = str | None
Row = dict[str, Label]
OPEN = "open"
"""The verdict of a rule about somebody whose class depends on which mapping is
meant.
"""


class Unreadable(Exception):
    """The policy says nothing of these tables: nothing about it is true."""


@dataclass(frozen=True, eq=False)
class Truth:
    """A policy's text, the hierarchies' texts by column, the release, and the original
    where there is one.
    """

    text: str
    quoted: Mapping[str, str]
    release: Sequence[Row]
    original: Sequence[Row] | None = None

    @cached_property
    def policy(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise Unreadable(str(error)) from None

    def roles(self, *names: str) -> list[str]:
        columns = self.policy.get("columns", {})
        return [column for name in names for column in columns.get(name, [])]

    @property
    def quasi(self) -> list[str]:
        return self.roles("quasi")

    @property
    def others(self) -> list[str]:
        return self.roles("sensitive", "neutral")

    @property
    def identifier(self) -> str | None:
        found: str | None = self.policy["columns"].get("identifier")
        return found

    def kind(self, column: str) -> ValueType:
        found = self.policy.get("types", {}).get(column)
        return (
            TEXT
            if found is None
            else (
                ValueType("ordered", tuple(found))
                if type(found) is list
                else ValueType(found)
            )
        )

    def canonical(self, rows: Sequence[Row]) -> list[Row]:
        """The rows with everything but quasi-identifiers in the canonical texts of the
        types.
        """
        found = []
        for row in rows:
            cells = {name: cell if name in self.quasi or cell is None else self.kind(name).canonical(cell)
                     for name, cell in row.items() if name in (*self.quasi, *self.others)}  # fmt: skip
            if set(cells) != {*self.quasi, *self.others}:
                raise Unreadable("a column is not there")
            found.append(cells)
        return found

    @cached_property
    def rows(self) -> list[Row]:
        return self.canonical(self.release)

    @cached_property
    def before(self) -> list[Row]:
        return self.rows if self.original is None else self.canonical(self.original)

    @cached_property
    def paths(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """By column each value with its generalizations, in the order of the
        hierarchy.
        """
        found: dict[str, dict[str, tuple[str, ...]]] = {}
        for name, spec in self.policy.get("hierarchies", {}).items():
            if isinstance(spec, str):
                lines = [
                    tuple(line.split(";"))
                    for line in self.quoted[name].splitlines()
                    if line
                ]
                if (
                    len({line[0] for line in lines}) < len(lines)
                    or len({len(line) for line in lines}) != 1
                ):
                    raise Unreadable("no hierarchy")
                found[name] = {line[0]: line for line in lines}
                continue
            try:
                values = [row[name] for row in self.before]
                lines = builders_oracle.lines(
                    spec, [v for v in values if v is not None]
                )
                found[name] = {line[0]: line for line in lines}
            except builders_oracle.Unbuilt as error:
                if self.original is not None or name not in self.quasi:
                    raise Unreadable(str(error)) from None
        return found

    # Who is in which class

    def rest(self, rows: Sequence[Row], table: Sequence[Row]) -> list[Any]:
        """What no mapping changes: other columns, an identifier of both tables, the
        row's number where that counts.
        """
        assert self.original is not None
        name = self.identifier
        both = name is not None and name in self.release[0] and name in self.original[0]
        ordered = self.policy.get("rows") == "same order"
        return [
            (
                tuple(row[o] for o in self.others),
                table[k][name] if both and name else "",
                k if ordered else 0,
            )
            for k, row in enumerate(rows)
        ]

    @cached_property
    def homes(self) -> list[tuple[tuple[Label, ...], ...]]:
        """For every mapping that explains the release, the class of each individual, by
        its values.
        """
        if self.original is None:
            return [tuple(tuple(row[q] for q in self.quasi) for row in self.rows)]
        return [
            tuple(tuple(row[q] for q in self.quasi) for row in mapped)
            for mapped in self.explaining()
        ]

    def explaining(self) -> Iterator[list[Row]]:
        assert self.original is not None
        after = self.counts(self.rows, self.rest(self.rows, self.release))
        pairs = list(
            dict.fromkeys((q, row[q]) for row in self.before for q in self.quasi)
        )
        images = [self.images(q, value) for q, value in pairs]
        for chosen in itertools.product(*images):
            mapping = dict(zip(pairs, chosen, strict=True))
            mapped = [
                {**row, **{q: mapping[q, row[q]] for q in self.quasi}}
                for row in self.before
            ]
            if self.counts(mapped, self.rest(self.before, self.original)) == after:
                yield mapped

    def images(self, column: str, value: Label) -> list[Label]:
        released = list(dict.fromkeys(row[column] for row in self.rows))
        paths = self.paths.get(column)
        if not paths:
            return released
        tops = {path[-1] for path in paths.values() if len(path) > 1}
        path: tuple[Label, ...] = (
            () if value is not None else (None, *tops) if len(tops) == 1 else (None,)
        )
        line = paths.get(value or "")
        allowed = path if line is None else (value, *line[1:])
        return [label for label in released if label in allowed]

    def counts(self, rows: Sequence[Row], rest: Sequence[Any]) -> Counter[Any]:
        return Counter(
            (tuple(row[q] for q in self.quasi), own)
            for row, own in zip(rows, rest, strict=True)
        )

    # Formulas

    @cached_property
    def signature(self) -> Signature:
        attributes = {}
        for name in (*self.quasi, *self.others):
            labels = {row[name] for row in self.rows}
            kind = self.fitting(self.kind(name), labels)
            domain = sorted(
                (v for v in labels if v is not None),
                key=lambda v: (kind.key(kind.canonical(v)), v),
            )
            known = {
                *self.paths.get(name, ()),
                *(v for row in self.before if (v := row[name]) is not None),
            }
            own: list[Label] = [*domain, *([None] if None in labels else [])]
            attributes[name] = Attribute(name, kind, tuple(own), frozenset(known))
        table = self.original if self.original is not None else self.release
        names = (
            ()
            if self.identifier is None or self.identifier not in table[0]
            else [r[self.identifier] for r in table]
        )
        called = tuple(str(name) for name in names)
        if len(set(called)) < len(called) or None in names:
            raise Unreadable("identifiers")
        return Signature(
            attributes, tuple(self.agents), len(self.rows), called, len(self.rows)
        )

    @staticmethod
    def fitting(kind: ValueType, labels: set[Label]) -> ValueType:
        texts = [label for label in labels if label is not None]
        try:
            return (
                kind
                if len({kind.canonical(text) for text in texts}) == len(texts)
                else TEXT
            )
        except ValueError:
            return TEXT

    @property
    def agents(self) -> dict[str, Sequence[str]]:
        return {"a0": (), "a1": self.quasi, **self.policy.get("agents", {})}

    def read(self, text: str) -> s.Formula:
        try:
            formula, problems = resolve(parse(text), self.signature, "oracle", text)
        except InputError as error:
            raise Unreadable(str(error)) from None
        if problems:
            raise Unreadable(str(problems[0]))
        return formula

    @cached_property
    def assumptions(self) -> list[s.Formula]:
        return [self.read(text) for text in self.policy.get("assumptions", {}).values()]

    def written(self, rule: str) -> s.Formula:
        """A rule, ``logical_safety()`` in words."""
        text: str = self.policy["rules"][rule]
        if "logical_safety" not in text:
            return self.read(text)
        secrets = {
            who: [one] if isinstance(one, str) else one
            for who, one in self.policy.get("secrets", {}).items()
        }
        if not secrets:
            raise Unreadable("no secrets")
        quoted = {
            who if who == "*" or who[:1] == "i" else f"'{who}'": own
            for who, own in secrets.items()
        }
        return self.read(text.replace("logical_safety()", safety(quoted)))

    # Verdicts

    def verdict(self, rule: str) -> str:
        """``proved``, ``refuted`` or OPEN.  Raises Unreadable."""
        try:
            return self._verdict(rule)
        except (
            ValueError,
            KeyError,
            TypeError,
            IndexError,
            AttributeError,
            Unfit,
        ) as error:
            raise Unreadable(repr(error)) from None

    def _verdict(self, rule: str) -> str:
        formula = self.written(rule)
        if not self.homes:
            raise Unreadable("no mapping explains the release")
        people = {
            node.index for f in (formula, *self.assumptions) for node in self.people(f)
        }
        if any(home[k] != self.homes[0][k] for home in self.homes for k in people):
            return OPEN
        rows = self.placed(self.homes[0])
        if (
            oracle.valid(rows, self.agents, self.signature, s.TRUE, self.assumptions)
            is None
        ):
            raise Unreadable("the assumptions contradict each other")
        if isinstance(formula, s.Criterion):
            return "proved" if self.criterion(formula) else "refuted"
        valid = oracle.valid(
            rows, self.agents, self.signature, formula, self.assumptions
        )
        return "proved" if valid else "refuted"

    @staticmethod
    def people(formula: s.Formula) -> Iterator[s.Person]:
        for node in s.subformulas(formula):
            if isinstance(node, s.Nominal | s.At) and isinstance(node.name, s.Person):
                yield node.name

    def placed(self, home: Sequence[tuple[Label, ...]]) -> list[Row]:
        """The rows such that row k is one where individual k may be."""
        left = list(self.rows)
        found = []
        for values in home:
            row = next(
                row for row in left if tuple(row[q] for q in self.quasi) == values
            )
            left.remove(row)
            found.append(row)
        return found

    def criterion(self, node: s.Criterion) -> bool:
        """A criterion by its text in the literature."""
        args = dict(arguments(node, self.signature.attributes))
        f = str(args.get("f", self.quasi[0] if self.quasi else self.others[0]))
        tests: dict[str, Any] = {
            "k_anonymity": lambda: oracle.k_anonymous(args["k"]),
            "l_diversity": lambda: oracle.distinct(args["l"]),
            "entropy_l_diversity": lambda: oracle.entropy(args["l"]),
            "t_closeness": lambda: self.closeness(f, args),
        }
        return oracle.each_class(self.rows, self.quasi, f, tests[node.name]())

    def closeness(self, f: str, args: Mapping[str, Any]) -> oracle.Test:
        labels = {row[f] for row in self.rows}
        if args["distance"] == "variational":
            return oracle.variational(args["t"])
        typed = self.signature.attributes[f].kind.ordered
        paths = self.paths.get(f, {})
        if None in labels or (
            not (typed and args["distance"] == "ordered") and not labels <= set(paths)
        ):
            raise Unreadable("no order, or no tree")
        if args["distance"] == "ordered":
            domain = [v for v in self.signature.attributes[f].domain if v is not None]
            return oracle.ordered(args["t"], domain if typed else list(paths))
        tops = {path[-1] for path in paths.values()}
        if len(tops) != 1 or len(next(iter(paths.values()))) < 2:
            raise Unreadable("no tree")
        return oracle.hierarchical(args["t"], paths)


def texts(folder: Path, policy: str) -> dict[str, str]:
    """The hierarchies' files that a policy names."""
    found = tomllib.loads(policy).get("hierarchies", {})
    return {
        name: (folder / file).read_text(encoding="utf-8")
        for name, file in found.items()
        if isinstance(file, str)
    }
