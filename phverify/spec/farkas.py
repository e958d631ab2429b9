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
FRACTION = re.compile(r"[1-9]\d{0,3999}(/[1-9]\d{0,3999})?", re.ASCII)


def refute(question: System, proof: Any, fixed: Mapping[int, int] | None = None) -> int:
    """Check a proof; returns the number of its leaves.  Raises Refused when it proves
    nothing.
    """
    fixed = fixed or {}
    if type(proof) is not dict or len(fixed) > DEEPEST:
        raise Refused("a proof is no tree")
    if set(proof) == {"split", "zero", "one"}:
        unknown = proof["split"]
        if (
            type(unknown) is not int
            or unknown not in range(len(question.names))
            or unknown in fixed
        ):
            raise Refused("a proof splits on something that is no open unknown")
        return refute(question, proof["zero"], {**fixed, unknown: 0}) + refute(
            question, proof["one"], {**fixed, unknown: 1}
        )
    if set(proof) != {"farkas"}:
        raise Refused("a node of a proof is neither a split nor a leaf")
    if highest(question, multipliers(question, proof["farkas"]), fixed) >= 0:
        raise Refused("the multipliers of a leaf do not add up to a contradiction")
    return 1


def multipliers(question: System, listed: Any) -> Factors:
    """The multipliers of a leaf by the number of the constraint.  Raises Refused."""
    found: Factors = {}
    if type(listed) is not list:
        raise Refused("a leaf has no list of multipliers")
    for item in listed:
        if (
            type(item) is not list
            or len(item) != 2
            or type(item[0]) is not int
            or type(item[1]) is not str
        ):
            raise Refused("a multiplier is not a constraint's number and a fraction")
        number, text = item
        if number not in range(len(question.constraints)) or number in found:
            raise Refused(
                f"a leaf uses a constraint {number} that does not exist, or uses it"
                " twice"
            )
        found[number] = fraction(text)
    return found


def fraction(text: str) -> Fraction:
    """A fraction above 0, written as it is in lowest terms.  Raises Refused."""
    if not FRACTION.fullmatch(text):  # before it is read: 1e999999999 would never end
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
    """The largest value of the combined constraints over all unknowns between 0 and
    1.
    """
    total, by_unknown = Fraction(0), Factors()
    for number, factor in factors.items():
        parts, constant = question.constraints[number]
        total += factor * constant
        for coefficient, unknown in parts:
            by_unknown[unknown] = (
                by_unknown.get(unknown, Fraction(0)) + factor * coefficient
            )
    for unknown, slope in by_unknown.items():
        total += slope * fixed[unknown] if unknown in fixed else max(slope, Fraction(0))
    return total
