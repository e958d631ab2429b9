"""Schemas written out: every instance of a quantifier, for the reference semantics and
for inner quantifiers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import comb

from phverify.spec import syntax as s
from phverify.spec.signature import Signature

Instance = s.Reference | s.Operand | str | s.Formula
"""What a schema variable stands for."""
Substitution = dict[str, Instance]


def instances(binder: s.Binder, signature: Signature) -> Iterator[Instance]:
    """Everything that a schema variable ranges over."""
    match binder.sort:
        case "individuals":
            yield from map(signature.person, range(signature.individuals))
        case "agents":
            yield from signature.agents
        case "values":
            yield from map(s.Value, signature.attributes[binder.attribute].domain)
        case "clauses":
            domain = signature.attributes[binder.attribute].domain
            longest = min(binder.length, len(domain))
            for length in range(1, longest + 1):
                for values in itertools.combinations(domain, length):
                    yield s.among(binder.attribute, values)


def size(binder: s.Binder, signature: Signature) -> int:
    """How many instances there are."""
    match binder.sort:
        case "individuals":
            return signature.individuals
        case "agents":
            return len(signature.agents)
        case "values":
            return len(signature.attributes[binder.attribute].domain)
    m = len(signature.attributes[binder.attribute].domain)
    # Clauses are the sets of values up to a length, without the empty one.
    longest = min(binder.length, m)
    return sum(comb(m, length) for length in range(1, longest + 1))


def assignments(
    binders: tuple[s.Binder, ...], signature: Signature
) -> Iterator[Substitution]:
    """All combinations of values for the variables."""
    names = [binder.var.name for binder in binders]
    for values in itertools.product(
        *(list(instances(binder, signature)) for binder in binders)
    ):
        yield dict(zip(names, values, strict=True))


def apart(formula: s.Formula) -> s.Formula:
    """The formula with every schema variable bound once: a name that is taken goes on
    as ``i!2``.

    No name that a user can write contains ``!``.  After this, no substitution can
    capture a variable.
    """
    return _apart(formula, {})


def _apart(formula: s.Formula, taken: dict[str, int]) -> s.Formula:
    if isinstance(formula, s.Quantified):
        renamed: Substitution = {}
        binders = []
        for binder in formula.binders:
            name = binder.var.name
            count = taken.get(name, 0) + 1
            taken[name] = count
            # The first one keeps its name, so that most formulas stay as they are.
            var = binder.var if count == 1 else s.Var(f"{name}!{count}")
            binders.append(replace(binder, var=var))
            renamed[name] = s.Chosen(var) if binder.sort == "clauses" else var
        body = s.substitute(formula.body, renamed)
        return replace(formula, binders=tuple(binders), body=_apart(body, taken))
    return s.rebuild(formula, lambda child: _apart(child, taken))


def expand(
    formula: s.Formula,
    signature: Signature,
    criterion: Callable[[s.Criterion], s.Formula] | None = None,
) -> s.Formula:
    """The formula without schemas, and without criteria where ``criterion`` gives their
    formula.
    """

    def inner(child: s.Formula) -> s.Formula:
        return expand(child, signature, criterion)

    match formula:
        case s.Quantified(universal, binders, body):
            # From the outside in: the inner schemas have values then.
            parts = [
                inner(s.substitute(body, values))
                for values in assignments(binders, signature)
            ]
            if universal:
                return s.conj(*parts)
            return s.disj(*parts)
        case s.Criterion() if criterion is not None:
            return inner(criterion(formula))
    return s.rebuild(formula, inner)
