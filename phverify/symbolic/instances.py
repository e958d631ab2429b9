"""Instances of rules as the engine asks them: what schemas over everyone's place say is
what a0 sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from phverify.logic.printer import operand
from phverify.spec import instances as spec
from phverify.spec import syntax as s
from phverify.spec.instances import Instance
from phverify.spec.schemas import apart
from phverify.spec.signature import Signature
from phverify.spec.walk import is_ground


def instances(formula: s.Formula, signature: Signature) -> Iterator[Instance]:
    """The instances whose validity is the formula's validity.  Raises TooLarge."""
    separated = apart(formula)
    for instance in spec.instances(separated, signature, shared=False):
        if spec.schematic(instance.body):
            body = _everyone(instance.body)
            instance = replace(instance, body=body)
        yield instance


def write_inner(formula: s.Formula, signature: Signature) -> s.Formula:
    """Schemas written out, except those over individuals.  Raises TooLarge."""
    written = spec.written(formula, signature, shared=False)
    return _everyone(written)


def _everyone(formula: s.Formula) -> s.Formula:
    """Everyone is on some row, and every row holds someone: everywhere, which is what
    a0 sees.
    """
    match formula:
        case s.Quantified(universal, (s.Binder(var),), s.At(name, body)) if (
            var == name and is_ground(body)
        ):
            if universal:
                return s.Box("a0", body)
            return s.Diamond("a0", body)
    return s.rebuild(formula, _everyone)


def binders(instance: Instance) -> s.Binders:
    """The schemas that are left."""
    people = [s.Binder(variable, "individuals") for variable in instance.people]
    return (*people, *instance.clauses)


def stated(instance: Instance) -> s.Formula:
    """The instance with the schemas that are left."""
    left = binders(instance)
    if left:
        return s.Quantified(True, left, instance.body)
    return instance.body


def bindings(instance: Instance) -> dict[str, str]:
    """How the variables of an instance were chosen, in words."""
    said = {}
    for name, value in instance.values.items():
        written = said_name(name)
        if isinstance(value, s.Value):
            said[written] = operand(value)
        else:
            said[written] = str(value)
    return said


def said_name(variable: str) -> str:
    """A variable as the user wrote it."""
    return variable.partition("!")[0]
