"""What the tests of certificate have in common."""

from __future__ import annotations

import copy
import csv
import json
import random
import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import phverify as ph
from phverify.spec.certificate import check, digest
from phverify.spec.command import MALFORMED
from phverify.spec.data import Refused
from support.bridge import large
from support.strategies import AGENTS, QUASI

Row = Mapping[str, str | None]


def written(
    folder: Path, rows: Sequence[Row], rule: str, assumptions: Sequence[str] = ()
) -> tuple[Path, Path]:
    """A release and a policy as files."""
    release, policy = folder / "release.csv", folder / "policy.toml"
    with release.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows(
            [{name: cell or "" for name, cell in row.items()} for row in rows]
        )
    lines = [
        f"[columns]\nquasi = {json.dumps(list(QUASI))}",
        'sensitive = ["f", "g"]',
        '[types]\ng = "integer"',
        "[agents]",
    ]
    lines += [
        f"{name} = {json.dumps(list(known))}"
        for name, known in AGENTS.items()
        if name not in ("a0", "a1")
    ]
    lines += [
        "[assumptions]",
        *(f"a{k} = {json.dumps(text)}" for k, text in enumerate(assumptions)),
    ]
    policy.write_text(
        "\n".join([*lines, "[rules]", f"rule = {json.dumps(rule)}", ""]),
        encoding="utf-8",
    )
    return release, policy


def sealed(certificate: Mapping[str, Any]) -> dict[str, Any]:
    """A forged certificate with a digest that fits."""
    return {**certificate, "digest": digest(certificate)}


def accepted(certificate: Mapping[str, Any], release: Path) -> bool:
    """What ``phverify check`` says, without solvers, of a table that is small or, as it
    seems, is not.
    """
    for size in (nullcontext(), large()):
        try:
            with size:
                list(check(certificate, release))
                return True
        except (Refused, *MALFORMED):
            continue
    return False


def certified(release: Path, policy: Path) -> tuple[ph.Report, dict[str, Any]]:
    """A report with its certificate, as of a table that is not small: it has proofs."""
    report = ph.verify(release, policy)
    for size in (nullcontext(), large()):
        with size:
            certificate = json.loads(json.dumps(ph.certify(report, release, policy)))
            list(check(certificate, release))
        assert [r["verdict"] for r in certificate["rules"]] == [
            r.verdict for r in report.rules
        ], certificate["rules"]
        assert not certificate["agreed"]
    return report, certificate


def numbers(text: str, rng: random.Random) -> str:
    """The text with one digit of it changed."""
    digits = [m.start() for m in re.finditer(r"\d", text)]
    at = rng.choice(digits)
    return text[:at] + rng.choice("0123456789".replace(text[at], "")) + text[at + 1 :]


def places(item: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all leaves of a JSON value."""
    if isinstance(item, dict):
        return [
            found
            for key, value in item.items()
            for found in places(value, (*path, key))
        ] or [path]
    if isinstance(item, list):
        return [
            found
            for key, value in enumerate(item)
            for found in places(value, (*path, key))
        ] or [path]
    return [path]


def changed(item: Any, rng: random.Random) -> Any:
    """Another value of the same type."""
    match item:
        case bool():
            return not item
        case int():
            return item + rng.choice((-1, 1))
        case str():
            return (
                numbers(item, rng)
                if re.search(r"\d", item)
                else {"proved": "refuted"}.get(item, item + "x")
            )
        case None:
            return "x"
    return [1] if isinstance(item, list) else {"x": 1}


def forged(certificate: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The certificate with one leaf changed, dropped or repeated."""
    mutant = copy.deepcopy(certificate)
    path = rng.choice(
        [p for p in places(mutant) if p[0] not in ("version", "solvers", "digest")]
    )
    parent = mutant
    for key in path[:-1]:
        parent = parent[key]
    how = rng.randrange(4)
    if how == 0 and isinstance(parent, list):
        parent.append(copy.deepcopy(parent[path[-1]]))
    elif how == 1:
        del parent[path[-1]]
    else:
        parent[path[-1]] = changed(parent[path[-1]], rng)
    return mutant
