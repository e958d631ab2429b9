"""What a certificate of minimality is checked against.

The checker reads CSV tables, policies and hierarchies from their files by itself.  What is only in memory, or is no
CSV, is read by phverify and handed over; so are hierarchies that the policy asks to be built.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from phverify.certificate import data as plain
from phverify.certificate.released import Given
from phverify.certificate.source import hierarchy
from phverify.policy.load import look, sound
from phverify.policy.model import Policy
from phverify.proofs import plain as seen
from phverify.search.run import hierarchies_for, readable
from phverify.tables.builders import Builder
from phverify.tables.hierarchy import Hierarchy
from phverify.tables.read import existing_file, read
from phverify.tables.table import Table

if TYPE_CHECKING:
    import pandas as pd

File = str | PathLike[str]


def given(table: File | pd.DataFrame, policy: Policy | File, hierarchies: Mapping[str, File | Hierarchy]) -> Given:
    """What the checker reads, once phverify has found that it can be read.  Raises InputError."""
    rules = policy if isinstance(policy, Policy) else sound(*look(policy))
    wanted = (*rules.columns, *([rules.identifier] if rules.identifier else []))
    found = read(table, wanted, "table")
    readable(rules, found)
    paths = hierarchies_for(rules, found, hierarchies)
    own = seen.plain(rules) if isinstance(policy, Policy) else plain.policy(_text(policy))
    sources = {**rules.hierarchies, **hierarchies}
    lines = {name: _lines(sources[name], paths[name]) for name in paths}
    built = tuple(name for name in paths if isinstance(sources[name], Builder))
    return Given(own, _columns(table, found, wanted), lines, built)


def _text(policy: File) -> str:
    return existing_file(policy, "policy").read_text(encoding="utf-8-sig")


def _lines(source: object, read: Hierarchy) -> plain.Paths:
    """A hierarchy as the checker reads it from its file; one in memory as it is."""
    return hierarchy(source) if isinstance(source, str | PathLike) else read.paths


def _columns(table: File | pd.DataFrame, found: Table, wanted: tuple[str, ...]) -> plain.Columns:
    """The columns of a table as the checker reads them from a CSV file; others as they are."""
    if not isinstance(table, str | PathLike) or Path(table).suffix.lower() in (".parquet", ".pq"):
        return seen.columns(found, wanted)
    return plain.table(existing_file(table, "table"), wanted)
