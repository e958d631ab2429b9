"""Small pieces of SMT-LIB text: Boolean terms as strings, sums as coefficients of
atoms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

Number = Fraction | int


@dataclass(frozen=True)
class Lin:
    """``sum of coefficient * atom + constant``; an atom is any SMT-LIB text of a
    number.
    """

    terms: tuple[tuple[str, Fraction], ...] = ()
    constant: Fraction = Fraction(0)

    def __add__(self, other: Lin) -> Lin:
        found = dict(self.terms)
        for atom, coefficient in other.terms:
            found[atom] = found.get(atom, Fraction(0)) + coefficient
        return Lin(
            tuple((a, c) for a, c in found.items() if c), self.constant + other.constant
        )

    def __sub__(self, other: Lin) -> Lin:
        return self + other * -1

    def __mul__(self, factor: Number) -> Lin:
        return Lin(
            tuple((a, c * factor) for a, c in self.terms if factor),
            self.constant * factor,
        )

    @property
    def text(self) -> str:
        """The sum as it stands, fractions and all."""
        pieces = [a if c == 1 else f"(* {number(c)} {a})" for a, c in self.terms]
        if self.constant or not pieces:
            pieces.append(number(self.constant))
        return pieces[0] if len(pieces) == 1 else f"(+ {' '.join(pieces)})"


ZERO, ONE = Lin(), Lin((), Fraction(1))


def atom(text: str) -> Lin:
    return Lin(((text, Fraction(1)),))


def number(value: Number) -> str:
    """A rational in SMT-LIB; a negative one is an application of minus."""
    value = Fraction(value)
    if value < 0:
        return f"(- {number(-value)})"
    return (
        str(value)
        if value.denominator == 1
        else f"(/ {value.numerator} {value.denominator})"
    )


def total(parts: Iterable[Lin]) -> Lin:
    return sum(parts, ZERO)


def compare(difference: Lin, op: str) -> str:
    """``difference op 0`` with its denominators cleared; a constant where nothing is
    unknown.
    """
    if not difference.terms:
        c = difference.constant
        found = {
            "=": c == 0,
            "!=": c != 0,
            "<": c < 0,
            "<=": c <= 0,
            ">": c > 0,
            ">=": c >= 0,
        }[op]
        return "true" if found else "false"
    denominators = [c.denominator for _, c in difference.terms]
    whole = difference * math.lcm(difference.constant.denominator, *denominators)
    if op == "!=":
        return neg(f"(= {whole.text} 0)")
    return f"({op} {whole.text} 0)"


def conj(parts: Iterable[str]) -> str:
    kept = list(dict.fromkeys(p for p in parts if p != "true"))
    if "false" in kept:
        return "false"
    return kept[0] if len(kept) == 1 else f"(and {' '.join(kept)})" if kept else "true"


def disj(parts: Iterable[str]) -> str:
    kept = list(dict.fromkeys(p for p in parts if p != "false"))
    if "true" in kept:
        return "true"
    return kept[0] if len(kept) == 1 else f"(or {' '.join(kept)})" if kept else "false"


def neg(part: str) -> str:
    if part in ("true", "false"):
        return "false" if part == "true" else "true"
    return part[5:-1] if part.startswith("(not ") else f"(not {part})"


def implies(left: str, right: str) -> str:
    if left in ("true", "false"):
        return right if left == "true" else "true"
    return (
        "true"
        if right == "true"
        else neg(left)
        if right == "false"
        else f"(=> {left} {right})"
    )


def ite(test: str, yes: str, no: str) -> str:
    if test in ("true", "false"):
        return yes if test == "true" else no
    return yes if yes == no else f"(ite {test} {yes} {no})"


def add(parts: Sequence[str]) -> str:
    """A sum of texts."""
    return parts[0] if len(parts) == 1 else f"(+ {' '.join(parts)})" if parts else "0"


def size(text: str) -> str:
    """The absolute value of a real, which SMT-LIB has for integers only."""
    return f"(ite (>= {text} 0) {text} (- {text}))"


def declare(names: Iterable[str], sort: str) -> list[str]:
    return [f"(declare-const {name} {sort})" for name in names]


def given(*facts: str) -> list[str]:
    return [f"(assert {fact})" for fact in facts if fact != "true"]


def define(name: str, body: str, sort: str = "Bool") -> str:
    return f"(define-fun {name} () {sort} {body})"
