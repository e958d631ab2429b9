"""The full encoding: the negated question with nothing precomputed, as SMT-LIB text that a person can read.

Unknown are the world, the row of every mentioned individual and every schema variable.  Classes and
descriptors are given as facts, row by row; likelihoods are sums over rows.  It shares nothing with the
quotient, needs no lemma, and is for small tables: the plain text of what a verdict means.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from phverify.budget import Deadline
from phverify.constraints.smtlib import symbol
from phverify.constraints.solver import Answer, solve
from phverify.errors import BudgetExceeded
from phverify.logic.printer import to_text
from phverify.spec import syntax as s
from phverify.spec.fold import Carrier, fold
from phverify.spec.nominals import mentioned
from phverify.spec.safety import asks_all_models
from phverify.spec.schemas import Substitution, apart, assignments, expand, size
from phverify.symbolic.instances import Instance, TooLarge
from phverify.symbolic.release import Release
from phverify.verification.decode import Leak
from phverify.verification.replay import replay
from phverify.verification.rule import Assumptions, Decider, Decision

LIMIT = 20_000


def decide_full(
    formula: s.Formula, release: Release, assumptions: Assumptions, deadline: Deadline, comments: bool = True
) -> Decision:
    """Decide a rule by the full encoding.  Without ``comments`` the text holds no value of the data."""
    if asks_all_models(formula):
        return FullDecider(release, assumptions, deadline).decide(formula)
    try:
        question = full_question(formula, assumptions.formulas, release, deadline, comments)
    except (BudgetExceeded, TooLarge) as error:
        return Decision("undecided", reason=f"{error} while writing out the question")
    answer = solve(question.text, deadline)
    if answer.status == "unsat":
        return Decision("proved", queries=1)
    if answer.status == "unknown":
        return Decision("undecided", reason=answer.reason, query=question.text, queries=1)
    leak, model = replay(_decode(question, release, answer), assumptions.formulas, release)
    return Decision("refuted", leak, queries=1, model=model)


class FullDecider(Decider):
    """Decides rules with ``never_known`` by the full encoding: individual by individual, clause by clause."""

    def _candidates(self, instance: Instance) -> Iterator[Substitution]:
        individuals = tuple(s.Binder(var, "individuals") for var in instance.people)
        return assignments((*individuals, *instance.clauses), self.release.signature)

    def _settled(self, instance: Instance) -> None:
        return None

    def _asked(self, instance: Instance) -> Decision:
        individuals = tuple(s.Binder(var, "individuals") for var in instance.people)
        binders = (*individuals, *instance.clauses)
        return self._valid(s.Quantified(True, binders, instance.body) if binders else instance.body)

    def _breaking(self, instance: Instance) -> None:
        return None

    def _valid(self, formula: s.Formula) -> Decision:
        decision = decide_full(formula, self.release, self.assumptions, self.deadline)
        self.queries += decision.queries
        return decision


def full_question(
    formula: s.Formula, given: tuple[s.Formula, ...], release: Release, deadline: Deadline, comments: bool = True
) -> FullQuestion:
    """The negated rule in full.  Raises TooLarge and BudgetExceeded."""
    return _Full(release, deadline, comments).question(formula, given)


@dataclass(frozen=True, eq=False)
class FullQuestion:
    """The text, the formula below its outermost schemas, and those schemas' variables."""

    text: str
    body: s.Formula
    binders: tuple[s.Binder, ...]
    people: tuple[s.Person, ...]


