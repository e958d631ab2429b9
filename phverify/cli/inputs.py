"""What several verbs are given: seconds, and the files that a policy names."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from phverify.errors import InputError, refusal
from phverify.microdata.files import STANDARD_INPUT, TableFile
from phverify.microdata.formats import SEVERAL, NamedTable
from phverify.policy.model import examine
from phverify.spec.policy import ROLES
from phverify.spec.source import rational


def hierarchy_files(*policies: Any) -> list[str]:
    """The hierarchies that policy files name: inputs as well.

    What is no policy file is complained of elsewhere.
    """
    files: list[str] = []
    for path in policies:
        try:
            policy, _ = examine(path or "")
        except InputError:
            continue
        sources = policy.hierarchies.values()
        files += [str(source) for source in sources if isinstance(source, Path)]
    return files


def one_of_several(path: Any, name: str | None) -> Any:
    """A table: that of this name, where its file holds several.

    Raises InputError for what came through a pipe.
    """
    if path is None or name is None:
        return path
    if isinstance(path, TableFile) or path == STANDARD_INPUT:
        what = "names one of the tables of a file, and this comes through a pipe"
        raise refusal("--table", what, "save it as a file first")
    return NamedTable(path, name)


def originals_table(path: str | None, own: str | None, name: str | None) -> Any:
    """The table before sanitization, for ``--original-table`` and ``--table``.

    What names the release's table names this one, too, in a file with several.
    """
    if path is None:
        if own is not None:
            raise refusal("--original-table", "is of --original, and none is given")
        return None
    several = Path(path).suffix.lower() in SEVERAL
    return one_of_several(path, own or (name if several else None))


def seconds(text: str | None) -> float | None:
    """The value of ``--budget``."""
    if text is None:
        return None
    try:
        given = float(rational(text))
    except OverflowError:
        return None  # longer than any number of seconds that a float holds
    except ValueError:
        # told like a number that is not above 0
        given = 0.0
    if given <= 0 or text.endswith("%"):
        hint = "--budget 20 stops after 20 seconds, --budget 0.5 after half a second"
        raise refusal("--budget", f"is a number of seconds above 0, not {text!r}", hint)
    return given


def columns_of(texts: Iterable[str]) -> list[str]:
    """Names of columns, several of them joined by commas."""
    names = ",".join(texts).split(",")
    return [name.strip() for name in names if name.strip()]


def roles_of(options: argparse.Namespace) -> dict[str, str]:
    """The role of each column that an option names.

    Raises InputError for a column with two roles.
    """
    roles: dict[str, str] = {}
    given = {role: columns_of(getattr(options, role)) for role in ROLES}
    given["identifier"] = [options.identifier] if options.identifier else []
    for role, names in given.items():
        for name in names:
            if name in roles:
                what = f"{name!r} is there, and under --{roles[name]}"
                raise refusal(f"--{role}", what, "a column has one role")
            roles[name] = role
    return roles
