"""``propose``: a first policy for a table, with the reason for each decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phverify.budget import Tell
from phverify.errors import InputError, Problem, Problems, nearest
from phverify.given import refuse, wrong_mapping, wrong_progress, wrong_word
from phverify.microdata.hierarchy import absent, read_hierarchy
from phverify.microdata.read import read
from phverify.microdata.table import CodedTable
from phverify.proposal.clues import is_code
from phverify.proposal.result import PolicyProposal, ProposedColumn
from phverify.proposal.roles import role_of
from phverify.proposal.steps import builder_of, file_beside
from phverify.proposal.templates import (
    DEFAULT,
    PolicyTemplate,
    by_name,
    first_step,
)
from phverify.proposal.values import ColumnValues, values_of
from phverify.spec.policy import ROLES
from phverify.spec.source import File
from phverify.words import plural

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource

SAID = "as you say"


def propose(
    table: TableSource,
    template: str = DEFAULT,
    roles: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, File] | None = None,
    *,
    progress: Tell = lambda step: None,
) -> PolicyProposal:
    """A first policy for a table before sanitization: roles, types, hierarchies, rules.

    A column's role is told by its values, by its name, or taken to be the careful one:
    what nobody says anything of may be known to others. ``roles`` (by column: quasi,
    sensitive, neutral or identifier) and ``hierarchies`` (by column: a file) decide
    themselves. ``template`` is k5, hipaa-safe-harbor, hipaa-expert, ema-0070, cms-11 or
    statistics-office.

    Raises InputError for a table that cannot be read, and for roles and hierarchies
    that do not fit it.
    """
    known = by_name()
    refuse(
        wrong_word("template", template, DEFAULT),
        wrong_mapping("roles", roles, '{"zip": "quasi"}'),
        wrong_mapping("hierarchies", hierarchies, '{"zip": "zip.csv"}'),
        wrong_progress(progress),
    )
    if template not in known:
        hint = nearest(template, known, "templates")
        raise InputError(Problem("template", f"there is no {template!r}", hint))
    progress("reading")
    read_table = read(table, (), "table")
    given = roles or {}
    files = hierarchies or {}
    if problems := _misfits(read_table, given, files):
        raise InputError(problems)

    progress("looking at columns")
    every = [
        values_of(name, column, read_table.rows)
        for name, column in read_table.columns.items()
    ]
    beside = Path(table) if isinstance(table, str | PathLike) else None
    columns = _Columns(known[template], given, files, beside).proposed(every)
    notes = (*read_table.notes, *_too_few(read_table.rows, known[template]))
    return PolicyProposal(
        str(table) if beside else read_table.source,
        read_table.rows,
        tuple(columns),
        known[template],
        notes,
    )


def _too_few(rows: int, template: PolicyTemplate) -> Iterator[str]:
    """A table that is too small for what a template asks."""
    if rows < template.alike:
        yield (
            f"{plural(rows, 'row')}: no release of it keeps the rules, which ask for"
            f" {template.alike} alike; a larger table, or smaller numbers under [rules]"
        )


def _misfits(
    table: CodedTable, roles: Mapping[str, str], files: Mapping[str, File]
) -> Problems:
    """What roles and hierarchies name that is not there."""
    problems = table.require([*roles, *files])
    wanted = (*ROLES, "identifier")
    for name, role in roles.items():
        if role not in wanted:
            hint = nearest(role, wanted, "roles")
            problems.append(Problem(f"roles, {name!r}", f"{role!r} is none", hint))
    chosen = [name for name, role in roles.items() if role == "identifier"]
    if len(chosen) > 1:
        what = f"only one column names the individuals, not {', '.join(chosen)}"
        problems.append(Problem("roles", what, "make the others quasi"))
    for name, file in files.items():
        if name in table.columns:
            problems += _uncovered(table, name, file)
    return problems


def _uncovered(table: CodedTable, name: str, file: File) -> Problems:
    """What is wrong with a hierarchy file for a column."""
    try:
        hierarchy = read_hierarchy(str(file))
    except InputError as error:
        return [*error.problems]
    lacking = absent(hierarchy, filter(None, table.column(name).labels))
    if not lacking:
        return []
    what = f"has no line for {lacking[0]!r} of {name!r}"
    if len(lacking) > 1:
        what += f", and for {len(lacking) - 1} more"
    return [Problem(str(file), what, "add value;level1;level2;..", private=True)]


class _Columns:
    """Roles and hierarchies of all columns of one table."""

    def __init__(
        self,
        template: PolicyTemplate,
        roles: Mapping[str, str],
        files: Mapping[str, File],
        beside: Path | None,
    ) -> None:
        self.template = template
        self.roles = roles
        self.files = files
        self.beside = beside

    def proposed(self, every: list[ColumnValues]) -> list[ProposedColumn]:
        """All columns; of those that identify people only one is the identifier."""
        found = {one.name: self._role(one) for one in every}
        named = [
            one
            for one in every
            if found[one.name][0] == "identifier" and _names_everybody(one)
        ]
        said = [name for name, role in self.roles.items() if role == "identifier"]
        chosen = said or [one.name for one in named[:1]]
        return [self._column(one, *found[one.name], chosen) for one in every]

    def _role(self, values: ColumnValues) -> tuple[str, str]:
        if values.name in self.roles:
            return self.roles[values.name], SAID
        return role_of(values)

    def _column(
        self, values: ColumnValues, role: str, reason: str, chosen: list[str]
    ) -> ProposedColumn:
        """One column; further identifiers are known to others, and only suppressed."""
        alone = role == "identifier" and values.name not in chosen
        if alone:
            role = "quasi"
        steps: dict[str, Any] | str | None = None
        if role == "quasi" and not alone:
            steps = self._steps(values)
        described = values.described()
        return ProposedColumn(
            values.name, role, reason, described, values.kind, steps, alone
        )

    def _steps(self, values: ColumnValues) -> dict[str, Any] | str | None:
        if values.name in self.files:
            return str(self.files[values.name])
        if self.beside is not None:
            file = file_beside(self.beside, values)
            if file is not None:
                return str(file)
        if self.template.coarser:
            permitted = first_step(values.name, values.kind, is_code(values.name))
            if permitted is not None:
                return permitted
        return builder_of(values)


def _names_everybody(values: ColumnValues) -> bool:
    return values.all_different and not values.missing
