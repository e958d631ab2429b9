"""What a certificate of minimality is checked against.

The checker reads CSV tables, policies and hierarchies from their files by itself, and
builds hierarchies as the policy says.  What is only in memory, or is no CSV, is read by
phverify and handed over.
"""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from phverify.microdata.hierarchy import GivenHierarchies
from phverify.microdata.read import existing_file, read
from phverify.policy.model import Policy, PolicySource, examine, without_problems
from phverify.spec import data as plain
from phverify.spec.builders import Builder
from phverify.spec.released import Given, from_files
from phverify.spec.source import File
from phverify.verbs.search import hierarchies_for, readable

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource


def given(
    table: TableSource,
    policy: PolicySource,
    hierarchies: GivenHierarchies,
    release: File | None = None,
) -> Given:
    """What the checker reads, once phverify has found that it can be read.  Raises
    InputError.
    """
    rules = without_problems(*examine(policy))
    found = read(table, rules.named, "table")
    readable(rules, found)
    paths = {
        name: one.paths
        for name, one in hierarchies_for(rules, found, hierarchies).items()
    }
    csv = isinstance(table, str | PathLike) and Path(table).suffix.lower() not in (
        ".parquet",
        ".pq",
    )
    columns = (
        plain.table(existing_file(table, "table"), rules.named)
        if csv
        else found.plain(rules.named)
    )
    files: dict[str, Path] = (
        {} if release is None else {"release": existing_file(release, "release")}
    )
    if isinstance(table, str | PathLike):
        files["table"] = Path(table)
    if not isinstance(policy, Policy):
        files["policy"] = existing_file(policy, "policy")
        return replace(
            from_files(files, columns, {name: paths[name] for name in hierarchies}),
            whole=csv,
        )
    built = [
        name
        for name, said in rules.hierarchies.items()
        if isinstance(said, Builder) and name not in hierarchies
    ]
    told = (
        (
            (
                "built by phverify, not by the checker: the hierarchies of"
                f" {', '.join(built)}"
            ),
        )
        if built
        else ()
    )
    return Given(rules, columns, paths, files, told, whole=csv)
