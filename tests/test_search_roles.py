"""What a search asks of a policy's roles, and what it says of columns and of its files."""

from __future__ import annotations

import gzip
import stat
from pathlib import Path

import pandas as pd
import pytest

from phverify import check, search
from phverify.cli.main import main
from phverify.errors import InputError
from phverify.policy.model import Policy
from phverify.spec import spaces
from phverify.spec.data import Refused

TABLE = "row,job,age,illness\n" + "".join(
    f"{row},{job},{age},{illness}\n"
    for row, (job, age, illness) in enumerate(
        [("nurse", 23, "flu"), ("nurse", 24, "cold"), ("cook", 31, "flu")] * 2
        + [("baker", 39, "gout")]
    )
)
TEXT = """[columns]
quasi = ["job", "age"]
sensitive = ["illness"]
neutral = ["row"]
[hierarchies]
age = {intervals = [10, 100]}
[rules]
k = "k_anonymity(2)"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE)
    Path("policy.toml").write_text(TEXT)
    return tmp_path


def test_columns_without_a_role_are_refused(folder: Path) -> None:
    Path("policy.toml").write_text(TEXT.replace('neutral = ["row"]\n', ""))
    with pytest.raises(InputError) as caught:
        search("table.csv", "policy.toml")
    said = str(caught.value)
    assert "1 column of table.csv has no role: 'row' would be published" in said
    assert 'neutral = ["row"]' in said


def test_the_line_to_add_keeps_what_is_neutral(folder: Path) -> None:
    table = pd.DataFrame({"row": ["1"], 'a "b"': "2", "job": "3", "age": "4"})
    table["illness"] = "flu"
    with pytest.raises(InputError) as caught:
        search(table, "policy.toml")
    assert r'neutral = ["row", "a \"b\""]' in str(caught.value)


@pytest.mark.parametrize("space", ["levels", "subtrees", "intervals"])
def test_text_without_a_hierarchy_is_kept_or_suppressed(
    folder: Path, space: str
) -> None:
    result = search("table.csv", "policy.toml", space=space)
    assert result.verdict == "optimal"
    assert set(result.mapping["job"].values()) == {"*"}
    assert "no hierarchy for 'job': its values are kept, or become *" in result.notes[0]
    assert result.to_dict()["notes"] == list(result.notes)
    assert any("note: no hierarchy for 'job'" in line for line in result.lines())
    checked = check(result.certificate, "table.csv", "policy.toml")
    assert checked.verdict == "accepted"
    assert "no hierarchy of job: its values are kept, or become *" in str(checked)


def test_the_default_is_the_hierarchy_of_two_levels(folder: Path) -> None:
    """The same cost, mapping and minimal vectors as with a file that says it."""
    jobs = "".join(f"{job};*\n" for job in ("nurse", "cook", "baker"))
    Path("job.csv").write_text(jobs)
    Path("said.toml").write_text(TEXT.replace("age = {", 'job = "job.csv"\nage = {'))
    default = search("table.csv", "policy.toml", all_minimal=True)
    said = search("table.csv", "said.toml", all_minimal=True)
    assert default.cost == said.cost
    assert default.mapping == said.mapping
    assert default.minimal == said.minimal


def test_numbers_without_a_hierarchy_still_need_one(folder: Path) -> None:
    typed = '[types]\njob = "integer"\n[hierarchies]'
    Path("policy.toml").write_text(TEXT.replace("[hierarchies]", typed))
    Path("table.csv").write_text("row,job,age,illness\n1,2,3,flu\n")
    with pytest.raises(InputError, match="'job' needs a hierarchy"):
        search("table.csv", "policy.toml")


def test_missing_quasi_identifiers(folder: Path) -> None:
    Path("table.csv").write_text(TABLE.replace(",24,", ",,"))
    warnings = search("table.csv", "policy.toml").warnings
    assert warnings[0].startswith(
        "2 cells of the quasi-identifier 'age' are missing: a"
    )
    assert "only where all values of the column are made one" in warnings[0]


def test_values_that_look_alike(folder: Path) -> None:
    Path("table.csv").write_text(TABLE.replace("cook,31,flu", "cook,31,Flu"))
    result = search("table.csv", "policy.toml")
    assert "'flu', 'Flu'" in result.warnings[0]
    hidden = search("table.csv", "policy.toml", redact=True).warnings[0]
    assert "flu" not in hidden


def test_why_a_search_is_infeasible(folder: Path) -> None:
    Path("policy.toml").write_text(TEXT.replace("ity(2)", "ity(8)"))
    closed = search("table.csv", "policy.toml")
    assert closed.verdict == "infeasible"
    assert closed.reason.startswith("even the most general candidate breaks k")
    # Fewer than three in a class: merging classes does not keep that.
    Path("policy.toml").write_text(
        TEXT.replace("k_anonymity(2)", "k_anonymity(2) & !k_anonymity(3)")
    )
    Path("table.csv").write_text(TABLE.replace("baker", "cook"))
    other = search("table.csv", "policy.toml")
    assert other.verdict == "infeasible"
    assert other.reason.startswith("no candidate satisfies all rules; the most general")


def test_what_is_confidential_is_nobody_elses(folder: Path) -> None:
    wanted = ["--certificate", "c.json", "--json", "r.json", "--output", "o.csv"]
    Path("o.csv").touch()
    usual = stat.S_IMODE(Path("o.csv").stat().st_mode)
    assert main(["search", "table.csv", "--policy", "policy.toml", *wanted]) == 0
    modes = [stat.S_IMODE(Path(name).stat().st_mode) for name in wanted[1::2]]
    assert modes == [0o600, 0o600, usual]
    assert main(["verify", "o.csv", "--policy", "policy.toml", *wanted[:2]]) == 0
    assert stat.S_IMODE(Path("c.json").stat().st_mode) == 0o600


def test_a_release_is_packed_where_its_name_says_so(folder: Path) -> None:
    asked = ["search", "table.csv", "--policy", "policy.toml", "--output"]
    assert main([*asked, "o.csv"]) == 0
    assert main([*asked, "o.csv.gz"]) == 0
    assert gzip.decompress(Path("o.csv.gz").read_bytes()) == Path("o.csv").read_bytes()
    # The checker of a certificate reads the released file by itself.
    assert main([*asked, "o.csv.gz", "--certificate", "c.json"]) == 2


def test_the_checker_knows_no_default_for_numbers() -> None:
    policy = Policy.from_dict(
        {
            "columns": {"quasi": ["n"]},
            "types": {"n": "integer"},
            "rules": {"k": "k_anonymity(1)"},
        }
    )
    with pytest.raises(Refused, match="'n' has no hierarchy"):
        spaces.scheme("levels", policy, "n", ("1", "2"), None, False)
