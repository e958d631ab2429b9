"""Logical safety (Theorem 2) and weighted secrets (Section 5).

What each individual wants to remain unknown.  These speak about individuals, not
classes, so that they are written out as formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from phverify.spec import syntax as s
from phverify.spec.criterion.registry import SAFETY, arguments
from phverify.spec.policy import PlainPolicy
from phverify.spec.source import Refused

if TYPE_CHECKING:
    from phverify.spec.data import Data

EVERYBODY = (s.Binder(s.Var("i"), "individuals"),)


@dataclass(frozen=True)
class Secret:
    """A formula that must not become known, and how serious it is if it does."""

    formula: s.Formula
    weight: Fraction = Fraction(1)


@dataclass(frozen=True, eq=False)
class Secrets:
    """Sec of Section 4.2: secrets of everyone, and more of single individuals."""

    everyone: tuple[Secret, ...]
    personal: Mapping[s.Person, tuple[Secret, ...]]


def owner(who: str) -> s.Name:
    """The individual who has secrets; in single quotes, the one of that identifier."""
    # Two quotes alone name nobody: they are the name itself.
    quoted = len(who) > 2 and who[0] == who[-1] == "'"
    if quoted:
        return s.Name(who[1:-1], quoted=True)
    return s.Name(who)


def logical_safety(secrets: Secrets) -> s.Formula:
    """``@i ~[a1] phi`` for every individual i and every phi in Sec(i)."""

    def unknown(who: s.Reference, formula: s.Formula) -> s.Formula:
        known = s.Box("a1", formula)
        return s.At(who, s.Not(known))

    return _each(secrets, unknown)


def never_known(secrets: Secrets) -> s.Formula:
    """``never_known(@i phi)`` for every individual i and every phi in Sec(i).

    What ``logical_safety`` asks of the release alone, this asks of the release and the
    assumptions together.
    """

    def never(who: s.Reference, formula: s.Formula) -> s.Formula:
        return s.NeverKnown(s.At(who, formula))

    return _each(secrets, never)


def _each(
    secrets: Secrets, said: Callable[[s.Reference, s.Formula], s.Formula]
) -> s.Formula:
    """What is said of everybody and their common secrets, and of personal ones."""
    conjuncts: list[s.Formula] = []
    for secret in secrets.everyone:
        body = said(s.Var("i"), secret.formula)
        conjuncts.append(s.Quantified(True, EVERYBODY, body))
    for person, own in secrets.personal.items():
        conjuncts += [said(person, secret.formula) for secret in own]
    return s.conj(*conjuncts)


def asks_all_models(formula: s.Formula) -> bool:
    """Whether a rule has ``never_known``.

    Then its verdict is about all models of one release at once.
    """
    # Before it is written out it is a criterion.
    by_name = s.Criterion("never_known")
    for node in s.subformulas(formula):
        if isinstance(node, s.NeverKnown) or node == by_name:
            return True
    return False


def written_out(node: s.Criterion, secrets: Secrets) -> s.Formula:
    """The formula of a criterion that speaks about individuals.  Raises Unfit."""
    values = arguments(node, ())
    if node.name == "logical_safety":
        return logical_safety(secrets)
    if node.name == "never_known":
        return never_known(secrets)
    from phverify.spec.weighted import weighted_safety

    return weighted_safety(secrets, values["b"])


def expanded(formula: s.Formula, secrets: Secrets) -> s.Formula:
    """The formula with its criteria about individuals written out.  Raises Unfit."""
    if isinstance(formula, s.Criterion) and formula.name in SAFETY:
        return written_out(formula, secrets)

    def change(node: s.Formula) -> s.Formula:
        return expanded(node, secrets)

    return s.rebuild(formula, change)


def secrets(
    policy: PlainPolicy,
    read: Callable[[str, str], s.Formula],
    person: Callable[[str], s.Person | None],
) -> Secrets:
    """The secrets of everyone ("*") and of single individuals.

    Those of a name that nobody has are left out.  ``read`` is given whose a secret is,
    and its text.
    """
    everyone: tuple[Secret, ...] = ()
    personal: dict[s.Person, tuple[Secret, ...]] = {}
    for who, texts in policy.secrets.items():
        # Read before the name is looked up: a secret must be a formula anyway.
        own = tuple(Secret(read(who, text), weight) for text, weight in texts)
        if who == "*":
            everyone = own
            continue
        individual = person(who)
        if individual is not None:
            # Two names may stand for one individual.
            personal[individual] = personal.get(individual, ()) + own
    return Secrets(everyone, personal)


def with_secrets(
    formula: s.Formula,
    asking: str,
    policy: PlainPolicy,
    data: Data,
    read: Callable[[str, str], s.Formula],
) -> s.Formula:
    """A rule with its criteria about individuals written out, of which ``asking`` is
    one; ``read`` is as for ``secrets``.

    Raises Refused where the policy has no secret, or somebody has one who is nobody.
    """

    def person(who: str) -> s.Person:
        individual = data.signature.find(owner(who))
        if not isinstance(individual, s.Person):
            raise Refused(f"there is no individual {who!r}")
        return individual

    known = secrets(policy, read, person)
    if not known.everyone and not known.personal:
        raise Refused(f"there is no secret that {asking} could be about")
    return expanded(formula, known)
