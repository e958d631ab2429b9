"""A search by tuples begins with what levels release: it ends with none that is worse,
whatever rules compare with the whole table, and whenever it is stopped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support import compared_rules
from support.leisure import at_leisure
from support.search_questions import TREE, Case, drawn_about_classes, settings
from support.so_many import so_many
from support.stopping import counted
from support.tuples_oracle import TupleQuestion

import phverify as ph
from phverify.microdata.hierarchy import Hierarchy
from phverify.recoding import run
from phverify.recoding.above import ReleasesAbove
from phverify.recoding.deciding import MOST, Deciding
from phverify.recoding.poorer import PoorerFound
from phverify.recoding.run import TwoSides
from phverify.spec.recoding import TupleRecoding
from phverify.verbs import tuples

SPACES = st.sampled_from(["levels", "levels", "intervals"])


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tuples") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


@pytest.fixture
def patient() -> Iterator[None]:
    with at_leisure():
        yield


@so_many(10, more=200)
@given(st.data())
def test_never_worse_than_levels(tree: Path, data: st.DataObject) -> None:
    setting = data.draw(settings(2, 6, space=data.draw(SPACES)))
    with at_leisure():
        never_worse(compared_rules.asked(data.draw, tree, setting), budget=0.05)


@so_many(40, more=600)
@given(st.data())
def test_never_worse_without_a_search(tree: Path, data: st.DataObject) -> None:
    setting = data.draw(settings(2, 6, space="levels"))
    drawn = data.draw(st.sampled_from([compared_rules.asked, drawn_about_classes]))
    with at_leisure(search=False):
        never_worse(drawn(data.draw, tree, setting), alone=True)


def never_worse(case: Case, alone: bool = False, **more: Any) -> None:
    """By tuples no more is lost than by levels, and every rule holds."""
    asked = case.question
    try:
        found = ph.anonymize(
            case.frame,
            policy=case.policy,
            hierarchies=case.hierarchies,
            suppress=asked.suppress,
            weights=asked.weights or None,
            **more,
        )
    except ph.InputError as error:
        assume("one root" not in str(error))
        raise
    poorer = by_columns(case)
    if alone and found.verdict == "undecided" and not found.history[0].cost:
        # Rules of classes alone that joining keeps need no start.
        return
    if poorer is not None:
        assert found.verdict == "proved"
        assert found.cost is not None and found.cost <= poorer
    if found.verdict == "proved":
        question = TupleQuestion(
            asked.judge, asked.domains, asked.suppress, asked.weights
        )
        least = question.least()
        assert least is not None and found.bound <= least <= found.cost
        assert found.report.verdict == "proved"


def by_columns(case: Case) -> Fraction | None:
    """What the best release by levels loses."""
    paths = {f: hierarchy.paths for f, hierarchy in case.hierarchies.items()}
    for f in case.question.judge.quasi:
        if f not in paths:
            # An order has ranges by tuples, and its values are kept by levels, or *.
            values = set(case.frame[f])
            paths[f] = {value or "": (value or "", "*") for value in values}
    given = {f: Hierarchy(f, lines) for f, lines in paths.items()}
    found = replace(case, hierarchies=given).ask(space="levels", objective="loss")
    assert found.cost is None or isinstance(found.cost, Fraction)
    return found.cost


# What no number steers

LOST_MORE = {
    "one rule or another would do": (
        ["ba", "ac", "ba", "da", "da", "ea", "ca", "ba", "ea", "ea", "ca"],
        "xa-ax--f-ab",
        "k_anonymity(2) | l_diversity(f, 2)",
        "loss",
        "1/4",
    ),
    "classes are counted": (
        ["aa", "aa", "aa", "ab"],
        "ffgg",
        "k_anonymity(2)",
        "discernibility",
        "1/4",
    ),
}


def lost_more_than_levels(
    tuples: list[str], values: str, rule: str, objective: str, suppress: str
) -> bool:
    """Whether a search by tuples ends with more lost than a search by levels."""
    names = [f"q{place}" for place in range(len(tuples[0]))]
    frame = pd.DataFrame([(*one, f) for one, f in zip(tuples, values, strict=True)])
    frame.columns = pd.Index([*names, "f"])
    policy: dict[str, Any] = {
        "columns": {"quasi": names, "sensitive": ["f"]},
        "rules": {"rule": rule},
    }
    asked: dict[str, Any] = {"objective": objective, "suppress": suppress}
    levels = ph.search(frame, policy, **asked)
    found = ph.anonymize(frame, policy=policy, budget=0.1, **asked)
    if levels.cost is None:
        return False
    assert found.verdict == "proved"
    assert found.bound is not None and found.bound <= levels.cost
    return found.cost is None or found.cost > levels.cost


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("case", LOST_MORE)
def test_no_more_is_lost_where_no_number_steers(case: str) -> None:
    assert not lost_more_than_levels(*LOST_MORE[case])


@so_many(15, more=300)
@given(st.data())
def test_no_more_is_lost_whatever_is_counted(data: st.DataObject) -> None:
    size = data.draw(st.integers(4, 10))
    letters = st.lists(st.sampled_from("abc"), min_size=size, max_size=size)
    columns = data.draw(st.lists(letters, min_size=2, max_size=3))
    tuples = ["".join(cells) for cells in zip(*columns, strict=True)]
    values = "".join(data.draw(letters))
    k = data.draw(st.integers(2, 4))
    either = f"k_anonymity({k}) | l_diversity(f, 2)"
    rule = data.draw(st.sampled_from([f"k_anonymity({k})", either]))
    objective = data.draw(
        st.sampled_from(["loss", "precision", "discernibility", "class-size"])
    )
    suppress = data.draw(st.sampled_from(["0", "1/4", "1/2"]))
    with at_leisure():
        worse = lost_more_than_levels(tuples, values, rule, objective, suppress)
    assert not worse


# When it is stopped

ROWS = [
    ("a1", "x"),
    ("a1", "y"),
    ("a2", "x"),
    ("a2", "x"),
    ("b1", "y"),
    ("b1", "z"),
    ("b2", "z"),
    ("b2", "x"),
    ("b2", "y"),
    ("c1", "z"),
]
FRAME = pd.DataFrame(ROWS, columns=["q", "f"])
POLICY: dict[str, Any] = {
    "columns": {"quasi": ["q"], "sensitive": ["f"]},
    "hierarchies": {"q": {"masking": "right"}},
    "rules": {"k": "k_anonymity(2)", "b": "beta_likeness(f, 1)"},
}


def anonymized(**more: Any) -> ph.RecodingResult:
    policy = ph.Policy.from_dict(POLICY)
    return ph.anonymize(FRAME, policy=policy, suppress="1/5", **more)


def by_levels() -> Fraction:
    cost = ph.search(FRAME, ph.Policy.from_dict(POLICY), suppress="1/5").cost
    assert isinstance(cost, Fraction)
    return cost


@pytest.mark.parametrize("step", ["best so far", "grouping tuples", "checking"])
@pytest.mark.usefixtures("patient")
def test_whenever_it_is_interrupted_there_is_a_release(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A few tuples are all seen after a slice: no budget has to run out.
    monkeypatch.setattr(run, "SLICE", 1 / 32)
    told: list[str] = []

    def progress(now: str) -> None:
        first = step in now and not told
        if first:
            told.append(now)
            raise KeyboardInterrupt

    found = anonymized(progress=progress, budget=60)
    assert told
    assert found.verdict == "proved" and found.reason == "interrupted"
    assert found.cost is not None and found.certificate is not None
    if step != "best so far":
        assert found.cost <= by_levels()


@pytest.mark.usefixtures("patient")
def test_interrupted_before_a_first_release_by_tuples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ReleasesAbove, "first", interrupted)
    found = anonymized(budget=60)
    assert found.verdict == "proved" and found.reason == "interrupted"
    assert found.cost is not None and found.cost <= by_levels()
    # Who ends the search waits for nothing that may be split.
    assert found.splits is None


def broken(monkeypatch: pytest.MonkeyPatch) -> list[TupleRecoding]:
    """The search finds each tuple alone, which breaks rules; what is then decided."""
    decided: list[TupleRecoding] = []

    def searched(search: TwoSides) -> None:
        places = range(len(search.problem.space.tuples))
        alone = tuple((place,) for place in places)
        search.best = TupleRecoding(search.problem.space, alone)
        search.tell()

    def joined(self: Deciding, recoding: TupleRecoding, rule: Any) -> TupleRecoding:
        return recoding

    plain = Deciding.report

    def report(self: Deciding, recoding: TupleRecoding) -> Any:
        decided.append(recoding)
        return plain(self, recoding)

    monkeypatch.setattr(TwoSides, "run", searched)
    monkeypatch.setattr(Deciding, "mended", joined)
    monkeypatch.setattr(Deciding, "report", report)
    return decided


@pytest.mark.usefixtures("patient")
def test_repairs_look_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a release in hand nothing is repaired once the time is over."""
    decided = broken(monkeypatch)
    with counted():
        found = anonymized(budget=100)
    assert found.verdict == "proved" and found.cost is not None
    assert found.cost <= by_levels()
    [note] = [note for note in found.notes if "started from" in note]
    assert "is broken, and no time is left to mend it" in note
    # Each repair looks at the clock, which goes on by a second.
    assert 2 < len(decided) < 100 < MOST
    decided.clear()
    with counted():
        anonymized(budget=1)
    # The start, and what the search found: it waits no ten seconds for a repair.
    assert len(decided) == 2


