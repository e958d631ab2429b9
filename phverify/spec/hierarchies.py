"""The hierarchies that a policy names: read from their files, or built again from the
values of the table.

A certificate quotes the files word by word.  Where the policy's own file is at hand, so
are those that it names, and what is quoted is compared with them; otherwise what is
quoted is the certificate's own claim, shown with its SHA-256.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TextIO

from phverify.errors import Problem, Problems
from phverify.spec.policy import PlainPolicy
from phverify.spec.separated import find_separator
from phverify.spec.source import (
    Columns,
    Label,
    Line,
    Paths,
    Refused,
    Trees,
    Values,
    quoted,
    refused,
)
from phverify.spec.wording import many

SHOWN = 5
"""Flaws of one kind that are listed."""
Texts = Mapping[str, str]
"""By column the text of a hierarchy's file."""


def path_of(value: Label, paths: Paths) -> Values:
    """What a value may become, level by level, itself first; nothing for a value that
    has no line.

    A missing cell takes the line whose value is empty; without one it stays missing
    below the top, and joins everybody there, if the hierarchy has one root.
    """
    line = paths.get(value or "")
    if line is not None:
        return (value, *line[1:])
    if value is not None:
        return ()
    tops = {path[-1] for path in paths.values()}
    # All lines are of one length.
    levels = len(next(iter(paths.values()))) - 1
    below_top = [None] * levels
    if levels and len(tops) == 1:
        return (*below_top, *tops)
    return (*below_top, None)


def files(policy: PlainPolicy) -> dict[str, Path]:
    """By column the file that a policy names, relative to its own."""
    return {
        name: given
        for name, given in policy.hierarchies.items()
        if isinstance(given, Path)
    }


def texts(policy: PlainPolicy, folder: Path) -> dict[str, str]:
    """The files that a policy in a folder names.  Raises Refused."""
    named = files(policy)
    return {name: quoted(folder / file) for name, file in named.items()}


def compared(policy: PlainPolicy, said: Texts, folder: Path | None) -> Iterator[str]:
    """Whose the quoted hierarchies are.  Raises Refused when they are not those of the
    policy, or of its files.
    """
    if set(said) != set(files(policy)):
        raise Refused(
            "the certificate does not quote just the hierarchies that the policy names"
            " as files"
        )
    for name, text in said.items():
        lines = hierarchy(text, f"the hierarchy of {name!r}")
        levels = len(next(iter(lines.values()), ())) - 1
        told = (
            f"{many(len(lines), 'value')}, {many(levels, 'level')}, SHA-256"
            f" {hashlib.sha256(text.encode()).hexdigest()}"
        )
        # Without the policy's file there is nothing to compare with.
        if folder is None:
            yield f"the hierarchy of {name!r} is the certificate's own: {told}"
            continue
        if text != quoted(folder / files(policy)[name]):
            raise Refused(
                f"the hierarchy of {name!r} is not that of the policy's file"
                f" {files(policy)[name]}"
            )
        yield (
            f"the hierarchy of {name!r} is that of the policy's file"
            f" {str(files(policy)[name])!r}: {told}"
        )


def rebuilt(policy: PlainPolicy, in_use: Trees) -> Iterator[str]:
    """Which of the hierarchies in use were built from what the policy says."""
    named = files(policy)
    names = []
    for name in policy.hierarchies:
        # Those in files are compared with their files instead.
        if name not in named and name in in_use:
            names.append(name)
    if names:
        listed = ", ".join(map(repr, names))
        what = "the hierarchy" if len(names) == 1 else "the hierarchies"
        yield f"built again as the policy says: {what} of {listed}"


def hierarchies(
    policy: PlainPolicy, said: Texts, values: Columns, sanitized: bool
) -> dict[str, Paths]:
    """By column the hierarchy over its values.

    A quasi-identifier that is ``sanitized`` may be generalized already: a builder that
    its values do not fit is left out.  Raises Refused for anything else that is no
    hierarchy.
    """
    trees: dict[str, Paths] = {
        name: hierarchy(text, f"the hierarchy of {name!r}")
        for name, text in said.items()
    }
    for name, spec in policy.hierarchies.items():
        if isinstance(spec, Path):
            continue
        from phverify.spec.builders import built

        present = [value for value in values[name] if value is not None]
        try:
            trees[name] = built(spec, present, name)
        except Refused:
            # Values that are generalized already, such as 20-29, are no numbers.
            if not sanitized or name not in policy.quasi:
                raise
    return trees


# What their texts hold


def lines(file: TextIO) -> list[Line]:
    """The lines of a hierarchy, ``value;level1;level2;..``.

    Raises Refused for a text without a first line, and csv.Error for one that is no
    CSV.
    """
    head = file.readline()
    if not head.strip():
        raise Refused("the hierarchy is empty")
    # The format of anonymization tools, whose labels may hold commas.
    separator = ";"
    if separator not in head:
        separator = find_separator(head)
    file.seek(0)
    rows = csv.reader(file, delimiter=separator, strict=True)
    return [tuple(row) for row in rows if row]


def hierarchy(text: str, where: str) -> dict[str, Line]:
    """A generalization hierarchy: by value its line.

    Raises Refused for a text that is none.
    """
    # Spreadsheets write a byte order mark.
    without_mark = text.removeprefix("\ufeff")
    try:
        rows = lines(io.StringIO(without_mark, newline=""))
    except (Refused, csv.Error) as error:
        raise Refused(f"{where} is no well-formed CSV: {error}") from None
    problems = flaws(rows, where)
    if problems:
        raise refused(problems)
    return {row[0]: row for row in rows}


def require_paths(trees: Trees) -> None:
    """Raises Refused for hierarchies that are none."""
    for name, paths in trees.items():
        # Level 0 is the value itself, on which every count of levels rests.
        if any(path[:1] != (value,) for value, path in paths.items()):
            raise Refused(
                f"a path in the hierarchy of {name!r} starts with another value than"
                " its own"
            )
        problems = flaws([*paths.values()], f"the hierarchy of {name!r}")
        if problems:
            raise refused(problems)


def flaws(rows: Sequence[Line], where: str) -> Problems:
    """Why paths are no hierarchy.

    They are of unequal length, there are two for one value, or a node has two parents.
    """
    problems = []
    kinds = (_unbalanced(rows), _repeated(rows), _two_parents(rows))
    for flaws_of_a_kind in kinds:
        # Of each kind a few: one slip in a file often makes thousands.
        for what in islice(flaws_of_a_kind, SHOWN):
            problems.append(Problem(where, what, "", True))
    return problems


def _unbalanced(rows: Sequence[Line]) -> Iterator[str]:
    for row in rows:
        first = rows[0]
        if len(row) != len(first):
            path = f"the path of {row[0]!r} has {len(row)} entries"
            yield f"{path}, that of {first[0]!r} has {len(first)}"


def _repeated(rows: Sequence[Line]) -> Iterator[str]:
    seen = set()
    for value, *_ in rows:
        if value in seen:
            yield f"the value {value!r} occurs on two lines"
        seen.add(value)


def _two_parents(rows: Sequence[Line]) -> Iterator[str]:
    # The values themselves, at level 0, are `_repeated`'s.
    longest = max(map(len, rows), default=0)
    inner_levels = range(1, longest - 1)
    for level in inner_levels:
        parents: dict[str, str] = {}
        for row in rows:
            if len(row) <= level + 1:
                continue
            node = row[level]
            above = row[level + 1]
            parent = parents.setdefault(node, above)
            if parent != above:
                where = f"{node!r} at level {level}"
                yield f"{where} lies under {parent!r} and {above!r}"
