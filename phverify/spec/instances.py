"""A rule cut into instances: conjunctions apart, schemas over values and agents run
through.

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
"""From a rule to an instance of it: the number of a conjunct, or the values of a
schema's variables in their order.
"""


class TooLarge(Unsettled):
    """A schema inside a formula has too many instances to write out."""


@dataclass(frozen=True, eq=False)
class Instance:
    """A formula that must be true whoever its ``people`` are and whatever its
    ``clauses`` say; variables of schemas.

    ``values`` are those of the other schemas; ``path`` says how the instance follows
    from the rule, where variables that are unknowns stand for themselves.
    """

    body: s.Formula
    people: tuple[s.Var, ...] = ()
    clauses: s.Binders = ()
    values: Mapping[str, Value] = field(default_factory=dict)
    path: tuple[Step, ...] = ()


def instances(
    rule: s.Formula | Instance, signature: Signature, shared: bool = True
) -> Iterator[Instance]:
    """A rule, each of whose variables is bound once, is valid iff all its instances
    are.  Raises TooLarge.
    """
    found = rule if isinstance(rule, Instance) else Instance(rule)
    match found.body:
        case s.And(parts):
            for k, part in enumerate(parts):
                yield from instances(
                    replace(found, body=part, path=(*found.path, k)), signature, shared
                )
        case s.Quantified(True, binders, body):
            people = (
                *found.people,
                *(b.var for b in binders if b.sort == "individuals"),
            )
            clauses = (*found.clauses, *(b for b in binders if b.sort == "clauses"))
            listed = tuple(b for b in binders if b.sort in ("values", "agents"))
            for values in assignments(listed, signature):
                step = tuple(values.get(b.var.name, b.var) for b in binders)
                chosen = Instance(
                    s.substitute(body, values),
                    people,
                    clauses,
                    {**found.values, **values},
                    (*found.path, step),
                )
                yield from instances(chosen, signature, shared)
        case _:
            yield _used(replace(found, body=written(found.body, signature, shared)))


def _used(found: Instance) -> Instance:
    """Without variables that do not occur in the body."""
    if not found.people and not found.clauses:
        return found
    names = variables(found.body)
    people = tuple(var for var in found.people if var.name in names)
    return replace(
        found,
        people=people,
        clauses=tuple(b for b in found.clauses if b.var.name in names),
    )


def variables(formula: s.Formula) -> set[str]:
    """The names of all individuals' and clauses' variables in a formula."""
    found = set()
    for node in s.subformulas(formula):
        match node:
            case s.Nominal(s.Var(name)) | s.At(s.Var(name)) | s.Chosen(s.Var(name)):
                found.add(name)
    return found


def schematic(formula: s.Formula) -> bool:
    """Whether a schema stands anywhere in a formula."""
    return any(isinstance(node, s.Quantified) for node in s.subformulas(formula))


def written(
    formula: s.Formula, signature: Signature, shared: bool = True, room: int = INSTANCES
) -> s.Formula:
    """The formula with schemas written out, except those over individuals.

    Raises TooLarge when one has more instances than there is ``room`` for; ``shared``
    by those inside one another.
    """
    if not schematic(formula):
        return formula
    if not isinstance(formula, s.Quantified):
        return s.rebuild(formula, lambda child: written(child, signature, shared, room))
    listed = tuple(b for b in formula.binders if b.sort != "individuals")
    count = prod(size(b, signature) for b in listed)
    if count > room:
        many = f"the formula has {count} instances (at most {room})"
        told = "a formula has too many instances to write out" if shared else many
        raise TooLarge(f"a schema inside {told}")
    left = room // max(count, 1) if shared else room
    bodies = [
        written(s.substitute(formula.body, v), signature, shared, left)
        for v in assignments(listed, signature)
    ]
    result = s.conj(*bodies) if formula.universal else s.disj(*bodies)
    for binder in reversed([b for b in formula.binders if b.sort == "individuals"]):
        result = s.Quantified(formula.universal, (binder,), result)
    return result
