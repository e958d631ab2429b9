"""Statements that are no SELECT: those that say nothing and change no later answer, and
why the others taint.

All are known by their whole text, and none is executed.

- BEGIN, COMMIT, ROLLBACK and savepoints have no answer, and what they keep or undo are
  writes, each of which is refused and taints by itself.  An isolation level says which
  writes of others are seen: the data is taken to be as it is.
- No answer of the fragment depends on threads, memory, the progress bar, timeouts, what
  a connection calls itself, or rows counted beside an answer: its numbers are exact and
  its rows have no order.  A text's encoding on the way to the client changes no text.
- SHOW TABLES, DESCRIBE and the like show the schema, which all worlds share.  Those
  that show statistics (SHOW TABLE STATUS, SHOW INDEX, DESCRIBE EXTENDED) are not among
  them, nor is DESCRIBE of a query, whose columns PIVOT names after cells.  Snowflake's
  SHOW TABLES has sizes (``sizes``).
- PREPARE and DEALLOCATE execute nothing (``histories.prepared`` has EXECUTE), and
  DISCARD ALL takes a session back to where it began.
- Numbers are taken to be shown with all of their digits (``extra_float_digits``), days
  as ISO writes them, and errors of T-SQL to be errors (``ARITHABORT``).
- ANALYZE, VACUUM and CHECKPOINT change statistics and places, and no answer; VERBOSE
  shows some of these.
- Variables of the server that are listed (``SELECT @@version``) say how it is set;
  others (``@@rowcount``, ``@@warning_count``) are about the statement before, and SHOW
  VARIABLES without a name shows all.

Any other setting may change what a later query means (``SET default_collation``, ``SET
search_path``, ``SET ROWCOUNT``), and was not made here.  A temporary table may hold
cells, and a later query would be about it.
"""

from __future__ import annotations

import re

from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.log.statements import one_line, tokens

