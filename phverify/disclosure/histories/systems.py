"""Which columns of a history say what: those of known systems, known by their names, or
as a mapping says.

BigQuery: ``INFORMATION_SCHEMA.JOBS``; Snowflake: ``QUERY_HISTORY``, the view and the
table function.  PostgreSQL's own logs are read by ``postgres``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from phverify.disclosure.histories.records import Record, Written
from phverify.disclosure.histories.settings import OK, ROLES, LogColumns
from phverify.disclosure.log.statements import KeptAnswer, Statement
from phverify.errors import InputError, Problem, nearest, refusal

STATEMENTS = ("sql", "text", "query", "statement")
"""What the column of the statements may be called."""
OWN = dict.fromkeys(STATEMENTS, "text") | {role: role for role in ROLES}
"""The names that a history may have without a mapping."""
_BIGQUERY = {"query", "creation_time"}
_SNOWFLAKE = {"query_text", "execution_status"}
_NO_QUERY = ("LOAD", "COPY", "EXTRACT")
_FAILING = (
    "fail",
    "err",
    "incident",
    "exception",
    "abort",
    "cancel",
    "kill",
    "stop",
    "timeout",
    "denied",
    "refused",
    "reject",
    "false",
)
"""How a status begins that says of a statement that it failed."""
LONGEST = 100_000
"""So many characters of a statement Snowflake keeps."""
HINT = (
    "a history has the columns sql (or text, query, statement) and, where known, time,"
    " user, status, error, code, answer, parameters; others are named by [log] in the"
    " policy or by --log-columns text=..,user=.."
)


def reader(
    names: Sequence[str],
    columns: LogColumns,
    where: str,
    place: Callable[[str], str] | None = None,
) -> HistoryReader:
    """Who reads the records of a file with these columns; ``place`` is where one is.

    Raises InputError.
    """
    if columns.names:
        return Mapped(_mapped(names, columns, where), columns.ok)
    lowered = {name.lower(): name for name in names}
    if lowered.keys() >= _SNOWFLAKE:
        return Snowflake(lowered)
    if lowered.keys() >= _BIGQUERY:
        return BigQuery(lowered)
    roles: dict[str, str] = {}
    for name in names:
        role = OWN.get(name)
        if role is None:
            raise refusal(
                place(name) if place else where, f"{name!r} is not read", HINT
            )
        if role in roles:
            raise refusal(where, f"has both {roles[role]!r} and {name!r}", HINT)
        roles[role] = name
    return Mapped(roles, columns.ok)


def _mapped(names: Sequence[str], columns: LogColumns, where: str) -> dict[str, str]:
    """The columns of a mapping.  Raises InputError for those that are not there."""
    roles = dict(columns.names)
    if "text" not in roles:
        own = [name for name in STATEMENTS if name in names]
        hint = 'for example: [log] text = "query_text"'
        if not own:
            raise refusal(where, "which column has the statements is not said", hint)
        roles["text"] = own[0]
    problems = []
    for role, name in roles.items():
        if name not in names:
            what = f"there is no column {name!r}, which is to be the {role}"
            problems.append(Problem(where, what, nearest(name, names, "columns")))
    if problems:
        raise InputError(problems)
    return roles


class HistoryReader:
    """Reads records; those without a statement are None."""

    def statement(self, record: Record, where: str) -> Statement | None:
        """What a record says.  Raises InputError for what is none of its kind."""
        raise NotImplementedError


class Mapped(HistoryReader):
    """Columns by their roles."""

    def __init__(self, roles: Mapping[str, str], ok: Sequence[str]) -> None:
        self.roles = roles
        self.ok = [word.lower() for word in ok or OK]

    def statement(self, record: Record, where: str) -> Statement | None:
        """What a record says; every record has a statement."""
        cells = {role: record.cells.get(name) for role, name in self.roles.items()}
        text = cells.get("text")
        name = self.roles.get("text", "sql")
        if text is None:
            raise refusal(where, f"has no {name!r}", HINT)
        for role in ("text", "error", "code"):
            value = cells.get(role)
            # A code may be a number, as an SQLSTATE is of digits.
            fits = isinstance(value, str) and not isinstance(value, Written)
            fits = fits or (role == "code" and type(value) is int)
            if value is not None and not fits:
                raise refusal(where, f"{self.roles[role]!r} is a text")
        user = cells.get("user")
        return Statement(
            str(text),
            record.place,
            self.failure(cells),
            str(cells.get("code") or ""),
            _user(user),
            cells.get("time"),
            _parameters(cells.get("parameters"), where),
            kept=kept(cells.get("answer"), where),
            open=self.open(cells),
        )

    def failure(self, cells: Mapping[str, Any]) -> str:
        """Why a statement failed: where there is a status, that says whether it did."""
        error = str(cells.get("error") or "")
        status = cells.get("status")
        if status is None:
            return error
        if str(status).strip().lower() in self.ok or self.open(cells):
            return ""
        return error or f"its status is {str(status)!r}"

    def open(self, cells: Mapping[str, Any]) -> str:
        """Why it is not known whether a statement was answered, where it is not: its
        status is neither one of those, nor a failure.
        """
        status = cells.get("status")
        if status is None or cells.get("error") or cells.get("code"):
            return ""
        word = str(status).strip().lower()
        if word in self.ok or word.startswith(_FAILING):
            return ""
        return f"{_not_ended(status)}; if it does, ok in [log] has to name it"


def _not_ended(status: Any) -> str:
    """What is said of a status that is no end."""
    return f"its status, {str(status)!r}, does not say that it was answered"


def _user(cell: Any) -> str | None:
    """Who asked; None where nobody is named."""
    name = "" if cell is None else str(cell).strip()
    return name or None


class BigQuery(HistoryReader):
    """The rows of ``INFORMATION_SCHEMA.JOBS``, of whatever columns of it."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def statement(self, record: Record, where: str) -> Statement | None:
        """What a job says; one that is no query may have changed the table."""

        def cell(name: str) -> Any:
            return record.cells.get(self.names.get(name, ""))

        kind = str(cell("job_type") or "QUERY").upper()
        text = cell("query")
        unread = ""
        if kind in _NO_QUERY:
            text = text or f"-- a job of the type {kind}"
            unread = f"a job of BigQuery of the type {kind}, which may move data"
        if not text:
            return None
        result = _struct(cell("error_result"))
        reason = result.get("reason") or cell("error_reason")
        said = result.get("message") or cell("error_message") or ""
        user = cell("user_email")
        state = cell("state")
        return Statement(
            str(text),
            record.place,
            str(said or reason or ""),
            str(reason or ""),
            None if user is None else str(user),
            cell("creation_time"),
            kept=kept(cell("answer"), where),
            unread=unread,
            open=_not_ended(state) if state not in (None, "DONE") else "",
        )


