"""A policy: column roles, what agents know, what is secret, what is assumed, and the
rules; and how it is read.

A reading goes once through all sections and collects what is wrong with them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from phverify.errors import Problem, Problems, nearest
from phverify.spec.source import (
    Names,
    Plain,
    Refused,
    fraction,
    presentable,
    rational,
    refused,
    writable,
)
from phverify.spec.tokens import plain
from phverify.spec.types import NAMES, ValueType

if TYPE_CHECKING:
    from phverify.spec.builders import Builder

SECTIONS = (
    "columns",
    "types",
    "hierarchies",
    "agents",
    "masking",
    "secrets",
    "assumptions",
    "rules",
)
ROLES = ("quasi", "sensitive", "neutral")
ORDERS = ("any order", "same order")
"""What is known of the rows of a release: nothing, or that row k is made of row k of
the original.
"""
SETTINGS = {
    "missing": (
        ("value", "error"),
        'is "value" (a missing cell is a value of its own) or "error"',
    ),
    "rows": (
        ORDERS,
        (
            'is "same order" (row 3 of the release is row 3 of the original) or "any'
            ' order"'
        ),
    ),
}
"""Words that stand before the sections of a policy: their choices, and what is said of
another.
"""


class SecretText(NamedTuple):
    """A secret as written, with its weight in [0, 1]."""

    text: str
    weight: Fraction = Fraction(1)


@dataclass(frozen=True)
class Policy:
    """What a policy file says; formulas are kept as text until the data are known.

    ``secrets["*"]`` are everyone's; a hierarchy is the path of its file, or how it is
    built; ``source`` is what the policy is called where something is wrong with it.
    """

    quasi: Names
    sensitive: Names
    neutral: Names
    identifier: str | None
    missing: str
    types: Mapping[str, ValueType]
    hierarchies: Mapping[str, Path | Builder]
    agents: Mapping[str, Names]
    secrets: Mapping[str, tuple[SecretText, ...]]
    assumptions: Mapping[str, str]
    rules: Mapping[str, str]
    rows: str = ORDERS[0]
    """Whether the release has its rows in the "same order" as the original, or perhaps
    in "any order".
    """
    source: str = "policy"

    @property
    def columns(self) -> Names:
        """The columns that a release must have."""
        return (*self.quasi, *self.sensitive, *self.neutral)

    @property
    def named(self) -> Names:
        """The columns with a role, the identifier among them."""
        return (*self.columns, *([self.identifier] if self.identifier else []))


def policy(text: str) -> Policy:
    """The policy of a TOML text; files that it names are relative.  Raises Refused when
    it has not the form of one.
    """
    try:
        reading = Reading(toml(text), Path(), "policy")
    except ValueError as error:
        raise Refused(f"the policy {error}") from None
    found = reading.policy()
    if reading.problems:
        raise refused(reading.problems)
    for secrets in found.secrets.values():
        for secret in secrets:
            presentable(secret.weight)
    return found


def toml(text: str) -> dict[str, Any]:
    """What a TOML text holds, numbers exactly.  Raises ValueError."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"), parse_float=_number)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"is no TOML: {error}") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None


def _number(text: str) -> Fraction:
    """A number of a TOML file.  Raises ValueError for one that could not be written in
    a message.
    """
    number = rational(text.replace("_", ""))
    if not writable(number):
        raise ValueError(f"{text} has more than 300 digits")
    return number


