"""What a certificate of minimality is checked against.

The checker reads CSV tables, policies and hierarchies from their files by itself, and
builds hierarchies as the policy says.  What is only in memory, or is no CSV, is read by
phverify and handed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from phverify.microdata.files import (
    checked_file,
    existing_file,
    lasting_file,
    plain_csv,
)
from phverify.microdata.formats import is_pattern
from phverify.microdata.hierarchy import GivenHierarchies
from phverify.microdata.read import read
from phverify.microdata.sampled import drawn
from phverify.policy.model import Policy, PolicySource, examine, without_problems
from phverify.spec import data as plain
from phverify.spec.builders import Builder
from phverify.spec.released import Given, from_files
from phverify.spec.sampling import RecordSample, drawable, sampled
from phverify.spec.source import Columns, File
from phverify.verbs.search_input import hierarchies_for, readable

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource


def given(
    table: TableSource,
    policy: PolicySource,
    hierarchies: GivenHierarchies,
    release: File | None = None,
    sample: RecordSample | None = None,
) -> Given:
    """What the checker reads, once phverify has found that it can be read.

    Where a certificate is about a ``sample`` of the table, that is drawn.  Raises
    InputError, and Refused for a sample that cannot be.
    """
    rules = without_problems(*examine(policy))
    one_file = isinstance(table, str | PathLike) and not is_pattern(table)
    if one_file:
        lasting_file(table, "table")
    whole = read(table, rules.named, "table")
    if sample is not None:
        # Of a certificate that is refused, not of the input.
        drawable(rules, whole.rows, sample)
    coded = whole if sample is None else drawn(whole, sample)
    readable(rules, coded)
    paths = {
        name: one.paths
        for name, one in hierarchies_for(rules, coded, hierarchies).items()
    }
    csv = plain_csv(table)
    columns: Columns
    columns = plain.table(Path(table), rules.named) if csv else whole.plain(rules.named)
    files: dict[str, Path] = (
        {} if release is None else {"release": checked_file(release, "release")}
    )
    if one_file:
        files["table"] = Path(table)
    if not isinstance(policy, Policy | Mapping):
        files["policy"] = existing_file(policy, "policy")
        others = {name: paths[name] for name in hierarchies}
        # a policy file is read by the checker itself, not taken from here
        return replace(from_files(files, columns, others, sample), whole=csv)
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
    if sample is not None:
        columns, how = sampled(rules, columns, sample)
        told = (*how, *told)
    return Given(rules, columns, paths, files, told, csv, sample)
