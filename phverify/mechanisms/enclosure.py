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
    """The library FLINT.

    Raises InputError where it is not installed.
    """
    try:
        import flint as library
    except ImportError:
        hint = "pip install phverify"
        raise refusal("audit", "python-flint is not installed", hint) from None
    return library


def ball(value: Fraction | int) -> Ball:
    """A rational number as a ball of the working precision."""
    library = flint()
    exact = Fraction(value)
    quotient = library.fmpq(exact.numerator, exact.denominator)
    return library.arb(quotient)


def to_digits(digits: int, make: Callable[[], Ball]) -> Ball:
    """What ``make`` computes, with about so many digits."""
    # log2(10) < 10/3; the 40 bits are for what a dozen operations lose.
    bits = digits * 10 // 3 + 40
    with flint().ctx.workprec(bits):
        return make()


def settled(
    make: Callable[[], Ball],
    read_off: Callable[[Ball, int], T | None],
    limit: int,
    otherwise: str,
    digits: int = 30,
) -> T:
    """What ``read_off`` makes of the ball from ``make``, once that is not None.

    The number of digits doubles from one attempt to the next.  Raises BudgetExceeded
    beyond ``limit`` digits; ``otherwise`` says what so many digits do not do.
    """
    while digits <= limit:
        answer = read_off(to_digits(digits, make), digits)
        if answer is not None:
            return answer
        digits *= 2
    raise BudgetExceeded(f"{limit} digits {otherwise}")


def sign(number: Ball, _: int = 0) -> int | None:
    """1 or -1; None where the ball holds 0 and does not tell."""
    if number > 0:
        return 1
    if number < 0:
        return -1
    return None


def bounds(number: Ball, digits: int) -> tuple[Fraction, Fraction]:
    """Rational bounds on a ball: multiples of ``10^-digits``.

    They are wider than the ball by three such steps at most.  Raises ArithmeticError
    for a ball without bounds.
    """
    if not number.is_finite():
        raise ArithmeticError("the ball has no bounds")
    middle = number.mid()
    radius = number.rad()
    # Rounding downwards what is subtracted from -number rounds the upper bound upwards.
    low = _floor(middle, 1, digits) + _floor(radius, -1, digits)
    high = -_floor(middle, -1, digits) - _floor(radius, -1, digits)
    scale = 10**digits
    return Fraction(low, scale), Fraction(high, scale)


def _floor(number: Ball, sign: int, digits: int) -> int:
    """``sign * mantissa * 2^exponent * 10^digits``, rounded down."""
    mantissa, exponent = map(int, number.man_exp())
    scaled: int = sign * mantissa * 10**digits
    if exponent >= 0:
        return scaled << exponent
    # On negative integers, too, >> rounds towards minus infinity.
    return scaled >> -exponent
