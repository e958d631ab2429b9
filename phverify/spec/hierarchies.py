"""The hierarchies that a policy names: read from their files, or built again from the
values of the table.

A certificate quotes the files word by word.  Where the policy's own file is at hand, so
are those that it names, and what is quoted is compared with them; otherwise what is
quoted is the certificate's own claim, shown with its SHA-256.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from phverify.spec.data import Columns, Label, PlainPolicy, Refused
from phverify.spec.separated import Paths, Trees, hierarchy
from phverify.spec.source import Values, quoted
from phverify.spec.wording import many

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
