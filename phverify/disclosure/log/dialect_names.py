"""The dialects of SQL that a log may be of."""

from __future__ import annotations

from collections.abc import Mapping

SCHEMAS: Mapping[str, str] = {
    "duckdb": "main",
    "sqlite": "main",
    "postgres": "public",
    "redshift": "public",
    "snowflake": "public",
    "tsql": "dbo",
    "databricks": "default",
    "spark": "default",
    "bigquery": "",
    "mysql": "",
    "oracle": "",
    "trino": "",
}
"""The dialects, each with the schema of names without one."""
DIALECTS = tuple(SCHEMAS)
