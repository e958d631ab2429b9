"""The sections that few policies have: types, hierarchies, agents, and secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phverify.errors import nearest
from phverify.spec.decimals import fraction
from phverify.spec.policy import NONE_MISSING, PlainPolicy, SecretText
from phverify.spec.reading import Reading, is_texts
from phverify.spec.source import Names
from phverify.spec.tokens import plain
from phverify.spec.types import NAMES, ValueType
from phverify.spec.wording import called, written

if TYPE_CHECKING:
    from phverify.spec.builders import Builder


def further(reading: Reading, columns: Names, quasi: Names) -> dict[str, Any]:
    """What these sections say, by their names."""
    return {
        "types": types(reading, columns),
        "hierarchies": hierarchies(reading, columns),
        "agents": agents(reading, quasi),
        "secrets": secrets(reading),
    }


def types(reading: Reading, columns: Names) -> dict[str, ValueType]:
    """How the values of columns are read and compared."""
    result = {}
    for name, kind in reading.section("types").items():
        where = f"types.{name}"
        column = reading.known(where, name, columns)
        if is_texts(kind):
            result[column] = ValueType("ordered", tuple(kind))
        elif kind in NAMES:
            result[column] = ValueType(str(kind))
        else:
            alike = nearest(str(kind), NAMES, "types")
            hint = f"{alike}; or a list of values, lowest first"
            reading.complain(where, f"unknown type {kind!r}", hint)
    return result


def hierarchies(reading: Reading, columns: Names) -> dict[str, Path | Builder]:
    """The file of each column's hierarchy, or how it is built."""
    result: dict[str, Path | Builder] = {}
    for name, given in reading.section("hierarchies").items():
        where = f"hierarchies.{name}"
        reading.known(where, name, columns)
        if isinstance(given, str):
            result[name] = reading.folder / given
            continue
        builder = reading.builder(where, given)
        # Without one a problem was reported.
        if builder is not None:
            result[name] = builder
    return result


def agents(reading: Reading, quasi: Names) -> dict[str, Names]:
    """The quasi-identifiers that each named agent knows of everyone."""
    result = {}
    for name, listed in reading.section("agents").items():
        where = f"agents.{name}"
        if name in ("a0", "a1"):
            what = "a0 (knows nothing) and a1 (knows the release) always exist"
            reading.complain(where, what)
        elif not is_agent_name(name):
            hint = "letters, plain digits and _ only"
            reading.complain(where, "cannot be an agent's name", hint)

        result[name] = reading.names(where, listed)
        for column in result[name]:
            if column not in quasi:
                what = f"an agent knows quasi-identifiers, and {column!r} is none"
                hint = nearest(column, quasi, "quasi-identifiers")
                reading.complain(where, what, hint)
    return result


def secrets(reading: Reading) -> dict[str, tuple[SecretText, ...]]:
    """What is secret of each person, and of everyone (``*``)."""
    result = {}
    for who, given in reading.section("secrets").items():
        where = f"secrets.{who}"
        several = isinstance(given, (list, tuple))
        items = given if several else [given]
        own: list[SecretText] = []
        for item in items:
            own += secret(reading, where, item)
        result[who] = tuple(own)
    return result


def secret(reading: Reading, where: str, item: Any) -> Iterator[SecretText]:
    """A secret as it is written; nothing where it is none."""
    if isinstance(item, str):
        yield SecretText(item)
    elif is_weighted(item):
        weight = fraction(item.get("weight", 1))
        # With weights below 0 one more secret could lower what is to be expected.
        if weight is None or not 0 <= weight <= 1:
            what = f"a weight is a number from 0 to 1, not {item['weight']}"
            reading.complain(where, what)
        yield SecretText(item["formula"], weight or Fraction(0))
    else:
        what = f"a secret is a formula, or {{formula = .., weight = ..}}, not {item!r}"
        reading.complain(where, what, private=True)


def is_agent_name(name: str) -> bool:
    """Whether an agent can be named so: not a word of the language, nothing that
    ``l_name(..)`` would read otherwise.
    """
    if name in ("agents", "diversity"):
        return False
    # In formulas subscripts are digits: a₁ would be read as a1.
    if plain(name) != name:
        return False
    return re.fullmatch(r"[A-Za-z]\w*", name) is not None


def is_weighted(item: Any) -> bool:
    """Whether an item has the form of a formula with a weight."""
    if not isinstance(item, Mapping):
        return False
    if not set(item) <= {"formula", "weight"}:
        return False
    return isinstance(item.get("formula"), str)


# What the checker says of them


def told(rules: PlainPolicy) -> Iterator[str]:
    """What these sections say, line by line."""
    for name, kind in rules.types.items():
        order = " < ".join(map(called, kind.order))
        yield f"type of {called(name)}: {order or kind.name}"
    if rules.missing == "error":
        yield NONE_MISSING
    for name, known in rules.agents.items():
        yield f"agent {name} knows {called(*known) or 'nothing'}"
    for who, own in rules.secrets.items():
        person = "everyone" if who == "*" else called(who)
        yield f"secret of {person}: {'; '.join(map(weighted, own))}"


def weighted(secret: SecretText) -> str:
    """A secret on one line, with its weight where it has not the whole weight."""
    text = written(secret.text)
    if secret.weight == 1:
        return text
    return f"{text} (weight {secret.weight})"
