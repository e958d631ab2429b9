"""What ``make test`` leaves out, ``make fuzz`` runs."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import pytest
import support.so_many
from hypothesis import settings
from support.so_many import FEW, of_the_suite, sampled, so_many

TESTS = Path(__file__).parent
MAKEFILE = TESTS.parent / "Makefile"
ASKS = re.compile(r"\bso_many\b|\bHYPOTHESIS_PROFILE\b")
"""What a file has in it whose cases are more in ``make fuzz``."""


def asks(path: Path) -> bool:
    """Whether a file takes fewer cases in ``make test``, or what it imports does."""
    text = path.read_text(encoding="utf-8")
    if ASKS.search(text):
        return True
    names = re.findall(r"^from support\.(\w+) import", text, re.MULTILINE)
    return any(asks(TESTS / "support" / f"{name}.py") for name in names)


def fuzzed() -> list[str]:
    """The files of ``make fuzz``, as patterns."""
    recipe = MAKEFILE.read_text(encoding="utf-8").partition("\nfuzz:")[2]
    return re.findall(r"tests/test_\S+\.py", recipe.partition("\n\n")[0])


@pytest.mark.skipif(not MAKEFILE.exists(), reason="installed without its Makefile")
def test_what_takes_fewer_cases_is_in_make_fuzz() -> None:
    patterns = [Path(pattern).name for pattern in fuzzed()]
    assert len(patterns) > 50
    names = [one.name for one in TESTS.glob("test_*.py") if asks(one)]
    missed = [
        name
        for name in names
        if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns)
    ]
    assert not set(missed) - {Path(__file__).name}, "add them to fuzz in the Makefile"
    # None is named that is not there.
    for pattern in fuzzed():
        assert list(TESTS.parent.glob(pattern)), pattern


@pytest.mark.parametrize(
    ("profile", "counts"),
    [
        ("ci", [20, 20, 20, 3]),
        ("fuzz", [20_000, 700, 20_000, 10]),
        ("more", [600, 600, 900, 10]),
    ],
)
def test_make_fuzz_takes_as_many_as_ever(
    profile: str, counts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(support.so_many, "PROFILE", profile)
    monkeypatch.setattr(support.so_many, "FUZZ", profile == "fuzz")
    mine = settings.get_current_profile_name()
    settings.load_profile(profile)
    try:
        asked = [so_many(60), so_many(60, fuzz=700), so_many(60, more=900)]
    finally:
        settings.load_profile(mine)
    taken = len(sampled(range(10), 4))
    assert [*(one.max_examples for one in asked), taken] == counts


def test_few_cases_stay_as_they_are() -> None:
    assert [of_the_suite(count) for count in (3, FEW, 20, 24, 60)] == [3, 8, 8, 8, 20]


def test_samples_start_where_they_are_told() -> None:
    taken = [*sampled("abcdefg", 3, start=1)]
    assert "".join(taken) in ("be", "abcdefg")
