"""Reading a policy and finding everything that is wrong with it before any data are seen."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from phverify.errors import InputError, Problem, close, nearest
from phverify.exact import rational
from phverify.microdata.builders import Builder
from phverify.microdata.pairing import ORDERS
from phverify.microdata.read import existing_file
from phverify.policy.hierarchies import fraction, read_builder
from phverify.policy.masking import Masking, read_masking
from phverify.policy.model import Policy, SecretText
from phverify.policy.spelling import meant
from phverify.spec import syntax as s
from phverify.spec import types
from phverify.spec.builders import writable
from phverify.spec.criteria.registry import SAFETY, Unfit, arguments
from phverify.spec.names import Attribute, Signature, resolve
from phverify.spec.parser import parse
from phverify.spec.tokens import marked
from phverify.spec.types import TEXT, ValueType

SECTIONS = ("columns", "types", "hierarchies", "agents", "masking", "secrets", "assumptions", "rules")
SETTINGS = ("missing", "rows")
"""Lines of a policy that stand before its sections."""
ROLES = ("quasi", "sensitive", "neutral")


def load(path: str | PathLike[str]) -> Policy:
    """A policy from a TOML file.  Raises InputError with all its problems."""
    return sound(*look(path))


def sound(policy: Policy, problems: list[Problem]) -> Policy:
    """The policy, unless it has problems."""
    if problems:
        raise InputError(problems)
    return policy


def look(path: str | PathLike[str], columns: Collection[str] = ()) -> tuple[Policy, list[Problem]]:
    """A policy file as far as it can be read, and all its problems.  Raises InputError when it is no TOML.

    With the columns of its table, what only follows from a misspelt column is no problem of the policy: that there
    is no such column is told where the two meet.
    """
    file = existing_file(path, "policy")
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8-sig"), parse_float=_toml_number)
    except tomllib.TOMLDecodeError as error:
        raise InputError(Problem(str(file), f"is no TOML: {error}")) from None
    except UnicodeDecodeError:
        raise InputError(Problem(str(file), "is not UTF-8")) from None
    except OSError as error:
        raise InputError(Problem(str(file), f"cannot be read: {error.strerror}")) from None
    except ValueError as error:
        raise InputError(Problem(str(file), str(error))) from None
    policy, problems = _examined(data, file.parent, str(file))
    if problems and columns:
        again = _respelt(data, meant(policy, columns))
        _, problems = _examined(again, file.parent, str(file), columns)
    return policy, problems


def beside(source: object, problems: list[Problem], columns: Collection[str]) -> list[Problem]:
    """The problems of a policy once the columns of its table are known; ``source`` is its path, or the policy."""
    if not problems or isinstance(source, Policy):
        return problems
    return look(source, columns)[1]  # type: ignore[arg-type]


def _respelt(data: Mapping[str, Any], right: Mapping[str, str]) -> dict[str, Any]:
    """A policy whose roles name the columns that they must mean."""
    if not right:
        return dict(data)
    columns = dict(data["columns"])
    for role in ROLES:
        if isinstance(names := columns.get(role), list):
            columns[role] = [right.get(name, name) for name in names]
    return {**data, "columns": columns}


def from_dict(data: Mapping[str, Any], folder: Path, source: str) -> Policy:
    """A policy from nested dictionaries.  Raises InputError with all its problems."""
    return sound(*_examined(data, folder, source))


def _examined(
    data: Mapping[str, Any], folder: Path, source: str, there: Collection[str] = ()
) -> tuple[Policy, list[Problem]]:
    reader = _Reader(dict(data), folder, source, there)
    policy = reader.policy()
    return policy, [*reader.problems, *check_formulas(policy)]


class _Reader:
    """One pass over the sections; each method reads one and collects its problems."""

    def __init__(self, data: dict[str, Any], folder: Path, source: str, there: Collection[str]) -> None:
        self.data, self.folder, self.source, self.there = data, folder, source, there
        self.problems: list[Problem] = []

    def complain(self, where: str, what: str, hint: str = "", private: bool = False) -> None:
        self.problems.append(Problem(f"{self.source}, {where}" if where else self.source, what, hint, private))

    def policy(self) -> Policy:
        for name in self.data:
            if name not in (*SECTIONS, *SETTINGS):
                self.complain("", f"unknown section [{name}]", nearest(name, (*SECTIONS, *SETTINGS), "sections"))
        columns = self.section("columns")
        roles = {role: self.names(f"columns.{role}", columns.get(role, [])) for role in ROLES}
        identifier = self.identifier(columns)
        self.roles(columns, roles, identifier)
        quasi, sensitive, neutral = (roles[role] for role in ROLES)
        everything = (*quasi, *sensitive, *neutral)
        return Policy(
            quasi,
            sensitive,
            neutral,
            identifier,
            self.missing(columns),
            self.types(everything),
            self.hierarchies(everything),
            self.agents(quasi),
            self.secrets(),
            self.texts("assumptions"),
            self.rules(),
            self.source,
            self.folder,
            self.masking(everything),
            self.order(),
        )

    def section(self, name: str) -> dict[str, Any]:
        found = self.data.get(name, {})
        if isinstance(found, Mapping):
            return dict(found)
        self.complain(f"[{name}]", f"is a section, not {found!r}")
        return {}

    def names(self, where: str, found: Any) -> tuple[str, ...]:
        """A list of names, each text and each once."""
        if isinstance(found, (list, tuple)) and all(isinstance(name, str) for name in found):
            twice = sorted({name for name in found if list(found).count(name) > 1})
            if twice:
                self.complain(where, f"names {twice[0]!r} twice")
            return tuple(dict.fromkeys(found))
        self.complain(where, f"is a list of column names, not {found!r}")
        return ()

    def identifier(self, columns: Mapping[str, Any]) -> str | None:
        found = columns.get("identifier")
        if found is None or isinstance(found, str):
            return found
        self.complain("columns.identifier", f"is the name of one column, not {found!r}")
        return None

    def roles(self, columns: Mapping[str, Any], roles: Mapping[str, tuple[str, ...]], identifier: str | None) -> None:
        for name in columns:
            if name not in (*ROLES, "identifier", "missing"):
                self.complain(f"columns.{name}", "unknown role", nearest(name, (*ROLES, "identifier"), "roles"))
        if "columns" not in self.data:
            self.complain("", "there is no [columns] section", 'quasi = ["zip"] and sensitive = ["health"] go there')
        held: dict[str, list[str]] = {}
        for role, names in (*roles.items(), ("identifier", (identifier,) if identifier else ())):
            for name in names:
                held.setdefault(name, []).append(role)
        for name, several in held.items():
            if len(several) > 1:
                self.complain("[columns]", f"the column {name!r} has two roles: {' and '.join(several)}")

    def missing(self, columns: Mapping[str, Any]) -> str:
        found = self.data.get("missing", columns.get("missing", "value"))
        if found not in ("value", "error"):
            self.complain("missing", f'is "value" (a missing cell is a value of its own) or "error", not {found!r}')
        return str(found)

    def order(self) -> str:
        """What is said of the order of a release's rows."""
        found = self.data.get("rows", ORDERS[0])
        if found not in ORDERS:
            what = f'is "same order" (row 3 of the release is row 3 of the original) or "any order", not {found!r}'
            self.complain("rows", what)
            return ORDERS[0]
        return str(found)

    def types(self, columns: tuple[str, ...]) -> dict[str, ValueType]:
        result = {}
        for name, found in self.section("types").items():
            column = self.known(f"types.{name}", name, columns)
            if isinstance(found, (list, tuple)) and all(isinstance(v, str) for v in found):
                result[column] = ValueType("ordered", tuple(found))
            elif found in types.NAMES:
                result[column] = ValueType(str(found))
            else:
                hint = nearest(str(found), types.NAMES, "types") + "; or a list of values, lowest first"
                self.complain(f"types.{name}", f"unknown type {found!r}", hint)
        return result

    def known(self, where: str, name: str, columns: tuple[str, ...]) -> str:
        """The column that a section names: the closest one that has a role where there is no such column."""
        if name in columns:
            return name
        hint, alike = nearest(name, columns, "columns"), close(name, columns)
        if alike and alike[0] not in self.there:
            hint = f"did you mean {alike[0]!r}, or is that misspelt in [columns]?"
        self.complain(where, f"no role names the column {name!r}", hint)
        return alike[0] if alike else name

    def hierarchies(self, columns: tuple[str, ...]) -> dict[str, Path | Builder]:
        result: dict[str, Path | Builder] = {}
        for name, found in self.section("hierarchies").items():
            self.known(f"hierarchies.{name}", name, columns)
            if isinstance(found, str):
                result[name] = self.folder / found
                continue
            try:
                result[name] = read_builder(found, f"{self.source}, hierarchies.{name}")
            except InputError as error:
                self.problems += error.problems
        return result

    def masking(self, columns: tuple[str, ...]) -> dict[str, Masking]:
        result = {}
        for name, found in self.section("masking").items():
            self.known(f"masking.{name}", name, columns)
            try:
                result[name] = read_masking(found, f"{self.source}, masking.{name}")
            except InputError as error:
                self.problems += error.problems
        return result

    def agents(self, quasi: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        result = {}
        for name, found in self.section("agents").items():
            where = f"agents.{name}"
            if name in ("a0", "a1"):
                self.complain(where, "a0 (knows nothing) and a1 (knows the release) always exist")
            elif not re.fullmatch(r"[A-Za-z]\w*", name) or name in ("agents", "diversity"):
                self.complain(where, "cannot be an agent's name", "letters, digits and _ only")
            knows = self.names(where, found)
            for column in knows:
                if column not in quasi:
                    what = f"an agent knows quasi-identifiers, and {column!r} is none"
                    self.complain(where, what, nearest(column, quasi, "quasi-identifiers"))
            result[name] = knows
        return result

    def secrets(self) -> dict[str, tuple[SecretText, ...]]:
        result = {}
        for who, found in self.section("secrets").items():
            items = found if isinstance(found, (list, tuple)) else [found]
            result[who] = tuple(secret for item in items for secret in self.secret(f"secrets.{who}", item))
        return result

    def secret(self, where: str, item: Any) -> Iterator[SecretText]:
        if isinstance(item, str):
            yield SecretText(item)
        elif isinstance(item, Mapping) and isinstance(item.get("formula"), str) and set(item) <= {"formula", "weight"}:
            weight = fraction(item.get("weight", 1))
            if weight is None or not 0 <= weight <= 1:
                self.complain(where, f"a weight is a number from 0 to 1, not {item['weight']}")
            yield SecretText(item["formula"], weight or Fraction(0))
        else:
            self.complain(where, f"a secret is a formula, or {{formula = .., weight = ..}}, not {item!r}", private=True)

    def texts(self, name: str) -> dict[str, str]:
        result = {}
        for key, found in self.section(name).items():
            if isinstance(found, str):
                result[key] = found
            else:
                self.complain(f"{name}.{key}", f"is a formula in quotes, not {found!r}", private=True)
        return result

    def rules(self) -> dict[str, str]:
        rules = self.texts("rules")
        if not self.data.get("rules"):
            self.complain("", "there are no [rules] to verify", 'for example: anonymous = "k_anonymity(5)"')
        return rules


def _toml_number(text: str) -> Fraction:
    """A number of a TOML file, exactly.  Raises ValueError for one that could not be written in a message."""
    number = rational(text.replace("_", ""))
    if not writable(number):
        raise ValueError(f"{text} has more than 300 digits")
    return number


def formulas(policy: Policy) -> Iterator[tuple[str, str]]:
    """All formulas of a policy with the place where each stands."""
    for who, secrets in policy.secrets.items():
        yield from ((f"{policy.source}, secrets.{who}", secret.text) for secret in secrets)
    yield from ((f"{policy.source}, assumptions.{name}", text) for name, text in policy.assumptions.items())
    yield from ((f"{policy.source}, rules.{name}", text) for name, text in policy.rules.items())


def check_formulas(policy: Policy) -> Iterator[Problem]:
    """What is wrong with the formulas whatever the data: syntax, columns, agents, arguments of criteria."""
    attributes = {c: Attribute(c, policy.types.get(c, TEXT), (), any_value=True) for c in policy.columns}
    agents = ("a0", "a1", *policy.agents)
    signature = Signature(attributes, agents, 0, sensitive=policy.sensitive, anyone=True)
    for where, text in dict.fromkeys(formulas(policy)):
        try:
            formula, problems = resolve(parse(text, where), signature, where, text)
        except InputError as error:
            yield from error.problems
            continue
        yield from problems
        yield from check_criteria(formula, signature, where, text)


def check_criteria(formula: s.Formula, signature: Signature, where: str, text: str) -> Iterator[Problem]:
    """Criteria that do not exist, or whose arguments do not fit; none belongs into a secret."""
    for node in s.subformulas(formula):
        if isinstance(node, s.Criterion):
            try:
                arguments(node, signature.attributes)
            except Unfit as error:
                yield marked(text, node.span, str(error), where, error.hint)
            if node.name in SAFETY and ", rules." not in where:
                yield marked(text, node.span, f"{node.name} is about secrets and belongs into a rule", where)
    for node in misplaced(formula, ", rules." in where):
        what = "never_known(..) is about all models at once: it stands at the top of a rule, below forall and & only"
        yield marked(text, node.span, what, where, "write it as a rule of its own")


def misplaced(formula: s.Formula, top: bool) -> Iterator[s.Formula]:
    """Where never_known stands below anything but ``forall`` and ``&``; ``top`` if it may stand here."""
    match formula:
        case s.And() | s.Quantified(True):
            below = top
        case s.NeverKnown() | s.Criterion("never_known"):
            below = False
            if not top:
                yield formula
        case _:
            below = False
    for child in s.children(formula):
        yield from misplaced(child, below)
