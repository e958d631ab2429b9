"""Questions about integers, asked of Z3 (as SMT-LIB text) and, where it is installed, of CP-SAT and cvc5.

An answer is never guessed: unknown is unknown.  What a solver calls satisfiable is evaluated again here; what it
calls unsatisfiable is asked of a second solver by ``settled``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from phverify.audit import integers as t
from phverify.audit.merging import Merged, merged
from phverify.errors import Defect
from phverify.smt import second
from phverify.smt.hitting import LARGEST
from phverify.smt.hitting import available as cp_available
from phverify.smt.smtlib import number
from phverify.smt.solver import Deadline, solve

DOMAINS = ("the declared domains",)
"""Who said so where a constraint contradicts the domains by itself."""


@dataclass(frozen=True)
class Outcome:
    """``status`` is sat (with ``values``), unsat or unknown (with the reason); ``by`` says who found out."""

    status: str
    values: t.Assignment = field(default_factory=dict)
    reason: str = ""
    by: tuple[str, ...] = ()


def ask(terms: Sequence[t.Term], deadline: Deadline) -> Outcome:
    """The first solver's answer: CP-SAT, or Z3 where CP-SAT is not installed, cannot hold the numbers, or gives up."""
    return _asked(terms, merged(terms), deadline)


def settled(terms: Sequence[t.Term], deadline: Deadline) -> Outcome:
    """As ``ask``, and unsat only when a second solver says so too; raises Defect when two solvers contradict."""
    fewer = merged(terms)
    found = _asked(terms, fewer, deadline)
    if found.status != "unsat" or found.by == DOMAINS:
        return found
    for other in (z3_ask, cvc5_ask):
        if found.by == ("Z3",) and other is z3_ask:
            continue
        again = other(fewer.terms, deadline)
        if again.status == "sat":
            raise Defect(f"{found.by[0]} says unsat and {again.by[0]} says sat")
        if again.status == "unsat":
            return Outcome("unsat", by=(*found.by, *again.by))
    return Outcome("unknown", reason=f"{found.by[0]} says that it follows, and no second solver confirmed it in time")


def _asked(terms: Sequence[t.Term], fewer: Merged, deadline: Deadline) -> Outcome:
    """The question over fewer unknowns, and the answer over all of them."""
    if any(term is t.FALSE for term in terms):
        return Outcome("unsat", by=DOMAINS)
    left = deadline.left()
    if left is not None and left <= 0:
        return Outcome("unknown", reason="no time was left")
    found = cp_ask(fewer.terms, deadline)
    if found.status == "unknown":
        found = z3_ask(fewer.terms, deadline)
    if found.status != "sat":
        return found
    values = fewer.spread(found.values)
    if not all(t.evaluate(term, values) for term in terms):
        raise Defect(f"{found.by[0]} gave values that violate a constraint")
    return Outcome("sat", values, by=found.by)


# Z3 and cvc5: text


def text(terms: Sequence[t.Term]) -> str:
    """The question as SMT-LIB 2.6, linear integer arithmetic."""
    writer = _Writer()
    asserted = [f"(assert {writer.formula(term)})" for term in terms]
    found = t.unknowns(terms)
    lines = ["(set-logic QF_LIA)"]
    for v in found.variables.values():
        lines.append(f"(declare-const {v.name} Int)")
        lines.append(f"(assert (and (<= {number(v.low)} {v.name}) (<= {v.name} {number(v.high)})))")
        if v.values:
            lines.append(f"(assert (or {' '.join(f'(= {v.name} {number(x)})' for x in v.values)}))")
    lines += [f"(declare-const {name} Bool)" for name in sorted(found.flags)]
    return "\n".join([*lines, *writer.definitions, *asserted, "(check-sat)", ""])


