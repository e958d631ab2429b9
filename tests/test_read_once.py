"""``phverify.read``: a table that is read once answers like the table itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import phverify as ph
from phverify.microdata import dataframes

ROWS = {
    "age": [23, 25, 31, 33, 41, 45],
    "zip": ["10", "10", "11", "11", "12", "12"],
    "ill": ["a", "b", "a", "b", "c", "a"],
}
POLICY = {
    "columns": {"quasi": ["age", "zip"], "sensitive": ["ill"]},
    "rules": {"k": "k_anonymity(2)"},
}
VERBS: dict[str, Callable[[Any], Any]] = {
    "verify": lambda table: ph.verify(table, POLICY, original=table),
    "search": lambda table: ph.search(table, POLICY),
    "sample": lambda table: ph.search(table, POLICY, sample="1/2", seed=1),
    "anonymize": lambda table: ph.anonymize(table, policy=POLICY),
    "said": lambda table: ph.anonymize(
        table, quasi=["age", "zip"], sensitive=["ill"], k=2
    ),
    "tradeoff": lambda table: ph.tradeoff(table, POLICY, k="2..3").points[1].cost,
    "measure": lambda table: ph.measure(table, POLICY),
    "compare_data": lambda table: ph.compare_data(table, table, POLICY),
    "reidentify": lambda table: ph.reidentify(table, table, POLICY),
    "check_frame": lambda table: ph.check_frame(table, POLICY),
    "propose": lambda table: ph.propose(table),
    "check": lambda table: ph.check(
        ph.search(table, POLICY).certificate, table, POLICY
    ),
    "duckdb": lambda table: ph.search(table, POLICY, engine="duckdb"),
    "verify in duckdb": lambda table: ph.verify(table, POLICY, engine="duckdb"),
}
ON_THE_DISK = ("check", "duckdb", "verify in duckdb")
"""What a certificate names, and what stays on the disk, is a matter of files."""


def frame() -> pd.DataFrame:
    made = pd.DataFrame(ROWS)
    made["ill"] = made["ill"].astype("category")
    return made


def said(ask: Callable[[Any], Any], table: Any) -> str:
    """What a verb says of a table: its answer, or what it refuses."""
    try:
        return str(ask(table))
    except (ph.InputError, ph.NotProved) as error:
        return f"refused: {error}"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_says_the_same(verb: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    frame().to_csv(path, index=False)
    polars = pl.DataFrame(ROWS)
    ask = VERBS[verb]
    assert said(ask, ph.read(frame())) == said(ask, frame())
    assert said(ask, ph.read(polars)) == said(ask, polars)
    if verb not in ON_THE_DISK:
        assert said(ask, ph.read(path)) == said(ask, path)


def test_releases_have_the_types_of_the_table() -> None:
    table = frame()
    expected = ph.search(table, POLICY).release
    found = ph.search(ph.read(table), POLICY).release
    pd.testing.assert_frame_equal(found, expected)
    assert isinstance(found["ill"].dtype, pd.CategoricalDtype)
    polars = ph.search(ph.read(pl.DataFrame(ROWS)), POLICY).release
    assert isinstance(polars, pl.DataFrame)


FORMS = {
    "semicolons": (";", "", "\n"),
    "tabs, a mark and line ends of Windows": ("\t", "\ufeff", "\r\n"),
}


@pytest.mark.parametrize("form", FORMS)
def test_releases_are_written_as_the_csv_was(form: str, tmp_path: Path) -> None:
    separator, mark, newline = FORMS[form]
    path, written = tmp_path / "table.csv", tmp_path / "release.csv"
    text = frame().to_csv(index=False, sep=separator, lineterminator=newline)
    path.write_bytes((mark + text).encode())
    ph.search(path, POLICY).write(written)
    expected = written.read_bytes()
    ph.search(ph.read(path), POLICY).write(written)
    assert written.read_bytes() == expected
    assert expected.startswith(
        f"{mark}age{separator}zip{separator}ill{newline}".encode()
    )


HEADERS = (
    ("income (EUR, net)", "ill"),
    ("born (y, m, d)", "zip, ill"),
    ("a|b|c", "d|e"),
)


@pytest.mark.parametrize("names", HEADERS)
@pytest.mark.parametrize("parts", [False, True])
def test_columns_of_a_policy_decide_the_separator(
    names: tuple[str, str], parts: bool, tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    cells = "".join(f"{quasi};{ill}\n" for quasi, ill in ("1a", "1b", "2a", "2b"))
    path.write_text(f"{names[0]};{names[1]}\n{cells}")
    source = str(tmp_path / "*.csv") if parts else path
    policy = {
        "columns": {"quasi": [names[0]], "sensitive": [names[1]]},
        "rules": {"k": "k_anonymity(2)"},
    }
    table = ph.read(source)
    expected = ph.search(source, policy)
    assert expected.verdict == "optimal"
    expected.write(tmp_path / "one.txt")
    # What is there later is not what was read.
    path.write_text("something;else\n1;2\n")
    found = ph.search(table, policy)
    assert str(found) == str(expected)
    assert str(ph.verify(table, policy)).count("PROVED")
    found.write(tmp_path / "other.txt")
    one, other = (tmp_path / name for name in ("one.txt", "other.txt"))
    assert other.read_bytes() == one.read_bytes()


def test_an_engine_is_asked_for_the_file_itself(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    frame().to_csv(path, index=False)
    table = ph.read(path)
    for ask in (ph.verify, ph.search, ph.measure):
        with pytest.raises(ph.InputError) as refused:
            ask(table, POLICY, engine="duckdb")
        assert f"{path}: was read into memory" in str(refused.value)
        assert "give the file" in str(refused.value)


def test_what_happens_to_the_frame_afterwards_changes_nothing() -> None:
    given = frame()
    table = ph.read(given)
    given.loc[:, "zip"] = "10"
    given.loc[0, "age"] = 99
    assert str(ph.search(table, POLICY)) == str(ph.search(frame(), POLICY))
    assert set(ph.search(table, POLICY).release["zip"]) == {"10", "11", "12"}


def test_each_column_is_coded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    coded = []
    one_column = dataframes._named

    def noted(series: Any, name: str, where: str) -> Any:
        coded.append(name)
        return one_column(series, name, where)

    monkeypatch.setattr(dataframes, "_named", noted)
    table = ph.read(frame())
    for k in (2, 3, 6):
        policy = {**POLICY, "rules": {"k": f"k_anonymity({k})"}}
        assert ph.search(table, policy).verdict == "optimal"
        ph.verify(table, policy)
    assert sorted(coded) == ["age", "ill", "zip"]


def test_it_says_what_it_is() -> None:
    table = ph.read(frame())
    assert repr(table) == "ReadTable('table': 6 rows, 3 columns)"
    assert (table.rows, table.columns) == (6, ("age", "zip", "ill"))
    assert ph.read(table) is table


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(ph.InputError, match="no rows"):
        ph.read(frame().head(0))
    with pytest.raises(ph.InputError, match=r"nowhere\.csv"):
        ph.read("nowhere.csv")
    report = ph.verify(ph.read(frame()), POLICY)
    with pytest.raises(ph.InputError, match="certificate"):
        ph.certify(report, ph.read(frame()), "policy.toml")
