"""How a policy is read: once through all sections, with all that is wrong in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phverify.errors import Problem, Problems, nearest
from phverify.spec.policy import FURTHER, ROLES, SECTIONS, SETTINGS, PlainPolicy
from phverify.spec.source import (
    Names,
    Plain,
    Refused,
    presentable,
    refused,
)
from phverify.spec.toml import toml

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
        missing = self.setting("missing", columns)
        further = self.further((*quasi, *sensitive, *neutral), quasi)
        return PlainPolicy(
            quasi,
            sensitive,
            neutral,
            identifier,
            missing,
            assumptions=self.texts("assumptions"),
            rules=self.rules(),
            rows=self.setting("rows", {}),
            source=self.source,
            **further,
        )

    def further(self, columns: Names, quasi: Names) -> dict[str, Any]:
        """What the sections say that few policies have, by their names."""
        if any(name in self.data for name in FURTHER):
            from phverify.spec.sections import further

            return further(self, columns, quasi)
        return {name: {} for name in FURTHER}

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

    def known(self, where: str, name: str, columns: Names) -> str:
        """The column that a section names."""
        if name not in columns:
            self.complain(where, f"no role names the column {name!r}")
        return name

    def builder(self, where: str, given: Any) -> Builder | None:
        """How a hierarchy is built; None where that cannot be read."""
        from phverify.spec.builders import builder

        try:
            return builder(given)
        except ValueError as error:
            self.complain(where, str(error))
        return None

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
