"""What options of ``search`` mean in all its spaces, and along a tradeoff."""

from __future__ import annotations

import argparse
from typing import Any

from phverify.errors import refusal
from phverify.microdata.grouped_digits import comma_hint

BY_TUPLES: dict[str, Any] = {
    "disjoint": False,
    "gap": None,
    "cells": "1",
    "ranges": [],
    "blind": None,
    "publish": "range",
}
"""Options that only the space of tuples has, with what they are where nobody says."""


def unasked(options: argparse.Namespace) -> None:
    """Raises InputError for what only a search in the space of tuples understands."""
    for flag, unsaid in BY_TUPLES.items():
        if getattr(options, flag) != unsaid:
            # A switch takes no value.
            value = "" if unsaid is False else " .."
            hint = f"--space tuples --{flag}{value}"
            raise refusal(f"--{flag}", "is about releases by tuples", hint)


def weights_of(given: list[str]) -> dict[str, str]:
    """The values of ``--weights``, by column.  Raises InputError."""
    weights: dict[str, str] = {}
    weight = ""
    for item in ",".join(given).split(",") if given else []:
        # from the right: a column's name may have an = of its own
        name, _, value = item.rpartition("=")
        if not name:
            what = f"is column=weight, not {item!r}"
            # what stands behind a comma may be the decimals of the weight before it
            hint = comma_hint(f"{weight},{item}") or "--weights age=2,zip=1/2"
            raise refusal("--weights", what, hint)
        if name in weights:
            raise refusal("--weights", f"{name!r} has two weights")
        weights[name] = weight = value
    return weights


def seed_of(text: str | None, flag: str = "--shuffle") -> int | None:
    """The value of ``--shuffle``, or ``--seed``.  Raises InputError."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        raise refusal(flag, f"is a whole number, not {text!r}") from None


def blind_of(text: str | None) -> int:
    """The value of ``--blind``.  Raises InputError."""
    if text is None:
        return 0
    if text.isdecimal() and int(text):
        return int(text)
    what = f"is a whole number of records above 0, not {text!r}"
    raise refusal("--blind", what, "--blind 25")
