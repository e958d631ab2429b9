"""Questions about bounded integers as SMT-LIB 2.6 text, linear integer arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

from phverify.smt import integers as t
from phverify.smt.smtlib import number


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
