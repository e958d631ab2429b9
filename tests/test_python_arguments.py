"""Arguments of the wrong type: every public function tells what is wrong, where, and
what to write instead; what is shown of policies and systems stays one line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import phverify as ph

HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
BANK = HOSPITAL.parent / "bank"
POLICY = HOSPITAL / "policy.toml"
RELEASE = HOSPITAL / "release.csv"
ORIGINAL = HOSPITAL / "original.csv"
FLIP = {"a": {"x": "1/2", "y": "1/2"}, "b": {"x": "1/4", "y": "3/4"}}
BASES: dict[Callable[..., Any], dict[str, Any]] = {
    ph.verify: {"release": RELEASE, "policy": POLICY, "original": ORIGINAL},
    ph.search: {"table": ORIGINAL, "policy": POLICY},
    ph.check: {"certificate": {}, "release": RELEASE},
    ph.certify: {"report": None, "release": RELEASE, "policy_file": POLICY},
    ph.compare: {"first": "k_anonymity(2)", "second": "k_anonymity(2)"},
    ph.lint: {"policy": POLICY, "budget": 0.1},
    ph.audit: {
        "database": BANK / "accounts.csv",
        "queries": BANK / "queries.sql",
        "policy": BANK / "audit.toml",
        "ranges": 0,
    },
    ph.reidentify: {"original": ORIGINAL, "release": RELEASE, "policy": POLICY},
    ph.mechanism: {"source": FLIP},
    ph.Policy.load: {"path": POLICY},
    ph.Policy.from_dict: {"data": {"columns": {}, "rules": {}}},
}
STRANGE = [pd.Series([1]), object(), {3: 4}, b"bytes", "a\0b"]


@pytest.mark.parametrize("function", BASES, ids=lambda one: str(one.__qualname__))
def test_wrong_types_are_told(function: Callable[..., Any]) -> None:
    """Nothing but InputError, whatever argument is a strange thing."""
    for name in inspect.signature(function).parameters:
        for given in STRANGE:
            try:
                function(**{**BASES[function], name: given})
            except ph.InputError as error:
                assert str(error), (name, given)


def message(function: Callable[..., Any], **given: object) -> str:
    with pytest.raises(ph.InputError) as error:
        function(**{**BASES[function], **given})
    return str(error.value)


def test_weights_are_a_dictionary() -> None:
    said = message(ph.search, weights="zip=1", hierarchies="zip.csv")
    assert "weights: is a dictionary, not the text 'zip=1'" in said
    assert 'for example: weights={"zip": 2}' in said
    assert "hierarchies: is a dictionary, not the text 'zip.csv'" in said
    said = message(ph.search, weights={3: 4})
    assert "weights: its keys are names of columns, not 3" in said
    assert "space: is a text, not None" in message(ph.search, space=None)


def test_a_column_is_no_table() -> None:
    said = message(ph.search, table=pd.Series([1], name="zip"))
    assert "expected a path or a DataFrame, not pandas.Series" in said
    assert "pass its .to_frame()" in said
    extended = type("GeoFrame", (pd.DataFrame,), {"__module__": "geo"})
    table = extended({"zip": ["1", "1"], "s": ["a", "b"]})
    policy = {"columns": {"quasi": ["zip"], "sensitive": ["s"]}}
    rules = {"rules": {"two": "k_anonymity(2)"}}
    assert ph.verify(table, {**policy, **rules}).verdict == "proved"


def test_names_of_rules() -> None:
    said = message(ph.verify, rules="protected")
    assert "is a list of names, not the text 'protected'" in said
    assert "write rules=['protected']" in said
    assert "3 is none" in message(ph.verify, rules=[3])
    some = next(iter(ph.Policy.load(POLICY).rules))
    report = ph.verify(RELEASE, POLICY, ORIGINAL, rules=iter([some]))  # type: ignore[arg-type]
    assert [rule.name for rule in report.rules] == [some]


def test_switches() -> None:
    said = message(ph.verify, redact="False")
    assert "redact: is True or False, not the text 'False'" in said
    assert ph.verify(RELEASE, POLICY, ORIGINAL, redact=np.bool_(True))  # type: ignore[arg-type]
    assert "progress=print" in message(ph.verify, progress=True)


def test_seconds_and_lists() -> None:
    assert "ranges: is a number of seconds" in message(ph.audit, ranges=float("nan"))
    assert "each: is a number of seconds" in message(ph.audit, each=-1)
    assert "expected a path or a list" in message(ph.audit, queries=None)
    assert "is a list of what attackers know" in message(ph.reidentify, attackers=None)
    assert "and 3 is none" in message(ph.reidentify, attackers=[[3]])
    assert "is a list of probabilities" in message(ph.reidentify, thresholds=0.1)
    assert "bytes is no exact number" in message(ph.mechanism, epsilon=b"1")
    assert "is what verify answers, not None" in message(ph.certify)
    assert "is the path of a folder" in message(ph.Policy.from_dict, folder=None)


def test_policies_and_systems_are_shown_in_one_line() -> None:
    policy = {"columns": {"quasi": ["zip"], "sensitive": ["s", "t"]}}
    small = ph.Policy.from_dict({**policy, "rules": {"two": "k_anonymity(2)"}})
    said = "Policy(policy: 1 quasi-identifier, 2 sensitive columns, 1 rule)"
    assert repr(small) == said
    files = ("accounts.csv", "queries.sql", "audit.toml")
    system = ph.audit(*(BANK / name for name in files)).dltts()
    said = "5 states, a protected fact follows with probability 1"
    assert repr(system) == f"LogSystem({said})"
    assert repr(system.system) == "TaggedSystem(5 states)"


def test_a_masking_table_whose_keys_are_no_texts_is_refused() -> None:
    masked = {"a": {"table": {"x": {1: "y"}}}}
    policy = {"columns": {"quasi": ["a"]}, "rules": {"r": "true"}, "masking": masked}
    with pytest.raises(ph.InputError, match="'y'"):
        ph.Policy.from_dict(policy)
