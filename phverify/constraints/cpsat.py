"""Constraints over bounded integers as CP-SAT models.  With ``hitting`` the only file
that knows CP-SAT, an extra.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.hitting import LARGEST
from phverify.constraints.hitting import available as available
from phverify.errors import Defect


def built(terms: Sequence[t.Term]) -> CpBuilder | None:
    """The model of some terms; None without CP-SAT, or where a number is too large for
    it.
    """
    if not available():
        return None
    from ortools.sat.python import cp_model

    builder = CpBuilder(cp_model, cp_model.CpModel())
    try:
        for term in terms:
            builder.require(term)
    except OverflowError:
        return None
    return builder


def run(model: Any, deadline: Deadline) -> tuple[str, Any]:
    """optimal, feasible, unsat or unknown, and the solver with the values."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_presolve_iterations = (
        1  # most questions are small: presolve would be most of their time
    )
    solver.parameters.cp_model_probing_level = 1
    solver.parameters.catch_sigint_signal = False  # Ctrl-C is Python's to handle
    left = deadline.left()
    if left is not None:
        if left <= 0:
            return "unknown", solver
        solver.parameters.max_time_in_seconds = left
    status = solver.solve(model)
    if status == cp_model.MODEL_INVALID:
        raise Defect("CP-SAT refused a question")
    # A status that is not listed settles nothing.
    names = {
        cp_model.OPTIMAL: "optimal",
        cp_model.FEASIBLE: "feasible",
        cp_model.INFEASIBLE: "unsat",
    }
    return names.get(status, "unknown"), solver


