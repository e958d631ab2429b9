"""Rules that list many values of a column: looked at once, whatever stands beside them."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phverify as ph
from phverify.spec import syntax as s
from phverify.spec.parser import parse
from phverify.symbolic import ground
from phverify.symbolic.columns import gathered

ROWS = [(kind, value) for kind in "xy" for value in ("a", "b", "c", None)]
FRAME = pd.DataFrame(
    {"q": "1", "f": [value for _, value in ROWS], "g": [kind for kind, _ in ROWS]}
)
COLUMNS = {"quasi": ["q"], "sensitive": ["f", "g"]}
ATOMS = [
    *("f = a", "f = b", "f != a", "f != c", "f in {b, c}", "f = missing"),
    *("f != missing", "g = x", "g != y", "~f = a", "true"),
]


def truths(text: str) -> list[bool]:
    """For each row whether a formula is true of it, one connective after the other."""

    def true(formula: s.Formula, row: tuple[str, str | None]) -> bool:
        match formula:
            case s.Or(parts):
                return any(true(part, row) for part in parts)
            case s.And(parts):
                return all(true(part, row) for part in parts)
            case s.Not(body):
                return not true(body, row)
            case s.Truth(value):
                return value
            case s.Descriptor(column, op, values):
                cell = row[0] if column == "g" else row[1]
                within = cell in [value.text for value in values]  # type: ignore[union-attr]
                return within != (op == "!=")
        raise AssertionError(formula)

    return [true(parse(text), row) for row in ROWS]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(ATOMS), min_size=2), st.sampled_from("|&"))
def test_lists_mean_what_their_parts_mean(atoms: list[str], sign: str) -> None:
    text = f" {sign} ".join(atoms)
    share = f"l_a1({text}) = {sum(truths(text))}/{len(ROWS)}"
    report = ph.verify(FRAME, {"columns": COLUMNS, "rules": {"share": share}})
    assert report.verdict == "proved"


def test_a_list_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[s.Descriptor] = []
    plain = ground.matching

    def counted(descriptor: s.Descriptor, *more: object) -> object:
        asked.append(descriptor)
        return plain(descriptor, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(ground, "matching", counted)
    names = [f"w{number}" for number in range(500)]
    frame = pd.DataFrame({"q": "1", "f": names, "g": "x"})
    rules = {
        "some": " | ".join(f"f = {name}" for name in names),
        "share": f"l_a1({' & '.join(f'f != {name}' for name in names[1:])}) = 1/500",
    }
    report = ph.verify(frame, {"columns": COLUMNS, "rules": rules})
    assert report.verdict == "proved"
    assert len(asked) == 2


def test_what_is_no_list_stays() -> None:
    for text in ("f = a", "f = a -> g = x", "~f = a | g < x", "@i1 f = a & i1"):
        formula = parse(text)
        assert gathered(formula) == formula


def test_no_more_is_remembered_than_there_is_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ground, "REMEMBERED", 0)
    rules = {"either": "(f = a & g = x) | (f = b & g = y) | g = x | ~g = x"}
    report = ph.verify(FRAME, {"columns": COLUMNS, "rules": rules})
    assert report.verdict == "proved"
