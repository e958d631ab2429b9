"""Constraints as SMT-LIB 2.6 text.  The text is the query: what is saved is what was
asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from phverify.constraints import terms as t

LONG = 60
"""A term of so many characters gets a name."""


def script(
    constraints: Iterable[t.Term],
    title: str = "",
    status: str = "",
    soft: Sequence[tuple[int, t.Term]] = (),
    logic: bool = False,
) -> str:
    """A whole script: the unknowns with their bounds, and one assertion for each
    constraint.

    ``soft`` are terms that need not be true, each at a price.  With ``logic`` the
    script names the logic that it needs: Z3 then takes its procedure for that logic,
    which is the better one for linear sums and the worse one for schemas and criteria
    with many cases (measured: ten times the time).
    """
    asked = list(constraints)
    nodes, repeated = t.surveyed(asked)
    if soft:
        nodes, _ = t.surveyed([*asked, *(term for _, term in soft)])
    unknowns = t.unknowns_among(nodes)
    sorts = {number.sort for number in unknowns.numbers.values()}
    if unknowns.bits or unknowns.variables:
        sorts.add("Int")
    # In a logic of reals alone a number is real as it stands; where none is named, it
    # is written so.
    # Strict readers take no integer for a real: 1 and 1.0 are of two sorts.
    mixed = len(sorts) > 1 or ("Real" in sorts and not logic)
    sort = "Real" if "Real" in sorts else "Int"
    writer = _ScriptWriter(sort, mixed, repeated)
    asserted = [f"(assert {writer.formula(term)})" for term in asked]
    for weight, term in soft:
        asserted.append(f"(assert-soft {writer.formula(term)} :weight {weight})")

    lines = [f"; {line}" for line in title.splitlines()]
    if logic:
        lines.append(f"(set-logic {_logic(sorts)})")
    if status:
        lines.append(f"(set-info :status {status})")
    lines += writer.declared(unknowns)
    return "\n".join([*lines, *writer.definitions, *asserted, "(check-sat)", ""])


def _logic(sorts: set[str]) -> str:
    """The logic of linear sums over unknowns of these sorts."""
    if len(sorts) > 1:
        return "QF_LIRA"
    if "Real" in sorts:
        return "QF_LRA"
    return "QF_LIA"


class _ScriptWriter:
    """Writes terms; a long term that occurs again is defined once and named.

    In a script with real unknowns all sums are real: ``mixed`` ones write out where
    whole numbers are meant so.
    """

    def __init__(self, sort: str, mixed: bool, repeated: set[int]) -> None:
        self.sort = sort
        self.mixed = mixed
        self.repeated = repeated
        self.definitions: list[str] = []
        self.names: dict[int, str] = {}
        self.written: dict[str, str] = {}

    def declared(self, unknowns: t.Unknowns) -> Iterator[str]:
        """The declarations of unknowns, with their bounds."""
        for name in map(symbol, unknowns.bits):
            yield f"(declare-const {name} Int)\n(assert (<= 0 {name} 1))"
        for v in unknowns.variables.values():
            name = symbol(v.name)
            yield f"(declare-const {name} Int)"
            yield (
                f"(assert (and (<= {number(v.low)} {name}) (<= {name}"
                f" {number(v.high)})))"
            )
            # a single value is fixed by the bounds
            if len(v.values) > 1:
                yield (
                    "(assert (or"
                    f" {' '.join(f'(= {name} {number(x)})' for x in v.values)}))"
                )
        for x in unknowns.numbers.values():
            name = symbol(x.name)
            yield f"(declare-const {name} {x.sort})"
            written = self.number if x.sort == "Real" else number
            if x.low is not None:
                yield f"(assert (>= {name} {written(x.low)}))"
            if x.high is not None:
                yield f"(assert (<= {name} {written(x.high)}))"
        # a set has no order: sorted, the same question is the same text
        yield from (
            f"(declare-const {symbol(name)} Bool)" for name in sorted(unknowns.flags)
        )

    def formula(self, term: t.Term) -> str:
        key = id(term)
        if key not in self.names:
            text = self.compound(term)
            if key in self.repeated:
                text = self.defined(text, "Bool")
            self.names[key] = text
        return self.names[key]

    def defined(self, text: str, sort: str) -> str:
        """The text, or the name of a long one, the same for the same."""
        if len(text) < LONG:
            return text
        # By text, too: equal sums that were built apart share a definition.
        name = self.written.get(text)
        if name is None:
            number_so_far = len(self.definitions)
            name = f"e{number_so_far}"
            self.written[text] = name
            self.definitions.append(f"(define-fun {name} () {sort} {text})")
        return name

    def compound(self, term: t.Term) -> str:
        match term:
            case t.TruthValue(value):
                return "true" if value else "false"
            case t.Flag(name):
                return symbol(name)
            case t.Unknown(name):
                return f"(= {symbol(name)} 1)"
            case t.Neg(body):
                return f"(not {self.formula(body)})"
            case t.Conj(parts):
                return f"(and {' '.join(map(self.formula, parts))})"
            case t.Disj(parts):
                return f"(or {' '.join(map(self.formula, parts))})"
            case t.SumComparison(left, op, right):
                return f"({op} {self.sum(left)} {self.sum(right)})"
            case t.Within(body, low, high):
                return self.within(body, low, high)
        raise TypeError(f"no term: {term!r}")

    def within(self, body: t.LinearSum, low: int, high: int) -> str:
        """The bounds that the ranges of the parts do not imply, with the constant on
        their side.
        """
        least, most = t.bounds(body)
        # ``bounds`` knew no further parts: a sum that is within two numbers has none.
        moved = self.sum(t.LinearSum(0, body.plain, body.counts, body.gated))
        bottom = self.number(low - body.constant)
        top = self.number(high - body.constant)
        if low == high:
            return f"(= {moved} {bottom})"
        sides = []
        if low > least:
            sides.append(f"(<= {bottom} {moved})")
        if high < most:
            sides.append(f"(<= {moved} {top})")
        if len(sides) == 2:
            return f"(and {' '.join(sides)})"
        return sides[0] if sides else "true"

    def sum(self, body: t.LinearSum) -> str:
        pieces = [self.times(c, part) for c, part in self.pieces(body)]
        if body.constant or not pieces:
            pieces.append(self.number(body.constant))
        if len(pieces) == 1:
            return pieces[0]
        return f"(+ {' '.join(pieces)})"

    def times(self, coefficient: int, part: str) -> str:
        if coefficient == 1:
            return part
        return f"(* {self.number(coefficient)} {part})"

    def pieces(self, body: t.LinearSum) -> Iterator[tuple[int, str]]:
        for c, v in body.plain:
            yield c, self.real(v.name)
        # an unknown is 0 or 1 itself, every other term needs an ``ite``
        for c, term in body.counts:
            yield (
                c,
                (
                    self.real(term.name)
                    if isinstance(term, t.Unknown)
                    else self.either(term, self.number(1))
                ),
            )
        for c, term, v in body.gated:
            yield c, self.either(term, self.real(v.name))
        for c, x in body.further:
            yield c, self.further(x)

    def either(self, term: t.Term, value: str) -> str:
        condition = self.formula(term)
        return f"(ite {condition} {value} {self.number(0)})"

    def further(self, part: t.Further) -> str:
        match part:
            case t.Number(name, sort):
                if sort == self.sort:
                    return symbol(name)
                return self.real(name)
            case t.Conditional(term, body):
                return self.either(term, self.sum(body))
            case t.Magnitude(body):
                return self.magnitude(self.sum(body))
            case t.Shared(body):
                return self.defined(self.sum(body), self.sort)

    def magnitude(self, inner: str) -> str:
        inner = self.defined(inner, self.sort)
        zero = self.number(0)
        return f"(ite (>= {inner} {zero}) {inner} (- {inner}))"

    def real(self, name: str) -> str:
        """A whole unknown, as a real number where the others are."""
        if self.mixed:
            return f"(to_real {symbol(name)})"
        return symbol(name)

    def number(self, value: int) -> str:
        if not self.mixed:
            return number(value)
        if value >= 0:
            return f"{value}.0"
        return f"(- {-value}.0)"


def symbol(name: str) -> str:
    """A name as an SMT-LIB symbol, in bars where it is no simple one; what may not
    stand between bars is numbered.
    """
    if re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        return name
    inside = re.sub(r"[|\\%]", lambda sign: f"%{ord(sign[0]):x}", name)
    return f"|{inside}|"


def number(value: int) -> str:
    """An integer in SMT-LIB, where a negative one is an application of minus."""
    if value >= 0:
        return str(value)
    return f"(- {-value})"
