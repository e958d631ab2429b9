"""Answers as JSON, held against the schemas that are published."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

FOLDER = Path(__file__).parents[2] / "docs" / "schema"


@cache
def schemas() -> dict[str, dict[str, Any]]:
    """All schemas by the names of their files."""
    found = {}
    for path in sorted(FOLDER.glob("*.json")):
        found[path.name] = json.loads(path.read_text(encoding="utf-8"))
    return found


@cache
def validator(name: str) -> Draft202012Validator:
    """The validator of one schema, which finds the others."""
    resources = []
    for other, schema in schemas().items():
        resources.append((other, Resource.from_contents(schema)))
    registry: Registry[Any] = Registry().with_resources(resources)
    return Draft202012Validator(schemas()[name], registry=registry)


def validated(data: Any) -> None:
    """Raises AssertionError where an answer does not have the form that it names."""
    # As it is read again: tuples are lists there, and keys texts.
    plain = json.loads(json.dumps(data))
    name = "matrix-1.json"
    if not isinstance(plain, list):
        assert "schema" in plain, f"an answer names its schema: {list(plain)}"
        name = plain["schema"]
    errors = [*validator(name).iter_errors(plain)]
    for error in errors[:3]:
        where = "/".join(map(str, error.absolute_path))
        raise AssertionError(f"{name}, {where}: {error.message[:500]}")
