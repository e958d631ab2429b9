"""The policy's names for the tables of a statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phverify.disclosure.log.catalogue import catalogue_columns, history
from phverify.disclosure.log.dialect_names import SCHEMAS
from phverify.disclosure.log.query import quoted
from phverify.disclosure.normal.translator import OtherMeaning


def named(tree: Any, dialect: str, names: Mapping[str, str]) -> Any:
    """A statement with the policy's names for tables.

    ``names`` has qualified names, in small letters, and what they are here.  A schema
    is passed over where the dialect means it without one.  Raises Unsupported for
    others: another schema may have another table of this name.
    """
    from sqlglot import exp

    tree = tree.copy()
    for table in list(tree.find_all(exp.Table)):
        parts = [str(one.name) for one in table.parts]
        full = ".".join(parts).lower()
        name = names.get(full)
        schema = SCHEMAS.get(dialect or "duckdb", "")
        if name is None and len(parts) == 1:
            continue
        if name is None and catalogue_columns(table, dialect or "duckdb") is not None:
            # what it says is found out by who bounds the statement
            continue
        if name is None and (
            len(parts) > 2 or parts[0].lower() != schema or not schema
        ):
            mend = f'[names] {quoted(full)} = "{parts[-1]}"'
            unknown = f"the policy does not say which table {full} is ({mend})"
            raise OtherMeaning(history(full) or unknown)
        table.set("db", None)
        table.set("catalog", None)
        new = name or parts[-1]
        named_so = exp.to_identifier(new, quoted=True)
        table.set("this", named_so)
        if not table.alias and new.lower() != parts[-1].lower():
            as_ = exp.to_identifier(parts[-1], quoted=True)
            table.set("alias", exp.TableAlias(this=as_))
    for column in tree.find_all(exp.Column):
        column.set("db", None)
        column.set("catalog", None)
    return tree
