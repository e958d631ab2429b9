"""Reading a policy and finding everything that is wrong with it before any data are seen."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from phverify.errors import InputError, Problem, close, nearest
from phverify.microdata.read import existing_file
from phverify.policy.hierarchies import read_builder
from phverify.policy.masking import Masking, read_masking
from phverify.policy.model import Policy
from phverify.policy.spelling import meant
from phverify.spec import policy as spec
from phverify.spec import syntax as s
from phverify.spec.builders import Builder
from phverify.spec.criterion.registry import SAFETY, Unfit, arguments
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.signature import Attribute, Signature
from phverify.spec.tokens import marked
from phverify.spec.types import TEXT


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
        data = spec.toml(file.read_text(encoding="utf-8-sig"))
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
    for role in spec.ROLES:
        if isinstance(names := columns.get(role), list):
            columns[role] = [right.get(name, name) for name in names]
    return {**data, "columns": columns}


def from_dict(data: Mapping[str, Any], folder: Path, source: str) -> Policy:
    """A policy from nested dictionaries.  Raises InputError with all its problems."""
    return sound(*_examined(data, folder, source))


def _examined(
    data: Mapping[str, Any], folder: Path, source: str, there: Collection[str] = ()
) -> tuple[Policy, list[Problem]]:
    reading = _Reading(data, folder, source, there)
    policy = reading.whole()
    return policy, [*reading.problems, *check_formulas(policy)]


class _Reading(spec.Reading):
    """The sections as ``spec`` reads them, with how columns were masked, and more hints where something is wrong.

    ``there`` are the columns of the table, as far as they are known.
    """

    def __init__(self, data: Mapping[str, Any], folder: Path, source: str, there: Collection[str]) -> None:
        super().__init__(data, folder, source)
        self.there = there

    def whole(self) -> Policy:
        """The policy with all its sections."""
        found = self.policy()
        return Policy(**vars(found), masking=self.masking(found.columns))

    def known(self, where: str, name: str, columns: tuple[str, ...]) -> str:
        """The column that a section names: the closest one that has a role where there is no such column."""
        if name in columns:
            return name
        hint, alike = nearest(name, columns, "columns"), close(name, columns)
        if alike and alike[0] not in self.there:
            hint = f"did you mean {alike[0]!r}, or is that misspelt in [columns]?"
        self.complain(where, f"no role names the column {name!r}", hint)
        return alike[0] if alike else name

    def builder(self, where: str, found: Any) -> Builder | None:
        try:
            return read_builder(found, f"{self.source}, {where}")
        except InputError as error:
            self.problems += error.problems
        return None

    def masking(self, columns: tuple[str, ...]) -> dict[str, Masking]:
        result = {}
        for name, found in self.section("masking").items():
            self.known(f"masking.{name}", name, columns)
            try:
                result[name] = read_masking(found, f"{self.source}, masking.{name}")
            except InputError as error:
                self.problems += error.problems
        return result


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