class Reading:
    """One pass over the sections; each method reads one and collects its problems.

    What stands under [masking] is about re-identification, and no concern of a verdict.
    """

    def __init__(self, data: Plain, folder: Path, source: str) -> None:
        self.data, self.folder, self.source = data, folder, source
        self.problems: Problems = []

    def complain(
        self, where: str, what: str, hint: str = "", private: bool = False
    ) -> None:
        self.problems.append(
            Problem(
                f"{self.source}, {where}" if where else self.source, what, hint, private
            )
        )

    def policy(self) -> Policy:
        for name in self.data:
            if name not in (*SECTIONS, *SETTINGS):
                self.complain(
                    "",
                    f"unknown section [{name}]",
                    nearest(name, (*SECTIONS, *SETTINGS), "sections"),
                )
        columns = self.section("columns")
        roles = {
            role: self.names(f"columns.{role}", columns.get(role, [])) for role in ROLES
        }
        identifier = self.identifier(columns)
        self.roles(columns, roles, identifier)
        quasi, sensitive, neutral = (roles[role] for role in ROLES)
        everything = (*quasi, *sensitive, *neutral)
        return Policy(
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

    def section(self, name: str) -> dict[str, Any]:
        found = self.data.get(name, {})
        if isinstance(found, Mapping):
            return dict(found)
        self.complain(f"[{name}]", f"is a section, not {found!r}")
        return {}

    def names(self, where: str, found: Any) -> Names:
        """A list of names, each text and each once."""
        if isinstance(found, (list, tuple)) and all(
            isinstance(name, str) for name in found
        ):
            twice = sorted({name for name in found if list(found).count(name) > 1})
            if twice:
                self.complain(where, f"names {twice[0]!r} twice")
            return tuple(dict.fromkeys(found))
        self.complain(where, f"is a list of column names, not {found!r}")
        return ()

    def identifier(self, columns: Plain) -> str | None:
        found = columns.get("identifier")
        if found is None or isinstance(found, str):
            return found
        self.complain("columns.identifier", f"is the name of one column, not {found!r}")
        return None

    def roles(
        self, columns: Plain, roles: Mapping[str, Names], identifier: str | None
    ) -> None:
        for name in columns:
            if name not in (*ROLES, "identifier", "missing"):
                self.complain(
                    f"columns.{name}",
                    "unknown role",
                    nearest(name, (*ROLES, "identifier"), "roles"),
                )
        if "columns" not in self.data:
            self.complain(
                "",
                "there is no [columns] section",
                'quasi = ["zip"] and sensitive = ["health"] go there',
            )
        held = {**roles, "identifier": (identifier,)}
        for name in dict.fromkeys(
            name for names in held.values() for name in names if name
        ):
            several = [role for role, names in held.items() if name in names]
            if len(several) > 1:
                self.complain(
                    "[columns]",
                    f"the column {name!r} has two roles: {' and '.join(several)}",
                )

    def setting(self, name: str, columns: Plain) -> str:
        """One of a few words; the first where nothing is said, or nothing that is one
        of them.
        """
        choices, said = SETTINGS[name]
        found = self.data.get(name, columns.get(name, choices[0]))
        if found in choices:
            return str(found)
        self.complain(name, f"{said}, not {found!r}")
        return choices[0]

    def types(self, columns: Names) -> dict[str, ValueType]:
        result = {}
        for name, found in self.section("types").items():
            column = self.known(f"types.{name}", name, columns)
            if isinstance(found, (list, tuple)) and all(
                isinstance(v, str) for v in found
            ):
                result[column] = ValueType("ordered", tuple(found))
            elif found in NAMES:
                result[column] = ValueType(str(found))
            else:
                hint = (
                    nearest(str(found), NAMES, "types")
                    + "; or a list of values, lowest first"
                )
                self.complain(f"types.{name}", f"unknown type {found!r}", hint)
        return result

    def known(self, where: str, name: str, columns: Names) -> str:
        """The column that a section names."""
        if name not in columns:
            self.complain(where, f"no role names the column {name!r}")
        return name

    def hierarchies(self, columns: Names) -> dict[str, Path | Builder]:
        result: dict[str, Path | Builder] = {}
        for name, found in self.section("hierarchies").items():
            where = f"hierarchies.{name}"
            self.known(where, name, columns)
            made = (
                self.folder / found
                if isinstance(found, str)
                else self.builder(where, found)
            )
            if made is not None:
                result[name] = made
        return result

    def builder(self, where: str, found: Any) -> Builder | None:
        """How a hierarchy is built."""
        from phverify.spec.builders import builder

        try:
            return builder(found)
        except ValueError as error:
            self.complain(where, str(error))
        return None

    def agents(self, quasi: Names) -> dict[str, Names]:
        result = {}
        for name, found in self.section("agents").items():
            where = f"agents.{name}"
            if name in ("a0", "a1"):
                self.complain(
                    where, "a0 (knows nothing) and a1 (knows the release) always exist"
                )
            elif (
                not re.fullmatch(r"[A-Za-z]\w*", name)
                or name in ("agents", "diversity")
                or plain(name) != name
            ):
                self.complain(
                    where,
                    "cannot be an agent's name",
                    "letters, plain digits and _ only",
                )
            knows = self.names(where, found)
            for column in knows:
                if column not in quasi:
                    what = f"an agent knows quasi-identifiers, and {column!r} is none"
                    self.complain(
                        where, what, nearest(column, quasi, "quasi-identifiers")
                    )
            result[name] = knows
        return result

    def secrets(self) -> dict[str, tuple[SecretText, ...]]:
        result = {}
        for who, found in self.section("secrets").items():
            items = found if isinstance(found, (list, tuple)) else [found]
            result[who] = tuple(
                secret
                for item in items
                for secret in self.secret(f"secrets.{who}", item)
            )
        return result

    def secret(self, where: str, item: Any) -> Iterator[SecretText]:
        if isinstance(item, str):
            yield SecretText(item)
        elif (
            isinstance(item, Mapping)
            and isinstance(item.get("formula"), str)
            and set(item) <= {"formula", "weight"}
        ):
            weight = fraction(item.get("weight", 1))
            if weight is None or not 0 <= weight <= 1:
                self.complain(
                    where, f"a weight is a number from 0 to 1, not {item['weight']}"
                )
            yield SecretText(item["formula"], weight or Fraction(0))
        else:
            self.complain(
                where,
                "a secret is a formula, or {formula = .., weight = ..}, not"
                f" {item!r}",
                private=True,
            )

    def texts(self, name: str) -> dict[str, str]:
        result = {}
        for key, found in self.section(name).items():
            if isinstance(found, str):
                result[key] = found
            else:
                self.complain(
                    f"{name}.{key}",
                    f"is a formula in quotes, not {found!r}",
                    private=True,
                )
        return result

    def rules(self) -> dict[str, str]:
        rules = self.texts("rules")
        if not self.data.get("rules"):
            self.complain(
                "",
                "there are no [rules] to verify",
                'for example: anonymous = "k_anonymity(5)"',
            )
        return rules
