"""What counting in the cells of the quotient settles, before any solver is asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phverify.exact import Bools, Ints
from phverify.logic.printer import individual
from phverify.spec import syntax as s
from phverify.spec.instances import Instance
from phverify.spec.walk import is_ground
from phverify.symbolic.instances import bindings
from phverify.symbolic.release import SymbolicRelease
from phverify.verification.assumptions import Assumptions
from phverify.verification.decision import Decision
from phverify.verification.decode import Labels, Leak, chosen_path

Grounded = tuple[s.Person | s.Var | None, s.Formula]
"""Who a ground formula is said of by ``@i`` (None: it is said of everywhere)."""


def grounded(body: s.Formula) -> Grounded | None:
    """A ground formula and who it is said of; None for any other formula."""
    if is_ground(body):
        return None, body
    match body:
        case s.At(s.Person() | s.Var() as name, inner) if is_ground(inner):
            return name, inner
    return None


@dataclass(frozen=True, eq=False)
class RuleCounting:
    """Counts for the rules of one release under assumptions."""

    release: SymbolicRelease
    assumptions: Assumptions

    def settled(self, instance: Instance) -> Decision | None:
        """The decision on an instance that counting settles; None for others.

        Anyone can be on any row of the own class, unless assumptions say more.
        """
        said_of = grounded(instance.body)
        if said_of is None:
            return None
        name, body = said_of
        ground = self.release.ground
        view = ground.everything
        if isinstance(name, s.Person):
            view = ground.some(np.array([self.release.class_of(name)]))
        truth = ground.truth(body, view)
        # True on every row is true wherever people are: assumptions change nothing.
        if truth.all():
            return Decision("proved")
        if name and self.assumptions.formulas:
            return None

        broken = view.cells[~truth]
        if name is None:
            leak = self._leak_anywhere(instance, body, broken)
        else:
            leak = self._leak_at(instance, name, body, broken)
        return Decision("refuted", leak)

    def _leak_anywhere(self, instance: Instance, body: s.Formula, broken: Ints) -> Leak:
        """The leak of a formula that names nobody, at a row of a cell that breaks
        it.
        """
        row = self._worst_row(body, broken)
        path = chosen_path(instance.path, {})
        # Nobody is named: any placement that meets the assumptions shows it.
        return Leak(body, self.assumptions.placed, row, bindings(instance), path)

    def _leak_at(
        self, instance: Instance, name: s.Person | s.Var, body: s.Formula, broken: Ints
    ) -> Leak:
        """The leak of what is said of someone, who is put on a row that breaks it."""
        row = self._worst_row(s.TRUE, broken)
        said = bindings(instance)
        chosen: dict[str, int | Labels] = {}
        person = self.release.someone(row) if isinstance(name, s.Var) else name
        if isinstance(name, s.Var):
            said[name.name] = individual(self.release.signature, person)
            chosen[name.name] = person.index + 1
        path = chosen_path(instance.path, chosen)
        # There are no assumptions here: nobody else needs a place.
        return Leak(s.At(person, body), {person.index: row}, row, said, path)

    def breaking(self, instance: Instance) -> Bools | None:
        """The classes in which counting alone shows that an instance fails; None where
        it does not settle it.
        """
        said_of = grounded(instance.body)
        if said_of is None:
            return None
        name, body = said_of
        quotient = self.release.quotient
        truth = self.release.ground.truth(body)
        first_cells = quotient.starts[:-1]
        failing: Bools = np.logical_or.reduceat(~truth, first_cells)
        if isinstance(name, s.Person):
            own_class = self.release.class_of(name)
            failing &= np.arange(quotient.classes) == own_class
        # An assumption may keep whoever is named from the rows that break it.
        some_fail = bool(failing.any())
        if name and some_fail and self.assumptions.formulas:
            return None
        return failing

    def _worst_row(self, body: s.Formula, broken: Ints) -> int:
        """A row of the cells where a formula is false: in the worst class for a
        criterion, else in the smallest.
        """
        release = self.release
        badness = -release.quotient.sizes
        if isinstance(body, s.Criterion):
            criterion = release.criteria[body]
            histogram = release.ground.histogram(criterion.attribute)
            badness = criterion.badness(histogram)
        classes = release.quotient.class_of_cell[broken]
        # of equally bad cells the first is taken, so that each run shows the same row
        worst = int(np.argmax(badness[classes]))
        cell = int(broken[worst])
        return release.first_row(cell)
