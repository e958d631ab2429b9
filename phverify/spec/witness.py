"""A leak, put in place again: who is on which row, which instance of the rule, and that it is false there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phverify.spec.data import Refused
from phverify.spec.meaning import Meaning, Table
from phverify.spec.schema import many
from phverify.spec.tuples import Formula, substitute


def assignment(listed: Any, table: Table) -> dict[int, int]:
    """A model: individuals on rows of their own classes, one each; those who are not listed fill what is left.

    ``listed`` are pairs (individual, row), counted from 1.  Raises Refused when they obey no model of the release.
    """
    place: dict[int, int] = {}
    for person, row in listed:
        if not 1 <= person <= len(table.homes) or not 1 <= row <= table.data.rows or person - 1 in place:
            raise Refused(f"an assignment names individual {person} or record {row}, which does not fit")
        if table.cell_of["a1"][row - 1] != table.homes[person - 1]:
            raise Refused(f"individual {person} is put on record {row}, outside the own class")
        place[person - 1] = row - 1
    if len(set(place.values())) < len(place):
        raise Refused("an assignment puts two individuals on one record")
    return _completed(place, table)


def _completed(place: dict[int, int], table: Table) -> dict[int, int]:
    taken = set(place.values())
    free = [[row for row in rows if row not in taken] for rows in table.classes]
    for person, number in enumerate(table.homes):
        if person not in place:
            if not free[number]:
                raise Refused("a class has more people than rows")
            place[person] = free[number].pop(0)
    return place


def refuted(rule: Formula, said: Mapping[str, Any], given: tuple[Formula, ...], table: Table) -> int:
    """The row where a rule is false in a model that meets the assumptions.  Raises Refused if it is not."""
    place, row = assignment(said["assignment"], table), int(said["world"]) - 1
    meaning = Meaning(table, place)
    if not 0 <= row < table.data.rows:
        raise Refused(f"there is no record d{row + 1}")
    for f in given:
        if not all(meaning.true(f, other) for other in range(table.data.rows)):
            raise Refused("the witness breaks an assumption")
    if meaning.true(instance(rule, list(said["path"]), table), row):
        raise Refused(f"the rule is true at d{row + 1} under the assignment given")
    return row


def instance(rule: Formula, path: list[Any], table: Table) -> Formula:
    """The instance that a path leads to: a number picks a conjunct, a list gives the values of a schema's variables."""
    if not path:
        return rule
    step, rest = path[0], path[1:]
    match rule:
        case ("and", parts) if type(step) is int and 0 <= step < len(parts):
            return instance(parts[step], rest, table)
        case ("forall", binders, body) if type(step) is list and len(step) == len(binders):
            values = {b[0]: value(b, one, table) for b, one in zip(binders, step, strict=True)}
            return instance(substitute(body, values), rest, table)
    raise Refused("a witness names an instance that the rule does not have")


def value(binder: tuple[Any, ...], said: Any, table: Table) -> Any:
    """The value of a schema variable: an individual's number, a value, an agent's name;
    a clause is a list of its values, or the number of its only one."""
    _, sort, column, length = binder
    data = table.data
    if sort == "individuals" and type(said) is int and 1 <= said <= many(binder, data):
        return ("person", said - 1)
    if sort == "agents" and said in data.agents:
        return said
    if sort == "values" and said in data.domains[column]:
        return said
    if sort == "clauses" and type(said) is int and 1 <= said <= len(data.domains[column]):
        return ("is", column, "in", data.domains[column][said - 1 : said])
    if sort == "clauses" and type(said) is list:
        distinct = len(set(said)) == len(said) and set(said) <= set(data.domains[column])
        if distinct and 1 <= len(said) <= length:
            return ("is", column, "in", tuple(said))
    raise Refused(f"{said!r} is no value of a schema variable over {sort}")
