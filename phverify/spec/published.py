"""The files that a certificate of minimality is about: named by SHA-256, and the
released one read row by row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from phverify.spec.data import Refused, height, tuples
from phverify.spec.released import Given, sanitized
from phverify.spec.separated import table
from phverify.spec.source import Mappings, sha256

FILES = ("table", "policy", "release")


def same_files(said: Mapping[str, str | None], given: Given) -> Iterator[str]:
    """Which of the files at hand are those that the certificate names.  Raises Refused
    when one is another file.
    """
    named = [name for name in FILES if said[name] is not None and name in given.files]
    for name in named:
        if sha256(given.files[name]) != said[name]:
            raise Refused(
                f"{given.files[name]} is not the {name} that the certificate names (its"
                " SHA-256 differs)"
            )
    if named:
        yield f"the files are those named by SHA-256: {', '.join(named)}"
    if said["release"] is not None and "release" not in given.files:
        yield (
            f"the released file has SHA-256 {said['release']}: with --release FILE it"
            " is compared"
        )


def same_rows(
    given: Given, mapping: Mappings, withheld: Sequence[int]
) -> Iterator[str]:
    """That the released file holds what the candidate releases; in whatever order,
    unless the policy says in the same.

    Raises Refused.
    """
    if "release" not in given.files:
        return
    columns = [name for name in given.columns if name != given.policy.identifier]
    found = table(given.files["release"], columns)
    if odd := sorted(
        set(found) ^ set(columns) if given.whole else {*columns} - {*found}
    ):
        raise Refused(
            f"the released file has not the columns that the table has: {odd[0]!r} is"
            " in one of them alone"
        )
    kept = sorted({*range(height(given.columns))} - {*withheld})
    shown = sanitized({name: given.columns[name] for name in columns}, mapping, kept)
    names = tuple(columns)
    wanted, there = tuples(names, shown, len(kept)), tuples(names, found, height(found))
    if Counter(wanted) != Counter(there):
        raise Refused(
            "the rows of the released file are not what the candidate makes of the"
            " table"
        )
    ordered = given.policy.rows == "same order"
    if ordered and wanted != there:
        raise Refused(
            "the released file is in another order than the table, and the policy says"
            ' rows = "same order"'
        )
    order = (
        "in the order of the table, as the policy says"
        if ordered
        else "in whatever order"
    )
    loose = "" if given.whole else f"; compared were {', '.join(map(repr, names))}"
    yield f"the released file holds these {len(kept)} records, {order}{loose}"