class CpBuilder:
    """Terms as a CP-SAT model.  ``require`` states a term; ``literal`` names its truth.
    Raises OverflowError.
    """

    def __init__(self, cp: Any, model: Any) -> None:
        self.cp = cp
        self.model = model
        self.variables: dict[str, Any] = {}
        self.flags: dict[str, Any] = {}
        self.literals: dict[int, Any] = {}
        self.atoms: dict[tuple[str, int, int], Any] = {}
        self.sums: dict[int, Any] = {}
        self.products: dict[tuple[int, str], Any] = {}

    def values(self, solver: Any) -> dict[str, int]:
        """What the solver found for each unknown, by name; a flag is 0 or 1."""
        values = {name: int(solver.value(x)) for name, x in self.variables.items()}
        for name, flag in self.flags.items():
            values[name] = int(solver.boolean_value(flag))
        return values

    def variable(self, v: t.Variable) -> Any:
        """The integer of a variable, made once."""
        known = self.variables.get(v.name)
        if known is not None:
            return known
        if v.values:
            domain = self.cp.Domain.from_values(v.values)
        else:
            domain = self.cp.Domain(v.low, v.high)
        integer = self.model.new_int_var_from_domain(domain, v.name)
        self.variables[v.name] = integer
        return integer

    def require(self, term: t.Term) -> None:
        """The term is true.  Raises OverflowError."""
        match term:
            case t.Conj(parts):
                for part in parts:
                    self.require(part)
            case t.Disj(parts):
                self.model.add_bool_or([self.literal(part) for part in parts])
            case t.Within(body, low, high):
                self.model.add_linear_expression_in_domain(
                    self.sum(body), self.cp.Domain(low, high)
                )
            case _:
                self.model.add_bool_or([self.literal(term)])

    def literal(self, term: t.Term) -> Any:
        """The Boolean that is the truth of a term, made once."""
        if isinstance(term, t.Flag | t.Unknown):
            return self.flag(term.name)
        if isinstance(term, t.Neg):
            body = self.literal(term.body)
            return body.negated()
        # By identity: a term's parts live as long as the term that holds them.
        key = id(term)
        if key not in self.literals:
            alone = _alone(term)
            if alone is None:
                self.literals[key] = self.compound(term)
            else:
                self.literals[key] = self.atom(*alone)
        return self.literals[key]

    def flag(self, name: str) -> Any:
        """The Boolean of a flag or of a 0/1 unknown, made once."""
        boolean = self.flags.get(name)
        if boolean is None:
            boolean = self.model.new_bool_var(name)
            self.flags[name] = boolean
        return boolean

    def atom(self, v: t.Variable, low: int, high: int) -> Any:
        """The truth of ``low <= v <= high``, made once; for a variable that is 0 or 1,
        this variable.
        """
        # A 0/1 integer is a literal of CP-SAT: no Boolean beside it is needed.
        if (v.low, v.high) == (0, 1) and low == high and low in (0, 1):
            x = self.variable(v)
            if low:
                return x
            return x.negated()
        if (v.name, low, high) not in self.atoms:
            self.atoms[v.name, low, high] = b = self.model.new_bool_var("")
            self.between(self.sum(t.LinearSum(plain=((1, v),))), low, high, b)
        return self.atoms[v.name, low, high]

    def compound(self, term: t.Term) -> Any:
        """The Boolean of a term with parts, tied to it in both directions."""
        if isinstance(term, t.TruthValue):
            return self.model.new_constant(int(term.value))
        b = self.model.new_bool_var("")
        match term:
            case t.Conj(parts):
                inside = [self.literal(part) for part in parts]
                # b says that all hold, and all together say b
                self.model.add_bool_and(inside).only_enforce_if(b)
                self.model.add_bool_or([*(x.negated() for x in inside), b])
            case t.Disj(parts):
                inside = [self.literal(part) for part in parts]
                # b says that one holds, and each of them says b
                self.model.add_bool_or(inside).only_enforce_if(b)
                self.model.add_bool_and([x.negated() for x in inside]).only_enforce_if(
                    b.negated()
                )
            case t.Within(body, low, high):
                self.between(self.named(body), low, high, b)
        return b

    def between(self, expression: Any, low: int, high: int, b: Any) -> None:
        """``low <= expression <= high`` exactly when b is true."""
        domain = self.cp.Domain(low, high)
        self.model.add_linear_expression_in_domain(expression, domain).only_enforce_if(
            b
        )
        self.model.add_linear_expression_in_domain(
            expression, domain.complement()
        ).only_enforce_if(b.negated())

    def sum(self, body: t.LinearSum) -> Any:
        """The linear expression of a sum.  Raises OverflowError."""
        least, most = t.bounds(body)
        # CP-SAT computes in 64 bits, and sums of a model may be added up.
        if max(abs(least), abs(most)) >= LARGEST:
            raise OverflowError
        pieces = [(c, self.variable(v)) for c, v in body.plain]
        pieces += [(c, self.literal(gate)) for c, gate in body.counts]
        pieces += [(c, self.product(gate, v)) for c, gate, v in body.gated]
        factors = [factor for factor, _ in pieces]
        expressions = [expression for _, expression in pieces]
        weighted = self.cp.LinearExpr.weighted_sum(expressions, factors)
        return weighted + body.constant

    def named(self, body: t.LinearSum) -> Any:
        """A sum that several terms compare: a long one is an integer of its own, made
        once.
        """
        # A short sum is cheaper to repeat than another integer is to propagate.
        if len(body.plain) + len(body.counts) + len(body.gated) < 8:
            return self.sum(body)
        if id(body) not in self.sums:
            self.sums[id(body)] = self.model.new_int_var(*t.bounds(body), "")
            self.model.add(self.sum(body) == self.sums[id(body)])
        return self.sums[id(body)]

    def product(self, gate: t.Term, v: t.Variable) -> Any:
        """``[gate] * v``, made once."""
        key = id(gate), v.name
        if key not in self.products:
            true = self.literal(gate)
            value = self.variable(v)
            # 0 where the gate is false, whatever the variable's own bounds
            product = self.model.new_int_var(min(0, v.low), max(0, v.high), "")
            self.model.add(product == value).only_enforce_if(true)
            self.model.add(product == 0).only_enforce_if(true.negated())
            self.products[key] = product
        return self.products[key]


def _alone(term: t.Term) -> tuple[t.Variable, int, int] | None:
    """The variable and its bounds, where a term is about one with the factor 1."""
    if not isinstance(term, t.Within):
        return None
    body = term.total
    if len(body.plain) != 1 or body.counts or body.gated or body.plain[0][0] != 1:
        return None
    return body.plain[0][1], term.low - body.constant, term.high - body.constant
