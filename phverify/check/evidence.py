"""The violations behind a certificate's clauses, found again by plain counting.

Sets of records are bits of one integer, one bit for each row of the table; nothing here is shared with the
search's counting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from phverify.certificate.data import Refused
from phverify.exact import Bools
from phverify.logic import syntax as s
from phverify.models.release import ReleaseModel, World, bits
from phverify.models.semantics import truth_set
from phverify.search.judge import Judge
from phverify.search.parts import ClassPart
from phverify.spaces.scheme import Clause
from phverify.tables.table import Column, Label

Rows = int
FEW = 8


@dataclass(frozen=True, eq=False)
class Evidence:
    """Derives each clause of a certificate from its violation, or refuses it.

    ``budget`` records may be withheld; ``weights`` are those of the cost.
    """

    judge: Judge
    budget: int
    weights: tuple[int, ...]

    def clause(self, claim: Mapping[str, Any]) -> Clause:
        """The clause that a claim supports.  Raises Refused."""
        match claim.get("kind"):
            case "box" | "class":
                return self._box(claim)
            case "cut":
                return self._cut(claim)
            case "candidate":
                return self._candidate(claim)
        raise Refused(f"unknown kind of clause {claim.get('kind')!r}")

    # Boxes

    def _box(self, claim: Mapping[str, Any]) -> Clause:
        part, box = self._part(claim), tuple(claim["blocks"])
        self._named(box, claim["labels"])
        rows = self.inside(box)
        if not rows or rows.bit_count() != claim["rows"]:
            raise Refused(f"a box holds {rows.bit_count()} records, not {claim['rows']}")
        if self.holds(part, rows):
            raise Refused(f"a box does not violate {part.rule}")
        person = claim.get("person")
        self._matters(part, person, rows)
        if claim["kind"] == "class":
            return self.judge.space.avoided(box)
        if not (part.closure.upward or (part.closure.merge and person is None)):
            raise Refused(f"{part.rule} is not closed under merging: its violation says nothing about finer releases")
        return self.judge.space.cut(box)

    def _part(self, claim: Mapping[str, Any]) -> ClassPart:
        parts, number = self.judge.parts.classes, int(claim["part"])
        if number not in range(len(parts)) or parts[number].rule != claim["rule"]:
            raise Refused(f"the policy has no part {number} of a rule {claim['rule']!r}")
        return parts[number]

    def _named(self, box: tuple[int, ...], labels: list[Label]) -> None:
        """What the certificate shows of a box must be the box."""
        for scheme, block, label in zip(self.judge.space.schemes, box, labels, strict=True):
            if not scheme.valid(block):
                raise Refused(f"{block} is no block of {scheme.name!r}")
            if scheme.label(block) != label:
                raise Refused(f"a box calls a block of {scheme.name!r} {label!r}, which it is not")

    def _matters(self, part: ClassPart, person: int | None, rows: Rows) -> None:
        """A violating class must not be mendable by withholding it, and a part about people must concern one in it."""
        known = set(part.people) if part.people else set(self.judge.parts.people)
        if (part.people or self.budget) and (person is None or person not in known or not rows >> person & 1):
            raise Refused(f"a box that violates {part.rule} could be withheld, or concerns nobody who is named")

    def inside(self, box: tuple[int, ...]) -> Rows:
        """The records in a box."""
        rows = self._all
        for scheme, block in zip(self.judge.space.schemes, box, strict=True):
            rows &= self.having(scheme.name, frozenset(scheme.values[code] for code in scheme.members(block)))
        return rows

    def having(self, name: str, labels: frozenset[Label]) -> Rows:
        """The records whose value is among the labels."""
        found = 0
        for label in labels:
            found |= self._values[name][label]
        return found

    @property
    def _columns(self) -> Mapping[str, Column]:
        return self.judge.bound.release.columns

    @cached_property
    def _all(self) -> Rows:
        return (1 << self.judge.table.rows) - 1

    @cached_property
    def _values(self) -> dict[str, dict[Label, Rows]]:
        return {
            name: {label: bits(column.codes == code) for code, label in enumerate(column.labels)}
            for name, column in self._columns.items()
        }

    # Does a set of records, as a class, satisfy a part?

    def holds(self, part: ClassPart, rows: Rows) -> bool:
        """By the criteria's own definitions, else by the reference semantics."""
        return all(self._true(formula, rows) for formula in part.grounds)

    def _true(self, formula: s.Formula, rows: Rows) -> bool:
        if not isinstance(formula, s.Criterion):
            return truth_set(self._model(rows), formula, rows) == rows
        criterion = self.judge.bound.release.criteria[formula]
        f = criterion.attribute
        if not f:
            return criterion.holds({"": rows.bit_count()}, {"": self.judge.table.rows})
        counts = {label: (rows & where).bit_count() for label, where in self._values[f].items()}
        whole = {label: where.bit_count() for label, where in self._values[f].items()}
        return criterion.holds({v: n for v, n in counts.items() if n}, whole)

    def _model(self, rows: Rows) -> ReleaseModel:
        """The table with two classes, these records and all others, and nobody placed."""
        release, count = self.judge.bound.release, self.judge.table.rows
        inside = np.array([rows >> k & 1 for k in range(count)], dtype=np.int64)
        columns = {**release.columns, "": Column(inside, ("others", "class"))}
        agents = {**release.agents, "a1": ("",)}
        base = release.base
        return ReleaseModel(
            World(columns, count, release.signature, agents, release.home, base.judge, base.subject), {}
        )

    # Whole candidates

    def candidate(self, choice: list[int]) -> Bools:
        """A candidate from the numbers of its true unknowns.  Raises Refused."""
        space = self.judge.space
        found = np.zeros(space.decisions, dtype=bool)
        if not all(isinstance(u, int) and 0 <= u < space.decisions for u in choice):
            raise Refused("a candidate names unknowns that the space does not have")
        found[choice] = True
        truth = space.solution(found).tolist()
        if not all(any(truth[abs(u) - 1] == (u > 0) for u in clause) for clause in space.constraints()):
            raise Refused("a candidate is none of the space")
        return found

    def classes(self, candidate: Bools) -> Iterator[tuple[tuple[Label, ...], Rows]]:
        """The classes of a candidate by their released labels."""
        images = self.judge.space.columns(candidate)
        columns = [images[name].codes[self._columns[name].codes].tolist() for name in images]
        labels = [images[name].labels for name in images]
        members: dict[tuple[int, ...], list[int]] = {}
        for row, key in enumerate(zip(*columns, strict=True)):
            members.setdefault(key, []).append(row)
        for key, rows in members.items():
            yield tuple(ls[code] for ls, code in zip(labels, key, strict=True)), self._bits(rows)

    def _bits(self, rows: list[int]) -> Rows:
        if len(rows) < FEW:
            return sum(1 << row for row in rows)
        flags = np.zeros(self.judge.table.rows, dtype=bool)
        flags[rows] = True
        return bits(flags)

    def _cut(self, claim: Mapping[str, Any]) -> Clause:
        candidate = self.candidate(claim["choice"])
        rising = [p for p in self.judge.parts.classes if p.closure.upward and not p.people]
        if not set(claim["rule"].split(", ")) <= {part.rule for part in self.judge.parts.classes}:
            raise Refused(f"the policy has no rules {claim['rule']!r}")
        rows = sum(
            rows.bit_count() for _, rows in self.classes(candidate) if not all(self.holds(p, rows) for p in rising)
        )
        if rows <= self.budget or rows != claim["rows"]:
            raise Refused(f"a candidate leaves {rows} records in violating classes, not {claim['rows']}")
        return self.judge.space.beyond(candidate)

    def _candidate(self, claim: Mapping[str, Any]) -> Clause:
        from phverify.search.refute import Critic
        from phverify.smt.solver import Deadline

        candidate = self.candidate(claim["choice"])
        finding = Critic(self.judge, self.budget, 1, Deadline(), weights=self.weights).examine(candidate)
        if finding.status != "fails":
            raise Refused("a candidate that the certificate excludes satisfies the policy, or is undecided")
        if claim["rule"] not in {reason.rule for reason in finding.reasons}:
            raise Refused(f"a candidate fails, though not because of {claim['rule']!r}")
        return self.judge.space.differs(candidate)
