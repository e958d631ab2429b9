"""Constraints as SMT-LIB 2.6 text.  The text is the query: what is saved is what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from phverify.constraints import terms as t


def script(constraints: Iterable[t.Term], title: str = "", status: str = "") -> str:
    """A whole QF_LIA script: unknowns between 0 and 1, one assertion for each constraint."""
    writer = _Writer()
    asserted = [f"(assert {writer.formula(c)})" for c in constraints]
    lines = [f"; {line}" for line in title.splitlines()]
    lines += ["(set-logic QF_LIA)", *([f"(set-info :status {status})"] if status else [])]
    lines += [f"(declare-const {name} Int)\n(assert (<= 0 {name} 1))" for name in writer.unknowns]
    return "\n".join([*lines, *writer.definitions, *asserted, "(check-sat)", ""])


class _Writer:
    """Writes terms; a compound term that occurs again is defined once and named."""

    def __init__(self) -> None:
        self.unknowns: dict[str, None] = {}
        self.definitions: list[str] = []
        self.names: dict[int, str] = {}
        self.kept: list[t.Term] = []

    def formula(self, term: t.Term) -> str:
        if isinstance(term, t.Constant):
            return "true" if term.value else "false"
        if isinstance(term, t.Unknown):
            return f"(= {self.unknown(term)} 1)"
        if id(term) not in self.names:
            text = self._compound(term)
            if len(text) < 60:
                return text
            self.names[id(term)] = name = f"e{len(self.names)}"
            self.kept.append(term)
            self.definitions.append(f"(define-fun {name} () Bool {text})")
        return self.names[id(term)]

    def unknown(self, term: t.Unknown) -> str:
        name = symbol(term.name)
        self.unknowns[name] = None
        return name

    def _compound(self, term: t.Term) -> str:
        match term:
            case t.Neg(body):
                return f"(not {self.formula(body)})"
            case t.Conj(parts):
                return f"(and {' '.join(map(self.formula, parts))})"
            case t.Disj(parts):
                return f"(or {' '.join(map(self.formula, parts))})"
            case t.AtLeast(body):
                return f"(>= {self.sum(body)} 0)"
        raise TypeError(f"no term: {term!r}")

    def sum(self, body: t.Sum) -> str:
        pieces = list(self._pieces(body))
        if body.constant or not pieces:
            pieces.append(number(body.constant))
        return _plus(pieces)

    def _pieces(self, body: t.Sum) -> Iterator[str]:
        for coefficient, term in body.parts:
            one = self.unknown(term) if isinstance(term, t.Unknown) else f"(ite {self.formula(term)} 1 0)"
            yield one if coefficient == 1 else f"(* {number(coefficient)} {one})"
        for coefficient, inner in body.magnitudes:
            yield f"(* {number(coefficient)} (abs {self.sum(inner)}))"


def symbol(name: str) -> str:
    """A name as an SMT-LIB symbol, in bars where it is no simple one; what may not stand between bars is numbered."""
    if re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        return name
    inside = re.sub(r"[|\\%]", lambda sign: f"%{ord(sign[0]):x}", name)
    return f"|{inside}|"


def _plus(pieces: list[str]) -> str:
    return pieces[0] if len(pieces) == 1 else f"(+ {' '.join(pieces)})"


def number(value: int) -> str:
    """An integer in SMT-LIB, where a negative one is an application of minus."""
    return str(value) if value >= 0 else f"(- {-value})"
