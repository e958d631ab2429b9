"""Tables with any number of rows and classes: what some classes of every table satisfy.

It is a relaxation.  The classes looked at are those of named individuals and those
where the second rule fails; of the rest only its traces are kept: ``u`` are the rows
that each profile would have in a class with the shares of the whole table, and the
table as one class (``unions.WholeTable``) satisfies what merging keeps.  Every table
with such classes gives a solution, so that no solution means no table.  A solution need
not be a table.
"""

from __future__ import annotations

from collections.abc import Sequence

from phverify.budget import Deadline
from phverify.comparison.case import ComparedCase
from phverify.comparison.choice import Undecided
from phverify.comparison.criterion_terms import (
    Facts,
)
from phverify.comparison.encode import Scales
from phverify.comparison.parts import RulePart
from phverify.comparison.relaxed_criteria import RelaxedCriteria
from phverify.comparison.shape_cells import Chosen, World
from phverify.comparison.shapes import TableShape
from phverify.constraints import terms as t
from phverify.spec import syntax as s
from phverify.spec.walk import agents, propositional


class Relaxed(RelaxedCriteria):
    """Some classes with any number of rows; the last one is the one whose ``u`` are the
    rows of ``Whole``.

    ``part`` is the conjunct that fails in one of them.  Bounds on logarithms that are
    ``fine``, and ``whole`` numbers of rows, cost time.
    """

    def __init__(
        self,
        case: ComparedCase,
        shape: TableShape,
        deadline: Deadline,
        fine: bool,
        mark: str = "",
        part: RulePart | None = None,
        whole: bool = False,
    ) -> None:
        self.sort = "Int" if whole else "Real"
        super().__init__(case, shape, deadline, fine, mark, part)
        quasi = set(case.frame.quasi)
        self.knows: dict[str, str] = {}
        for agent, known in case.frame.agents.items():
            self.knows[agent] = _kind(agent, set(known), quasi)

    def frame(self) -> Facts:
        """What holds in every table."""
        shape = self.shape
        homes = list(shape.homes.values())
        for c in range(shape.classes):
            residents = homes.count(c)
            if residents:
                yield t.compare(self.size(c), ">=", residents)
            yield from self._shares(c)

    def _shares(self, c: int) -> Facts:
        """The rows that the profiles would have in class c if it were like the
        table.
        """
        profiles = range(len(self.profiles))
        some = t.compare(self.size(c), ">", 0)
        yield t.compare(t.added(like(c, p) for p in profiles), "=", self.size(c))
        for p in profiles:
            in_table = t.compare(in_whole(p), ">", 0)
            expected = t.compare(like(c, p), ">", 0)
            cells = [one for one in self.cells if (one.cls, one.profile) == (c, p)]
            own = t.added(cell.count for cell in cells)
            yield t.implies(t.compare(own, ">", 0), expected)
            yield t.implies(some, t.iff(expected, in_table))
            for agent in self.part_knowing:
                seen = around(agent, c, p)
                yield t.compare(seen, ">=", own)
                yield t.implies(t.compare(seen, ">", 0), in_table)
            if c == self.shape.classes - 1:
                yield t.implies(some, t.compare(like(c, p), "=", in_whole(p)))

    @property
    def part_knowing(self) -> list[str]:
        """The agents that know some quasi-identifiers only."""
        kinds = set(self.knows.values())
        return sorted(kinds - {"a0", "a1"})

    def like(self, kind: str, c: int, chosen: Chosen) -> t.LinearSum:
        """The rows with these profiles in what an agent sees around class c (for a0:
        scaled to the class).
        """
        profiles = [p for p, wanted in enumerate(chosen) if wanted]
        if kind == "a0":
            return t.added(like(c, p) for p in profiles)
        return t.added(around(kind, c, p) for p in profiles)

    def unit(self, agents: Sequence[str], c: int) -> Scales:
        """The rows that the likelihoods of these agents are shares of.

        Raises Undecided where two agents see different rows.
        """
        kinds = {self.knows[agent] for agent in agents}
        others = kinds - {"a0", "a1"}
        if others and len(kinds) > 1:
            raise Undecided(
                "likelihoods of agents with other knowledge stand in one sum"
            )
        scales = dict.fromkeys(agents, 1)
        if not agents:
            return t.whole(1), scales
        if others:
            return self.like(others.pop(), c, self.everything()), scales
        return self.size(c), scales

    def measure(self, agent: str, body: s.Formula, world: World) -> t.LinearSum:
        """How many rows that the agent takes for possible satisfy the body, scaled.

        Raises Undecided where that takes more than counts of descriptors.
        """
        c = self.cells[world.cell].cls
        if self.knows[agent] == "a1":
            return self.count(body, [c], world.points)
        # Only what a row says by itself can be counted by profiles.
        if not propositional(body):
            raise Undecided(self._too_much(agent))
        return self.like(self.knows[agent], c, self.plain(body))

    def _too_much(self, agent: str) -> str:
        """Why what an agent knows has no form here.

        ``write_inner`` has written schemas over individuals as what a0 knows: where no
        formula speaks of a0, such a schema is meant.
        """
        if agent == "a0" and not self._speaks_of_a0():
            return (
                "a schema over individuals inside a formula speaks of all classes, and"
                " of more than descriptors"
            )
        return f"what {agent} knows of other classes is more than descriptors"

    def _speaks_of_a0(self) -> bool:
        """Whether a formula names a0, as it was given."""
        for formula in self.case.frame.formulas():
            for node in s.subformulas(formula):
                if "a0" in agents(node):
                    return True
        return False

    def seen(self, agent: str, body: s.Formula, world: World) -> t.Term:
        """Some row that the agent takes for possible satisfies the body."""
        if self.knows[agent] == "a1":
            return self.among(body, [self.cells[world.cell].cls], world.points)
        return t.compare(self.measure(agent, body, world), ">", 0)

    def schema(self, formula: s.Quantified, world: World) -> t.Term:
        """Raises Undecided: the classes at hand are some classes only."""
        raise Undecided(
            "a schema over individuals inside a formula speaks of all classes"
        )

    # Criteria


def like(c: int, p: int) -> t.LinearSum:
    """The rows of a profile in class c if it were like the table."""
    return t.number(f"u{c}_{p}")


def in_whole(p: int) -> t.LinearSum:
    """The rows of a profile in the table as one class."""
    return t.number(f"nw0_{p}")


def around(agent: str, c: int, p: int) -> t.LinearSum:
    """The rows of a profile that an agent with partial knowledge does not tell from
    those of class c.
    """
    return t.number(f"b {agent} {c} {p}")


def _kind(agent: str, known: set[str], quasi: set[str]) -> str:
    """Who knows all quasi-identifiers is like a1, who knows none like a0."""
    if quasi and known == quasi:
        return "a1"
    return agent if known else "a0"
