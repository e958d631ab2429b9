"""A leak, put in place again.

Who is on which row, which instance of the rule is meant, and that it is false there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from phverify.spec import syntax as s
from phverify.spec.data import Refused
from phverify.spec.models import ReleaseModel, Table
from phverify.spec.policy import PlainPolicy
from phverify.spec.schemas import expand
from phverify.spec.semantics import holds
from phverify.spec.source import Plain
from phverify.spec.wording import called, written


def assignment(listed: Any, table: Table) -> dict[int, int]:
    """A model: individuals on rows of their own classes, one each.

    ``listed`` are pairs (individual, row), counted from 1; those who are not listed
    fill what is left.  Raises Refused when they obey no model of the release.
    """
    place: dict[int, int] = {}
    people = len(table.homes)
    rows = table.data.rows
    for person, row in listed:
        # Counted from 1, as people count; the table counts from 0.
        known = 1 <= person <= people and 1 <= row <= rows
        individual = person - 1
        record = row - 1
        if not known or individual in place:
            raise Refused(
                f"an assignment names individual {person} or record {row}, which does"
                " not fit"
            )
        # The cells of a1 are the classes.
        if table.cell_of["a1"][record] != table.homes[individual]:
            raise Refused(
                f"individual {person} is put on record {row}, outside the own class"
            )
        place[individual] = record
    # A row is one individual's.
    taken = set(place.values())
    if len(taken) < len(place):
        raise Refused("an assignment puts two individuals on one record")
    return completed(place, table.homes, table.classes)


def completed(
    place: Mapping[int, int], homes: Sequence[int], classes: Sequence[list[int]]
) -> dict[int, int]:
    """A placement of everyone that extends a given one.

    Each class's other people are on its other rows, in order.  Raises Refused for a
    class with more people than rows.
    """
    everyone = dict(place)
    taken = set(place.values())
    # Whoever is not listed may be anywhere: the first free row will do.
    free_rows = [_without(rows, taken) for rows in classes]
    for person, number in enumerate(homes):
        if person in everyone:
            continue
        row = next(free_rows[number], None)
        if row is None:
            raise Refused("a class has more people than rows")
        everyone[person] = row
    return everyone


def _without(rows: list[int], taken: set[int]) -> Iterator[int]:
    return (row for row in rows if row not in taken)


def met(listed: Any, given: s.Formulas, table: Table, policy: PlainPolicy) -> str:
    """That one model meets all assumptions: it is enough.

    Raises Refused where an assumption is false in it.
    """
    model = ReleaseModel(table, assignment(listed, table))
    for name, assumed in zip(policy.assumptions, given, strict=True):
        if not model.valid(expand(assumed, table.data.signature)):
            raise Refused(
                f"the assumption {name} is false in the model that is said to meet"
                " all assumptions"
            )
    said = [f"{called(k)} = {written(text)}" for k, text in policy.assumptions.items()]
    return f"the assumptions can be met together: {'; '.join(said)}"


def refuted(rule: s.Formula, said: Plain, given: s.Formulas, table: Table) -> int:
    """The row where a rule is false in a model that meets the assumptions.

    Raises Refused if it is not, or the model does not.
    """
    signature = table.data.signature
    model = ReleaseModel(table, assignment(said["assignment"], table))
    row = int(said["world"]) - 1
    if not 0 <= row < table.data.rows:
        raise Refused(f"there is no record d{row + 1}")
    if not all(model.valid(expand(assumed, signature)) for assumed in given):
        raise Refused("the witness breaks an assumption")
    # The rule is false where one of its instances is.
    claimed = instance(rule, list(said["path"]), table)
    if holds(model, row, expand(claimed, signature)):
        raise Refused(f"the rule is true at d{row + 1} under the assignment given")
    return row


def instance(rule: s.Formula, path: list[Any], table: Table) -> s.Formula:
    """The instance that a path leads to.

    A number picks a conjunct, a list gives the values of a schema's variables.  Raises
    Refused for a path that leads nowhere.
    """
    if not path:
        return rule
    step, rest = path[0], path[1:]
    # A path is what somebody else claims: True is an integer, but no step.
    match rule:
        case s.And(parts) if type(step) is int and 0 <= step < len(parts):
            return instance(parts[step], rest, table)
        case s.Quantified(True, binders, body) if type(step) is list:
            if len(step) == len(binders):
                values = {}
                for binder, said in zip(binders, step, strict=True):
                    values[binder.var.name] = value(binder, said, table)
                return instance(s.substitute(body, values), rest, table)
    raise Refused("a witness names an instance that the rule does not have")


def value(binder: s.Binder, said: Any, table: Table) -> Any:
    """The value of a schema variable.

    An individual's number, a value, an agent's name; a clause is a list of its values,
    or the number of its only one.  Raises Refused for anything else.
    """
    signature = table.data.signature
    domain = table.data.domains.get(binder.attribute, ())
    match binder.sort:
        case "individuals" if type(said) is int and 1 <= said <= signature.individuals:
            return signature.person(said - 1)
        case "agents" if said in signature.agents:
            return said
        case "values" if said in domain:
            return s.Value(said)
        case "clauses" if type(said) is int and 1 <= said <= len(domain):
            return s.among(binder.attribute, domain[said - 1 : said])
        case "clauses" if type(said) is list:
            # A clause is a set, and a shorter one than the schema's is one, too.
            distinct = len(set(said)) == len(said) and set(said) <= set(domain)
            if distinct and 1 <= len(said) <= binder.length:
                return s.among(binder.attribute, tuple(said))
    raise Refused(f"{said!r} is no value of a schema variable over {binder.sort}")


def placed(model: ReleaseModel) -> str:
    """Who is where, as the end of a sentence; nothing where nobody is named."""
    if not model.place:
        return ""
    places = sorted(model.place.items())
    # As in texts, people and rows count from 1.
    shown = [f"i{person + 1} on d{row + 1}" for person, row in places]
    listed = ", ".join(shown)
    return f", with {listed}"
