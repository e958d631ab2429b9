"""A policy as the engine has it: what ``spec`` reads, and how columns were masked; all
its problems at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from phverify.errors import InputError, Problems, nearest, printable, refusal
from phverify.errors.near import close
from phverify.given import described
from phverify.microdata.files import existing_file
from phverify.policy.formulas import check_formulas
from phverify.policy.hierarchies import read_builder
from phverify.policy.kind import for_tables
from phverify.policy.masking import Masking, read_masking
from phverify.spec.builders import Builder
from phverify.spec.policy import ROLES, SECTIONS, SETTINGS, PlainPolicy
from phverify.spec.reading import Reading
from phverify.spec.source import File, Names, Plain
from phverify.spec.toml import bounded, toml
from phverify.words import plural


@dataclass(frozen=True)
class Policy(PlainPolicy):
    """What a policy file says; formulas are kept as text until the data are known.

    Load one with ``Policy.load(path)`` or ``Policy.from_dict({...})``; both
    raise InputError with all problems at once.
    """

    masking: Mapping[str, Masking] = field(default_factory=dict)
    """How columns were masked, for ``reidentify``; verdicts of ``verify`` do not depend
    on it.
    """

    def __repr__(self) -> str:
        counts = {
            "quasi-identifier": len(self.quasi),
            "sensitive column": len(self.sensitive),
            "assumption": len(self.assumptions),
            "rule": len(self.rules),
        }
        told = [plural(count, what) for what, count in counts.items() if count]
        return printable(f"Policy({self.source}: {', '.join(told) or 'empty'})")

    @classmethod
    def load(cls, path: File) -> Policy:
        """Read a policy from a TOML file."""
        policy, problems = examine(path)
        return without_problems(policy, problems)

    @classmethod
    def from_dict(cls, data: Plain, folder: File = ".") -> Policy:
        """A policy from what a TOML file would hold; relative paths start from
        ``folder``.
        """
        if not isinstance(folder, str | PathLike):
            what = f"is the path of a folder, not {described(folder)}"
            raise refusal("folder", what, "relative paths of the policy start from it")
        return without_problems(*_from_data(data, Path(folder)))

    def meant(self, columns: Collection[str]) -> dict[str, str]:
        """The columns without a role that names which are no columns must mean.

        That is the column whose name is close; else, for a single name, the only one
        that another section names.
        """
        absent = [name for name in self.columns if name not in columns]
        free = [name for name in columns if name not in self.named]
        meant: dict[str, str] = {}
        for name in absent:
            # the closest only: the next one may be what another name means
            for alike in close(name, free)[:1]:
                meant[name] = alike
                # no two names mean the same column
                free.remove(alike)

        left = [name for name in absent if name not in meant]
        elsewhere = self._named_elsewhere()
        candidates = [name for name in free if name in elsewhere]
        # with two of either it would be a guess
        if len(left) == 1 and len(candidates) == 1:
            meant[left[0]] = candidates[0]
        return meant

    def _named_elsewhere(self) -> set[str]:
        """The columns that sections other than [columns] name."""
        elsewhere = {*self.types, *self.hierarchies, *self.masking}
        for names in self.agents.values():
            elsewhere.update(names)
        return elsewhere


PolicySource = Policy | File | Plain
"""A policy, the path of its file, or what the file would hold."""


def without_problems(policy: Policy, problems: Problems) -> Policy:
    """The policy.  Raises InputError when it has problems."""
    if problems:
        raise InputError(problems)
    return policy


def examine(
    source: PolicySource, columns: Collection[str] = ()
) -> tuple[Policy, Problems]:
    """A policy as far as it can be read, and all its problems.  Raises InputError when
    it is no TOML.

    With the columns of its table, what only follows from a misspelt column is no
    problem of the policy: that there is no such column is told where the two meet.
    """
    if isinstance(source, Policy):
        return source, []
    if isinstance(source, Mapping):
        return _from_data(source, Path(), columns)
    file, text = policy_file(source)
    try:
        data = toml(text)
    except ValueError as error:
        from phverify.policy.unreadable import unreadable

        raise unreadable(str(file), text, error) from None
    return _examined(data, file.parent, str(file), columns)


def policy_file(source: File) -> tuple[Path, str]:
    """The path of a policy file, and its text.  Raises InputError when it cannot be
    read.
    """
    file = existing_file(source, "policy", "a path, a Policy or a dictionary")
    if not file.is_file():
        what = "a policy is read more than once, and a pipe only once"
        raise refusal(str(file), what, "save it as a file first")
    try:
        # some editors begin a file with a mark
        return file, file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise refusal(str(file), "is not UTF-8") from None
    except OSError as error:
        raise refusal(str(file), f"cannot be read: {error.strerror}") from None


def beside(
    source: PolicySource, problems: Problems, columns: Collection[str]
) -> Problems:
    """The problems of a policy once the columns of its table are known."""
    if problems:
        return examine(source, columns)[1]
    return []


def _from_data(
    data: Any, folder: Path, columns: Collection[str] = ()
) -> tuple[Policy, Problems]:
    if not isinstance(data, Mapping):
        what = f"is a dictionary of sections, not {type(data).__name__}"
        hint = 'for example: {"columns": {"quasi": ["zip"]}, "rules": {..}}'
        raise refusal("policy", what, hint)
    try:
        # as deep and as large as a file may be
        bounded(data)
    except ValueError as error:
        raise refusal("policy", str(error)) from None
    return _examined(data, folder, "policy", columns)


def _examined(
    data: Plain, folder: Path, source: str, columns: Collection[str]
) -> tuple[Policy, Problems]:
    for_tables(data, source)
    policy, problems = _read(data, folder, source, ())
    if problems and columns:
        # read as it is meant: one slip of the pen is not told as many
        corrected = _respelt(data, policy.meant(columns))
        _, problems = _read(corrected, folder, source, columns)
    return policy, problems


def _respelt(data: Plain, right: Mapping[str, str]) -> dict[str, Any]:
    """A policy whose roles name the columns that they must mean."""
    if not right:
        return dict(data)
    columns = data.get("columns")
    if not isinstance(columns, Mapping):
        return dict(data)
    corrected = dict(columns)
    for role, names in columns.items():
        if isinstance(names, list):
            corrected[role] = [right.get(name, name) for name in names]
    return {**data, "columns": corrected}


def _read(
    data: Plain, folder: Path, source: str, there: Collection[str]
) -> tuple[Policy, Problems]:
    reading = PolicyReading(data, folder, source, there)
    policy = reading.whole()
    return policy, [*reading.problems, *check_formulas(policy)]


class PolicyReading(Reading):
    """The sections as ``spec`` reads them, with how columns were masked, and more hints
    where something is wrong.

    ``there`` are the columns of the table, as far as they are known.  A misspelt
    section or role is told once and then read as the one that is meant, so that
    nothing else is wrong because of it.
    """

    def __init__(
        self, data: Plain, folder: Path, source: str, there: Collection[str]
    ) -> None:
        super().__init__(data, folder, source)
        self.there = there

    def whole(self) -> Policy:
        """The policy with all its sections."""
        self.data = self.respelt(
            self.gathered(), (*SECTIONS, *SETTINGS), "", "unknown section [{}]"
        )
        # roles after sections: [colums] has its roles read, too
        columns = self.data.get("columns")
        if isinstance(columns, Mapping):
            self.data = {**self.data, "columns": self.placed(columns)}
        policy = self.policy()
        return Policy(**vars(policy), masking=self.masking(policy.columns))

    def gathered(self) -> Plain:
        """The sections, with roles that stand outside of [columns] in it."""
        entries = dict(self.data)
        columns = entries.get("columns", {})
        if not isinstance(columns, Mapping):
            return entries
        roles = (*ROLES, "identifier")
        inside = dict(columns)
        for name, value in self.data.items():
            alike = _alike(str(name), roles)
            if name in (*SECTIONS, *SETTINGS) or not alike or isinstance(value, dict):
                continue
            role = alike[0]
            hint = f"write {role} = .. below [columns]"
            self.complain("", f"{name!r} stands outside of [columns]", hint)
            del entries[name]
            inside.setdefault(role, value)
        if inside:
            entries["columns"] = inside
        return entries

    def respelt(
        self, entries: Plain, known: Names, where: str, what: str
    ) -> dict[str, Any]:
        """Entries under the names that they must mean, where that name is free."""
        result: dict[str, Any] = {}
        for name, value in entries.items():
            # no entry takes the place of another one that is there
            free = [other for other in known if other not in (*entries, *result)]
            alike = [] if name in known else _alike(str(name), free)
            if alike:
                place = f"{where}.{name}" if where else ""
                self.complain(place, what.format(name), f"did you mean {alike[0]!r}?")
            result[alike[0] if alike else name] = value
        return result

    def placed(self, columns: Plain) -> dict[str, Any]:
        """The roles; columns under a role that does not exist are read as neutral, or
        as quasi-identifiers where an agent knows them.
        """
        roles = (*ROLES, "identifier")
        result = self.respelt(columns, roles, "columns", "unknown role")
        agents = self.data.get("agents")
        lists = agents.values() if isinstance(agents, Mapping) else ()
        known = [name for names in lists if isinstance(names, list) for name in names]
        # ``missing`` stands among the roles and is a setting
        for role in [role for role in result if role not in (*roles, "missing")]:
            hint = nearest(str(role), roles, "roles")
            self.complain(f"columns.{role}", "unknown role", hint)
            for name in _texts(result.pop(role)):
                meant = "quasi" if name in known else "neutral"
                others = result.get(meant, [])
                # what is no list is complained of where the role is read
                if isinstance(others, (list, tuple)) and name not in others:
                    result[meant] = [*others, name]
        return result

    def known(self, where: str, name: str, columns: Names) -> str:
        """The column that a section names: the closest one that has a role where there
        is no such column.
        """
        if name in columns:
            return name
        hint = nearest(name, columns, "columns")
        alike = close(name, columns)
        closest = alike[0] if alike else name
        # where the table lacks it too, the role may be what is misspelt
        if alike and closest not in self.there:
            hint = f"did you mean {closest!r}, or is that misspelt in [columns]?"
        self.complain(where, f"no role names the column {name!r}", hint)
        return closest

    def builder(self, where: str, given: Any) -> Builder | None:
        """How a hierarchy is built; None where that cannot be read."""
        try:
            return read_builder(given, f"{self.source}, {where}")
        except InputError as error:
            self.problems += error.problems
        return None

    def masking(self, columns: Names) -> dict[str, Masking]:
        """How each column was masked."""
        result = {}
        for name, given in self.section("masking").items():
            self.known(f"masking.{name}", name, columns)
            try:
                result[name] = read_masking(given, f"{self.source}, masking.{name}")
            except InputError as error:
                self.problems += error.problems
        return result


def _alike(name: str, known: Collection[str]) -> list[str]:
    """The known words that it begins with, or that are written almost like it."""
    begun = [word for word in known if name.lower().startswith(word)]
    return begun or close(name, known)


def _texts(value: Any) -> Names:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, (list, tuple)):
        return ()
    return tuple(name for name in value if isinstance(name, str))
