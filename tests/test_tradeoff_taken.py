"""A point that has the release of another number: its answer is about its own policy."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from test_tradeoff import drawn, files

import phverify as ph
from phverify.errors import Defect
from phverify.microdata.hierarchy import Hierarchy
from phverify.verbs import tradeoff as verb
from phverify.verbs.tradeoff_points import TradeoffSearch

SPACES = ("subtrees", "intervals", "partitions", "tuples")
NUMBERS = "4..7"


def asked(number: object, space: str, folder: Path) -> ph.Policy:
    columns = {"quasi": ["age", "zip"], "sensitive": ["ill"]}
    given: dict[str, Any] = {"columns": columns}
    if space in ("intervals", "partitions"):
        given["types"] = {"age": "integer", "zip": "integer"}
    named = {name: str(path) for name, path in files(folder).items()}
    rules = {"r": f"k_anonymity({number})"}
    return ph.Policy.from_dict({**given, "hierarchies": named, "rules": rules})


@pytest.mark.parametrize("space", SPACES)
def test_its_certificate_is_about_its_own_number(space: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(drawn(1, 14))
    found = ph.tradeoff(frame, asked(2, space, tmp_path), k=NUMBERS, space=space)
    taken = [point for point in found.points if point.taken is not None]
    assert taken and all(point.verdict == "optimal" for point in taken)
    for point in taken:
        answer = point.answer
        assert (answer.cost, answer.suppressed) == (point.cost, point.suppressed)
        assert answer.checks.classes == point.classes
        own = asked(point.value, space, tmp_path)
        accepted = ph.check(answer.certificate, frame, own)
        assert accepted.accepted, str(accepted)
        donor = asked(point.taken, space, tmp_path)
        refused = ph.check(answer.certificate, frame, donor)
        assert not refused.accepted and "other rules" in str(refused)
        assert ph.verify(answer.release, own).verdict == "proved"


@pytest.mark.parametrize("share", ["0", "1/5"])
def test_its_release_is_looked_at_before_any_intervals(share: str) -> None:
    """Without hierarchies no release of a poorer space is known before."""
    columns = {"quasi": ["age"], "sensitive": ["ill"]}
    whole = {"columns": columns, "types": {"age": "integer"}}
    frame = pd.DataFrame({"age": [*"111222222"], "ill": [*"xyxyxyxyz"]})

    def of(number: object) -> ph.Policy:
        return ph.Policy.from_dict({**whole, "rules": {"r": f"k_anonymity({number})"}})

    found = ph.tradeoff(frame, of(2), k="2,3,7,8,9", space="intervals", suppress=share)
    taken = [point for point in found.points if point.taken is not None]
    assert {point.value for point in taken} == {3, 8}
    for point in taken:
        answer = point.answer
        assert (answer.verdict, answer.cost) == ("optimal", point.cost)
        assert ph.check(answer.certificate, frame, of(point.value)).accepted


@pytest.mark.parametrize("space", ["subtrees", "partitions"])
def test_its_answer_has_the_release_of_the_point(space: str) -> None:
    """Where columns count nothing others cost as little: they are not the release of
    which classes and records are told.
    """
    columns = {"quasi": ["age", "sex"], "sensitive": ["ill"]}
    frame = pd.DataFrame({"age": 6 * ["1"], "sex": [*"abcccc"], "ill": [*"xyxyxy"]})
    lines = {"a": ("a", "ab", "*"), "b": ("b", "ab", "*"), "c": ("c", "c", "*")}
    paths: Any = {"sex": Hierarchy("sex", lines)}

    def of(number: object) -> ph.Policy:
        rules = {"r": f"k_anonymity({number})"}
        return ph.Policy.from_dict({"columns": columns, "rules": rules})

    asked: dict[str, Any] = {"space": space, "suppress": "1/3", "weights": {"sex": 0}}
    found = ph.tradeoff(frame, of(2), paths, k="1,2,5,6", **asked)
    taken = [point for point in found.points if point.taken is not None]
    assert taken
    for point in taken:
        answer = point.answer
        assert answer.checks.classes == point.classes == 1
        own = of(point.value)
        assert ph.check(answer.certificate, frame, own, paths).accepted


@pytest.mark.parametrize("objective", ["discernibility", "class-size", "ambiguity"])
def test_all_minimal_level_vectors_are_listed_for_its_own_number(
    objective: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame(drawn(1, 14))
    own = asked(2, "levels", tmp_path)
    found = ph.tradeoff(frame, own, k=NUMBERS, objective=objective)
    taken = [point for point in found.points if point.taken is not None]
    assert taken
    for point in taken:
        own = asked(point.value, "levels", tmp_path)
        alone = ph.search(frame, own, objective=objective)
        assert (alone.cost, alone.suppressed) == (point.cost, point.suppressed)
        accepted = ph.check(point.answer.certificate, frame, own)
        assert accepted.accepted, str(accepted)


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The answers of all searches, in their order."""
    answers = []
    best = verb._PointSearch.best

    def noted(search: Any, *given: Any) -> Any:
        answers.append(best(search, *given))
        return answers[-1]

    monkeypatch.setattr(verb._PointSearch, "best", noted)
    return answers


