"""The full encoding: the negated question with nothing precomputed, as SMT-LIB text
that a person can read.

Unknown are the world, the row of every mentioned individual and every schema variable.
Classes and values are given as facts, row by row; likelihoods are sums over rows.  It
shares nothing with the quotient, needs no lemma, and is for small tables: the plain
text of what a verdict means.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.logic.printer import to_text
from phverify.spec import syntax as s
from phverify.spec.fold import fold
from phverify.spec.instances import TooLarge
from phverify.spec.linear import cleared
from phverify.spec.nominals import mentioned
from phverify.spec.schemas import apart, expand, size
from phverify.spec.source import Values
from phverify.symbolic.release import SymbolicRelease
from phverify.symbolic.sums import TermCarrier, compared, weighed

LIMIT = 20_000


def full_question(
    formula: s.Formula,
    given: s.Formulas,
    release: SymbolicRelease,
    deadline: Deadline,
    comments: bool = True,
) -> FullQuestion:
    """The negated rule in full.  Raises TooLarge and BudgetExceeded."""
    encoder = _FullEncoder(release, deadline, comments)
    return encoder.question(formula, given)


@dataclass(frozen=True, eq=False)
class FullQuestion:
    """The text, the formula below its outermost schemas, and those schemas'
    variables.
    """

    text: str
    body: s.Formula
    binders: s.Binders
    people: tuple[s.Person, ...]


@dataclass(eq=False)
class _FullEncoder(TermCarrier[int]):
    """A formula at a row as a constraint."""

    release: SymbolicRelease
    deadline: Deadline
    comments: bool = True
    clauses: s.Binders = ()
    known: dict[tuple[s.Formula, int], t.Term] = field(default_factory=dict)
    _cells: dict[str, list[int]] = field(default_factory=dict)

    @property
    def rows(self) -> range:
        """The rows of the release, from 0."""
        return range(self.release.quotient.rows)

    def labels(self, attribute: str) -> Values:
        """The values of a column."""
        column = self.release.columns[attribute]
        return column.labels

    def question(self, formula: s.Formula, given: s.Formulas) -> FullQuestion:
        body, binders = self.peeled(apart(self.criteria(formula)))
        body = self.written(body)
        given = tuple(self.written(self.criteria(assumption)) for assumption in given)
        named, _ = mentioned([body, *given])
        people = sorted(named, key=lambda person: person.index)
        self.clauses = tuple(b for b in binders if b.sort == "clauses")
        title: list[str] = []
        if self.comments:
            title = [f"somewhere this is false: {to_text(body)}", *self.facts()]
        assumed: list[t.Term] = []
        # an assumption is true at every row
        for assumption in given:
            assumed += [self.truth(assumption, row) for row in self.rows]
        # Unsatisfiable: in every model of the assumptions the rule is true everywhere.
        asked = [*self.lawful(people), *assumed, self.fails(body)]
        # A value of the data may hold line breaks: a comment ends with its line.
        lines = [" ".join(line.split()) for line in title]
        text = script(asked, "\n".join(lines), logic=True)
        return FullQuestion(text, body, tuple(binders), tuple(people))

    def lawful(self, people: list[s.Person]) -> Iterator[t.Term]:
        """Two individuals are never on one row, and a clause has between one and so
        many values.
        """
        for one, other in combinations(people, 2):
            yield t.neg(t.equal(self.place(one) - self.place(other), 0))
        for binder in self.clauses:
            name = binder.var.name
            values = range(len(self.labels(binder.attribute)))
            members = [t.Unknown(clause(name, value)) for value in values]
            chosen = t.count((1, member) for member in members)
            # at most so many: the negated number is at least the negated length
            yield t.conj(
                (t.at_least(chosen, 1), t.at_least(-1 * chosen, -binder.length))
            )

    def fails(self, body: s.Formula) -> t.Term:
        """The body is false at the world."""
        world = unknown(t.Variable("world", 0, self.rows[-1]))
        # Row by row: the first row that is certain ends it.
        failures = (self._fails_at(body, world, row) for row in self.rows)
        return t.disj(failures)

    def _fails_at(self, body: s.Formula, world: t.LinearSum, row: int) -> t.Term:
        here = t.equal(world, row)
        return t.conj((here, t.neg(self.truth(body, row))))

    def criteria(self, formula: s.Formula) -> s.Formula:
        """Criteria by their theorems' formulas."""
        if isinstance(formula, s.Criterion):
            criterion = self.release.criteria[formula]
            if criterion.attribute:
                values = len(
                    self.release.signature.attributes[criterion.attribute].domain
                )
            else:
                values = 0
            # The formula has a case for each histogram: it is counted before it is
            # written.
            if criterion.histograms(len(self.rows), values) > LIMIT:
                raise TooLarge(f"{criterion.name} has too many histograms")
            return criterion.formula(self.release.signature)
        return s.rebuild(formula, self.criteria)

    def peeled(self, formula: s.Formula) -> tuple[s.Formula, list[s.Binder]]:
        """The formula below its outermost schemas, whose variables become unknowns."""
        binders: list[s.Binder] = []
        while isinstance(formula, s.Quantified) and formula.universal:
            # a second variable of the same name would be the same unknown
            used = {binder.var.name for binder in binders}
            if any(
                binder.var.name in used or binder.sort == "agents"
                for binder in formula.binders
            ):
                break
            binders += formula.binders
            formula = formula.body
        return formula, binders

    def written(self, formula: s.Formula) -> s.Formula:
        """Schemas further in, written out."""
        for node in s.subformulas(formula):
            binders = node.binders if isinstance(node, s.Quantified) else ()
            if (
                math.prod(size(binder, self.release.signature) for binder in binders)
                > LIMIT
            ):
                raise TooLarge("a schema inside the formula has too many instances")
        return expand(formula, self.release.signature)

    # Facts and unknowns

    def seen(self, agent: str, row: int) -> list[int]:
        """The rows that an agent cannot tell from one."""
        if agent not in self._cells:
            classes = self.release.class_of_rows(self.rows)
            self._cells[agent] = self.release.ground.agent_cells(agent)[
                classes
            ].tolist()
        cells = self._cells[agent]
        return [w for w in self.rows if cells[w] == cells[row]]

    def facts(self) -> Iterator[str]:
        """The rows, in words."""
        names = (*self.release.quotient.quasi, *self.release.quotient.others)
        for row in self.rows:
            said = []
            for name in names:
                label = self.labels(name)[self.code(name, row)]
                said.append(f"{name} = {label}")
            yield f"row {row}: {', '.join(said)}"

    def code(self, attribute: str, row: int) -> int:
        """The number of a row's value in the column's labels."""
        return int(self.release.codes(attribute, row))

    def place(self, name: s.Reference) -> t.LinearSum:
        """The row of an individual; a variable's is all there is to choose, since every
        row holds someone.
        """
        match name:
            case s.Row(index):
                return t.whole(index)
            case s.Person(index):
                # a1 sees the release: what it cannot tell from home is the own class.
                own = tuple(self.seen("a1", self.release.home_of(index)))
                return unknown(t.Variable(f"at_i{index + 1}", own[0], own[-1], own))
        assert isinstance(name, s.Var)
        return unknown(t.Variable(f"var_{name.name}", 0, self.rows[-1]))

    # Definition 4, row by row

    def truth(self, formula: s.Formula, row: int) -> t.Term:
        key = formula, row
        term = self.known.get(key)
        if term is None:
            self.deadline.check()
            term = fold(self, formula, row)
            self.known[key] = term
        return term

    def chosen(self, formula: s.Chosen, row: int) -> t.Term:
        """The clause has the row's value."""
        name = formula.var.name
        binder = next(b for b in self.clauses if b.var.name == name)
        value = self.code(binder.attribute, row)
        return t.Unknown(clause(name, value))

    def nominal(self, formula: s.Nominal, row: int) -> t.Term:
        """The individual is on this row."""
        place = self.place(formula.name)
        return t.equal(place, row)

    def somewhere(
        self, formula: s.Diamond | s.Box, agent: str, wanted: bool, row: int
    ) -> t.Term:
        """Some row that the agent cannot tell from this one has the wanted truth."""
        # A box fails where a row has not its body: both are one disjunction.
        body = formula.body if wanted else s.Not(formula.body)
        around = self.seen(agent, row)
        return t.disj(self.truth(body, world) for world in around)

    def at(self, formula: s.At, row: int) -> t.Term:
        """The body is true on the row where the individual is."""
        place = self.place(formula.name)
        # one by one: the disjunction stops at the first that is certainly true
        somewhere = (
            t.conj((t.equal(place, world), self.truth(formula.body, world)))
            for world in self.rows
        )
        return t.disj(somewhere)

    def compare(self, formula: s.Compare, difference: s.Linear, row: int) -> t.Term:
        """Multiplied by all denominators."""
        linear = cleared(difference)
        seen = {agent: self.seen(agent, row) for agent in linear.agents}
        # agents' cells differ in size: all shares over one denominator
        scale = math.lcm(1, *map(len, seen.values()))

        def counted(term: s.Likelihood) -> t.LinearSum:
            rows = seen[str(term.agent)]
            return (
                scale
                // len(rows)
                * t.count((1, self.truth(term.body, w)) for w in rows)
            )

        return compared(weighed(linear, t.LinearSum(scale), counted), formula.op)

    def descriptor(self, formula: s.Descriptor, row: int) -> t.Term:
        """Each value that is named as it is; for a variable, each value that it may
        stand for.
        """
        labels = self.labels(formula.attribute)
        here = labels[self.code(formula.attribute, row)]
        kind = self.release.signature.attributes[formula.attribute]
        named = [v.text for v in formula.values if isinstance(v, s.Value)]
        variables = [v.name for v in formula.values if isinstance(v, s.Var)]
        if named or not variables:
            cases = [t.constant(here in kind.matches(formula.op, named))]
        else:
            cases = []
        for name in variables:
            picked = unknown(t.Variable(f"pick_{name}", 0, len(labels) - 1))
            meant = [
                k
                for k, label in enumerate(labels)
                if here in kind.matches(formula.op, [label])
            ]
            cases += [t.equal(picked, k) for k in meant]
        return t.disj(cases)


def unknown(variable: t.Variable) -> t.LinearSum:
    """A variable as a sum."""
    return t.LinearSum(plain=((1, variable),))


def clause(name: str, value: int) -> str:
    """The unknown that says whether a clause has a value."""
    return f"clause_{name}_{value}"
