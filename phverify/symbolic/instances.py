"""A rule cut into instances: conjunctions apart, schemas over values and agents run through.

Schemas over individuals and over clauses stay: their variables are unknowns of the question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from phverify.errors import PhverifyError
from phverify.logic.printer import operand
from phverify.spec import syntax as s
from phverify.spec.schemas import apart, assignments, size
from phverify.spec.signature import Signature
from phverify.spec.walk import is_ground

INNER_LIMIT = 20_000


Step = int | tuple[s.Operand | s.Var | str, ...]
"""From a rule to an instance of it: the number of a conjunct, or the values of a schema's variables in their order."""


class TooLarge(PhverifyError):
    """A schema inside a formula has too many instances to write out."""


@dataclass(frozen=True)
class Instance:
    """A formula with its remaining schema variables; valid iff it is true for all of them, everywhere."""

    body: s.Formula
    people: tuple[s.Var, ...] = ()
    clauses: tuple[s.Binder, ...] = ()
    bindings: Mapping[str, str] | None = None
    path: tuple[Step, ...] = ()
    """How the instance follows from the rule; variables that are unknowns stand for themselves."""


def instances(formula: s.Formula, signature: Signature) -> Iterator[Instance]:
    """The instances whose validity is the formula's validity."""
    yield from _cut(Instance(apart(formula)), signature)


def _cut(item: Instance, signature: Signature) -> Iterator[Instance]:
    match item.body:
        case s.And(parts):
            for k, part in enumerate(parts):
                yield from _cut(replace(item, body=part, path=(*item.path, k)), signature)
        case s.Quantified(True, binders, body):
            yield from _peel(item, binders, body, signature)
        case _:
            yield _used(replace(item, body=write_inner(item.body, signature)))


def _peel(item: Instance, binders: tuple[s.Binder, ...], body: s.Formula, signature: Signature) -> Iterator[Instance]:
    """Run through values and agents; keep individuals and clauses."""
    people = (*item.people, *(b.var for b in binders if b.sort == "individuals"))
    clauses = (*item.clauses, *(b for b in binders if b.sort == "clauses"))
    listed = tuple(b for b in binders if b.sort in ("values", "agents"))
    for values in assignments(listed, signature):
        said = {**(item.bindings or {}), **{said_name(name): _say(value) for name, value in values.items()}}
        step = tuple(values.get(b.var.name, b.var) for b in binders)
        chosen = Instance(s.substitute(body, values), people, clauses, said, (*item.path, step))  # type: ignore[arg-type]
        yield from _cut(chosen, signature)


def said_name(variable: str) -> str:
    """A variable as the user wrote it."""
    return variable.partition("!")[0]


def _say(value: object) -> str:
    return operand(value) if isinstance(value, s.Value) else str(value)


def _used(item: Instance) -> Instance:
    """Without variables that do not occur in the body."""
    names = variables(item.body)
    people = tuple(v for v in item.people if v.name in names)
    return replace(item, people=people, clauses=tuple(b for b in item.clauses if b.var.name in names))


def variables(formula: s.Formula) -> set[str]:
    """The names of all individuals' and clauses' variables in a formula."""
    found = set()
    for node in s.subformulas(formula):
        match node:
            case s.Nominal(s.Var(name)) | s.At(s.Var(name)) | s.Chosen(s.Var(name)):
                found.add(name)
    return found


def write_inner(formula: s.Formula, signature: Signature) -> s.Formula:
    """Schemas below the top written out, except those over individuals.  Raises TooLarge."""
    match formula:
        case s.Quantified(universal, (s.Binder(var, "individuals"),), s.At(name, body)) if var == name and is_ground(
            body
        ):
            # everyone is on some row, and every row holds someone: everywhere, which is what a0 sees
            return s.Box("a0", body) if universal else s.Diamond("a0", body)
        case s.Quantified(universal, binders, body):
            listed = tuple(b for b in binders if b.sort != "individuals")
            people = tuple(b for b in binders if b.sort == "individuals")
            many = 1
            for binder in listed:
                many *= size(binder, signature)
            if many > INNER_LIMIT:
                raise TooLarge(f"a schema inside the formula has {many} instances (at most {INNER_LIMIT})")
            bodies = [write_inner(s.substitute(body, v), signature) for v in assignments(listed, signature)]
            written = s.conj(*bodies) if universal else s.disj(*bodies)
            return s.Quantified(universal, people, written) if people else written
    return s.rebuild(formula, lambda child: write_inner(child, signature))
