"""A first policy is one that ``search`` and ``verify`` take as it is, whatever the values
of the columns are.
"""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest

import phverify as ph
from phverify.cli.main import main
from phverify.proposal.templates import TEMPLATES, PolicyTemplate

KINDS: dict[str, list[str]] = {
    "flag": ["0", "1"],
    "number": ["7", "12", "30", "31"],
    "share": ["0.5", "1.25"],
    "shares": ["0.5", "1.25", "2.0", "7.125"],
    "day": ["2020-01-02", "2021-03-04"],
    "days": ["2020-01-02", "2021-03-04", "2021-03-05"],
    "code": ["A1", "A2", "B1"],
    "zip": ["02138", "02139", "02238"],
    "word": ["hat", "cap"],
    "mixed": ["1", "x", ""],
    "little": ["5", ""],
    "naïve 'q\" \\": ["ß", "😀", "年"],
}
"""Columns by their names, with the values that they have."""


def table(seed: int) -> pd.DataFrame:
    """Forty rows of some of these columns."""
    chance = random.Random(seed)
    names = chance.sample(list(KINDS), 3)
    columns = {name: [chance.choice(KINDS[name]) for _ in range(40)] for name in names}
    return pd.DataFrame(columns)


@pytest.mark.parametrize("seed", range(16))
def test_search_takes_what_is_proposed(seed: int, tmp_path: Path) -> None:
    frame = table(seed)
    template = TEMPLATES[seed % len(TEMPLATES)].name
    proposal = ph.propose(frame, template)
    file = tmp_path / "policy.toml"
    file.write_text(proposal.toml(), encoding="utf-8")
    found = ph.search(frame, file)
    assert found.verdict == "optimal", proposal.toml()
    assert ph.verify(found.release, file).verdict == "proved"


def test_columns_of_two_numbers_are_kept_or_suppressed() -> None:
    frame = pd.DataFrame({name: KINDS[name] * 20 for name in ("flag", "share", "day")})
    proposal = ph.propose(frame)
    assert proposal.of("quasi") == ["flag", "share", "day"]
    # whatever has no hierarchy is text, which can be * as a whole
    untyped = [one.name for one in proposal.columns if one.hierarchy is None]
    assert "flag" in untyped
    assert not set(untyped) & set(proposal.plain()["types"])


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda one: one.name)
def test_a_table_with_too_few_rows_is_told_so(template: PolicyTemplate) -> None:
    name, least = template.name, template.alike
    said = f": no release of it keeps the rules, which ask for {least} alike"
    short = ph.propose(
        pd.DataFrame({"age": ["1", "2"] * least}).iloc[: least - 1], name
    )
    assert any(said in note for note in short.notes)
    whole = ph.propose(pd.DataFrame({"age": ["1"] * least}), name)
    assert whole.notes == ()
    # the number is that of the rules
    policy = whole.policy()
    same = pd.DataFrame({"age": ["1"] * least})
    assert ph.verify(same, {**whole.plain()}).verdict == "proved" and policy.rules
    fewer = same.iloc[: least - 1]
    assert ph.verify(fewer, {**whole.plain()}).verdict == "refuted"


def test_what_can_be_done_next_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.csv"
    for text, searched in (("zip\n1\n2\n1\n", True), ("id\n1\n2\n3\n", False)):
        file.write_text(text, encoding="utf-8")
        output = tmp_path / f"{searched}.toml"
        assert main(["init", str(file), "--yes", "--output", str(output)]) == 0
        told = capsys.readouterr().out
        assert ("phverify search" in told) == searched
        assert ("phverify verify" in told) != searched
