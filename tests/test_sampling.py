"""A random sample of the records: drawn alike by everybody, and all is about it."""

from __future__ import annotations

import copy
import hashlib
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.certificate_cases import sealed
from support.so_many import so_many

import phverify as ph
from phverify.cli.main import main
from phverify.errors import InputError
from phverify.spec import minimal
from phverify.spec.command import main as plain_check
from phverify.spec.data import Refused
from phverify.spec.released import from_files
from phverify.spec.sampling import RecordSample

POLICY = """
[columns]
quasi = ["age", "zip"]
sensitive = ["ill"]
[hierarchies]
age = {intervals = [5, 10]}
zip = {prefixes = [2, 1]}
[rules]
k = "k_anonymity(2)"
near = "t_closeness(ill, 2/3)"
"""
RECORDS = 40
TABLE = pd.DataFrame(
    {
        "age": [str(20 + (7 * k) % 23) for k in range(RECORDS)],
        "zip": [str(100 + (11 * k) % 30) for k in range(RECORDS)],
        "ill": ["abc"[k % 3] for k in range(RECORDS)],
    }
)


def rows_of(share: Fraction, seed: int, rows: int) -> list[int]:
    """Whose SHA-256 is among the least, by the words of the documentation."""
    lots = {}
    for row in range(1, rows + 1):
        lots[hashlib.sha256(f"{seed} {row}".encode()).hexdigest()] = row - 1
    return sorted(lots[lot] for lot in sorted(lots)[: share * rows // 1])


@so_many(60)
@given(
    st.fractions(0, 1, max_denominator=50).filter(lambda share: 0 < share < 1),
    st.integers(-(10**30), 10**30),
    st.integers(0, 60),
)
def test_who_is_drawn(share: Fraction, seed: int, rows: int) -> None:
    sample = RecordSample(share, seed)
    drawn = sample.rows(rows)
    assert drawn == rows_of(share, seed, rows)
    assert len(drawn) == sample.size(rows) <= share * rows < len(drawn) + 1
    column = tuple(map(str, range(rows)))
    assert sample.columns({"a": column})["a"] == tuple(map(str, drawn))


def test_a_seed_draws_these_records_for_ever() -> None:
    assert RecordSample(Fraction(1, 4), 2024).rows(20) == GOLDEN


GOLDEN = [3, 5, 14, 17, 19]


def files(folder: Path) -> tuple[Path, Path]:
    table, policy = folder / "table.csv", folder / "policy.toml"
    TABLE.to_csv(table, index=False)
    policy.write_text(POLICY)
    return table, policy


def asked(**more: Any) -> dict[str, Any]:
    return {"suppress": "1/10", "sample": "0.5", "seed": 3, **more}


@pytest.mark.parametrize("reference", ["release", "original"])
def test_all_is_about_the_sample(tmp_path: Path, reference: str) -> None:
    """As a search of the drawn rows alone; shares, and the original, are of these."""
    _, policy = files(tmp_path)
    rule = f"t_closeness(ill, 2/3, reference={reference})"
    policy.write_text(POLICY.replace("t_closeness(ill, 2/3)", rule))
    part = TABLE.iloc[rows_of(Fraction(1, 2), 3, RECORDS)].reset_index(drop=True)
    alone = ph.search(part, policy, suppress="1/10")
    found = ph.search(TABLE, policy, **asked())
    assert (found.cost, found.levels, found.rows) == (alone.cost, alone.levels, 20)
    assert found.budget == alone.budget == 2
    assert found.release is not None and alone.release is not None
    pd.testing.assert_frame_equal(found.release, alone.release)
    assert found.sample == RecordSample(Fraction(1, 2), 3)
    assert found.to_dict()["sample"] == {"share": "1/2", "seed": 3}
    assert "20 records of 40 (1/2, rounded down; seed 3)" in found.notes[0]
    assert alone.to_dict()["sample"] is None


@pytest.mark.parametrize("engine", ["pandas", "duckdb", "auto"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow", "polars"])
def test_every_engine_draws_the_same(engine: str, kind: str, tmp_path: Path) -> None:
    table, policy = files(tmp_path)
    source: Any = table
    if kind == "parquet":
        source = tmp_path / "table.parquet"
        TABLE.to_parquet(source)
    elif kind in ("arrow", "polars"):
        library = pytest.importorskip("pyarrow" if kind == "arrow" else "polars")
        make = library.Table.from_pandas if kind == "arrow" else library.from_pandas
        source = make(TABLE)
    found = ph.search(source, policy, engine=engine, **asked())
    expected = ph.search(TABLE, policy, **asked())
    assert (found.cost, found.suppressed) == (expected.cost, expected.suppressed)
    found.write(tmp_path / "found.csv")
    expected.write(tmp_path / "expected.csv")
    written = (tmp_path / "found.csv").read_bytes()
    assert written == (tmp_path / "expected.csv").read_bytes()


def test_a_certificate_draws_the_sample_again(tmp_path: Path) -> None:
    table, policy = files(tmp_path)
    found = ph.search(table, policy, **asked())
    release = tmp_path / "release.csv"
    found.write(release)
    certificate = found.certificate
    assert certificate is not None
    assert certificate["sample"] == {"share": "1/2", "seed": 3}
    for source in (table, TABLE):
        checked = ph.check(certificate, source, policy, release=release)
        assert checked.accepted
        told = "the table is a random sample, 20 records of 40"
        assert any(line.startswith(told) for line in checked.verified)
    assert ph.verify(release, policy).verdict == "proved"


@pytest.mark.parametrize(
    "sample",
    [
        None,
        {"share": "1/2", "seed": 4},
        {"share": "2/5", "seed": 3},
        {"share": "2/4", "seed": 3},
        {"share": "1/100", "seed": 3},
        {"share": "1", "seed": 3},
        {"share": "x", "seed": 3},
        {"share": "1/2", "seed": True},
        {"share": "1/2"},
        ["1/2", 3],
    ],
)
def test_another_sample_is_refused(sample: Any, tmp_path: Path) -> None:
    table, policy = files(tmp_path)
    certificate = copy.deepcopy(ph.search(table, policy, **asked()).certificate)
    assert certificate is not None
    certificate["sample"] = sample
    if sample is None:
        del certificate["sample"]
    assert not ph.check(sealed(certificate), table, policy).accepted


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"sample": 0}, "above 0 and below 1, not 0"),
        ({"sample": 1}, "above 0 and below 1, not 1"),
        ({"sample": "1/100"}, "draws no record: 1/100 of 40, rounded down, is 0"),
        ({"sample": "half"}, "half"),
        ({"sample": "1/2", "seed": "x"}, "seed: is a whole number"),
        ({"sample": "1/2", "seed": True}, "seed: is a whole number"),
        ({"seed": 3}, "draws a sample, and none is asked for"),
    ],
)
def test_samples_that_are_none(
    given: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    _, policy = files(tmp_path)
    with pytest.raises(InputError, match=expected):
        ph.search(TABLE, policy, **given)


def test_individuals_have_no_number_in_a_sample(tmp_path: Path) -> None:
    _, policy = files(tmp_path)
    policy.write_text(POLICY + 'who = "!(@i3 [a0] ill = a)"\n')
    with pytest.raises(InputError, match=r"by number .* while a sample is drawn"):
        ph.search(TABLE, policy, **asked())


def test_a_seed_is_chosen_and_told(tmp_path: Path) -> None:
    _, policy = files(tmp_path)
    found = ph.search(TABLE, policy, sample="1/2")
    assert found.sample is not None
    assert f"seed {found.sample.seed})" in found.notes[0]
    again = ph.search(TABLE, policy, sample="1/2", seed=found.sample.seed)
    assert again.cost == found.cost


def test_points_of_a_tradeoff_are_about_one_sample(tmp_path: Path) -> None:
    _, policy = files(tmp_path)
    both: dict[str, Any] = {"sample": "1/2", "seed": 3}
    found = ph.tradeoff(TABLE, policy, k=[2, 3], **both)
    assert found.rows == 20
    assert found.to_dict()["sample"] == {"share": "1/2", "seed": 3}
    assert found.points[0].cost == ph.search(TABLE, policy, **both).cost


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, policy = files(tmp_path)
    proof, out = tmp_path / "proof.json", tmp_path / "release.csv"
    asked = ["search", str(table), "--policy", str(policy), "--sample", "50%"]
    written = ["--seed", "3", "--certificate", str(proof), "--output", str(out)]
    assert main([*asked, *written]) == 0
    assert "seed 3): every rule, share and cost" in capsys.readouterr().out
    assert json.loads(proof.read_text())["sample"] == {"share": "1/2", "seed": 3}
    assert len(out.read_text().splitlines()) <= 21
    both = ["--table", str(table), "--policy", str(policy), "--release", str(out)]
    assert main(["check", str(proof), *both]) == 0
    assert plain_check([str(proof), *both]) == 0
    assert capsys.readouterr().out.count("drawn again: all else is about it") == 2
    assert main([*asked, "--seed", "x"]) == 2
    assert "--seed: is a whole number" in capsys.readouterr().err


def test_a_certificate_is_held_against_its_own_rows(tmp_path: Path) -> None:
    """Whoever draws no sample, or another one, is told so before all else."""
    table, policy = files(tmp_path)
    certificate = ph.search(table, policy, **asked()).certificate
    assert certificate is not None
    named = {"table": table, "policy": policy}
    for sample in (None, RecordSample(Fraction(1, 2), 4)):
        other = from_files(named, sample=sample)
        with pytest.raises(Refused, match="another sample"):
            list(minimal.check(certificate, other, minimal.Judges()))
    same = from_files(named, sample=RecordSample(Fraction(1, 2), 3))
    assert list(minimal.check(certificate, same, minimal.Judges()))


@pytest.mark.parametrize("space", ["levels", "tuples"])
def test_who_was_not_drawn_is_said_to_be_left_out(space: str) -> None:
    names = [f"p{k}" for k in range(8)]
    frame = pd.DataFrame({"id": names, "zip": ["1"] * 8, "ill": ["a", "b"] * 4})
    drawn = RecordSample(Fraction(1, 2), 3).rows(8)
    absent = next(name for k, name in enumerate(names) if k not in drawn)
    columns = {"identifier": "id", "quasi": ["zip"], "sensitive": ["ill"]}

    def searched(person: str) -> Any:
        rules = {"k": "k_anonymity(2)", "fair": f"@'{person}' ~[a1] ill = a"}
        policy = ph.Policy.from_dict({"columns": columns, "rules": rules})
        if space == "tuples":
            return ph.anonymize(frame, policy=policy, budget=5, sample="1/2", seed=3)
        return ph.search(frame, policy, sample="1/2", seed=3)

    with pytest.raises(InputError, match="the sample left them out"):
        searched(absent)
    with pytest.raises(InputError, match="individuals: 'p"):
        searched("nobody")
