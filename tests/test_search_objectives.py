"""Levels by every objective, with and without withheld records, against looking at all
level vectors by the definitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.charged_oracle import accepted, charged
from support.search_oracle import WHOLE, Candidate, Judge, Label
from support.search_questions import Case, Setting, per_class, settings
from support.so_many import so_many

import phverify as ph
from phverify.errors import Defect
from phverify.generalization.priced import PricedSearch

OTHERS = st.sampled_from(
    [
        ("l_diversity(f, 2)", per_class(oracle.distinct(2))),
        ("~k_anonymity(4)", lambda members, rows: len(members) < 4),
        ("alpha_k_anonymity(f, 1/2, 1)", per_class(oracle.alpha_k(Fraction(1, 2), 1))),
    ]
)


@pytest.fixture(scope="module")
def tree_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("tree") / "f.csv"
    file.write_text("a;ab;*\nb;ab;*\nc;c;*\n", encoding="utf-8")
    return file


@st.composite
def cases(draw: st.DrawFn, tree: Path, objectives: tuple[str, ...]) -> Case:
    """k-anonymity and perhaps another rule; the share of records is drawn."""
    setting = draw(settings(3, 8, space="levels"))
    k = draw(st.integers(1, 3))
    rules = {"k": f"k_anonymity({k})"}
    tests: list[Any] = [per_class(oracle.k_anonymous(k))]
    if draw(st.booleans()):
        rules["more"], test = draw(OTHERS)
        tests.append(test)
    objective = draw(st.sampled_from(objectives))
    weights = {} if objective in WHOLE else setting.weights
    share = draw(st.sampled_from([Fraction(x) for x in ("0", "1/4", "1/2", "3/4")]))
    whole = {**vars(setting), "objective": objective, "weights": weights}
    asked = Setting(**{**whole, "suppress": share, "names": ()})
    judge = Judge(asked.rows, asked.quasi, tests)
    return asked.case(judge, asked.policy(tree, rules))


def kept(case: Case, candidate: Candidate) -> tuple[int, ...] | None:
    """The rows of the classes that keep every rule; None where that are too few."""
    judge = case.question.judge
    released = candidate.released(judge.rows)
    groups: dict[tuple[Label, ...], list[int]] = {}
    for k, row in enumerate(released):
        groups.setdefault(tuple(row[q] for q in judge.quasi), []).append(k)
    rows: list[int] = []
    for group in groups.values():
        members = [released[k] for k in group]
        if all(test(members, released) for test in judge.rules):  # type: ignore[operator]
            rows += group
    if len(judge.rows) - len(rows) > case.question.budget:
        return None
    return tuple(rows)


def priced(case: Case) -> Iterator[tuple[Fraction, Candidate]]:
    for candidate in case.question.candidates():
        rows = kept(case, candidate)
        if rows is not None:
            yield charged(case, candidate, rows), candidate


def check(case: Case, result: Any) -> None:
    """The cost is the least of all, and that of the levels which are said."""
    costs = {candidate.levels: price for price, candidate in priced(case)}
    if not costs:
        assert result.verdict == "infeasible"
        return
    assert result.verdict == "optimal", result.reason
    assert result.cost == min(costs.values())
    levels = tuple(result.levels[f] for f in case.question.domains)
    assert costs[levels] == result.cost
    assert len(result.release) == len(case.question.judge.rows) - result.suppressed
    assert result.checks.verdict == "proved"


@so_many(40)
@given(st.data())
def test_objectives_about_classes(tree_file: Path, data: st.DataObject) -> None:
    case = data.draw(cases(tree_file, WHOLE))
    result = case.ask()
    check(case, result)
    accepted(case, result)
    assert str(result) and result.to_html() and result.to_html(public=True)


@so_many(40)
@given(st.data())
def test_withheld_records_are_charged(tree_file: Path, data: st.DataObject) -> None:
    case = data.draw(cases(tree_file, ("loss", "precision")))
    result = case.ask(charge_withheld=True)
    check(case, result)
    assert result.charged == (case.question.suppress > 0)
    if result.cost is None:
        return
    accepted(case, result)
    # What is charged costs no less than the same without.
    assert case.ask().cost <= result.cost


@so_many(15)
@given(st.data())
def test_the_bits_of_cells(tree_file: Path, data: st.DataObject) -> None:
    case = data.draw(cases(tree_file, ("entropy",)))
    costs = []
    for candidate in case.question.candidates():
        if kept(case, candidate) is not None:
            costs.append(case.question.cost(candidate))
    result = case.ask()
    assert result.cost == min(costs, default=None)
    assert (result.verdict == "optimal") == bool(costs)
    assert result.cost is None or result.certificate is not None


def test_what_was_passed_over_is_looked_at_again(
    tree_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that leaves a level vector out is a defect, not an answer."""
    setting = Setting(
        [{"q": q, "f": "a", "g": "0"} for q in "xxyyz"],
        ("q",),
        "levels",
        "discernibility",
        Fraction(1, 4),
        {},
        {"q": {v: (v, "*") for v in "xyz"}},
        (),
    )
    policy = setting.policy(tree_file, {"k": "k_anonymity(2)"})
    case = setting.case(Judge(setting.rows, ("q",), []), policy)
    assert case.ask().verdict == "optimal"
    look_at = PricedSearch._look_at

    def forgetting(search: PricedSearch, *found: Any) -> Any:
        fitting = look_at(search, *found)
        search.looked_at.clear()
        return fitting

    monkeypatch.setattr(PricedSearch, "_look_at", forgetting)
    with pytest.raises(Defect):
        case.ask()


def test_the_objective_in_words(tmp_path: Path, tree_file: Path) -> None:
    setting = Setting(
        [{"q": q, "f": "a", "g": "0"} for q in "xxyyz"],
        ("q",),
        "levels",
        "loss",
        Fraction(1, 4),
        {},
        {"q": {v: (v, "*") for v in "xyz"}},
        (),
    )
    policy = setting.policy(tree_file, {"k": "k_anonymity(2)"})
    case = setting.case(Judge(setting.rows, ("q",), []), policy)
    result = case.ask(charge_withheld=True)
    assert "each withheld record loses 1 in every column" in str(result)
    assert (result.cost, result.suppressed) == (Fraction(1, 5), 1)
    assert isinstance(result, ph.SearchResult)
