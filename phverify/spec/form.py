"""The form of a certificate of minimality: exactly these fields, exactly these types."""

from __future__ import annotations

import re
from typing import Any

from phverify.spec.data import Refused
from phverify.spec.published import FILES
from phverify.spec.shape import WITNESS, shaped_rule, told

KIND, FORMAT = "phverify certificate of minimality", 4
SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
LABEL = (str, type(None))
RELEASED = {"assumptions": [[int]], "rules": [dict]}
CANDIDATE = {"choice": [int], "withheld_classes": [[LABEL]], "released": RELEASED}
"""A candidate, and why what it releases satisfies the policy."""
FIELDS = {
    "kind": str,
    "format": int,
    "files": dict.fromkeys(FILES, LABEL),
    "space": str,
    "objective": str,
    "weights": {...: str},
    "suppress": str,
    "cost": str,
    "mapping": {...: [[LABEL]]},
    **CANDIDATE,
    "minimal": [CANDIDATE],
    "clauses": [dict],
    "closures": [{"part": int, "upward": bool, "how": str}],
    "bound": (dict, type(None)),
    "proofs": dict,
    "agreed": dict,
    "digest": str,
}
BOX = {"kind": str, "part": int, "blocks": [int]}
CUT = {"kind": str, "choice": [int]}
CLAUSES = {"cut": CUT, "candidate": {**CUT, "witnesses": [dict]}, "box": BOX, "class": BOX}
IMPOSSIBLE = {"withheld": [[LABEL]]}
FALSE = {**IMPOSSIBLE, "rule": str, "witness": {**WITNESS, "assignment": [[int]]}}
"""Why a candidate fails when some classes are withheld: a rule is false then, or the assumptions cannot be met."""


def shaped(claimed: Any) -> None:
    """Raises Refused when something is not as a certificate has it."""
    told(claimed, KIND, FORMAT)
    fits(claimed, FIELDS, "the certificate")
    if not all(one is None or SHA256.fullmatch(one) for one in claimed["files"].values()):
        raise Refused("a file is not named by a SHA-256")
    for one in (claimed, *claimed["minimal"]):
        for said in one["released"]["rules"]:
            shaped_rule(said)
    for item in claimed["clauses"]:
        if item.get("kind") not in CLAUSES:
            raise Refused(f"unknown kind of clause {item.get('kind')!r}")
        wanted = CLAUSES[item["kind"]]
        fits(item, {**wanted, "person": int} if wanted is BOX and "person" in item else wanted, "a clause")
        for one in item.get("witnesses", ()):
            fits(one, FALSE if "witness" in one else IMPOSSIBLE, "a witness")
    if set(claimed["proofs"]) & set(claimed["agreed"]):
        raise Refused("a system has a proof and rests on agreement as well")


def fits(item: Any, wanted: Any, where: str) -> None:
    """Raises Refused unless something has a form: a type, or one of several; [each item]; {name: each field}.

    ``{...: form}`` is a dictionary with any names.
    """
    kinds = wanted if type(wanted) is tuple else (wanted if type(wanted) is type else type(wanted),)
    if type(item) not in kinds:
        raise Refused(f"{where} is no {' or '.join(one.__name__ for one in kinds)}")
    if type(wanted) is list:
        for one in item:
            fits(one, wanted[0], f"an item of {where}")
    if type(wanted) is dict:
        fields = dict.fromkeys(item, wanted[...]) if ... in wanted else wanted
        if set(item) != set(fields):
            raise Refused(f"{where} has not exactly the fields {', '.join(fields)}")
        for name, form in fields.items():
            fits(item[name], form, f"{name} of {where}")
