"""When a statement of which the log says that it failed has told nothing.

An error may depend on the data: a division by zero, a number that is no date, a table
named by a cell.  It tells nothing where the text alone is why: DuckDB refuses it here
before it runs, and the log has DuckDB's own words, or those by which another engine
says that it could not read the text.  What a function or a cast reads may be data, so
that a text that another engine could not read has none.
"""

from __future__ import annotations

import re
from collections.abc import Set
from itertools import pairwise

from phverify.disclosure.log.statements import Statement, split, tokens

_BEFORE = re.compile(r"(?:[\w.]+(?:Exception|Error): )?(?:Error: )?")
_STATIC = {
    "ParserException": "Parser Error: ",
    "BinderException": "Binder Error: ",
    "CatalogException": "Catalog Error: ",
}
"""How DuckDB refuses a statement whatever the data."""
_UNREAD = re.compile(
    "|".join(
        (
            r'near "[^"\n]*": syntax error',
            (
                r"(ERROR 1064 \(42000\)(: | at line \d+: ))?You have an error in your"
                r" SQL syntax; [^\n]*"
            ),
            r"(Msg 102, [^\n]*\n)?Incorrect syntax near '[^'\n]*'\.?",
            r'(ERROR: +)?syntax error at (or near "[^"\n]*"|end of input)'
            r"( at character \d+)?(\nLINE \d+: [^\n]*(\n *\^)?)?",
        )
    )
)
"""How SQLite, MySQL, SQL Server and PostgreSQL say that a text is no SQL of theirs."""
_PLAIN = re.compile(
    r"\s*(?:select|with)\b[\w\s.,()*=<>!+'\"-]*", re.IGNORECASE | re.ASCII
)
COMMANDS = {
    "go",
    "do",
    "begin",
    "end",
    "if",
    "else",
    "while",
    "exec",
    "execute",
    "call",
    "declare",
    "set",
    "prepare",
}
COMMANDS |= {
    "deallocate",
    "perform",
    "raise",
    "return",
    "print",
    "use",
    "into",
    "insert",
    "update",
    "delete",
    "merge",
}
COMMANDS |= {
    "create",
    "alter",
    "drop",
    "truncate",
    "grant",
    "copy",
    "explain",
    "show",
    "delimiter",
    "case",
    "language",
}
_HARMLESS = {
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "in",
    "values",
    "and",
    "or",
    "not",
    "where",
    "on",
    "from",
    "as",
    "by",
}
_HARMLESS |= {
    "select",
    "having",
    "distinct",
    "top",
    "join",
    "using",
    "over",
    "with",
    "exists",
    "any",
    "all",
    "between",
}
_HARMLESS |= set("=<>,(+-*/")
"""What a parenthesis may follow that calls nothing which reads a text."""


def says_nothing(statement: Statement, kind: str, refusal: str) -> bool:
    """Whether a failure says nothing of the data.

    ``kind`` and ``refusal`` are DuckDB's error before the statement runs.
    """
    if kind not in _STATIC or len(list(split(statement.text))) != 1:
        # What can be read, or several of which the first ones may have been answered.
        return False
    error = statement.error.strip()
    own = refusal.strip().splitlines()[0]
    before = _BEFORE.match(error)
    said = error[before.end() :] if before else error

    # The log has DuckDB's words for what DuckDB refuses here as well.
    if own.startswith(_STATIC[kind]) and said.splitlines()[:1] == [own]:
        return True
    if kind != "ParserException" or not _UNREAD.fullmatch(error):
        return False
    return _one_question(statement.text) and not calls(statement.text)


def _one_question(text: str) -> bool:
    """Whether a text can be nothing but one SELECT, whoever reads it.

    Though it be broken.  What some engine may take for the end of a statement, for a
    quote, a comment, a variable or a command of its own makes several of it, of which
    the first ones may have been answered, or one that runs until it fails.
    """
    if _PLAIN.fullmatch(text) is None or "--" in text:
        return False
    lowered = text.lower()
    words = re.findall(r"\w+", lowered)
    return COMMANDS.isdisjoint(words)


def calls(text: str, known: Set[str] = frozenset()) -> bool:
    """Whether a text may call a function that is not known, or cast a cell."""
    if "::" in text:
        return True
    words = [token.lower() for token in tokens(text) if not token.isspace()]
    # What stands before a parenthesis is called, unless it is a word of SQL.
    for word, following in pairwise(words):
        if following == "(" and word not in _HARMLESS and word not in known:
            return True
    return False
