"""What the formulas of criteria are made of: shares, and schemas over a column."""

from __future__ import annotations

from fractions import Fraction

from phverify.spec import syntax as s
from phverify.spec.signature import Attribute, Signature
from phverify.spec.source import Values
from phverify.spec.types import TEXT


def in_class(body: s.Formula) -> s.Linear:
    """``l_a1(body)``: the share of a class's rows where it is true."""
    return s.likelihood("a1", body)


def in_table(body: s.Formula) -> s.Linear:
    """``l_a0(body)``: the share of the table's rows where it is true."""
    return s.likelihood("a0", body)


def at_most_share(body: s.Formula, share: Fraction) -> s.Formula:
    """``l_a1(body) <= share``."""
    likelihood = in_class(body)
    bound = s.number(share)
    return s.Compare(likelihood, "<=", bound)


def ratio_at_most(
    a: str, b: str, factor: Fraction, value: s.Formula, op: str = "<="
) -> s.Formula:
    """``l_a(value) <= factor * l_b(value)``, or with another comparison ``op``."""
    bounded = s.likelihood(a, value)
    bound = s.likelihood(b, value, factor)
    return s.Compare(bounded, op, bound)


def every_value(f: str, body: s.Formula) -> s.Formula:
    """``forall v in f: body``."""
    binder = s.Binder(s.Var("v"), "values", f)
    return s.Quantified(True, (binder,), body)


def is_v(f: str) -> s.Formula:
    """``f = v``, for the bodies of ``every_value``."""
    # The schema binds it.
    value = s.Var("v")
    return s.Descriptor(f, "=", (value,))


CLAUSE = s.Chosen(s.Var("D"))
"""``D``, for the bodies of ``every_clause``."""


def every_clause(f: str, length: int, body: s.Formula) -> s.Formula:
    """``forall D in clauses(f, length): body``."""
    clause = s.Var("D")
    binder = s.Binder(clause, "clauses", f, length)
    return s.Quantified(True, (binder,), body)


# How criteria speak of values


def one_column(name: str, domain: Values, rows: int) -> Signature:
    """The language of one column."""
    attribute = Attribute(name, TEXT, domain)
    return Signature({name: attribute}, (), rows)


def names_values(formula: s.Formula) -> bool:
    """Whether a formula tells values apart by more than which are equal."""
    for node in s.subformulas(formula):
        if not isinstance(node, s.Descriptor):
            continue
        by_name = any(isinstance(value, s.Value) for value in node.values)
        if by_name or node.op not in ("=", "!=", "in"):
            return True
    return False
