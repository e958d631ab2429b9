"""Questions about bounded integers as SMT-LIB 2.6 text, linear integer arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

from phverify.constraints import integers as t
from phverify.constraints.smtlib import number


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


LONG = 60
"""A term of so many characters gets a name."""


class _Writer:
    """Writes terms; a long term that occurs again is defined once."""

    def __init__(self) -> None:
        self.definitions: list[str] = []
        self.names: dict[int, str] = {}
        self.written: dict[str, str] = {}

    def formula(self, term: t.Term) -> str:
        if isinstance(term, t.Constant):
            return "true" if term.value else "false"
        if isinstance(term, t.Flag):
            return term.name
        if id(term) not in self.names:
            self.names[id(term)] = self.defined(self.compound(term))
        return self.names[id(term)]

    def defined(self, written: str) -> str:
        if len(written) < LONG:
            return written
        if written not in self.written:
            self.written[written] = name = f"e{len(self.definitions)}"
            self.definitions.append(f"(define-fun {name} () Bool {written})")
        return self.written[written]

    def compound(self, term: t.Term) -> str:
        match term:
            case t.Neg(body):
                return f"(not {self.formula(body)})"
            case t.Conj(parts):
                return f"(and {' '.join(map(self.formula, parts))})"
            case t.Disj(parts):
                return f"(or {' '.join(map(self.formula, parts))})"
            case t.Within(body, low, high):
                return self.within(body, low, high)
        raise TypeError(f"no term: {term!r}")

    def within(self, body: t.Sum, low: int, high: int) -> str:
        """The bounds that the ranges of the parts do not imply, with the constant on their side."""
        least, most = t.bounds(body)
        written, bottom, top = self.sum(body), number(low - body.constant), number(high - body.constant)
        if low == high:
            return f"(= {written} {bottom})"
        sides = [f"(<= {bottom} {written})"] if low > least else []
        sides += [f"(<= {written} {top})"] if high < most else []
        return f"(and {' '.join(sides)})" if len(sides) == 2 else sides[0] if sides else "true"

    def sum(self, body: t.Sum) -> str:
        pieces = [(c, v.name) for c, v in body.plain]
        pieces += [(c, f"(ite {self.formula(g)} 1 0)") for c, g in body.counts]
        pieces += [(c, f"(ite {self.formula(g)} {v.name} 0)") for c, g, v in body.gated]
        written = [x if c == 1 else f"(* {number(c)} {x})" for c, x in pieces]
        return "0" if not written else written[0] if len(written) == 1 else f"(+ {' '.join(written)})"
