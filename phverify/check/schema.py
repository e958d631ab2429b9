"""The shape of a certificate: exactly these fields, exactly these types.  What is not understood is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from phverify.certificate.data import Refused
from phverify.search.certificate import FORMAT, KIND

TEXT, WHOLE, FLAG, LIST, MAP = str, int, bool, list, dict
FIELDS: Mapping[str, type] = {
    "kind": TEXT,
    "format": WHOLE,
    "space": TEXT,
    "schemes": MAP,
    "objective": TEXT,
    "weights": MAP,
    "suppress": TEXT,
    "rows": WHOLE,
    "cost": TEXT,
    "withheld": WHOLE,
    "choice": LIST,
    "withheld_classes": LIST,
    "mapping": MAP,
    "minimal": LIST,
    "clauses": LIST,
    "closures": LIST,
    "digest": TEXT,
}
WHOLE_CANDIDATE: Mapping[str, type] = {"kind": TEXT, "rule": TEXT, "choice": LIST, "rows": WHOLE}
BOX: Mapping[str, type] = {"kind": TEXT, "rule": TEXT, "part": WHOLE, "blocks": LIST, "labels": LIST, "rows": WHOLE}
CLAUSES = {"cut": WHOLE_CANDIDATE, "candidate": WHOLE_CANDIDATE, "box": BOX, "class": BOX}
CLOSURE: Mapping[str, type] = {
    "rule": TEXT,
    "formula": TEXT,
    "merge_closed": FLAG,
    "upward_closed": FLAG,
    "how": TEXT,
    "queries": LIST,
}
MINIMAL: Mapping[str, type] = {"choice": LIST, "withheld_classes": LIST}


def shaped(claimed: Any) -> None:
    """Raises Refused when something is not as a certificate has it."""
    _fields(claimed, FIELDS, "the certificate")
    if claimed["kind"] != KIND or claimed["format"] != FORMAT:
        raise Refused(f"this is {claimed['kind']!r} in format {claimed['format']}, not {KIND!r} in format {FORMAT}")
    _all(claimed["choice"], int, "choice")
    _all(list(claimed["weights"].values()), str, "weights")
    _labels(claimed["withheld_classes"], "withheld_classes")
    for item in claimed["minimal"]:
        _fields(item, MINIMAL, "a minimal candidate")
        _all(item["choice"], int, "choice")
        _labels(item["withheld_classes"], "withheld_classes")
    for item in claimed["closures"]:
        _fields(item, CLOSURE, "a closure")
        _all(item["queries"], str, "queries")
    for item in claimed["clauses"]:
        _clause(item)


def _clause(item: Any) -> None:
    kind = item.get("kind") if isinstance(item, dict) else None
    if not isinstance(kind, str) or kind not in CLAUSES:
        raise Refused(f"unknown kind of clause {kind!r}")
    person = {"person": WHOLE} if CLAUSES[kind] is BOX and "person" in item else {}
    _fields(item, {**CLAUSES[kind], **person}, f"a clause of kind {kind}")
    _all(item["blocks"] if CLAUSES[kind] is BOX else item["choice"], int, "blocks")


def _fields(item: Any, wanted: Mapping[str, type], where: str) -> None:
    if type(item) is not dict or set(item) != set(wanted):
        raise Refused(f"{where} has not exactly the fields {', '.join(wanted)}")
    for name, kind in wanted.items():
        if type(item[name]) is not kind:
            raise Refused(f"{name} of {where} is no {kind.__name__}")


def _all(items: list[Any], kind: type, where: str) -> None:
    if any(type(item) is not kind for item in items):
        raise Refused(f"{where} holds something that is no {kind.__name__}")


def _labels(classes: list[Any], where: str) -> None:
    for labels in classes:
        if type(labels) is not list or any(label is not None and type(label) is not str for label in labels):
            raise Refused(f"{where} holds something that is no list of labels")


def parsed(text: str) -> Any:
    """JSON in which no name occurs twice.  Raises ValueError."""
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice in one object")
    return found
