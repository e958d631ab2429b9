"""Definition 4 once more, for one row of one model at a time, and validity by going
through all models.

Shares nothing with phverify but the nodes of the syntax tree: variables are looked up,
not replaced, and a likelihood is a count over the rows that look alike.  Criteria are
decided by their texts (``oracle``).
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

from phverify.spec import syntax as s
from support import oracle

Label = str | None
Row = Mapping[str, Label]
SIGNS = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge
}  # fmt: skip
CRITERIA: Mapping[str, Any] = {
    "k_anonymity": lambda k: oracle.k_anonymous(int(k)),
    "l_diversity": lambda l: oracle.distinct(int(l)),
    "t_closeness": lambda t, distance="variational": oracle.variational(Fraction(t)),
    "average_benefit": lambda b: oracle.benefit(Fraction(b)),
    "recursive_l_diversity": lambda c, l: oracle.recursive(Fraction(c), int(l)),
}


@dataclass(frozen=True)
class Rows:
    """A release whose individual k is the person behind row k; the columns of
    ``numbers`` are compared as such.
    """

    rows: Sequence[Row]
    agents: Mapping[str, Sequence[str]]
    numbers: frozenset[str] = frozenset({"g"})

    def values(self, column: str) -> list[Label]:
        return list(dict.fromkeys(row[column] for row in self.rows))

    def alike(self, agent: str, row: int) -> list[int]:
        """The rows that an agent cannot tell from this one."""
        known = self.agents[agent]
        return [
            k
            for k, other in enumerate(self.rows)
            if all(other[f] == self.rows[row][f] for f in known)
        ]

    def models(self) -> Iterator[list[int]]:
        """Everybody on a row of the own class: ``where[k]`` is the row of individual
        k.
        """
        classes = list(
            {tuple(self.alike("a1", row)): None for row in range(len(self.rows))}
        )
        for chosen in product(*map(permutations, classes)):
            pairs = [
                pair
                for home, rows in zip(classes, chosen, strict=True)
                for pair in zip(home, rows, strict=True)
            ]
            yield [row for _, row in sorted(pairs)]

    def valid(self, formula: s.Formula, given: Sequence[s.Formula] = ()) -> bool | None:
        """Whether a formula is true everywhere in all models that meet the assumptions;
        None when there is none.
        """
        found = None
        for where in self.models():
            model = Model(self, where)
            if all(map(model.everywhere, given)):
                found = True
                if not model.everywhere(formula):
                    return False
        return found


@dataclass(frozen=True)
class Model:
    table: Rows
    where: Sequence[int]

    def everywhere(self, formula: s.Formula) -> bool:
        return all(self.true(formula, row, {}) for row in range(len(self.table.rows)))

    def true(self, f: s.Formula, row: int, bound: Mapping[str, Any]) -> bool:
        """Whether a formula is true at a row, its variables standing for what they are
        bound to.
        """
        if isinstance(f, s.Truth):
            return f.value
        if isinstance(f, s.Descriptor):
            return self.descriptor(f, row, bound)
        if isinstance(f, s.Nominal):
            return self.place(f.name, bound) == row
        if isinstance(f, s.Chosen):
            column, values = bound[f.var.name]
            return self.table.rows[row][column] in values
        if isinstance(f, s.Not):
            return not self.true(f.body, row, bound)
        if isinstance(f, s.And):
            return all(self.true(part, row, bound) for part in f.parts)
        if isinstance(f, s.Or):
            return any(self.true(part, row, bound) for part in f.parts)
        if isinstance(f, s.Implies):
            return (
                self.true(f.right, row, bound)
                if self.true(f.left, row, bound)
                else True
            )
        if isinstance(f, s.Iff):
            return self.true(f.left, row, bound) is self.true(f.right, row, bound)
        if isinstance(f, s.Diamond):
            return self.count(f.agent, f.body, row, bound) > 0
        if isinstance(f, s.Box):
            return self.count(f.agent, s.Not(f.body), row, bound) == 0
        if isinstance(f, s.At):
            return self.true(f.body, self.place(f.name, bound), bound)
        if isinstance(f, s.Compare):
            return bool(
                SIGNS[f.op](
                    self.value(f.left, row, bound), self.value(f.right, row, bound)
                )
            )
        if isinstance(f, s.Quantified):
            found = (
                self.true(f.body, row, {**bound, **more})
                for more in self.instances(f.binders)
            )
            return all(found) if f.universal else any(found)
        assert isinstance(f, s.Criterion)
        return self.criterion(f, row)

    def descriptor(self, f: s.Descriptor, row: int, bound: Mapping[str, Any]) -> bool:
        mine = self.table.rows[row][f.attribute]
        said = [bound[v.name] if isinstance(v, s.Var) else v.text for v in f.values]
        if f.op in ("=", "in", "!="):
            return (mine in said) is not (f.op == "!=")
        if mine is None or said[0] is None:
            return False
        read = int if f.attribute in self.table.numbers else str
        return bool(SIGNS[f.op](read(mine), read(said[0])))

    def place(self, name: s.Reference, bound: Mapping[str, Any]) -> int:
        if isinstance(name, s.Var):
            return self.where[bound[name.name]]
        assert isinstance(name, s.Person | s.Row)
        return self.where[name.index] if isinstance(name, s.Person) else name.index

    def count(
        self, agent: s.Agent, body: s.Formula, row: int, bound: Mapping[str, Any]
    ) -> int:
        who = bound[agent.name] if isinstance(agent, s.Var) else agent
        return [
            self.true(body, other, bound) for other in self.table.alike(who, row)
        ].count(True)

    def value(self, side: s.Linear, row: int, bound: Mapping[str, Any]) -> Fraction:
        found = side.constant
        for factor, quantity in side.terms:
            if isinstance(quantity, s.Abs):
                found += factor * abs(self.value(quantity.body, row, bound))
            else:
                who = (
                    bound[quantity.agent.name]
                    if isinstance(quantity.agent, s.Var)
                    else quantity.agent
                )
                many = len(self.table.alike(who, row))
                found += factor * Fraction(
                    self.count(who, quantity.body, row, bound), many
                )
        return found

    def instances(self, binders: Sequence[s.Binder]) -> Iterator[dict[str, Any]]:
        ranges: list[list[Any]] = []
        for b in binders:
            if b.sort == "individuals":
                ranges.append(list(range(len(self.table.rows))))
            elif b.sort == "agents":
                ranges.append(list(self.table.agents))
            else:
                values = self.table.values(b.attribute)
                lengths = range(1, b.length + 1)
                some = [
                    (b.attribute, chosen)
                    for k in lengths
                    for chosen in combinations(values, k)
                ]
                ranges.append(list(some) if b.sort == "clauses" else list(values))
        for chosen in product(*ranges):
            yield {b.var.name: one for b, one in zip(binders, chosen, strict=True)}

    def criterion(self, f: s.Criterion, row: int) -> bool:
        args = dict(f.named) if f.named else dict(enumerate(f.args))
        column = str(
            args.pop("f", None) or (args.pop(0) if f.name != "k_anonymity" else "f")
        )
        named = {str(k): v for k, v in args.items() if isinstance(k, str)}
        # Here the release is all there is.
        assert named.pop("reference", "release") == "release"
        test = CRITERIA[f.name](
            *(v for k, v in args.items() if isinstance(k, int)), **named
        )
        inside = Counter(
            self.table.rows[k][column] for k in self.table.alike("a1", row)
        )
        return bool(test(inside, Counter(other[column] for other in self.table.rows)))