# By name: whatever follows without a semicolon is a statement of its own in T-SQL.
_LEVEL = "(?:READ (?:UN)?COMMITTED|REPEATABLE READ|SERIALIZABLE|SNAPSHOT)"
_TRANSACTION = re.compile(
    r"(BEGIN|COMMIT|ROLLBACK|END|ABORT)( WORK| TRANSACTION)?|START TRANSACTION"
    r"|BEGIN (DEFERRED|IMMEDIATE|EXCLUSIVE)( TRANSACTION)?|(BEGIN|START) TRANSACTION"
    r" READ (ONLY|WRITE)|(BEGIN( WORK| TRANSACTION)?|START TRANSACTION) ISOLATION LEVEL"
    rf" {_LEVEL}(,? READ (ONLY|WRITE))?(,? (NOT )?DEFERRABLE)?",
    re.IGNORECASE | re.ASCII,
)
_SETTING = re.compile(
    r"SET (?:(?:SESSION|GLOBAL|LOCAL)"
    r" )?(?:threads|worker_threads|memory_limit|max_memory|enable_progress_bar"
    r"|progress_bar_time) ?(?:=|TO ) ?(?:'[\w .]*'|[\w.]+)",
    re.IGNORECASE | re.ASCII,
)
_NAME = r"[\w.\"`\[\]$]+"
_VALUE = r" ?(?:=|TO|) ?(?:'[\w .:@/-]*'|[\w.-]+)"
_NEUTRAL = re.compile(
    r"SET (?:(?:SESSION|GLOBAL|LOCAL) |@@)?(?:application_name|statement_timeout"
    r"|lock_timeout|idle_in_transaction_session_timeout|client_min_messages"
    r"|wait_timeout|net_read_timeout|net_write_timeout|query_tag|lock_wait_timeout"
    r"|autocommit|max_parallel_workers_per_gather|work_mem)"
    + _VALUE
    + r"|SET (?:NAMES|client_encoding ?(?:=|TO)) ?'?(?:utf-?8(?:mb4)?)'?"
    r"|ALTER SESSION SET QUERY_TAG ?= ?'[^']*'|ALTER SESSION UNSET QUERY_TAG"
    r"|SET NOCOUNT (?:ON|OFF)|SET (?:ANSI_NULLS|QUOTED_IDENTIFIER|ANSI_PADDING) ON"
    r"|SET (?:ARITHABORT|ANSI_WARNINGS|CONCAT_NULL_YIELDS_NULL|ANSI_NULL_DFLT_ON"
    r"|XACT_ABORT) ON|SET NUMERIC_ROUNDABORT OFF|DISCARD ALL"
    r"|SET (?:SESSION |LOCAL )?(?:extra_float_digits ?(?:=|TO) ?'?[1-3]'?"
    r"|datestyle ?(?:=|TO) ?'?ISO(?:, ?MDY)?'?)"
    r"|SET (?:LOCK_TIMEOUT|DEADLOCK_PRIORITY) -?\w+|USE WAREHOUSE \w+"
    r"|SET (?:SESSION |GLOBAL |LOCAL )?(?:CHARACTERISTICS AS )?TRANSACTION "
    rf"(?:ISOLATION LEVEL {_LEVEL}|READ (?:ONLY|WRITE))"
    r"|(?:ROLLBACK TO (?:SAVEPOINT )?|RELEASE (?:SAVEPOINT )?|SAVEPOINT )\w+",
    re.IGNORECASE | re.ASCII,
)
# warning_count and error_count tell of the statement before.
_SETTINGS = "'(?![we])[a-z][^']*'"
_IS = rf"`?variable_name`? ?(?:=|LIKE) ?{_SETTINGS}"
_SCHEMA = re.compile(
    rf"SHOW (?:FULL |ALL |TERSE )?(?:TABLES|DATABASES|SCHEMAS|VIEWS)"
    rf"(?: (?:FROM|IN)(?: DATABASE| SCHEMA)? {_NAME})?(?: LIKE '[^']*')?"
    rf"|SHOW (?:FULL )?(?:COLUMNS|FIELDS) (?:FROM|IN)(?: TABLE)? {_NAME}"
    rf"(?: (?:FROM|IN) {_NAME})?(?: LIKE '[^']*')?|SHOW CREATE TABLE {_NAME}"
    r"|SHOW (?:GLOBAL |SESSION )?VARIABLES"
    rf"(?: LIKE {_SETTINGS}| WHERE {_IS}(?: OR {_IS})*)"
    rf"|SHOW (?:COLLATION|ENGINES|CHARACTER SET|CHARSET|PLUGINS)(?: LIKE '[^']*')?"
    rf"|SHOW (?:search_path|server_version|timezone"
    rf"|client_encoding|datestyle|standard_conforming_strings"
    rf"|transaction[ _]isolation(?: level)?|lc_collate|max_identifier_length)"
    rf"|(?:DESCRIBE|DESC)(?: TABLE)? {_NAME}|PRAGMA (?:main\.|temp\.)?(?:table_info"
    rf"|table_xinfo|index_list|index_info|index_xinfo|foreign_key_list)"
    rf" ?\( ?'?{_NAME}'? ?\)|PRAGMA (?:show_tables|database_list|version|table_list"
    rf"|encoding|foreign_keys(?: ?= ?(?:ON|OFF|1|0))?)",
    re.IGNORECASE | re.ASCII,
)
_ENDING = {"`": "`", "[": "]"}
"""How names begin and end that are quotes for some engines alone."""
_IN_NAME = re.compile(r"[\w.$-]| +|\w+")
_PLAN = re.compile("DESC(?:RIBE)? TABLE ", re.IGNORECASE)
_SIZES = re.compile(r"SHOW TABLES\b.*", re.IGNORECASE | re.ASCII | re.DOTALL)
_UPKEEP = re.compile(
    rf"(?:ANALYZE|VACUUM|VACUUM ANALYZE|ANALYZE TABLE)(?: (?!VERBOSE\b){_NAME})?"
    r"|CHECKPOINT",
    re.IGNORECASE | re.ASCII,
)
_WORD = (
    r"version|version_comment|version_compile_os|hostname|port|servername|servicename"
    r"|spid|microsoftversion|language|langid|max_precision|options|textsize|datefirst"
    r"|lock_timeout|max_connections|sql_mode|lower_case_table_names|autocommit"
    r"|auto_increment_increment|tx_isolation|tx_read_only|transaction_isolation"
    r"|transaction_read_only|read_only|super_read_only|server_id|server_uuid"
    r"|max_allowed_packet|wait_timeout|interactive_timeout"
    r"|net_write_timeout|net_read_timeout|time_zone|system_time_zone|license"
    r"|init_connect|performance_schema|sql_safe_updates|collation_(?:server|connection"
    r"|database)|character_set_(?:client|connection|results|server|database)"
)
_ABOUT = r"(?:version|connection_id|database|user|current_user)\(\)"
_VARIABLE = (
    rf"(?:@@(?:(?:session|global)\.)?(?:{_WORD})|{_ABOUT})"
    r"(?: (?:AS )?[`'\"]?\w+[`'\"]?)?"
)
_VARIABLES = re.compile(
    rf"SELECT (?=.*@@){_VARIABLE}(?: ?, ?{_VARIABLE})*(?: LIMIT \d+)?",
    re.IGNORECASE | re.ASCII,
)
_CALLED = r"(?:\w+|\"[^\"]+\"|`[^`]+`)"
# In MySQL it is one text, or a variable that has it; elsewhere the statement itself.
_BODY = r"(?:(?:AS|FROM) \(?\w.*|FROM ?(?:'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|@\w+))"
_PREPARED = re.compile(
    rf"PREPARE {_CALLED}(?: ?\((?:[^()]|\([^()]*\))*\))? {_BODY}"
    rf"|(?:DEALLOCATE|DROP PREPARE)(?: PREPARE)? {_CALLED}",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
_SILENT = {
    _TRANSACTION: (
        "a transaction by itself says nothing; a write in it would be refused"
    ),
    _SETTING: "a setting of threads, memory or progress changes no answer",
    _NEUTRAL: "a setting of the connection changes no answer",
    _SCHEMA: "it shows the schema, which is the same whatever the cells are",
    _UPKEEP: "it changes statistics, and no answer",
    _PREPARED: "a statement that is prepared has no answer before EXECUTE",
    _VARIABLES: "a variable of the server is the same whatever the cells are",
}
_QUERY = re.compile(
    r"(?:DESCRIBE|DESC|SHOW)(?: TABLE)? (?:SELECT|WITH|PIVOT|UNPIVOT|FROM|VALUES"
    r"|EXTENDED|FORMATTED|PROCESSLIST|SUMMARIZE)",
    re.IGNORECASE | re.ASCII,
)
_SET = (
    "a setting may change what later queries mean: leave it out of the log where none"
    " does, or write it in the queries (LIMIT for a number of rows)"
)
_WHY = {
    "SET": _SET,
    "RESET": _SET,
    "PRAGMA": "it may show data, or change what later queries mean",
    "CREATE": "a table that is made may hold cells, and be asked for later",
    "SUMMARIZE": "it shows what is in the columns: write the aggregates instead",
    "EXPLAIN": "a plan is taken for all that its SELECT reads",
    "EXECUTE": (
        "what it executes is audited where the log has one PREPARE of that name before"
        " it and no DEALLOCATE since, and its values are whole numbers and texts: write"
        " the query in its place, with its values"
    ),
    "USE": "it may change which tables later queries are about: name their schema",
    "DESCRIBE": "its columns may be named after cells: write the query itself",
    "SHOW": "it may show statistics: ask information_schema for names and types",
    "ANALYZE": "VERBOSE shows how many pages the cells take",
    "VACUUM": "VERBOSE shows how many pages the cells take",
    "PIVOT": "write an aggregate with FILTER (WHERE ..) for each column instead",
    "UNPIVOT": "write a SELECT for each column, and UNION ALL, instead",
}


class Silent(Unsupported):
    """A statement that says nothing of the data, and changes nothing; why."""

    status = "silent"
    final = True


class ShownPlan(Unsupported):
    """A statement that shows how a query would be executed."""

    final = True


def silent(text: str, dialect: str = "") -> None:
    """Raises Silent for a statement that is, and ShownPlan where another dialect has
    one that is.
    """
    line = one_line(text)
    if _QUERY.fullmatch(line) or not _read_alike(text):
        # ``DESCRIBE extended`` may be cut short: what stands there is no name.
        return
    if dialect == "mysql" and _PLAN.match(line):
        raise ShownPlan(
            "DESCRIBE TABLE of MySQL shows the plan of the query TABLE, with numbers of"
            " rows: write DESCRIBE and the table's name"
        )
    for pattern, why in _SILENT.items():
        if pattern.fullmatch(line):
            raise Silent(why)


def _read_alike(text: str) -> bool:
    """Whether all engines find the same comments and quotes in a silent statement.

    What is a comment or a quote for one of them alone may hide another statement:
    ``#``, ``--`` without a blank, backticks and brackets with more than a name in them,
    dollar quotes, and a backslash, which psql executes and MySQL reads in quotes.
    """
    ending = ""
    for token in tokens(text):
        if token == ending:
            ending = ""
        elif ending:
            if not _IN_NAME.fullmatch(token):
                return False
        elif token in _ENDING:
            ending = _ENDING[token]
        elif not _one_token(token):
            return False
    return not ending


def _one_token(token: str) -> bool:
    """Whether a token outside of names begins and ends there for all engines."""
    if re.search(r"\\(?![%_])", token):
        return False
    if token.startswith("--"):
        return token == "--" or token[2].isspace()
    if token[0] in "'\"" or token.startswith("/*"):
        return True
    return token.isascii() and not re.match(r"#|[eE]'|\$\w*\$", token)


def sizes(text: str, dialect: str) -> str:
    """What a list of tables shows beside their names; nothing where it shows none."""
    if dialect != "snowflake" or not _SIZES.fullmatch(one_line(text)):
        return ""
    return (
        "SHOW TABLES of Snowflake has the bytes of each table; SHOW TERSE TABLES none"
    )


def no_select(kind: str, text: str) -> str:
    """Why a statement that is no SELECT is not audited.

    ``kind`` is that of its syntax tree.
    """
    line = one_line(text).upper()
    word = re.match(r"\w*", line)
    name = word.group() if word else ""
    if name in ("", "SELECT", "FROM", "WITH", "VALUES"):
        name = kind.upper()
    said = f"only SELECT statements are audited, not {name}"
    if name in _WHY:
        return f"{said}: {_WHY[name]}"
    return said
