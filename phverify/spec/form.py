"""The form of a certificate of minimality: exactly these fields, exactly these types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from phverify.spec.data import Refused
from phverify.spec.published import FILES
from phverify.spec.shape import WITNESS, fields, lists, shaped_rule, told

KIND, FORMAT = "phverify certificate of minimality", 4
FIELDS: Mapping[str, Any] = {
    "kind": str,
    "format": int,
    "files": dict,
    "space": str,
    "schemes": dict,
    "objective": str,
    "weights": dict,
    "suppress": str,
    "rows": int,
    "cost": str,
    "withheld": int,
    "choice": list,
    "withheld_classes": list,
    "mapping": dict,
    "released": dict,
    "minimal": list,
    "clauses": list,
    "closures": list,
    "bound": dict,
    "proofs": dict,
    "agreed": dict,
    "digest": str,
}
CUT = {"kind": str, "rule": str, "choice": list, "rows": int}
BOX = {"kind": str, "rule": str, "part": int, "blocks": list, "labels": list, "rows": int}
CLAUSES = {"cut": CUT, "candidate": {**CUT, "witnesses": list}, "box": BOX, "class": BOX}
CLOSURE = {"part": int, "rule": str, "formula": str, "merge_closed": bool, "upward_closed": bool, "how": str}
MINIMAL = {"choice": list, "withheld_classes": list, "released": dict}
RELEASED = {"assumptions": list, "rules": list}
SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
LABEL = (str, type(None))


def shaped(claimed: Any) -> None:
    """Raises Refused when something is not as a certificate has it."""
    told(claimed, KIND, FORMAT)
    fields(claimed, FIELDS, "the certificate")
    fields(claimed["files"], dict.fromkeys(FILES, LABEL), "files")
    if not all(one is None or SHA256.fullmatch(one) for one in claimed["files"].values()):
        raise Refused("a file is not named by a SHA-256")
    if any(type(text) is not str for text in claimed["weights"].values()):
        raise Refused("weights holds something that is no str")
    for one in (claimed, *claimed["minimal"]):
        if one is not claimed:
            fields(one, MINIMAL, "a minimal candidate")
        _candidate(one)
    for pairs in claimed["mapping"].values():
        lists(pairs, 2, LABEL, "a mapping")
    for item in claimed["closures"]:
        fields(item, {**CLOSURE, "queries": list}, "a closure")
        _all(item["queries"], str, "queries")
    for item in claimed["clauses"]:
        _clause(item)
    if set(claimed["proofs"]) & set(claimed["agreed"]):
        raise Refused("a system has a proof and rests on agreement as well")


def _candidate(item: Mapping[str, Any]) -> None:
    """A candidate, and why what it releases satisfies the policy."""
    _all(item["choice"], int, "choice")
    _classes(item["withheld_classes"])
    fields(item["released"], RELEASED, "released")
    lists(item["released"]["assumptions"], 2, (int,), "an assignment")
    for said in item["released"]["rules"]:
        shaped_rule(said)


def _clause(item: Any) -> None:
    kind = item.get("kind") if type(item) is dict else None
    if type(kind) is not str or kind not in CLAUSES:
        raise Refused(f"unknown kind of clause {kind!r}")
    person = {"person": int} if CLAUSES[kind] is BOX and "person" in item else {}
    fields(item, {**CLAUSES[kind], **person}, f"a clause of kind {kind}")
    _all(item["blocks"] if CLAUSES[kind] is BOX else item["choice"], int, "blocks")
    for one in item.get("witnesses", ()):
        impossible = type(one) is dict and "witness" not in one
        fields(one, {"withheld": list} if impossible else {"withheld": list, "rule": str, "witness": dict}, "a witness")
        _classes(one["withheld"])
        if not impossible:
            fields(one["witness"], WITNESS, "a witness")
            lists(one["witness"]["assignment"], 2, (int,), "an assignment")


def _all(items: list[Any], kind: type, where: str) -> None:
    if any(type(item) is not kind for item in items):
        raise Refused(f"{where} holds something that is no {kind.__name__}")


def _classes(classes: Any) -> None:
    for labels in classes:
        if type(labels) is not list or any(type(label) not in LABEL for label in labels):
            raise Refused("a class is no list of labels")
