"""What the tests of certificate more have in common."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from phverify.spec import certificate as c
from phverify.spec import shape
from phverify.spec.data import policy
from phverify.spec.models import Table
from phverify.spec.published import sha256
from phverify.spec.rules import assumption, rule
from phverify.spec.syntax import Formula
from support.certificate_cases import Row, sealed


def opened(release: Path, text: str) -> tuple[Formula, tuple[Formula, ...], Table]:
    """The rule ``rule`` of a policy, its assumptions, and the table."""
    rules = policy(text)
    claimed = {
        "release": {"sha256": sha256(release)},
        "original": None,
        "hierarchies": {},
    }
    data = c.load(claimed, rules, release, None).data
    return (
        rule(rules, data, "rule"),
        tuple(assumption(rules, data, a) for a in rules.assumptions),
        Table(data),
    )


TWINS: list[Row] = [{"q": "x", "r": r, "f": f, "g": "0"} for r in "uvw" for f in "ab"]


FOUR: list[Row] = [{"q": "x", "r": "u", "f": f, "g": "0"} for f in "aabb"]


def forged(
    release: Path, text: str, original: Path | None = None, **claims: Any
) -> dict[str, Any]:
    """A certificate that calls every rule proved by counting."""
    before = None
    if original is not None:
        before = {"sha256": sha256(original), "mapping": claims.pop("mapping")}
    claimed: dict[str, Any] = {
        "kind": shape.KIND,
        "format": shape.FORMAT,
        "version": "",
        "solvers": [],
        "policy": text,
        "release": {"sha256": sha256(release)},
        "original": before,
        "hierarchies": {},
        "assumptions": [],
        "rules": [],
        "proofs": {},
        "agreed": {},
        **claims,
    }
    rules = policy(text)
    data = c.load(claimed, rules, release, original).data
    for name in rules.rules:
        rule(rules, data, name)
        claimed["rules"].append({"name": name, "verdict": "proved"})
    return sealed(json.loads(json.dumps(claimed)))
