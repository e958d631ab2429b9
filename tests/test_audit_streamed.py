"""The JSON of an audit is written piece by piece: the same document, and no more of it
in memory than the facts and worlds that it names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import phverify.cli.outputs as outputs
from phverify.cli.delivery import delivered
from phverify.cli.outputs import json_file
from phverify.cli.terminal import json_pieces, json_text
from phverify.disclosure.classes.tables import MadeWhenAsked
from phverify.disclosure.result import AuditReport, FactFinding
from phverify.report.audit_json import in_parts, made, to_json
from phverify.verbs.audit import audit

pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")
LOG = [
    "SELECT SUM(s) FROM t",
    "SELECT g, SUM(s) FROM t WHERE id <> 'a' GROUP BY g",
    "SELECT MAX(s) FROM t",
]
ROWS = "id,g,s\na,x,1\nb,x,2\nc,\x1b,3\n"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> AuditReport:
    path = tmp_path_factory.mktemp("streamed") / "t.csv"
    path.write_text(ROWS)
    policy: dict[str, Any] = {"table": "t", "key": "id", "public": ["g"]}
    policy["sensitive"] = {"s": {"from": 0, "to": 9}}
    policy["protect"] = {"cells": {"column": "s"}}
    return audit(path, LOG, policy, reconstruct=True)


@pytest.mark.parametrize("redact", [False, True])
def test_pieces_are_the_document(report: AuditReport, redact: bool) -> None:
    whole = json_text(to_json(report, redact))
    pieces = list(json_pieces(in_parts(report, redact)))
    assert "".join(pieces) == whole
    assert len(pieces) > 10
    assert json.loads(whole)["disclosed"]


@pytest.mark.parametrize(
    "data", [{}, [], "é", {"a": iter(())}, {"a": iter([{"b": iter([1, "\x1b"])}, []])}]
)
def test_pieces_of_small_data(data: Any) -> None:
    kept = made(data)
    text = "".join(json_pieces(_again(kept), ascii_only=True))
    assert text == json_text(kept, ascii_only=True)


def _again(data: Any) -> Any:
    """Lists as iterators."""
    if isinstance(data, list) and data:
        return map(_again, data)
    if isinstance(data, dict):
        return {name: _again(value) for name, value in data.items()}
    return data


def test_items_are_made_as_they_are_written() -> None:
    seen: list[int] = []

    def items() -> Iterator[int]:
        for number in range(5):
            seen.append(number)
            yield number

    pieces = json_pieces({"items": items()})
    while not seen:
        next(pieces)
    assert seen == [0]


def test_findings_are_made_as_they_are_written(report: AuditReport) -> None:
    last, seen = report.steps[-1], []

    def make(place: int) -> FactFinding:
        seen.append(place)
        return last.findings[place]

    step = replace(last, findings=MadeWhenAsked(len(last.findings), make))
    parts = in_parts(replace(report, steps=[step]))
    seen.clear()
    first = next(next(parts["steps"])["findings"])
    assert (first["fact"], seen) == (0, [0])


def test_what_fails_on_the_way_leaves_the_earlier_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # that of the tests makes all of it, and wants the name of a schema
    monkeypatch.setattr(outputs, "json_pieces", json_pieces)
    target = tmp_path / "out.json"
    target.write_text("earlier")

    def broken() -> Iterator[int]:
        yield 1
        raise MemoryError

    delivery = delivered(json_file(target, lambda: {"items": broken()}))
    assert target.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [target]
    assert "not enough memory" in delivery.failed[0].text()
    delivered(json_file(target, lambda: {"items": iter([1])}))
    assert json.loads(target.read_text()) == {"items": [1]}
    assert target.stat().st_mode & 0o777 == 0o600
