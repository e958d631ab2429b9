"""A rule cut into instances: by conjunctions, and by schemas over values and agents.

Schemas over individuals and over clauses stay: their variables are unknowns of the
question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import prod

from phverify.spec import syntax as s
from phverify.spec.schemas import assignments, size
from phverify.spec.signature import Signature
from phverify.spec.source import Unsettled

INSTANCES = 20_000
"""So many instances of a schema inside a formula are written out."""
Value = s.Reference | s.Operand | str | s.Formula
Step = int | tuple[Value, ...]
"""From a rule to an instance of it.

The number of a conjunct, or the values of a schema's variables in their order.
"""


class TooLarge(Unsettled):
    """A schema inside a formula has too many instances to write out."""


@dataclass(frozen=True, eq=False)
class Instance:
    """A formula that must be true whatever its ``people`` and ``clauses`` stand for.

    These are variables of schemas; ``values`` are those of the other schemas.  ``path``
    says how the instance follows from the rule, where variables that are unknowns stand
    for themselves.
    """

    body: s.Formula
    people: tuple[s.Var, ...] = ()
    clauses: s.Binders = ()
    values: Mapping[str, Value] = field(default_factory=dict)
    path: tuple[Step, ...] = ()


def instances(
    rule: s.Formula | Instance, signature: Signature, shared: bool = True
) -> Iterator[Instance]:
    """The instances of a rule each of whose variables is bound once.

    It is valid iff all of them are.  Raises TooLarge.
    """
    whole = rule if isinstance(rule, Instance) else Instance(rule)
    match whole.body:
        case s.And(parts):
            for number, part in enumerate(parts):
                conjunct = replace(whole, body=part, path=(*whole.path, number))
                yield from instances(conjunct, signature, shared)
        case s.Quantified(True, binders, body):
            for chosen in _chosen(whole, binders, body, signature):
                yield from instances(chosen, signature, shared)
        case _:
            body = written(whole.body, signature, shared)
            yield _used(replace(whole, body=body))


def _chosen(
    whole: Instance, binders: s.Binders, body: s.Formula, signature: Signature
) -> Iterator[Instance]:
    """The body for all values and agents; people and clauses stay unknown."""
    people = tuple(b.var for b in binders if b.sort == "individuals")
    clauses = tuple(b for b in binders if b.sort == "clauses")
    listed = tuple(b for b in binders if b.sort in ("values", "agents"))
    for values in assignments(listed, signature):
        # A witness says later what the unknowns stand for.
        step = tuple(values.get(b.var.name, b.var) for b in binders)
        yield Instance(
            s.substitute(body, values),
            whole.people + people,
            whole.clauses + clauses,
            {**whole.values, **values},
            (*whole.path, step),
        )


def _used(instance: Instance) -> Instance:
    """Without variables that do not occur in the body."""
    if not instance.people and not instance.clauses:
        return instance
    # An unknown that the body does not mention would only add cases.
    names = variables(instance.body)
    people = tuple(var for var in instance.people if var.name in names)
    clauses = tuple(b for b in instance.clauses if b.var.name in names)
    return replace(instance, people=people, clauses=clauses)


def variables(formula: s.Formula) -> set[str]:
    """The names of all individuals' and clauses' variables in a formula."""
    names = set()
    for node in s.subformulas(formula):
        match node:
            case s.Nominal(s.Var(name)) | s.At(s.Var(name)) | s.Chosen(s.Var(name)):
                names.add(name)
    return names


def schematic(formula: s.Formula) -> bool:
    """Whether a schema stands anywhere in a formula."""
    nodes = s.subformulas(formula)
    return any(isinstance(node, s.Quantified) for node in nodes)


def written(
    formula: s.Formula, signature: Signature, shared: bool = True, room: int = INSTANCES
) -> s.Formula:
    """The formula with schemas written out, except those over individuals.

    Raises TooLarge when one has more instances than there is ``room`` for; ``shared``
    by those inside one another.
    """
    if not schematic(formula):
        return formula
    # The schemas stand somewhere below.
    if not isinstance(formula, s.Quantified):
        return s.rebuild(formula, lambda child: written(child, signature, shared, room))

    people = [b for b in formula.binders if b.sort == "individuals"]
    listed = tuple(b for b in formula.binders if b.sort != "individuals")
    count = prod(size(b, signature) for b in listed)
    if count > room:
        raise TooLarge(_too_many(count, room, shared))
    # Instances of schemas inside one another multiply.
    left = room // max(count, 1) if shared else room
    bodies = []
    for values in assignments(listed, signature):
        body = s.substitute(formula.body, values)
        bodies.append(written(body, signature, shared, left))

    result = s.conj(*bodies) if formula.universal else s.disj(*bodies)
    # One variable a schema: the encoder and the references take them one by one.
    for binder in reversed(people):
        result = s.Quantified(formula.universal, (binder,), result)
    return result


def _too_many(count: int, room: int, shared: bool) -> str:
    if shared:
        # What room is left depends on the schemas around: a number would mislead.
        return "a schema inside a formula has too many instances to write out"
    return f"a schema inside the formula has {count} instances (at most {room})"
