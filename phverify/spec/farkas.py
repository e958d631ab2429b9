"""Proofs that a 0/1 linear system has no solution, checked by adding fractions.

A proof is a tree.  An inner node splits on an unknown: it is 0 or it is 1.  A leaf has
multipliers >= 0, one for each constraint it uses: the constraints, multiplied and added
up, give a sum that would have to be >= 0, and that is below 0 whatever the unknowns not
yet fixed are between 0 and 1 (Farkas' lemma).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from phverify.spec.data import Refused
from phverify.spec.system import System

Factors = dict[int, Fraction]

DEEPEST = 400
"""A proof that splits more often would end in a crash, not in an answer."""
FRACTION = re.compile(r"[1-9]\d{0,3999}(/[1-9]\d{0,3999})?", re.ASCII)


def refute(question: System, proof: Any, fixed: Mapping[int, int] | None = None) -> int:
    """Check a proof; returns the number of its leaves.

    Raises Refused when it proves nothing.
    """
    fixed = fixed or {}
    if type(proof) is not dict or len(fixed) > DEEPEST:
        raise Refused("a proof is no tree")
    if set(proof) == {"split", "zero", "one"}:
        unknown = proof["split"]
        _require_unknown(question, unknown, fixed)
        # No solution with 0 and none with 1 is none.
        with_zero = {**fixed, unknown: 0}
        zero = refute(question, proof["zero"], with_zero)
        with_one = {**fixed, unknown: 1}
        one = refute(question, proof["one"], with_one)
        return zero + one

    if set(proof) != {"farkas"}:
        raise Refused("a node of a proof is neither a split nor a leaf")
    factors = multipliers(question, proof["farkas"])
    if highest(question, factors, fixed) >= 0:
        raise Refused("the multipliers of a leaf do not add up to a contradiction")
    return 1


def _require_unknown(question: System, said: Any, fixed: Mapping[int, int]) -> None:
    """Raises Refused unless a proof splits on an unknown that is not fixed yet."""
    # A bool is an int to Python, and would be found in a range.
    known = type(said) is int and said in range(len(question.names))
    if not known or said in fixed:
        raise Refused("a proof splits on something that is no open unknown")


def multipliers(question: System, listed: Any) -> Factors:
    """The multipliers of a leaf by the number of the constraint.

    Raises Refused for anything but pairs of different constraints and fractions.
    """
    if type(listed) is not list:
        raise Refused("a leaf has no list of multipliers")
    factors: Factors = {}
    for item in listed:
        if not _is_multiplier(item):
            raise Refused("a multiplier is not a constraint's number and a fraction")
        number, text = item
        if number not in range(len(question.constraints)) or number in factors:
            raise Refused(
                f"a leaf uses a constraint {number} that does not exist, or uses it"
                " twice"
            )
        factors[number] = fraction(text)
    return factors


def _is_multiplier(item: Any) -> bool:
    if type(item) is not list or len(item) != 2:
        return False
    number, text = item
    return type(number) is int and type(text) is str


def fraction(text: str) -> Fraction:
    """A fraction above 0, written as it is in lowest terms.  Raises Refused."""
    # Before it is read: 1e999999999 would never end.
    if not FRACTION.fullmatch(text):
        raise Refused(f"{text[:40]!r} is no fraction above 0")
    value = Fraction(text)
    if str(value) != text:
        raise Refused(
            f"a multiplier is a fraction above 0 in lowest terms, not {text!r}"
        )
    return value


def highest(
    question: System, factors: Mapping[int, Fraction], fixed: Mapping[int, int]
) -> Fraction:
    """The largest value of the combined constraints over unknowns between 0 and 1."""
    # Each unknown is taken by itself, and may be a fraction.  Solutions may do less:
    # what stays below 0 here does so for all of them.
    total = Fraction(0)
    slopes: Factors = {}
    for number, factor in factors.items():
        parts, constant = question.constraints[number]
        total += factor * constant
        for coefficient, unknown in parts:
            slope = slopes.get(unknown, Fraction(0))
            slopes[unknown] = slope + factor * coefficient

    for unknown, slope in slopes.items():
        if unknown in fixed:
            total += slope * fixed[unknown]
        else:
            # Free between 0 and 1: the better end.
            total += max(slope, Fraction(0))
    return total
