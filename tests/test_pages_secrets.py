"""What a policy declares as secret stands on pages in words: a rule that speaks of
secrets alone would not say which.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from support.pages import check_page, read_page, said

import phverify as ph

SECRET = "zq"
TABLE = pd.DataFrame(
    {
        "zip": ["1", "1", "2", "2"],
        "ill": [f"{SECRET}flu", f"{SECRET}hiv", f"{SECRET}flu", "cold"],
        "who": [f"{SECRET}Ann", f"{SECRET}Bob", "Cem", "Dan"],
    }
)
POLICY: dict[str, Any] = {
    "columns": {"quasi": ["zip"], "sensitive": ["ill"], "identifier": "who"},
    "secrets": {
        "*": [f"ill = '{SECRET}hiv'", f"~(ill = '{SECRET}flu' | ill = 'cold')"],
        f"'{SECRET}Ann'": [{"formula": f"ill = '{SECRET}flu'", "weight": "1/2"}],
    },
    "rules": {"safe": "logical_safety()"},
}


def secrets_of(page: str) -> list[list[str]]:
    """The rows of the table of secrets."""
    elements = read_page(page)
    cells: list[str] = []
    inside = False
    for one in elements:
        if one.tag == "caption":
            inside = one.text == "What is secret"
        if inside and one.tag in ("th", "td"):
            cells.append(one.text)
    wide = 3 if "seriousness" in cells else 2
    return [cells[at : at + wide] for at in range(wide, len(cells), wide)]


def test_secrets_are_told_with_whose_they_are() -> None:
    report = ph.verify(TABLE, POLICY)
    page = report.to_html()
    check_page(page)
    assert secrets_of(page) == [
        ["everybody's", f"ill is '{SECRET}hiv'", "1"],
        [
            "everybody's",
            f"it is not so that (ill is '{SECRET}flu', or ill is 'cold')",
            "1",
        ],
        [f"'{SECRET}Ann'", f"ill is '{SECRET}flu'", "1/2"],
    ]


def test_everybody_is_told_no_value_and_nobody() -> None:
    page = ph.verify(TABLE, POLICY).to_html(public=True)
    check_page(page)
    assert SECRET not in page
    assert [row[:2] for row in secrets_of(page)] == [
        ["everybody's", "ill is a certain value"],
        [
            "everybody's",
            "it is not so that (ill is a certain value, or ill is a certain value)",
        ],
    ]
    assert "some people have secrets of their own: left out" in said(page)


def test_redacted_secrets_name_positions() -> None:
    page = ph.verify(TABLE, POLICY, redact=True).to_html()
    rows = secrets_of(page)
    assert rows[0][1] == "ill is a certain value" and rows[-1][0] == "i1"
    assert f"{SECRET}flu" not in page and f"{SECRET}Ann" not in page


@pytest.mark.parametrize("public", [False, True])
def test_pages_of_searches_tell_them_too(public: bool) -> None:
    policy = {**POLICY, "secrets": {"*": POLICY["secrets"]["*"]}}
    result = ph.search(TABLE, policy)
    page = result.to_html(public=public)
    check_page(page)
    assert [row[0] for row in secrets_of(page)] == ["everybody's"] * 2
    without = {**POLICY, "secrets": {}, "rules": {"r": "k_anonymity(2)"}}
    assert secrets_of(ph.verify(TABLE, without).to_html(public=public)) == []