class _Writer:
    """Writes terms; a long term that occurs again is defined once."""

    def __init__(self) -> None:
        self.definitions: list[str] = []
        self.names: dict[int, str] = {}

    def formula(self, term: t.Term) -> str:
        if isinstance(term, t.Constant):
            return "true" if term.value else "false"
        if isinstance(term, t.Flag):
            return term.name
        if id(term) not in self.names:
            written = self.compound(term)
            self.names[id(term)] = written
            if len(written) >= 60:
                self.names[id(term)] = name = f"e{len(self.definitions)}"
                self.definitions.append(f"(define-fun {name} () Bool {written})")
        return self.names[id(term)]

    def compound(self, term: t.Term) -> str:
        match term:
            case t.Neg(body):
                return f"(not {self.formula(body)})"
            case t.Conj(parts):
                return f"(and {' '.join(map(self.formula, parts))})"
            case t.Disj(parts):
                return f"(or {' '.join(map(self.formula, parts))})"
            case t.Within(body, low, high) if low == high:
                return f"(= {self.sum(body)} {number(low)})"
            case t.Within(body, low, high):
                written = self.sum(body)
                return f"(and (<= {number(low)} {written}) (<= {written} {number(high)}))"
        raise TypeError(f"no term: {term!r}")

    def sum(self, body: t.Sum) -> str:
        pieces = [(c, v.name) for c, v in body.plain]
        pieces += [(c, f"(ite {self.formula(g)} 1 0)") for c, g in body.counts]
        pieces += [(c, f"(ite {self.formula(g)} {v.name} 0)") for c, g, v in body.gated]
        written = [x if c == 1 else f"(* {number(c)} {x})" for c, x in pieces]
        written += [number(body.constant)] if body.constant or not written else []
        return written[0] if len(written) == 1 else f"(+ {' '.join(written)})"


def z3_ask(terms: Sequence[t.Term], deadline: Deadline) -> Outcome:
    found = solve(text(terms), deadline)
    if found.status != "sat":
        return Outcome(found.status, reason=found.reason, by=("Z3",))
    asked = t.unknowns(terms)
    values = {v.name: found.values.get(v.name, v.values[0] if v.values else v.low) for v in asked.variables.values()}
    return Outcome("sat", values | {name: found.values.get(name, 0) for name in asked.flags}, by=("Z3",))


def cvc5_ask(terms: Sequence[t.Term], deadline: Deadline) -> Outcome:
    left = deadline.left()
    if not second.available() or (left is not None and left <= 0):
        return Outcome("unknown", reason="there is no second solver, or no time for it")
    found = second.second(text(terms), 60.0 if left is None else left)
    return Outcome(found.status, reason=found.reason, by=("cvc5",))


# CP-SAT


def cp_ask(terms: Sequence[t.Term], deadline: Deadline) -> Outcome:
    """CP-SAT's answer; unknown where it is not installed or cannot hold the numbers."""
    built = _cp_built(terms)
    if built is None:
        return Outcome("unknown", reason="CP-SAT is not installed, or cannot hold the numbers")
    status, solver = _cp_run(built.model, deadline)
    if status not in ("optimal", "feasible"):
        return Outcome(status, reason="CP-SAT did not finish in time" if status == "unknown" else "", by=("CP-SAT",))
    return Outcome("sat", built.values(solver), by=("CP-SAT",))


def extreme(terms: Sequence[t.Term], variable: t.Variable, sign: int, deadline: Deadline) -> Outcome:
    """Values with the least (``sign`` 1) or greatest (-1) variable; unknown where CP-SAT does not know."""
    alone = t.within(t.Sum(plain=((2, variable),)), None, 2 * variable.high - 1)  # keeps it out of every sum
    fewer = merged([*terms, t.disj((alone, t.neg(alone)))])
    built = _cp_built(fewer.terms)
    if built is None:
        return Outcome("unknown", reason="CP-SAT is not installed, or cannot hold the numbers")
    built.model.minimize(sign * built.variable(variable))
    status, solver = _cp_run(built.model, deadline)
    if status not in ("optimal", "feasible"):
        return Outcome(status, by=("CP-SAT",))
    return Outcome("sat" if status == "optimal" else "unknown", fewer.spread(built.values(solver)), by=("CP-SAT",))


def _cp_built(terms: Sequence[t.Term]) -> _Builder | None:
    if not cp_available():
        return None
    from ortools.sat.python import cp_model

    builder = _Builder(cp_model, cp_model.CpModel())
    try:
        for term in terms:
            builder.require(term)
    except OverflowError:
        return None
    return builder


