"""Whose statements are audited: those of some users who could pool their answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from phverify.disclosure.log.statements import Statement, tokens
from phverify.errors import InputError, Problem, nearest, refusal
from phverify.words import plural

_READING: tuple[str, ...] = (
    "select",
    "with",
    "values",
    "from",
    "show",
    "explain",
    "describe",
    "desc",
)
_READING += ("set", "reset", "begin", "start", "commit", "rollback", "end", "use")
_WRITING = {"insert", "update", "delete", "merge", "into", "create", "alter", "drop"}
_WRITING |= {"truncate", "replace", "copy", "call", "do", "execute", "exec", "analyze"}
_WRITING |= {"load", "import", "grant", "revoke", "attach", "undrop", "swap", "rename"}
_FOR_ALL = {"global", "persist", "persist_only", "cluster", "system"}
"""Words of SET and RESET that change what others' statements mean."""
FEW = 5


def chosen(
    statements: Sequence[Statement],
    users: Sequence[str],
    where: str,
    dialect: str = "",
) -> tuple[list[Statement], list[str]]:
    """The statements of some users, all where none is named, and what was left out.

    Those of which the log does not say whose they are stay, and so do those of others
    that may have changed the table, or what all statements mean: present answers may
    not be those of then.  Raises InputError for a user who is not in the log.
    """
    if not users:
        return list(statements), []
    known = Counter(one.user for one in statements if one.user is not None)
    if not known:
        hint = "a history has users in the column user, or [log] user = .. names it"
        raise refusal(where, "does not say who sent its statements", hint)
    problems = []
    for name in users:
        if name not in known:
            what = f"no statement of it is of {name!r}"
            problems.append(Problem(where, what, nearest(name, known, "its users")))
    if problems:
        raise InputError(problems)
    return _split(statements, users, dialect)


def _split(
    statements: Sequence[Statement], users: Collection[str], dialect: str
) -> tuple[list[Statement], list[str]]:
    """Those that are audited, and what is said of the others."""
    kept: list[Statement] = []
    left: Counter[str] = Counter()
    nobody = 0
    writing = 0
    for one in statements:
        if one.user is None or one.user in users:
            nobody += one.user is None
            kept.append(one)
        elif _may_write(one, dialect):
            writing += 1
            kept.append(one)
        else:
            left[one.user] += 1
    notes = []
    if left:
        count = plural(sum(left.values()), "statement")
        notes.append(f"left out: {count} of {_named(left)}, whose answers others have")
    if nobody:
        count = plural(nobody, "statement")
        notes.append(f"{count} without a user: read as if of those named")
    if writing:
        count = plural(writing, "statement")
        notes.append(
            f"{count} of other users may have changed the table or settings, and stay"
        )
    return kept, notes


def _named(left: Counter[str]) -> str:
    """Other users: those with the most statements first."""
    names = [name for name, _ in left.most_common()]
    shown = ", ".join(names[:FEW])
    more = len(names) - FEW
    return f"{shown} and {more} more" if more > 0 else shown


def _may_write(statement: Statement, dialect: str) -> bool:
    """Whether a statement may change data, or settings of all, by its words outside of
    quotes.
    """
    if statement.unread:
        return True
    found = [token.lower() for token in tokens(statement.text)]
    words = [word for word in found if re.fullmatch(r"\w+", word)]
    if not words or words[0] not in _READING:
        return True
    # What MySQL executes of a comment is not looked into.
    if any(token.startswith(("/*!", "/*m!")) for token in found):
        return True
    if statement.error:
        return False
    if words[0] in ("set", "reset"):
        return _for_all(words, dialect)
    # ``REPLACE(text, ..)`` is a function, and what fails writes nothing.
    return not _WRITING.isdisjoint({*words} - {"replace"})


def _for_all(words: Sequence[str], dialect: str) -> bool:
    """Whether a SET or RESET may be one for other sessions, too."""
    if not _FOR_ALL.isdisjoint(words):
        return True
    # DuckDB's own settings are those of the whole database, where they can be.
    own = words[1:2] in (["session"], ["local"])
    return dialect in ("", "duckdb") and not own
