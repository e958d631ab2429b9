"""Who could be on which row of a release: by its original table, and the policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from phverify.errors import InputError, Problem, Problems
from phverify.exact import Ints
from phverify.microdata.explained import Sanitization
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.pairing import pairing
from phverify.microdata.sanitization import sanitization
from phverify.microdata.selection import selected
from phverify.microdata.table import Coded, CodedTable
from phverify.policy.model import Policy
from phverify.policy.typed_columns import present, typed
from phverify.spec import syntax as s
from phverify.spec.signature import POSITION, Signature
from phverify.spec.source import Names
from phverify.spec.tokens import plain
from phverify.spec.withheld import Kept


@dataclass(frozen=True, eq=False)
class ReleaseSignature(Signature):
    """What formulas can speak of; ``withheld`` are the names of individuals of the
    original who have no record in the release, as ``kept`` explains it.

    ``identifier`` is the column that names individuals.
    """

    withheld: Names = ()
    kept: Kept | None = None
    identifier: str | None = None

    def unknown(self, name: s.Name) -> tuple[str, str]:
        """What is wrong with a nominal that refers to nobody, and a hint."""
        if name.text not in self.withheld:
            if self._is_position(name):
                # Whom the user means is not guessed.
                row = plain(name.text)[1:]
                what = f"{name.text!r} could be row {row} of either table: records are"
                return f"{what} withheld", f"call people by their {self.identifier!r}"
            what, hint = super().unknown(name)
            nameless = self.identifier is not None and not self.names
            if nameless and hint.startswith("individuals are"):
                hint += f"; who is who by {self.identifier!r} is told by --original"
            return what, hint
        if self._may_be_released(name.text):
            what = f"{name.text!r} may be withheld: no record is surely theirs"
            return what, "add the identifier column to both tables"
        what = f"{name.text!r} is withheld: no record of the release is theirs"
        return what, "leave the rule out: the release has nothing of them"

    def _is_position(self, name: s.Name) -> bool:
        """Whether a name would be the position of an individual of the original if it
        had no identifiers, or withheld nobody.
        """
        place = None if name.quoted else POSITION.fullmatch(plain(name.text))
        if self.kept is None or place is None or place[1] != "i":
            return False
        return int(place[2]) <= len(self.kept.tables.values)

    def _may_be_released(self, name: str) -> bool:
        """Whether a record may be theirs when another explanation is true."""
        kept = self.kept
        if kept is None or kept.by == "identifier":
            return False
        row = kept.withheld[self.withheld.index(name)]
        return kept.is_open(kept.tables.values[row])


class ReleaseOrigin(NamedTuple):
    """Where the rows of a release come from; ``before`` are the cells of the original,
    ``home`` the row of each individual.
    """

    sanitized: Sanitization | None
    home: Ints
    names: Sequence[str]
    before: Coded


def origin_of(
    policy: Policy,
    table: CodedTable,
    columns: Coded,
    original: CodedTable | None,
    hierarchies: Hierarchies,
    problems: Problems,
) -> ReleaseOrigin:
    """Who could be on which row: from the original table, else individual i is the
    person behind row i.
    """
    if original is None:
        names = _identifiers(table, policy.identifier, problems)
        # Where rows stay in an engine, it is asked which row a world is.
        own_rows = np.arange(0 if table.elsewhere else table.rows)
        return ReleaseOrigin(None, own_rows, names, {})
    present(policy, original)
    # missing = "error" is about the release: the original may have missing cells
    before = typed(policy, original, "value", problems)
    # pairing would complain of what these problems bring about
    if problems:
        raise InputError(problems)
    if table.elsewhere is not None:
        # what counts need is loaded for them alone
        from phverify.policy.counted_origins import counted_sanitization

        sanitized = counted_sanitization(policy, (original, table), hierarchies)
        names = _identifiers(original, policy.identifier, problems)
        return ReleaseOrigin(sanitized, sanitized.home, names, before)
    others = (*policy.sensitive, *policy.neutral)
    if table.rows < original.rows:
        told = policy.identifier, policy.rows
        # identifiers are looked up beside the policy's columns
        whole = replace(original, columns={**original.columns, **before})
        shown = replace(table, columns={**table.columns, **columns})
        sanitized = selected(
            whole, shown, policy.quasi, others, hierarchies, told, policy.types
        )
        names = _identifiers(original, policy.identifier, problems)
        return ReleaseOrigin(sanitized, sanitized.home, names, before)
    paired = pairing(original, table, policy.identifier, policy.rows)
    tables = replace(original, columns=before), replace(table, columns=columns)
    sanitized = sanitization(
        *tables, policy.quasi, others, hierarchies, paired, policy.types
    )
    names = _identifiers(original, policy.identifier, problems)
    return ReleaseOrigin(sanitized, sanitized.home, names, before)


def _identifiers(
    table: CodedTable, identifier: str | None, problems: Problems
) -> Sequence[str]:
    """The individuals' names, where the table has the identifier column."""
    if identifier is None or identifier not in table.columns:
        return ()
    if table.elsewhere is not None:
        problems += table.elsewhere.flaws(identifier)
        return table.elsewhere.names(identifier)
    column = table.columns[identifier]
    labels = column.cells()
    missing = sum(not label for label in labels)
    if missing:
        what = f"{missing} identifiers in {identifier!r} are missing"
        problems.append(Problem(table.source, what))
    # fewer labels than cells: an identifier, or a missing one, occurs again
    if len(column.labels) < len(labels):
        repeated = [
            label
            for label, rows in zip(column.labels, column.occurrences(), strict=True)
            if label and rows > 1
        ]
        # several missing identifiers make fewer labels, too, and repeat no name
        if repeated:
            twice = repeated[0]
            what = f"the identifier {twice!r} occurs twice in {identifier!r}"
            problems.append(
                Problem(
                    table.source,
                    what,
                    "a policy counts rows as individuals: one row each",
                    True,
                )
            )
    return tuple(label or "" for label in labels)


def individuals(kept: Kept, names: Sequence[str]) -> tuple[Names, Names]:
    """What those who are released are called, and those who are withheld.

    Without ``names`` they keep their numbers in the original.
    """
    if not names:
        everybody = range(len(kept.tables.values))
        names = tuple(f"i{row + 1}" for row in everybody)
    released = tuple(names[row] for row in kept.rows)
    withheld = tuple(names[row] for row in kept.withheld)
    return released, withheld