def test_it_is_searched_once_it_is_looked_at(
    searched: list[Any], tmp_path: Path
) -> None:
    frame = pd.DataFrame(drawn(1, 14))
    policy = asked(2, "subtrees", tmp_path)
    found = ph.tradeoff(frame, policy, k=NUMBERS, space="subtrees")
    before = len(searched)
    assert before == sum(point.searched for point in found.points)
    [point, *_] = [one for one in found.points if one.taken is not None]
    donor = next(one for one in found.points if one.value == point.taken)
    assert point.utility == donor.utility
    str(found), found.to_dict(), found.to_html()
    assert len(searched) == before
    assert point.answer is point.answer is searched[before]


@pytest.mark.parametrize(
    ("changed", "refused"),
    [
        ({"cost": None, "verdict": "undecided"}, False),
        ({"cost": Fraction(1), "verdict": "undecided"}, False),
        ({"suppressed": 3}, False),
        ({"cost": Fraction(0)}, True),
        ({"cost": None, "verdict": "infeasible"}, True),
    ],
)
def test_what_its_search_finds_is_weighed(
    changed: dict[str, Any],
    refused: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """The other number's answer stands where a search finds less; what contradicts it is
    a defect.
    """
    kept: list[TradeoffSearch] = []
    run = TradeoffSearch.run
    monkeypatch.setattr(
        TradeoffSearch, "run", lambda search: (kept.append(search), run(search))
    )
    best = verb._PointSearch.best
    frame = pd.DataFrame(drawn(1, 14))
    policy = asked(2, "subtrees", tmp_path)
    found = ph.tradeoff(frame, policy, k=NUMBERS, space="subtrees")
    [point, *_] = [one for one in found.points if one.taken is not None]
    donor = next(one for one in found.points if one.value == point.taken)
    found_less: Any = lambda *given: replace(best(*given), **changed)  # noqa: E731
    monkeypatch.setattr(verb._PointSearch, "best", found_less)
    own = replace(point.found.make.__self__, search=_search(kept[0]))
    if refused:
        with pytest.raises(Defect):
            own.answer()
    else:
        assert own.answer() is donor.answer


def test_another_release_is_not_told_of_as_this_one(tmp_path: Path) -> None:
    """Of what costs and withholds the same a search may end with another release."""
    frame = pd.DataFrame(drawn(1, 14))
    policy = asked(2, "subtrees", tmp_path)
    found = ph.tradeoff(frame, policy, k=NUMBERS, space="subtrees")
    [point, *_] = [one for one in found.points if one.taken is not None]
    donor = next(one for one in found.points if one.value == point.taken)
    other = next(one for one in found.points if one.utility != point.utility)
    own = point.found.make.__self__

    def another(*given: Any) -> Any:
        answer = own.search(*given)
        return replace(answer, explored=other.answer.explored)

    assert own.answer() is not donor.answer
    assert replace(own, search=another).answer() is donor.answer


def _search(points: TradeoffSearch) -> Any:
    """The search for points, as it is now."""
    return points.search.__self__.best
