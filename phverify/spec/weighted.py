"""Weighted secrets (Section 5): what each individual must expect."""

from __future__ import annotations

from fractions import Fraction

from phverify.spec import syntax as s
from phverify.spec.safety import EVERYBODY, Secret, Secrets


def weighted_safety(secrets: Secrets, bound: Fraction) -> s.Formula:
    """``@i sum of W(i, phi) l_a1(phi) <= b`` for every individual i.

    The sum is the seriousness that i must expect.
    Those with secrets of their own have the secrets of everyone as well; weights are >=
    0, so that the bound for everyone follows for them from their own.
    """
    common = _expected(secrets.everyone, bound)
    at_everybody = s.At(s.Var("i"), common)
    conjuncts: list[s.Formula] = [s.Quantified(True, EVERYBODY, at_everybody)]

    for person, own in secrets.personal.items():
        # A bound on all of them is the stronger one for this individual.
        all_secrets = secrets.everyone + own
        conjuncts.append(s.At(person, _expected(all_secrets, bound)))
    return s.conj(*conjuncts)


def _expected(secrets: tuple[Secret, ...], bound: Fraction) -> s.Formula:
    """The expected seriousness is at most the bound."""
    losses = []
    for secret in secrets:
        loss = s.likelihood("a1", secret.formula, secret.weight)
        losses.append(loss)
    total = s.plus(*losses)
    limit = s.number(bound)
    return s.Compare(total, "<=", limit)
