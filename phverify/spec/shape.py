"""The form of a certificate: exactly these fields, exactly these types.  What is not understood is refused.

A form is a type; a pattern of texts; [that of each item], or [those of the two items]; {name: that of each field}, or
{...: that of every field}, whatever the names; or a tuple of forms, of which one is enough.
"""

from __future__ import annotations

import re
from typing import Any

from phverify.spec.data import Refused

KIND, FORMAT = "phverify certificate of a verdict", 3
LABEL = (str, type(None))
PAIRS = [[int, int]]
WITNESS = {"world": int, "assignment": PAIRS, "path": list}
PROVED = {"name": str, "verdict": re.compile("proved")}
REFUTED = {"name": str, "verdict": re.compile("refuted"), "witness": WITNESS}
UNDECIDED = {"name": str, "verdict": re.compile("undecided"), "reason": str}
FILE = {"sha256": str}
CLAIMS = {"assumptions": PAIRS, "rules": [(PROVED, REFUTED, UNDECIDED)]}
"""What is claimed of a released table."""
FIELDS = {
    "kind": str,
    "format": int,
    "version": str,
    "solvers": list,
    "policy": str,
    "release": FILE,
    "original": ({**FILE, "mapping": {...: [[LABEL, LABEL]]}}, type(None)),
    "hierarchies": {...: str},
    **CLAIMS,
    "proofs": dict,
    "agreed": dict,
    "digest": str,
}
IN_ORDER = {**FIELDS, "rows": re.compile("same order")}


def shaped(claimed: Any) -> None:
    """Raises Refused when something is not as a certificate has it."""
    told(claimed, KIND, FORMAT)
    fits(claimed, IN_ORDER if "rows" in claimed else FIELDS, "the certificate")
    for pairs in claimed["original"]["mapping"].values() if claimed["original"] else ():
        if len({value for value, _ in pairs}) < len(pairs):
            raise Refused("a mapping names a value twice")
    names = [said["name"] for said in claimed["rules"]]
    if len(set(names)) < len(names):
        raise Refused("a rule is named twice")
    unmixed(claimed)


def unmixed(claimed: Any) -> None:
    """Raises Refused when it is not clear on what a system rests."""
    if set(claimed["proofs"]) & set(claimed["agreed"]):
        raise Refused("a system has a proof and rests on agreement as well")


def told(claimed: Any, kind: str, number: int) -> None:
    """Raises Refused for a certificate of another kind or format than this one."""
    if not has(claimed, dict) or not has(claimed.get("kind"), str) or not has(claimed.get("format"), int):
        raise Refused("the certificate does not say of what kind and format it is")
    if claimed["kind"] == kind and claimed["format"] < number:
        raise Refused(
            f"the certificate is in format {claimed['format']}, which an earlier phverify wrote; this one checks "
            f"format {number}: let it certify the same files again"
        )
    if claimed["kind"] != kind or claimed["format"] != number:
        raise Refused(f"this is {claimed['kind']!r} in format {claimed['format']}, not {kind!r} in format {number}")


def fits(item: Any, form: Any, where: str) -> None:
    """Raises Refused unless something has a form."""
    match form:
        case tuple():
            if not any(has(item, one) for one in form):
                raise Refused(f"{where} has none of the forms that it may have: {str(item)[:80]}")
        case type():
            if type(item) is not form:
                raise Refused(f"{where} is no {form.__name__}")
        case re.Pattern():
            if type(item) is not str or not form.fullmatch(item):
                raise Refused(f"{where} is not as it is written")
        case list():
            fits(item, list, where)
            if len(form) == 2 and len(item) != 2:
                raise Refused(f"{where} is no pair")
            for k, one in enumerate(item):
                fits(one, form[k % len(form)], f"an item of {where}")
        case _:
            fits(item, dict, where)
            fields = dict.fromkeys(item, form[...]) if ... in form else form
            if set(item) != set(fields):
                raise Refused(f"{where} has not exactly the fields {', '.join(fields)}")
            for name, field in fields.items():
                fits(item[name], field, f"{name} of {where}")


def has(item: Any, form: Any) -> bool:
    """Whether something has a form."""
    try:
        fits(item, form, "it")
    except Refused:
        return False
    return True
