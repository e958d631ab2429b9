"""The form of a certificate of minimality: exactly these fields, exactly these types."""

from __future__ import annotations

import re
from typing import Any

from phverify.spec.data import Refused
from phverify.spec.published import FILES
from phverify.spec.shape import WITNESS, shaped_rule, told

KIND, FORMAT = "phverify certificate of minimality", 4
LABEL = (str, type(None))
SHA256 = (re.compile(r"[0-9a-f]{64}", re.ASCII), type(None))
CLASSES = [[LABEL]]
CANDIDATE = {"choice": [int], "withheld_classes": CLASSES, "released": {"assumptions": [[int]], "rules": [dict]}}
"""A candidate, and why what it releases satisfies the policy."""
BOX = {"kind": re.compile("box|class"), "part": int, "blocks": [int]}
FALSE = {"withheld": CLASSES, "rule": str, "witness": {**WITNESS, "assignment": [[int]]}}
"""A rule that is false when some classes are withheld; without one, the assumptions cannot be met then."""
WHOLE = {"kind": re.compile("candidate"), "choice": [int], "witnesses": [(FALSE, {"withheld": CLASSES})]}
CUT = {"kind": re.compile("cut"), "choice": [int]}
FIELDS = {
    "kind": str,
    "format": int,
    "files": dict.fromkeys(FILES, SHA256),
    "rules": {...: str},
    "space": str,
    "objective": str,
    "weights": {...: str},
    "suppress": str,
    "cost": str,
    "mapping": {...: [[LABEL]]},
    **CANDIDATE,
    "minimal": [CANDIDATE],
    "clauses": [(BOX, {**BOX, "person": int}, CUT, WHOLE)],
    "closures": [{"part": int, "upward": bool, "how": str}],
    "bound": (dict, type(None)),
    "proofs": dict,
    "agreed": dict,
    "digest": str,
}


def shaped(claimed: Any) -> None:
    """Raises Refused when something is not as a certificate has it."""
    told(claimed, KIND, FORMAT)
    fits(claimed, FIELDS, "the certificate")
    for one in (claimed, *claimed["minimal"]):
        for said in one["released"]["rules"]:
            shaped_rule(said)
    if set(claimed["proofs"]) & set(claimed["agreed"]):
        raise Refused("a system has a proof and rests on agreement as well")


def fits(item: Any, form: Any, where: str) -> None:
    """Raises Refused unless something has a form.

    A form is a type; a pattern of texts; [that of each item]; {name: that of each field}, or {...: that of every
    field}, whatever the names; or a tuple of forms, of which one is enough.
    """
    match form:
        case tuple():
            if not any(has(item, one, where) for one in form):
                raise Refused(f"{where} has none of the forms that it may have: {str(item)[:80]}")
        case type():
            if type(item) is not form:
                raise Refused(f"{where} is no {form.__name__}")
        case re.Pattern():
            if type(item) is not str or not form.fullmatch(item):
                raise Refused(f"{where} is not as it is written")
        case list():
            fits(item, list, where)
            for one in item:
                fits(one, form[0], f"an item of {where}")
        case _:
            fits(item, dict, where)
            fields = dict.fromkeys(item, form[...]) if ... in form else form
            if set(item) != set(fields):
                raise Refused(f"{where} has not exactly the fields {', '.join(fields)}")
            for name, field in fields.items():
                fits(item[name], field, f"{name} of {where}")


def has(item: Any, form: Any, where: str) -> bool:
    """Whether something has a form."""
    try:
        fits(item, form, where)
    except Refused:
        return False
    return True
