"""The form of a certificate of minimality: exactly these fields, exactly these
types.
"""

from __future__ import annotations

import re
from typing import Any

from phverify.spec.published import FILES
from phverify.spec.shape import ASSIGNMENT, LABEL, RULE, WITNESS, fits, once, told

KIND, FORMAT = "phverify certificate of minimality", 5
SHA256 = (re.compile(r"[0-9a-f]{64}", re.ASCII), type(None))
SAMPLE = {"share": str, "seed": int}
"""Which records of the table all is about; left out where it is about all of them."""
CLASSES = [[LABEL]]
CANDIDATE = {
    "choice": [int],
    "withheld_classes": CLASSES,
    "released": {"assumptions": ASSIGNMENT, "rules": [RULE]},
}
"""A candidate, and why what it releases satisfies the policy."""
BOX = {"kind": re.compile("box|class"), "part": int, "blocks": [int]}
FALSE = {"withheld": CLASSES, "rule": str, "witness": WITNESS}
"""A rule that is false when some classes are withheld; without one, the assumptions
cannot be met then.
"""
WHOLE = {
    "kind": re.compile("candidate"),
    "choice": [int],
    "witnesses": [(FALSE, {"withheld": CLASSES})],
}
BEYOND = {"kind": re.compile("cut|dear"), "choice": [int]}
"""A candidate that excludes what is finer, or what is more general."""
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
    "clauses": [(BOX, {**BOX, "person": int}, BEYOND, WHOLE)],
    "closures": [{"part": int, "upward": bool, "how": str}],
    "bound": (dict, type(None)),
    "proofs": dict,
    "agreed": dict,
    "digest": str,
}


def shaped(claimed: Any) -> None:
    """Raises Refused when something is not as a certificate has it."""
    told(claimed, KIND, FORMAT)
    # A certificate about the whole table says nothing of a sample, and most charge
    # nothing.
    seldom = {"sample": SAMPLE, "charged": bool}
    said = {name: form for name, form in seldom.items() if name in claimed}
    fits(claimed, {**FIELDS, **said}, "the certificate")
    once(
        [*claimed["proofs"], *claimed["agreed"]],
        "a system with a proof, or on which solvers agree,",
    )