@dataclass(eq=False)
class _Full(Carrier[str, int]):
    """A carrier whose truth values are texts."""

    release: Release
    deadline: Deadline
    comments: bool = True
    lines: list[str] = field(default_factory=list)
    names: dict[tuple[s.Formula, int], str] = field(default_factory=dict)
    numbers: dict[s.Formula, int] = field(default_factory=dict)
    clauses: tuple[s.Binder, ...] = ()

    @property
    def rows(self) -> range:
        return range(self.release.quotient.rows)

    def question(self, formula: s.Formula, given: tuple[s.Formula, ...]) -> FullQuestion:
        body, binders = self.peeled(apart(self.criteria(formula)))
        body, given = self.written(body), tuple(self.written(self.criteria(f)) for f in given)
        people = sorted(mentioned([body, *given])[0], key=lambda p: p.index)
        self.clauses = tuple(b for b in binders if b.sort == "clauses")
        self.facts()
        self.placement(people)
        for binder in binders:
            self.variable(binder)
        for assumption in given:
            self.say("(assert (and true " + " ".join(self.truth(assumption, w) for w in self.rows) + "))")
        self.comment(f"somewhere this is false: {to_text(body)}")
        cases = [f"(and (= world {w}) (not {self.truth(body, w)}))" for w in self.rows]
        self.say(f"(assert (or false {' '.join(cases)}))")
        text = "\n".join(["(set-logic QF_LIRA)", *self.lines, "(check-sat)", ""])
        return FullQuestion(text, body, tuple(binders), tuple(people))

    def say(self, line: str) -> None:
        self.lines.append(line)

    def comment(self, text: str) -> None:
        if self.comments:
            self.say("; " + " ".join(text.split()))

    def criteria(self, formula: s.Formula) -> s.Formula:
        """Criteria by their theorems' formulas."""
        if isinstance(formula, s.Criterion):
            criterion = self.release.criteria[formula]
            values = len(self.release.signature.attributes[criterion.attribute].domain) if criterion.attribute else 0
            if criterion.histograms(len(self.rows), values) > LIMIT:
                raise TooLarge(f"{criterion.name} has too many histograms")
            return criterion.formula(self.release.signature)
        return s.rebuild(formula, self.criteria)

    def peeled(self, formula: s.Formula) -> tuple[s.Formula, list[s.Binder]]:
        """The formula below its outermost schemas, whose variables become unknowns."""
        binders: list[s.Binder] = []
        while isinstance(formula, s.Quantified) and formula.universal:
            used = {binder.var.name for binder in binders}
            if any(binder.var.name in used or binder.sort == "agents" for binder in formula.binders):
                break
            binders += formula.binders
            formula = formula.body
        return formula, binders

    def written(self, formula: s.Formula) -> s.Formula:
        """Schemas further in, written out."""
        for node in s.subformulas(formula):
            binders = node.binders if isinstance(node, s.Quantified) else ()
            if math.prod(size(binder, self.release.signature) for binder in binders) > LIMIT:
                raise TooLarge("a schema inside the formula has too many instances")
        return expand(formula, self.release.signature)

    def facts(self) -> None:
        """Which class each row is in, and its values."""
        release = self.release
        self.say("(declare-const world Int)")
        self.say(f"(assert (<= 0 world {len(self.rows) - 1}))")
        for agent in release.agents:
            cells = release.ground.agent_cells(agent)[release.class_of_rows(self.rows)].tolist()
            self.fact(f"cell_{agent}", cells, f"what {agent} cannot tell apart")
        for name in (*release.quotient.quasi, *release.quotient.others):
            column = release.columns[name]
            self.fact(
                f"value_{name}", column.codes.tolist(), ", ".join(f"{k} is {v}" for k, v in enumerate(column.labels))
            )

    def fact(self, name: str, values: list[int], comment: str) -> None:
        body = str(values[-1])
        for world in reversed(range(len(values) - 1)):
            body = f"(ite (= w {world}) {values[world]} {body})"
        self.comment(comment)
        self.say(f"(define-fun {symbol(name)} ((w Int)) Int {body})")

    def placement(self, people: list[s.Person]) -> None:
        """Every mentioned individual is on a row of the own class, two never on one."""
        for person in people:
            home = int(self.release.home[person.index])
            self.say(f"(declare-const at_i{person.index + 1} Int)")
            self.row(f"at_i{person.index + 1}", home)
        if len(people) > 1:
            self.say(f"(assert (distinct {' '.join(f'at_i{p.index + 1}' for p in people)}))")

    def row(self, name: str, home: int | None = None) -> None:
        self.say(f"(assert (<= 0 {name} {len(self.rows) - 1}))")
        if home is not None:
            self.say(f"(assert (= (cell_a1 {name}) (cell_a1 {home})))")

    def variable(self, binder: s.Binder) -> None:
        """The unknown behind a schema variable.

        An individual is on some row and every row holds someone, so that its row is all there is to choose.
        """
        name = binder.var.name
        if binder.sort == "individuals":
            self.say(f"(declare-const {symbol('var_' + name)} Int)")
            self.row(symbol("var_" + name))
            return
        size = len(self.release.columns[binder.attribute].labels)
        if binder.sort == "values":
            self.say(f"(declare-const {symbol('pick_' + name)} Int)")
            self.say(f"(assert (<= 0 {symbol('pick_' + name)} {size - 1}))")
            return
        chosen = [symbol(f"clause_{name}_{k}") for k in range(size)]
        self.lines += [f"(declare-const {c} Int)\n(assert (<= 0 {c} 1))" for c in chosen]
        self.say(f"(assert (<= 1 (+ 0 {' '.join(chosen)}) {binder.length}))")

    def truth(self, formula: s.Formula, world: int) -> str:
        """The name of the formula's truth at a world, defined when first needed."""
        key = formula, world
        if key not in self.names:
            self.deadline.check()
            text = fold(self, formula, world)
            number = self.numbers.setdefault(formula, len(self.numbers))
            self.names[key] = name = f"f{number}_at_{world}"
            self.say(f"(define-fun {name} () Bool {text})")
        return self.names[key]

    def constant(self, value: bool, world: int) -> str:
        return "true" if value else "false"

    def negation(self, truth: str, world: int) -> str:
        return f"(not {truth})"

    def conjunction(self, truths: Iterator[str], world: int) -> str:
        return f"(and true {' '.join(truths)})"

    def disjunction(self, truths: Iterator[str], world: int) -> str:
        return f"(or false {' '.join(truths)})"

    def implication(self, sides: Iterator[str], world: int) -> str:
        return f"(=> {' '.join(sides)})"

    def same(self, left: str, right: str, world: int) -> str:
        return f"(= {left} {right})"

    def chosen(self, formula: s.Chosen, world: int) -> str:
        return self.disjunction(self.in_clause(formula.var.name, world), world)

    def nominal(self, formula: s.Nominal, world: int) -> str:
        return f"(= {self.place(formula.name)} {world})"

    def somewhere(self, formula: s.Diamond | s.Box, agent: str, wanted: bool, world: int) -> str:
        seen = (f"(and {self.together(agent, world, w)} {self.truth(formula.body, w)})" for w in self.rows)
        return self.disjunction(seen, world)

    def everywhere(self, formula: s.Box, agent: str, world: int) -> str:
        seen = (f"(=> {self.together(agent, world, w)} {self.truth(formula.body, w)})" for w in self.rows)
        return self.conjunction(seen, world)

    def at(self, formula: s.At, world: int) -> str:
        here = self.place(formula.name)
        return self.disjunction((f"(and (= {here} {w}) {self.truth(formula.body, w)})" for w in self.rows), world)

    def compare(self, formula: s.Compare, difference: s.Linear, world: int) -> str:
        sign = {"!=": "distinct"}.get(formula.op, formula.op)
        return f"({sign} {self.sum(formula.left, world)} {self.sum(formula.right, world)})"

    def in_clause(self, name: str, world: int) -> Iterator[str]:
        binder = next(b for b in self.clauses if b.var.name == name)
        for k in range(len(self.release.columns[binder.attribute].labels)):
            there = f"(= ({symbol('value_' + binder.attribute)} {world}) {k})"
            yield f"(and {there} (= {symbol(f'clause_{name}_{k}')} 1))"

    def place(self, name: s.Reference) -> str:
        match name:
            case s.Row(index):
                return str(index)
            case s.Person(index):
                return f"at_i{index + 1}"
        assert isinstance(name, s.Var)
        return symbol("var_" + name.name)

    def together(self, agent: str, a: int, b: int) -> str:
        cell = symbol(f"cell_{agent}")
        return f"(= ({cell} {a}) ({cell} {b}))"

    def descriptor(self, formula: s.Descriptor, world: int) -> str:
        """Each value that is named as it is; for a variable, each value that it may stand for."""
        named = [v for v in formula.values if isinstance(v, s.Value)]
        variables = [v for v in formula.values if isinstance(v, s.Var)]
        if not variables:
            return self.one_of(formula, tuple(named), world)
        cases = [self.one_of(formula, tuple(named), world)] if named else []
        for variable in variables:
            picked = symbol("pick_" + variable.name)
            for k, label in enumerate(self.release.columns[formula.attribute].labels):
                cases.append(f"(and (= {picked} {k}) {self.one_of(formula, (s.Value(label),), world)})")
        return f"(or false {' '.join(cases)})"

    def one_of(self, formula: s.Descriptor, values: tuple[s.Value, ...], world: int) -> str:
        """Whether the value at a world is one of those for which the descriptor with these values holds."""
        here = f"({symbol('value_' + formula.attribute)} {world})"
        plain = s.Descriptor(formula.attribute, formula.op, values)
        matching = self.release.signature.attributes[formula.attribute].matches(formula.op, s.texts(plain))
        labels = self.release.columns[formula.attribute].labels
        codes = [k for k, label in enumerate(labels) if label in matching]
        return f"(or false {' '.join(f'(= {here} {k})' for k in codes)})"

    def sum(self, linear: s.Linear, world: int) -> str:
        pieces = [f"(* {rational(c)} {self.quantity(q, world)})" for c, q in linear.terms]
        return f"(+ 0.0 {rational(linear.constant)} {' '.join(pieces)})"

    def quantity(self, quantity: s.Likelihood | s.Abs, world: int) -> str:
        if isinstance(quantity, s.Abs):
            inner = self.sum(quantity.body, world)
            return f"(ite (>= {inner} 0.0) {inner} (- {inner}))"
        agent = str(quantity.agent)
        cells = self.release.ground.agent_cells(agent)[self.release.class_of_rows(self.rows)]
        cell = [w for w in self.rows if cells[w] == cells[world]]
        ones = " ".join(f"(ite {self.truth(quantity.body, w)} 1.0 0.0)" for w in cell)
        return f"(/ (+ 0.0 {ones}) {len(cell)}.0)"


