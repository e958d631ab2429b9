"""``--original``: who is in which class is told by identifiers, hierarchies or the
policy, never by a lucky order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import phverify as ph
from phverify.cli import main as cli

BEFORE = [("1", "a"), ("2", "b"), ("3", "a"), ("4", "b")]
AFTER = [("x", "a"), ("x", "b"), ("y", "a"), ("y", "b")]
"""1 and 2 became x; that 1 and 4 became x, and 2 and 3 became y, explains the same
table.
"""
PATHS = "1;x;*\n2;x;*\n3;y;*\n4;y;*\n"


def frame(rows: Sequence[Sequence[str]], *names: str) -> pd.DataFrame:
    return pd.DataFrame(
        [list(row) for row in rows], columns=list(names or ("q", "f")), dtype=object
    )


def policy(rule: str, folder: Path = Path(), **sections: Any) -> ph.Policy:
    columns = {"quasi": ["q"], "sensitive": ["f"], **sections.pop("columns", {})}
    return ph.Policy.from_dict(
        {"columns": columns, "rules": {"r": rule}, **sections}, folder
    )


def refused(*arguments: Any, **options: Any) -> str:
    with pytest.raises(ph.InputError) as caught:
        ph.verify(*arguments, **options)
    return str(caught.value)


def test_an_order_that_fits_is_not_the_truth() -> None:
    for rule in ("@i1 q = x", "@i1 l_a1(i1) <= 1/2"):
        said = refused(frame(AFTER), policy(rule), frame(BEFORE))
        assert (
            "in which class i1 is, is open: several mappings explain the release"
            in said
        )
        assert 'rows = "same order"' in said
    assert "policy, secrets.i1" in refused(
        frame(AFTER),
        policy("logical_safety()", secrets={"i1": ["f = a"]}),
        frame(BEFORE),
    )
    assert (
        ph.verify(frame(AFTER), policy("k_anonymity(2)"), frame(BEFORE)).verdict
        == "proved"
    )


def test_the_policy_may_say_that_the_order_is_the_truth() -> None:
    report = ph.verify(
        frame(AFTER), policy("@i1 q = x", rows="same order"), frame(BEFORE)
    )
    assert report.verdict == "proved"
    assert report.to_dict()["sanitization"]["rows_by"] == "policy"
    assert "rows in the same order, as the policy says" in str(report)
    assert "release, row 1: f is 'a' in the original and 'b' in the release" in refused(
        frame(AFTER[::-1]), policy("@i1 q = x", rows="same order"), frame(BEFORE)
    )


@pytest.mark.parametrize("wrong", ["same", True, 3])
def test_other_words_for_the_order(wrong: Any) -> None:
    with pytest.raises(ph.InputError, match='rows: is "same order"'):
        policy("true", rows=wrong)


def test_hierarchies_settle_it(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text(PATHS)
    given = policy("@i1 q = x", tmp_path, hierarchies={"q": "q.csv"})
    assert ph.verify(frame(AFTER), given, frame(BEFORE)).verdict == "proved"
    (tmp_path / "q.csv").write_text(PATHS.replace("x", "z"))
    assert (
        "the value '1' became 'x' (row 1 of release), which is no generalization of it"
        in refused(frame(AFTER), given, frame(BEFORE))
    )


def test_only_the_class_of_those_named_matters() -> None:
    """What became of 5 is certain, whatever became of the others."""
    before, after = [*BEFORE, ("5", "c")], [*AFTER, ("z", "c")]
    assert (
        ph.verify(frame(after), policy("@i5 q = z"), frame(before)).verdict == "proved"
    )
    assert "i1" in refused(frame(after), policy("@i1 q = x"), frame(before))


def test_identifiers_settle_it() -> None:
    """In another order, and against an order that fits."""
    before = frame([("Ann", "1", "a"), ("Bob", "2", "a")], "who", "q", "f")
    after = frame([("Bob", "x", "a"), ("Ann", "y", "a")], "who", "q", "f")
    given = policy("@'Ann' q = y", columns={"identifier": "who"})
    report = ph.verify(after, given, before)
    assert report.verdict == "proved"
    assert "rows paired by the identifier column" in str(report)
    assert "the identifier 'Ann' is none of the original" in refused(
        after, given, before.replace("Ann", "Anna")
    )
    assert "occurs twice" in refused(after.replace("Ann", "Bob"), given, before)
    contradiction = policy("true", columns={"identifier": "who"}, rows="same order")
    assert "record 1 has the identifier of record 2" in refused(
        after, contradiction, before
    )


def birthdays() -> Mapping[str, str]:
    """60 people with birth dates of their own, as a file."""
    rows = [
        f"19{50 + k % 26}-{k % 12 + 1:02}-{k % 28 + 1:02},{'flu' if k % 3 else 'cold'}"
        for k in range(60)
    ]
    text = "birth,illness\n" + "\n".join(rows) + "\n"
    head = '[columns]\nquasi = ["birth"]\nsensitive = ["illness"]\n'
    decades = '[hierarchies]\nbirth = {dates = ["decade"]}\n'
    search = f'{head}{decades}[rules]\nk = "k_anonymity(10)"\n'
    rules = "\n".join(
        f"r{k} = \"pignistic('i{k}', a1) <= 1/14\"" for k in range(1, 61)
    ).replace("'", "")
    return {
        "orig.csv": text, "search.toml": search, "rules.toml": f"{head}[rules]\n{rules}\n",
        "along.toml": f"{head}{decades}[rules]\n{rules}\n",
    }  # fmt: skip


def test_a_shuffled_release_of_a_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Any order of unique birth dates fits some function: only the hierarchy says who
    became what.
    """
    monkeypatch.chdir(tmp_path)
    for name, text in birthdays().items():
        (tmp_path / name).write_text(text)
    options = ["--output", "rel.csv", "--shuffle", "5"]
    assert cli.main(["search", "orig.csv", "--policy", "search.toml", *options]) == 0
    assert (
        cli.main(
            ["verify", "rel.csv", "--policy", "rules.toml", "--original", "orig.csv"]
        )
        == 2
    )
    assert "several mappings explain the release" in capsys.readouterr().err
    report = ph.verify("rel.csv", "along.toml", "orig.csv")
    births = pd.read_csv("orig.csv", dtype=str)["birth"]
    classes = births.str[:3].map(births.str[:3].value_counts())
    expected = ["proved" if size >= 14 else "refuted" for size in classes]
    assert [rule.verdict for rule in report.rules] == expected and len(
        set(expected)
    ) == 2
    assert report.sanitized is not None
    assert all(
        decade == f"{birth[:3]}0s"
        for birth, decade in report.sanitized.mappings["birth"].items()
        if birth
    )
