"""How a policy is read: once through all sections, with all that is wrong in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phverify.errors import Problem, Problems, nearest
from phverify.spec.policy import ROLES, SECTIONS, SETTINGS, PlainPolicy, SecretText
from phverify.spec.source import (
    Names,
    Plain,
    Refused,
    fraction,
    presentable,
    refused,
)
from phverify.spec.tokens import plain
from phverify.spec.toml import toml
from phverify.spec.types import NAMES, ValueType

if TYPE_CHECKING:
    from phverify.spec.builders import Builder


def policy(text: str) -> PlainPolicy:
    """The policy of a TOML text; files that it names are relative.

    Raises Refused when it has not the form of one.
    """
    try:
        reading = Reading(toml(text), Path(), "policy")
    except ValueError as error:
        raise Refused(f"the policy {error}") from None

    result = reading.policy()
    if reading.problems:
        raise refused(reading.problems)
    for secrets in result.secrets.values():
        for secret in secrets:
            presentable(secret.weight)
    return result


class Reading:
    """One pass over the sections; each method reads one and collects its problems.

    What stands under [masking] is about re-identification, and no concern of a verdict.
    """

    def __init__(self, data: Plain, folder: Path, source: str) -> None:
        self.data = data
        self.folder = folder
        self.source = source
        self.problems: Problems = []

    def complain(
        self, where: str, what: str, hint: str = "", private: bool = False
    ) -> None:
        """Keep a problem of a place in the policy, "" for the policy as a whole."""
        place = self.source
        if where:
            place = f"{self.source}, {where}"
        problem = Problem(place, what, hint, private)
        self.problems.append(problem)

    def policy(self) -> PlainPolicy:
        """The policy as far as it can be read; its problems are in ``problems``."""
        self.sections()
        columns = self.section("columns")
        roles: dict[str, Names] = {}
        for role in ROLES:
            roles[role] = self.names(f"columns.{role}", columns.get(role, []))
        identifier = self.identifier(columns)
        self.roles(columns, roles, identifier)

        quasi, sensitive, neutral = (roles[role] for role in ROLES)
        everything = (*quasi, *sensitive, *neutral)
        return PlainPolicy(
            quasi,
            sensitive,
            neutral,
            identifier,
            self.setting("missing", columns),
            self.types(everything),
            self.hierarchies(everything),
            self.agents(quasi),
            self.secrets(),
            self.texts("assumptions"),
            self.rules(),
            self.setting("rows", {}),
            self.source,
        )

    def sections(self) -> None:
        """Complain about sections that no policy has."""
        known = (*SECTIONS, *SETTINGS)
        for name in self.data:
            if name in known:
                continue
            hint = nearest(name, known, "sections")
            self.complain("", f"unknown section [{name}]", hint)

    def section(self, name: str) -> dict[str, Any]:
        """What stands in a section; nothing where it is missing, or no section."""
        content = self.data.get(name, {})
        if isinstance(content, Mapping):
            return dict(content)
        self.complain(f"[{name}]", f"is a section, not {content!r}")
        return {}

    def names(self, where: str, listed: Any) -> Names:
        """A list of names, each text and each once."""
        if not is_texts(listed):
            self.complain(where, f"is a list of column names, not {listed!r}")
            return ()
        names = list(listed)
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            first = twice[0]
            self.complain(where, f"names {first!r} twice")
        distinct = dict.fromkeys(names)
        return tuple(distinct)

    def identifier(self, columns: Plain) -> str | None:
        """The column of the individuals' names, if there is one."""
        name = columns.get("identifier")
        if name is None or isinstance(name, str):
            return name
        self.complain("columns.identifier", f"is the name of one column, not {name!r}")
        return None

    def roles(
        self, columns: Plain, roles: Mapping[str, Names], identifier: str | None
    ) -> None:
        """Complain about roles that do not exist, and about columns with several."""
        known = (*ROLES, "identifier")
        for name in columns:
            # What is said of missing cells stands among the roles.
            if name in known or name == "missing":
                continue
            hint = nearest(name, known, "roles")
            self.complain(f"columns.{name}", "unknown role", hint)
        if "columns" not in self.data:
            hint = 'quasi = ["zip"] and sensitive = ["health"] go there'
            self.complain("", "there is no [columns] section", hint)

        roles_of: dict[str, list[str]] = {}
        for role, names in roles.items():
            for name in names:
                own = roles_of.setdefault(name, [])
                own.append(role)
        if identifier:
            roles_of.setdefault(identifier, []).append("identifier")
        for name, several in roles_of.items():
            # an empty name is no column; that there is none is said by the table
            if name and len(several) > 1:
                listed = " and ".join(several)
                what = f"the column {name!r} has two roles: {listed}"
                self.complain("[columns]", what)

    def setting(self, name: str, columns: Plain) -> str:
        """One of a few words; the first where nothing is said, or nothing that is one
        of them.
        """
        choices, explained = SETTINGS[name]
        first = choices[0]
        in_columns = columns.get(name, first)
        word = self.data.get(name, in_columns)
        if word in choices:
            return str(word)
        self.complain(name, f"{explained}, not {word!r}")
        return first

    def types(self, columns: Names) -> dict[str, ValueType]:
        """How the values of columns are read and compared."""
        result = {}
        for name, kind in self.section("types").items():
            where = f"types.{name}"
            column = self.known(where, name, columns)
            if is_texts(kind):
                result[column] = ValueType("ordered", tuple(kind))
            elif kind in NAMES:
                result[column] = ValueType(str(kind))
            else:
                alike = nearest(str(kind), NAMES, "types")
                hint = f"{alike}; or a list of values, lowest first"
                self.complain(where, f"unknown type {kind!r}", hint)
        return result

    def known(self, where: str, name: str, columns: Names) -> str:
        """The column that a section names."""
        if name not in columns:
            self.complain(where, f"no role names the column {name!r}")
        return name

    def hierarchies(self, columns: Names) -> dict[str, Path | Builder]:
        """The file of each column's hierarchy, or how it is built."""
        result: dict[str, Path | Builder] = {}
        for name, given in self.section("hierarchies").items():
            where = f"hierarchies.{name}"
            self.known(where, name, columns)
            if isinstance(given, str):
                result[name] = self.folder / given
                continue
            builder = self.builder(where, given)
            # Without one a problem was reported.
            if builder is not None:
                result[name] = builder
        return result

    def builder(self, where: str, given: Any) -> Builder | None:
        """How a hierarchy is built; None where that cannot be read."""
        from phverify.spec.builders import builder

        try:
            return builder(given)
        except ValueError as error:
            self.complain(where, str(error))
        return None

    def agents(self, quasi: Names) -> dict[str, Names]:
        """The quasi-identifiers that each named agent knows of everyone."""
        result = {}
        for name, listed in self.section("agents").items():
            where = f"agents.{name}"
            if name in ("a0", "a1"):
                what = "a0 (knows nothing) and a1 (knows the release) always exist"
                self.complain(where, what)
            elif not is_agent_name(name):
                hint = "letters, plain digits and _ only"
                self.complain(where, "cannot be an agent's name", hint)

            result[name] = self.names(where, listed)
            for column in result[name]:
                if column not in quasi:
                    what = f"an agent knows quasi-identifiers, and {column!r} is none"
                    hint = nearest(column, quasi, "quasi-identifiers")
                    self.complain(where, what, hint)
        return result

    def secrets(self) -> dict[str, tuple[SecretText, ...]]:
        """What is secret of each person, and of everyone (``*``)."""
        result = {}
        for who, given in self.section("secrets").items():
            where = f"secrets.{who}"
            several = isinstance(given, (list, tuple))
            items = given if several else [given]
            own: list[SecretText] = []
            for item in items:
                own += self.secret(where, item)
            result[who] = tuple(own)
        return result

    def secret(self, where: str, item: Any) -> Iterator[SecretText]:
        """A secret as it is written; nothing where it is none."""
        if isinstance(item, str):
            yield SecretText(item)
        elif is_weighted(item):
            weight = fraction(item.get("weight", 1))
            # With weights below 0 one more secret could lower what is to be expected.
            if weight is None or not 0 <= weight <= 1:
                what = f"a weight is a number from 0 to 1, not {item['weight']}"
                self.complain(where, what)
            yield SecretText(item["formula"], weight or Fraction(0))
        else:
            what = (
                f"a secret is a formula, or {{formula = .., weight = ..}}, not {item!r}"
            )
            self.complain(where, what, private=True)

    def texts(self, name: str) -> dict[str, str]:
        """The formulas of a section, by name."""
        result = {}
        for key, text in self.section(name).items():
            if isinstance(text, str):
                result[key] = text
            else:
                what = f"is a formula in quotes, not {text!r}"
                self.complain(f"{name}.{key}", what, private=True)
        return result

    def rules(self) -> dict[str, str]:
        """The rules by name; a policy has at least one."""
        rules = self.texts("rules")
        if not self.data.get("rules"):
            hint = 'for example: anonymous = "k_anonymity(5)"'
            self.complain("", "there are no [rules] to verify", hint)
        return rules


def is_texts(value: Any) -> bool:
    """Whether a value is a list of texts."""
    if not isinstance(value, (list, tuple)):
        return False
    return all(isinstance(item, str) for item in value)


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
