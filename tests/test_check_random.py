"""Every certificate of minimality that a random search writes is accepted, and its
mutants are refused.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.search_questions import (
    TREE,
    Case,
    drawn_about_classes,
    drawn_about_people,
    drawn_at_random,
    settings,
)
from support.so_many import so_many

import phverify as ph


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("check") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


def certified(case: Case, **more: Any) -> tuple[Any, dict[str, Any] | None]:
    """The result of a search and its certificate as JSON, if it has a result."""
    try:
        found = case.ask(**more)
    except ph.InputError:
        return None, None
    assert (found.certificate is not None) == (found.verdict == "optimal"), (
        found.uncertified
    )
    return found, (
        None if found.certificate is None else json.loads(json.dumps(found.certificate))
    )


def accepted(case: Case, written: dict[str, Any] | None) -> None:
    if written is not None:
        result = ph.check(written, case.frame, case.policy, case.hierarchies)
        assert result.accepted, result.problem


@so_many(20)
@given(st.data())
def test_rules_about_classes(tree: Path, data: st.DataObject) -> None:
    case = drawn_about_classes(data.draw, tree, data.draw(settings(3, 9)))
    accepted(case, certified(case)[1])


@so_many(20)
@given(st.data())
def test_rules_about_people(tree: Path, data: st.DataObject) -> None:
    case = drawn_about_people(data.draw, tree, data.draw(settings(1, 4, missing=True)))
    accepted(case, certified(case)[1])


@so_many(15)
@given(st.data())
def test_random_formulas(tree: Path, data: st.DataObject) -> None:
    case = drawn_at_random(data.draw, tree, data.draw(settings(1, 4, missing=True)))
    accepted(case, certified(case)[1])


@so_many(10)
@given(st.data())
def test_all_minimal_levels(tree: Path, data: st.DataObject) -> None:
    case = drawn_about_classes(
        data.draw, tree, data.draw(settings(3, 8, space="levels"))
    )
    accepted(case, certified(case, all_minimal=True)[1])