def _cp_run(model: Any, deadline: Deadline) -> tuple[str, Any]:
    """optimal, feasible, unsat or unknown, and the solver with the values."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.catch_sigint_signal = False  # Ctrl-C is Python's to handle
    left = deadline.left()
    if left is not None:
        if left <= 0:
            return "unknown", solver
        solver.parameters.max_time_in_seconds = left
    status = solver.solve(model)
    if status == cp_model.MODEL_INVALID:
        raise Defect("CP-SAT refused a question")
    names = {cp_model.OPTIMAL: "optimal", cp_model.FEASIBLE: "feasible", cp_model.INFEASIBLE: "unsat"}
    return names.get(status, "unknown"), solver


class _Builder:
    """Terms as a CP-SAT model.  ``require`` states a term; ``literal`` names its truth.  Raises OverflowError."""

    def __init__(self, cp: Any, model: Any) -> None:
        self.cp, self.model = cp, model
        self.variables: dict[str, Any] = {}
        self.flags: dict[str, Any] = {}
        self.literals: dict[int, Any] = {}
        self.sums: dict[int, Any] = {}
        self.products: dict[tuple[int, str], Any] = {}

    def values(self, solver: Any) -> dict[str, int]:
        found = {name: int(solver.value(x)) for name, x in self.variables.items()}
        return found | {name: int(solver.boolean_value(x)) for name, x in self.flags.items()}

    def variable(self, v: t.Variable) -> Any:
        if v.name not in self.variables:
            domain = self.cp.Domain.from_values(v.values) if v.values else self.cp.Domain(v.low, v.high)
            self.variables[v.name] = self.model.new_int_var_from_domain(domain, v.name)
        return self.variables[v.name]

    def require(self, term: t.Term) -> None:
        match term:
            case t.Conj(parts):
                for part in parts:
                    self.require(part)
            case t.Disj(parts):
                self.model.add_bool_or([self.literal(part) for part in parts])
            case t.Within(body, low, high):
                self.model.add_linear_expression_in_domain(self.sum(body), self.cp.Domain(low, high))
            case _:
                self.model.add_bool_or([self.literal(term)])

    def literal(self, term: t.Term) -> Any:
        if isinstance(term, t.Flag):
            if term.name not in self.flags:
                self.flags[term.name] = self.model.new_bool_var(term.name)
            return self.flags[term.name]
        if isinstance(term, t.Neg):
            return self.literal(term.body).negated()
        if id(term) not in self.literals:
            self.literals[id(term)] = self.compound(term)
        return self.literals[id(term)]

    def compound(self, term: t.Term) -> Any:
        if isinstance(term, t.Constant):
            return self.model.new_constant(int(term.value))
        b = self.model.new_bool_var("")
        match term:
            case t.Conj(parts):
                inside = [self.literal(part) for part in parts]
                self.model.add_bool_and(inside).only_enforce_if(b)
                self.model.add_bool_or([*(x.negated() for x in inside), b])
            case t.Disj(parts):
                inside = [self.literal(part) for part in parts]
                self.model.add_bool_or(inside).only_enforce_if(b)
                self.model.add_bool_and([x.negated() for x in inside]).only_enforce_if(b.negated())
            case t.Within(body, low, high):
                expression, domain = self.named(body), self.cp.Domain(low, high)
                self.model.add_linear_expression_in_domain(expression, domain).only_enforce_if(b)
                outside = domain.complement()
                self.model.add_linear_expression_in_domain(expression, outside).only_enforce_if(b.negated())
        return b

    def sum(self, body: t.Sum) -> Any:
        if max(map(abs, t.bounds(body))) >= LARGEST:
            raise OverflowError
        pieces = [(c, self.variable(v)) for c, v in body.plain]
        pieces += [(c, self.literal(g)) for c, g in body.counts]
        pieces += [(c, self.product(g, v)) for c, g, v in body.gated]
        expressions, factors = [x for _, x in pieces], [c for c, _ in pieces]
        return self.cp.LinearExpr.weighted_sum(expressions, factors) + body.constant

    def named(self, body: t.Sum) -> Any:
        """A sum that several terms compare: a long one is an integer of its own, made once."""
        if len(body.plain) + len(body.counts) + len(body.gated) < 8:
            return self.sum(body)
        if id(body) not in self.sums:
            self.sums[id(body)] = self.model.new_int_var(*t.bounds(body), "")
            self.model.add(self.sum(body) == self.sums[id(body)])
        return self.sums[id(body)]

    def product(self, gate: t.Term, v: t.Variable) -> Any:
        """``[gate] * v``, made once."""
        if (id(gate), v.name) not in self.products:
            b, x = self.literal(gate), self.variable(v)
            p = self.model.new_int_var(min(0, v.low), max(0, v.high), "")
            self.model.add(p == x).only_enforce_if(b)
            self.model.add(p == 0).only_enforce_if(b.negated())
            self.products[id(gate), v.name] = p
        return self.products[id(gate), v.name]