def test_repairs_without_another_release_end_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nothing(*given: Any) -> PoorerFound:
        return PoorerFound()

    decided = broken(monkeypatch)
    monkeypatch.setattr(tuples, "released_by_levels", nothing)
    with counted():
        found = anonymized(budget=5)
    assert found.verdict == "undecided"
    assert "no time is left to mend it" in found.reason
    assert 1 < len(decided) < 20


@pytest.mark.usefixtures("patient")
def test_what_was_repaired_at_a_loss_is_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def coarsest(self: Deciding, recoding: TupleRecoding, rule: Any) -> TupleRecoding:
        every = tuple(range(len(recoding.space.tuples)))
        return TupleRecoding(recoding.space, (every,))

    broken(monkeypatch)
    monkeypatch.setattr(Deciding, "mended", coarsest)
    found = anonymized(budget=60)
    assert found.cost is not None and found.cost <= by_levels()


@pytest.mark.parametrize("objective", ["class-size", "discernibility", "precision"])
@pytest.mark.usefixtures("patient")
def test_other_objectives(objective: str) -> None:
    policy = ph.Policy.from_dict(POLICY)
    given: dict[str, Any] = {"objective": objective, "suppress": "1/5"}
    poorer = ph.search(FRAME, policy, **given)
    found = anonymized(objective=objective, weights={"q": 2}, budget=0.2)
    assert poorer.verdict == "optimal" and found.verdict == "proved"
    assert found.cost is not None and poorer.cost is not None
    assert found.cost <= poorer.cost


@pytest.mark.usefixtures("patient")
def test_with_a_start_that_withholds_nothing_nothing_is_withheld() -> None:
    """Rules that compare with the released table are then those of the search."""
    rows = [(f"{tens}{ones}", "xy"[ones % 2]) for tens in "12" for ones in range(6)]
    frame = pd.DataFrame(rows, columns=["q", "f"])
    found = ph.anonymize(
        frame, policy=ph.Policy.from_dict(POLICY), suppress="1/5", budget=0.2
    )
    assert found.verdict == "proved" and found.suppressed == 0


@pytest.mark.parametrize(
    ("rules", "starts"),
    [
        (["k_anonymity(2)"], False),
        (["k_anonymity(2)", "l_diversity(f, 2)"], False),
        (["t_closeness(f, 1/2)"], True),
        (["l_a1(i1) <= 1/2"], True),
    ],
)
def test_levels_are_searched_where_that_is_needed(
    rules: list[str], starts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "SLICE", 1 / 32)
    steps: list[str] = []
    ph.anonymize(
        FRAME,
        quasi=["q"],
        sensitive=["f"],
        rules=rules,
        budget=60,
        progress=steps.append,
    )
    assert any(step.startswith("searching") for step in steps) == starts
