"""The form of a certificate: exactly these fields, exactly these types.  What is not understood is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phverify.spec.data import Refused

KIND, FORMAT = "phverify certificate of a verdict", 3
FIELDS = {
    "kind": str,
    "format": int,
    "version": str,
    "solvers": list,
    "policy": str,
    "release": dict,
    "original": (dict, type(None)),
    "hierarchies": dict,
    "assumptions": list,
    "rules": list,
    "proofs": dict,
    "agreed": dict,
    "digest": str,
}
VERDICTS: Mapping[str, Mapping[str, Any]] = {
    "proved": {},
    "refuted": {"witness": dict},
    "undecided": {"reason": str},
}
WITNESS = {"world": int, "assignment": list, "path": list}


def shaped(claimed: Any) -> None:
    """Raises Refused when something is not as a certificate has it."""
    told(claimed, KIND, FORMAT)
    order = {"rows": str} if "rows" in claimed else {}
    fields(claimed, {**FIELDS, **order}, "the certificate")
    if order and claimed["rows"] != "same order":
        raise Refused('rows is given as "same order", or not at all')
    fields(claimed["release"], {"sha256": str}, "release")
    if claimed["original"] is not None:
        fields(claimed["original"], {"sha256": str, "mapping": dict}, "original")
        for pairs in claimed["original"]["mapping"].values():
            lists(pairs, 2, (str, type(None)), "a mapping")
            if len({value for value, _ in pairs}) < len(pairs):
                raise Refused("a mapping names a value twice")
    if any(type(text) is not str for text in claimed["hierarchies"].values()):
        raise Refused("a hierarchy is not quoted as text")
    lists(claimed["assumptions"], 2, (int,), "an assignment")
    for said in claimed["rules"]:
        shaped_rule(said)
    names = [said["name"] for said in claimed["rules"]]
    if len(set(names)) < len(names):
        raise Refused("a rule is named twice")
    if set(claimed["proofs"]) & set(claimed["agreed"]):
        raise Refused("a system has a proof and rests on agreement as well")


def told(claimed: Any, kind: str, number: int) -> None:
    """Raises Refused for a certificate of another kind or format than this one."""
    if type(claimed) is not dict or type(claimed.get("kind")) is not str or type(claimed.get("format")) is not int:
        raise Refused("the certificate does not say of what kind and format it is")
    if claimed["kind"] == kind and claimed["format"] < number:
        raise Refused(
            f"the certificate is in format {claimed['format']}, which an earlier phverify wrote; this one checks "
            f"format {number}: let it certify the same files again"
        )
    if claimed["kind"] != kind or claimed["format"] != number:
        raise Refused(f"this is {claimed['kind']!r} in format {claimed['format']}, not {kind!r} in format {number}")


def shaped_rule(said: Any) -> None:
    """What is said about a rule.  Raises Refused."""
    verdict = said.get("verdict") if type(said) is dict else None
    if type(verdict) is not str or verdict not in VERDICTS:
        raise Refused(f"{verdict!r} is no verdict")
    fields(said, {"name": str, "verdict": str, **VERDICTS[verdict]}, "a rule")
    if verdict == "refuted":
        fields(said["witness"], WITNESS, "a witness")
        lists(said["witness"]["assignment"], 2, (int,), "an assignment")


def fields(item: Any, wanted: Mapping[str, Any], where: str) -> None:
    """Exactly these fields, of these types.  Raises Refused."""
    if type(item) is not dict or set(item) != set(wanted):
        raise Refused(f"{where} has not exactly the fields {', '.join(wanted)}")
    for name, kind in wanted.items():
        if type(item[name]) not in (kind if type(kind) is tuple else (kind,)):
            names = kind if type(kind) is tuple else (kind,)
            raise Refused(f"{name} of {where} is no {' or '.join(one.__name__ for one in names)}")


def lists(items: Any, length: int | None, kinds: tuple[type, ...], where: str) -> None:
    """A list of lists, of some length unless None, of things of these types.  Raises Refused."""
    if type(items) is not list:
        raise Refused(f"{where} is no list")
    for item in items:
        if type(item) is not list or (length is not None and len(item) != length) or not item:
            raise Refused(f"{where} holds something of the wrong form")
        if any(type(one) not in kinds for one in item):
            raise Refused(f"{where} holds something of the wrong type")