def rational(value: Fraction) -> str:
    """A rational in SMT-LIB."""
    if value < 0:
        return f"(- {rational(-value)})"
    return f"(/ {value.numerator}.0 {value.denominator}.0)"


def _decode(question: FullQuestion, release: Release, answer: Answer) -> Leak:
    """The leak behind a model of the full encoding."""
    values = answer.values
    place = {p.index: values.get(f"at_i{p.index + 1}", 0) for p in question.people}
    chosen: dict[str, s.Reference | s.Operand | str | s.Formula] = {}
    for binder in question.binders:
        chosen[binder.var.name] = _choice(binder, release, values, place)
    said = {name: to_said(value) for name, value in chosen.items()}
    return Leak(s.substitute(question.body, chosen), place, values.get("world", 0), said)


def _choice(
    binder: s.Binder, release: Release, values: Mapping[str, int], place: dict[int, int]
) -> s.Reference | s.Operand | s.Formula:
    name = binder.var.name
    if binder.sort == "individuals":
        row = values.get(f"var_{name}", 0)
        taken = {r: i for i, r in place.items()}
        if row not in taken:
            person = release.someone(row, place)
            place[person.index] = row
            taken[row] = person.index
        return release.signature.person(taken[row])
    labels = release.columns[binder.attribute].labels
    if binder.sort == "values":
        return s.Value(labels[values.get(f"pick_{name}", 0)])
    return s.among(binder.attribute, tuple(v for k, v in enumerate(labels) if values.get(f"clause_{name}_{k}", 0)))


def to_said(value: object) -> str:
    """A chosen value in words."""
    if isinstance(value, s.Person):
        return value.text
    return to_text(value) if isinstance(value, s.Formula) else str(getattr(value, "text", value))
