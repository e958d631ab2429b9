"""What certificates of searches share: their form, and the files they are about.

The files are named by SHA-256, and the released one is read row by row.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from phverify.spec.certificate import require_unchanged, whose
from phverify.spec.data import Refused, height, tuples
from phverify.spec.released import Given, sanitized
from phverify.spec.separated import table
from phverify.spec.source import Columns, File, Mappings, Plain, content_of, number

FILES = ("table", "policy", "release")


def intact(
    claimed: Plain, files: Mapping[str, File], shaped: Callable[[Any], None]
) -> Iterator[str]:
    """That the certificate of a search has its form, and was not changed.

    Says whose the policy is.  Raises Refused.
    """
    if "policy" in files:
        yield whose(files["policy"])
    else:
        yield "the policy is the one given, in memory"
    shaped(dict(claimed))
    require_unchanged(claimed)
    yield "the digest fits"


def exact(text: str) -> Fraction:
    """A number in lowest terms: there is one way to write it.  Raises Refused."""
    value = number(text)
    if str(value) != text:
        raise Refused(f"{text} is not written in lowest terms")
    return value


def sha256(path: File) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal digits.  Raises Refused when the
    file cannot be read.
    """
    content = content_of(path)
    return hashlib.sha256(content).hexdigest()


def same_files(said: Mapping[str, str | None], given: Given) -> Iterator[str]:
    """Which of the files at hand are those that the certificate names.

    Raises Refused when one is another file.
    """
    named = [name for name in FILES if said[name] is not None and name in given.files]
    for name in named:
        file = given.files[name]
        if sha256(file) != said[name]:
            raise Refused(
                f"{file} is not the {name} that the certificate names (its"
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
    """That the released file holds what the candidate releases.

    In whatever order, unless the policy says in the same.  Raises Refused.
    """
    if "release" not in given.files:
        return
    rows = range(height(given.columns))
    retained = sorted(set(rows) - set(withheld))
    shown = sanitized(given.columns, mapping, retained)
    yield from same_released(given, shown, retained)


def same_released(
    given: Given, shown: Columns, retained: Sequence[int]
) -> Iterator[str]:
    """That the released file, where it is at hand, holds the columns ``shown``.

    ``retained`` are the rows of the table in it.  Raises Refused.
    """
    if "release" not in given.files:
        return
    # Identifiers are not released.
    columns = [name for name in given.columns if name != given.policy.identifier]
    there = table(given.files["release"], columns)
    _require_columns(columns, there, given.whole)

    names = tuple(columns)
    expected = tuples(names, shown, len(retained))
    released = tuples(names, there, height(there))
    # As often each: equal rows are several records.
    if Counter(expected) != Counter(released):
        raise Refused(
            "the rows of the released file are not what the candidate makes of the"
            " table"
        )
    order = "in whatever order"
    if given.policy.rows == "same order":
        if expected != released:
            raise Refused(
                "the released file is in another order than the table, and the policy"
                ' says rows = "same order"'
            )
        order = "in the order of the table, as the policy says"

    loose = "" if given.whole else f"; compared were {', '.join(map(repr, names))}"
    yield f"the released file holds these {len(retained)} records, {order}{loose}"


def _require_columns(columns: Collection[str], there: Columns, whole: bool) -> None:
    """Raises Refused unless the released file has the columns.

    It has no others, if the ``whole`` table is at hand.
    """
    odd = set(columns) - set(there)
    # Of a part of the table it is not known which other columns there are.
    if whole:
        odd |= set(there) - set(columns)
    if odd:
        raise Refused(
            f"the released file has not the columns that the table has: {min(odd)!r} is"
            " in one of them alone"
        )
