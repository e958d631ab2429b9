"""Balls that enclose real numbers, by FLINT's Arb (python-flint): exp, ln and erf with
any number of digits.

Every operation on balls encloses, so that a ball that does not hold 0 has a sign.
FLINT is imported when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

from phverify.errors import BudgetExceeded, refusal

T = TypeVar("T")
Ball = Any
"""An ``arb`` of FLINT."""


def flint() -> Any:
    """The library.  Raises InputError where it is not installed."""
    try:
        import flint as found
    except ImportError:
        hint = "pip install phverify"
        raise refusal("audit", "python-flint is not installed", hint) from None
    return found


def ball(value: Fraction | int) -> Ball:
    """A rational number as a ball of the working precision."""
    library = flint()
    exact = Fraction(value)
    return library.arb(library.fmpq(exact.numerator, exact.denominator))


def to_digits(digits: int, make: Callable[[], Ball]) -> Ball:
    """What ``make`` computes, with about so many digits."""
    with flint().ctx.workprec(digits * 10 // 3 + 40):
        return make()


def settled(
    make: Callable[[], Ball],
    told: Callable[[Ball, int], T | None],
    limit: int,
    otherwise: str,
    digits: int = 30,
) -> T:
    """What ``told`` reads off what ``make`` computes, with more and more digits until
    it is not None.

    Raises BudgetExceeded beyond ``limit`` digits; ``otherwise`` says what they do not
    do.
    """
    while digits <= limit:
        found = told(to_digits(digits, make), digits)
        if found is not None:
            return found
        digits *= 2
    raise BudgetExceeded(f"{limit} digits {otherwise}")


def sign(found: Ball, _: int = 0) -> int | None:
    """1 or -1; None where the ball does not tell."""
    return 1 if found > 0 else -1 if found < 0 else None


def bounds(found: Ball, digits: int) -> tuple[Fraction, Fraction]:
    """Rational bounds, multiples of 10^-digits, three of them wider than the ball at
    most.

    Raises ArithmeticError for a ball without bounds.
    """
    if not found.is_finite():
        raise ArithmeticError("the ball has no bounds")
    middle, radius = found.mid(), found.rad()
    low = _floor(middle, 1, digits) + _floor(radius, -1, digits)
    high = -_floor(middle, -1, digits) - _floor(radius, -1, digits)
    return Fraction(low, 10**digits), Fraction(high, 10**digits)


def _floor(number: Ball, sign: int, digits: int) -> int:
    """``sign * mantissa * 2^exponent * 10^digits``, rounded down."""
    mantissa, exponent = map(int, number.man_exp())
    scaled: int = sign * mantissa * 10**digits
    return scaled << exponent if exponent >= 0 else scaled >> -exponent
