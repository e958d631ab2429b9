"""Logical safety (Theorem 2) and weighted secrets (Section 5): what each individual
wants kept.

These speak about individuals, not classes, so that they are written out as formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from phverify.spec import syntax as s
from phverify.spec.criterion.registry import SAFETY, arguments
from phverify.spec.policy import Policy

EVERYBODY = (s.Binder(s.Var("i"), "individuals"),)


@dataclass(frozen=True)
class Secret:
    """A formula that must not become known, and how serious it is if it does."""

    formula: s.Formula
    weight: Fraction = Fraction(1)


@dataclass(frozen=True, eq=False)
class Secrets:
    """Sec of Section 4.2: secrets of everyone, and further ones of single
    individuals.
    """

    everyone: tuple[Secret, ...]
    personal: Mapping[s.Person, tuple[Secret, ...]]


def owner(who: str) -> s.Name:
    """The individual who has secrets; in single quotes, the one of that identifier."""
    quoted = len(who) > 2 and who[0] == who[-1] == "'"
    return s.Name(who[1:-1] if quoted else who, quoted)


def logical_safety(secrets: Secrets) -> s.Formula:
    """``@i ~[a1] phi`` for every individual i and every phi in Sec(i)."""
    return _each(secrets, lambda who, formula: s.At(who, s.Not(s.Box("a1", formula))))


def never_known(secrets: Secrets) -> s.Formula:
    """``never_known(@i phi)`` for every individual i and every phi in Sec(i).

    What ``logical_safety`` asks of the release alone, this asks of the release and the
    assumptions together.
    """
    return _each(secrets, lambda who, formula: s.NeverKnown(s.At(who, formula)))


def _each(
    secrets: Secrets, said: Callable[[s.Reference, s.Formula], s.Formula]
) -> s.Formula:
    """What is said of everybody and each of the secrets of everyone, and of those with
    secrets of their own.
    """
    everyone = [
        s.Quantified(True, EVERYBODY, said(s.Var("i"), secret.formula))
        for secret in secrets.everyone
    ]
    personal = [
        said(person, secret.formula)
        for person, own in secrets.personal.items()
        for secret in own
    ]
    return s.conj(*everyone, *personal)


def asks_all_models(formula: s.Formula) -> bool:
    """Whether a rule has ``never_known``: then its verdict is about all models of one
    release at once.
    """
    nodes = s.subformulas(formula)
    return any(
        isinstance(node, s.NeverKnown) or node == s.Criterion("never_known")
        for node in nodes
    )


def weighted_safety(secrets: Secrets, bound: Fraction) -> s.Formula:
    """``@i sum of W(i, phi) l_a1(phi) <= b``: the seriousness that i must expect, for
    every individual i.

    Those with secrets of their own have the secrets of everyone as well; weights are >=
    0, so that the bound for everyone follows for them from their own.
    """
    everyone = s.Quantified(
        True, EVERYBODY, s.At(s.Var("i"), _expected(secrets.everyone, bound))
    )
    personal = [
        s.At(person, _expected((*secrets.everyone, *own), bound))
        for person, own in secrets.personal.items()
    ]
    return s.conj(everyone, *personal)


def _expected(secrets: tuple[Secret, ...], bound: Fraction) -> s.Formula:
    total = s.plus(
        *(s.likelihood("a1", secret.formula, secret.weight) for secret in secrets)
    )
    return s.Compare(total, "<=", s.number(bound))


def written_out(node: s.Criterion, secrets: Secrets) -> s.Formula:
    """The formula of a criterion that speaks about individuals.  Raises Unfit."""
    values = arguments(node, ())
    if node.name == "logical_safety":
        return logical_safety(secrets)
    if node.name == "never_known":
        return never_known(secrets)
    return weighted_safety(secrets, values["b"])


def expanded(formula: s.Formula, found: Secrets) -> s.Formula:
    """The formula with its criteria about individuals written out.  Raises Unfit."""
    if isinstance(formula, s.Criterion) and formula.name in SAFETY:
        return written_out(formula, found)
    return s.rebuild(formula, lambda node: expanded(node, found))


def secrets(
    policy: Policy,
    read: Callable[[str, str], s.Formula],
    person: Callable[[str], s.Person | None],
) -> Secrets:
    """The secrets of everyone ("*") and of single individuals; whose nobody is, are
    left out.

    ``read`` is given whose a secret is, and its text.
    """
    everyone: tuple[Secret, ...] = ()
    personal: dict[s.Person, tuple[Secret, ...]] = {}
    for who, texts in policy.secrets.items():
        own = tuple(Secret(read(who, text), weight) for text, weight in texts)
        if who == "*":
            everyone = own
        elif (found := person(who)) is not None:
            personal[found] = (*personal.get(found, ()), *own)
    return Secrets(everyone, personal)