def _struct(value: Any) -> Mapping[str, Any]:
    """BigQuery's error_result: a struct, or its JSON text."""
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except ValueError:
            return {"reason": "", "message": value}
    if isinstance(value, Mapping):
        return value
    return {}


class Snowflake(HistoryReader):
    """The rows of ``QUERY_HISTORY``; names in any case."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def statement(self, record: Record, where: str) -> Statement | None:
        """What a query of the history says."""

        def cell(name: str) -> Any:
            return record.cells.get(self.names.get(name, ""))

        text = cell("query_text")
        if not text:
            return None
        status = str(cell("execution_status") or "").lower()
        failed = status.startswith(("fail", "incident"))
        ended = failed or status == "success"
        said = str(cell("error_message") or f"its status is {status!r}")
        # Six digits: where the file has a number its zeros are gone, and where some
        # are missing it may be a double.
        code = str(cell("error_code") or "").removesuffix(".0").zfill(6)
        user = cell("user_name")
        unread = ""
        if len(str(text)) >= LONGEST:
            unread = f"Snowflake keeps {LONGEST:,} characters: the rest is not known"
        return Statement(
            str(text),
            record.place,
            said if failed else "",
            code if failed else "",
            None if user is None else str(user),
            cell("start_time"),
            kept=kept(cell("answer"), where),
            unread=unread,
            open="" if ended else _not_ended(status),
        )


def _parameters(given: Any, where: str) -> dict[str, Any] | None:
    """Values by name, those of a list by number.  Raises InputError."""
    if isinstance(given, str):
        given = _json(given, where, "parameters")
    if given is None:
        return None
    if isinstance(given, Mapping):
        return {str(name).lstrip(":@$"): value for name, value in given.items()}
    if isinstance(given, (list, tuple)):
        return {str(number): value for number, value in enumerate(given, 1)}
    hint = 'parameters are a list, [5, "north"], or an object, {"town": "north"}'
    raise refusal(where, "'parameters' is neither a list nor an object", hint)


def kept(given: Any, where: str) -> KeptAnswer | None:
    """A kept answer: a list of rows, each a list, or an object by column.

    A number or a text alone is an answer of one cell.  Raises InputError.
    """
    if isinstance(given, str):
        given = _json(given, where, "answer")
    if given is None:
        return None
    if not isinstance(given, (list, tuple)):
        if isinstance(given, Mapping):
            given = [given]
        else:
            return KeptAnswer(((given,),))
    rows = list(given)
    names: tuple[str, ...] = ()
    if rows and all(isinstance(row, Mapping) for row in rows):
        first = rows[0]
        names = tuple(map(str, first))
        if any(row.keys() != first.keys() for row in rows):
            raise refusal(where, "the rows of its answer have not the same columns")
        # each row has its columns in whatever order
        rows = [tuple(map(row.__getitem__, first)) for row in rows]
    if not all(isinstance(row, (list, tuple)) for row in rows):
        hint = 'for example [["north", 740], ["south", 840]]'
        raise refusal(where, "an answer is a list of rows, each a list", hint)
    return KeptAnswer(tuple([tuple(row) for row in rows]), names)


def _json(text: str, where: str, what: str) -> Any:
    """A cell of JSON; numbers stay as they are written.  Raises InputError."""
    if not text.strip():
        return None
    try:
        return json.loads(text, parse_float=Written)
    except ValueError as error:
        raise refusal(where, f"its {what} is no JSON: {error}") from None
