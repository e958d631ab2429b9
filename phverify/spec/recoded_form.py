"""The form of a certificate of a recoding by tuples: exactly these fields and types."""

from __future__ import annotations

from typing import Any

from phverify.spec.form import SAMPLE, SHA256
from phverify.spec.published import FILES
from phverify.spec.shape import ASSIGNMENT, RULE, fits, told

KIND, FORMAT = "phverify certificate of a recoding by tuples", 1
PRICES = {"by": str, "unit": int, "prices": [int], "relief": int, "value": str}
CUT = [int, int, int, int]
BOUND = (PRICES, {**PRICES, "cuts": [CUT]})
"""Cuts, three tuples and a multiplier, are left out where there are none."""
FIELDS = {
    "kind": str,
    "format": int,
    "files": dict.fromkeys(FILES, SHA256),
    "rules": {...: str},
    "objective": str,
    "weights": {...: str},
    "ranges": [str],
    "suppress": str,
    "cells": str,
    "disjoint": bool,
    "publish": str,
    "classes": [[int]],
    "cost": str,
    "released": {"assumptions": ASSIGNMENT, "rules": [RULE]},
    "bound": BOUND,
    "splits": ([str], type(None)),
    "proofs": dict,
    "digest": str,
}


def shaped(claimed: Any) -> None:
    """Raises Refused when something is not as a certificate has it."""
    told(claimed, KIND, FORMAT)
    # A certificate about the whole table says nothing of a sample.
    sample = {"sample": SAMPLE} if "sample" in claimed else {}
    fits(claimed, {**FIELDS, **sample}, "the certificate")
