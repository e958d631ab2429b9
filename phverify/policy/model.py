"""A policy as the engine has it: what ``spec`` reads, and how columns were masked; all
its problems at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phverify.errors import InputError, Problem, Problems, close, nearest, refusal
from phverify.microdata.files import existing_file
from phverify.policy.hierarchies import read_builder
from phverify.policy.masking import Masking, read_masking
from phverify.spec import policy as spec
from phverify.spec import syntax as s
from phverify.spec.builders import Builder
from phverify.spec.criterion.registry import SAFETY, Unfit, arguments
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.signature import Attribute, Signature
from phverify.spec.source import File, Names, Plain
from phverify.spec.tokens import marked
from phverify.spec.types import TEXT


@dataclass(frozen=True)
class Policy(spec.Policy):
    """What a policy file says; formulas are kept as text until the data are known.

    Load one with ``Policy.load(path)`` or ``Policy.from_dict({...})``; both raise
    InputError with all problems at once.
    """

    masking: Mapping[str, Masking] = field(default_factory=dict)
    """How columns were masked, for ``reidentify``; verdicts of ``verify`` do not depend
    on it.
    """

    @classmethod
    def load(cls, path: File) -> Policy:
        """Read a policy from a TOML file."""
        return sound(*look(path))

    @classmethod
    def from_dict(cls, data: Plain, folder: File = ".") -> Policy:
        """A policy from what a TOML file would hold; relative paths start from
        ``folder``.
        """
        return sound(*_examined(data, Path(folder), "policy"))

    def meant(self, columns: Collection[str]) -> dict[str, str]:
        """The columns without a role that names which are no columns must mean.

        That is the column whose name is close; else, for a single name, the only one
        that another section names.
        """
        absent = [name for name in self.columns if name not in columns]
        free = [
            name for name in columns if name not in (*self.columns, self.identifier)
        ]
        found = {}
        for name in absent:
            for other in close(name, free)[:1]:
                found[name] = other
                free.remove(other)
        knows = [name for names in self.agents.values() for name in names]
        elsewhere = {*self.types, *self.hierarchies, *self.masking, *knows}
        left = [name for name in absent if name not in found]
        named = [name for name in free if name in elsewhere]
        return {**found, left[0]: named[0]} if len(left) == len(named) == 1 else found


def sound(policy: Policy, problems: Problems) -> Policy:
    """The policy, unless it has problems."""
    if problems:
        raise InputError(problems)
    return policy


def look(
    source: Policy | File, columns: Collection[str] = ()
) -> tuple[Policy, Problems]:
    """A policy file as far as it can be read, and all its problems.  Raises InputError
    when it is no TOML.

    With the columns of its table, what only follows from a misspelt column is no
    problem of the policy: that there is no such column is told where the two meet.
    """
    if isinstance(source, Policy):
        return source, []
    file, text = policy_file(source)
    try:
        data = spec.toml(text)
    except ValueError as error:
        raise refusal(str(file), str(error)) from None
    policy, problems = _examined(data, file.parent, str(file))
    if problems and columns:
        again = _respelt(data, policy.meant(columns))
        _, problems = _examined(again, file.parent, str(file), columns)
    return policy, problems


def policy_file(source: File) -> tuple[Path, str]:
    """The path of a policy file, and its text.  Raises InputError when it cannot be
    read.
    """
    file = existing_file(source, "policy")
    try:
        return file, file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise refusal(str(file), "is not UTF-8") from None
    except OSError as error:
        raise refusal(str(file), f"cannot be read: {error.strerror}") from None


def beside(
    source: Policy | File, problems: Problems, columns: Collection[str]
) -> Problems:
    """The problems of a policy once the columns of its table are known; ``source`` is
    its path, or the policy.
    """
    return look(source, columns)[1] if problems else []


def _respelt(data: Plain, right: Mapping[str, str]) -> dict[str, Any]:
    """A policy whose roles name the columns that they must mean."""
    if not right:
        return dict(data)
    columns = dict(data["columns"])
    for role in spec.ROLES:
        if isinstance(names := columns.get(role), list):
            columns[role] = [right.get(name, name) for name in names]
    return {**data, "columns": columns}


def _examined(
    data: Plain, folder: Path, source: str, there: Collection[str] = ()
) -> tuple[Policy, Problems]:
    reading = _Reading(data, folder, source, there)
    policy = reading.whole()
    return policy, [*reading.problems, *check_formulas(policy)]


class _Reading(spec.Reading):
    """The sections as ``spec`` reads them, with how columns were masked, and more hints
    where something is wrong.

    ``there`` are the columns of the table, as far as they are known.
    """

    def __init__(
        self, data: Plain, folder: Path, source: str, there: Collection[str]
    ) -> None:
        super().__init__(data, folder, source)
        self.there = there

    def whole(self) -> Policy:
        """The policy with all its sections."""
        found = self.policy()
        return Policy(**vars(found), masking=self.masking(found.columns))

    def known(self, where: str, name: str, columns: Names) -> str:
        """The column that a section names: the closest one that has a role where there
        is no such column.
        """
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

    def masking(self, columns: Names) -> dict[str, Masking]:
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
        yield from (
            (f"{policy.source}, secrets.{who}", secret.text) for secret in secrets
        )
    yield from (
        (f"{policy.source}, assumptions.{name}", text)
        for name, text in policy.assumptions.items()
    )
    yield from (
        (f"{policy.source}, rules.{name}", text) for name, text in policy.rules.items()
    )


def read_formula(
    text: str, signature: Signature, where: str
) -> tuple[s.Formula, Problems]:
    """A formula with its names looked up, and what is wrong with it."""
    try:
        return resolve(parse(text, where), signature, where, text)
    except InputError as error:
        return s.TRUE, list(error.problems)


def check_formulas(policy: Policy) -> Iterator[Problem]:
    """What is wrong with the formulas whatever the data: syntax, columns, agents,
    arguments of criteria.
    """
    attributes = {
        c: Attribute(c, policy.types.get(c, TEXT), (), any_value=True)
        for c in policy.columns
    }
    agents = ("a0", "a1", *policy.agents)
    signature = Signature(
        attributes, agents, 0, sensitive=policy.sensitive, anyone=True
    )
    for where, text in dict.fromkeys(formulas(policy)):
        formula, problems = read_formula(text, signature, where)
        yield from problems
        yield from check_criteria(formula, signature, where, text)


def check_criteria(
    formula: s.Formula, signature: Signature, where: str, text: str
) -> Iterator[Problem]:
    """Criteria that do not exist, or whose arguments do not fit; none belongs into a
    secret.
    """
    for node in s.subformulas(formula):
        if isinstance(node, s.Criterion):
            try:
                arguments(node, signature.attributes)
            except Unfit as error:
                yield marked(text, node.span, str(error), where, error.hint)
            if node.name in SAFETY and ", rules." not in where:
                yield marked(
                    text,
                    node.span,
                    f"{node.name} is about secrets and belongs into a rule",
                    where,
                )
    for node in misplaced(formula, ", rules." in where):
        what = (
            "never_known(..) is about all models at once: it stands at the top of a"
            " rule, below forall and & only"
        )
        yield marked(text, node.span, what, where, "write it as a rule of its own")


def misplaced(formula: s.Formula, top: bool) -> Iterator[s.Formula]:
    """Where never_known stands below anything but ``forall`` and ``&``; ``top`` if it
    may stand here.
    """
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
