"""What catalogues of databases say of tables and columns, and not of what is in them.

The schema is public: it is the same in all worlds.  Catalogues also have statistics
(``pg_class.reltuples``, ``information_schema.tables.checksum``, histograms): a column
that is not listed here is not known, and a statement that reads it is not public.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_WHERE = "table_catalog table_schema table_name"
_PLACED = f"constraint_catalog constraint_schema constraint_name {_WHERE}"
_TYPED = """
    is_nullable data_type character_maximum_length character_octet_length
    numeric_precision numeric_precision_radix numeric_scale datetime_precision
    interval_type udt_catalog udt_schema udt_name is_identity is_generated
    is_updatable collation_name character_set_name
"""
_SCHEMA = {
    "tables": f"{_WHERE} table_type table_comment is_insertable_into engine",
    "views": f"{_WHERE} is_updatable",
    "columns": f"{_WHERE} {_TYPED} column_name ordinal_position column_default"
    " column_type column_key extra column_comment",
    "schemata": "catalog_name schema_name schema_owner default_character_set_name",
    "table_constraints": f"{_PLACED} constraint_type is_deferrable enforced",
    "key_column_usage": f"{_PLACED} column_name ordinal_position"
    " position_in_unique_constraint referenced_table_schema referenced_table_name"
    " referenced_column_name",
    "constraint_column_usage": f"{_PLACED} column_name",
    "referential_constraints": f"{_PLACED} unique_constraint_name"
    " unique_constraint_schema update_rule delete_rule match_option",
}
STARRED = frozenset(_SCHEMA) - {"tables"}
"""Those with nothing but the schema in any column."""
_PG = {
    "pg_class": "oid relname relnamespace relkind relowner relispartition",
    "pg_namespace": "oid nspname nspowner",
    "pg_attribute": "attrelid attname atttypid attnum attnotnull attisdropped"
    " atttypmod atthasdef attidentity attgenerated attlen attndims",
    "pg_attrdef": "oid adrelid adnum adbin",
    "pg_type": "oid typname typnamespace typtype typbasetype typelem typrelid"
    " typcategory typlen typarray typdelim",
    "pg_constraint": "oid conname connamespace contype conrelid conkey confrelid"
    " confkey",
    "pg_index": "indexrelid indrelid indisunique indisprimary indkey indnatts",
    "pg_description": "objoid classoid objsubid description",
    "pg_database": "oid datname datdba encoding datallowconn datistemplate",
    "pg_roles": "oid rolname rolsuper rolcanlogin",
    "pg_tables": "schemaname tablename tableowner hasindexes",
    "pg_views": "schemaname viewname viewowner",
}
_SYS = {
    "tables": "name object_id schema_id type type_desc create_date modify_date",
    "schemas": "name schema_id",
    "columns": "name object_id column_id system_type_id user_type_id max_length"
    " precision scale is_nullable is_identity",
    "databases": "name database_id",
    "types": "name system_type_id user_type_id",
    "objects": "name object_id schema_id type type_desc",
}
_HISTORY = re.compile(
    r"(?:.*\.)?(?:information_schema|account_usage|performance_schema|mysql|sys)\."
    r"(?:jobs(?:_\w+)?|(?:query|access|login)_history(?:_by_\w+)?|processlist|threads"
    r"|events_statements_\w+|general_log|slow_log|dm_exec_\w+)"
    r"|(?:.*\.)?(?:pg_stat_(?:activity|statements)|stl_query\w*|stv_recents|svl_qlog"
    r"|svl_statementtext|sys_query_\w+)"
)
_SQLITE = "type name tbl_name sql"
_POSTGRES = ("postgres", "redshift", "duckdb")
_SCHEMATA = ("mysql", "tsql", "snowflake", "bigquery", "databricks", "trino")
_MASTER = {"sqlite_master": _SQLITE, "sqlite_schema": _SQLITE}
_DUAL = {"dual": "dummy"}


def _catalogues() -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """The dialects that have a catalogue, the schema it is in, and its tables."""
    for dialect in (*_POSTGRES, *_SCHEMATA):
        yield dialect, "information_schema", _SCHEMA
    for dialect in _POSTGRES:
        yield dialect, "pg_catalog", _PG
        yield dialect, "", _PG
    yield "tsql", "sys", _SYS
    for dialect in ("sqlite", "duckdb"):
        yield dialect, "", _MASTER
    for dialect in ("oracle", "mysql"):
        yield dialect, "", _DUAL


def catalogue_columns(table: Any, dialect: str) -> frozenset[str] | None:
    """What a table of a dialect's catalogue says of the schema, in small letters; None
    where the table is none of these: elsewhere its name is anybody's.
    """
    schema = str(table.db)
    schema = schema.lower()
    name = str(table.name)
    name = name.lower()
    if "." in name and dialect == "bigquery":
        # BigQuery's is one name to sqlglot, in whatever data set.
        parts = name.rpartition(".")
        schema, _, name = parts
    meant = dialect, schema
    for spoken, where, tables in _catalogues():
        known = (spoken, where) == meant
        if known and name in tables:
            names = tables[name].split()
            return frozenset(names)
    return None


def history(name: str) -> str:
    """What is said of a table that shows which statements were asked; nothing of any
    other.
    """
    if not _HISTORY.fullmatch(name.lower()):
        return ""
    return (
        f"{name} shows statements of others, and how much they read, which may follow"
        " from the cells: leave this query out of the log where its answer is known to"
        " say nothing of them"
    )
