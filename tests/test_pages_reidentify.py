"""The page of a risk, and of a linkage method: every count is right, and everybody is
told none that is small.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.pages import check_page, said
from support.so_many import so_many

import phverify as ph
from phverify.cli.main import main
from phverify.linkage.risk.outcomes import LinkOutcome, Outcomes
from phverify.report.page import BarChart, CurveChart, DataTable, Page, PageBlock
from phverify.report.portraits import SMALL
from phverify.report.reidentify_html import to_page
from phverify.report.risk_html import between, bin_name, bins

HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
POLICY = {
    "columns": {"quasi": ["zip", "age"], "sensitive": ["ill"]},
    "hierarchies": {"zip": {"prefix": [1, 0]}},
    "rows": "same order",
}
BOUNDS = tuple(map(Fraction, ("1/20", "9/100", "1/5")))


def blocks(page: Page) -> list[PageBlock]:
    """All blocks of a page in their order."""
    found: list[PageBlock] = []
    left = list(page.sections)
    while left:
        section = left.pop(0)
        found += section.blocks
        left = [*section.sections, *left]
    return found


def risk(classes: list[int]) -> ph.Reidentification:
    """The risk of a release with classes of these sizes, each a value of zip."""
    zips = [f"{number}0" for number, size in enumerate(classes) for _ in range(size)]
    frame = pd.DataFrame({"zip": zips, "age": "30", "ill": "flu"})
    roles = {**POLICY, "hierarchies": {}}
    return ph.reidentify(frame, frame, roles)


def bars(page: Page, caption: str) -> dict[str, str]:
    for block in blocks(page):
        if isinstance(block, BarChart) and block.caption.startswith(caption):
            return {bar.label: bar.number for bar in block.bars}
    raise AssertionError(caption)


def table(page: Page, caption: str) -> DataTable:
    for block in blocks(page):
        if isinstance(block, DataTable) and block.caption.startswith(caption):
            return block
    raise AssertionError(caption)


@so_many(13, fuzz=1000)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=6))
def test_counts_are_those_of_the_classes(classes: list[int]) -> None:
    page = to_page(risk(classes))
    rows = sum(classes)
    # of a class of n records each has the risk 1/n
    for line, bound in zip(table(page, "Records at or").rows, BOUNDS, strict=True):
        above = sum(size for size in classes if Fraction(1, size) >= bound)
        assert line[1].startswith(f"{above} of {rows} (")
    counts = bars(page, "Records by their risk")
    told = [int(number.split()[0]) for number in counts.values()]
    ends = [Fraction(0), *BOUNDS, Fraction(1, 2), Fraction(1), Fraction(2)]
    for place, count in enumerate(told):
        inside = [n for n in classes if ends[place] <= Fraction(1, n) < ends[place + 1]]
        assert count == sum(inside)


@given(st.lists(st.fractions(0, 1), max_size=4), st.lists(st.fractions(0, 1)))
def test_each_record_is_in_one_bin(
    bounds: list[Fraction], risks: list[Fraction]
) -> None:
    items = [LinkOutcome(1, highest, highest, 1, 1) for highest in risks]
    outcomes = Outcomes(tuple(items))
    parts = bins(tuple(bounds))
    assert sum(between(outcomes, *part) for part in parts) == len(risks)
    names = [bin_name(*part) for part in parts]
    assert names[0].startswith("below ") and names[-1] == "1: certain"


def test_the_curve_has_marks_at_the_thresholds() -> None:
    page = to_page(risk([1, 5, 14]))
    [chart] = [block for block in blocks(page) if isinstance(block, CurveChart)]
    assert "20 records: 20 at or above 0.05, 6 at or above 0.09" in chart.alternative
    first, *marks = chart.curves
    assert [(point.x, point.y) for point in first.points] == [
        ("0", "20"),
        ("1/14", "6"),
        ("1/5", "1"),
        ("1", "0"),
    ]
    assert [mark.points[1].y for mark in marks] == ["20", "6", "6"]
    assert [mark.points[0].right for mark in marks] == [0.05, 0.09, 0.2]


def test_who_is_singled_out(tmp_path: Path) -> None:
    result = risk([1, 9])
    page = to_page(result)
    text = said(result.to_html())
    assert "1 record can come from one original only" in text
    assert table(page, "The smallest combinations").rows == (("zip", "1", "d1"),)
    assert table(page, "For whoever knows").rows[0][:2] == ("d1", "i1")
    public = said(result.to_html(public=True))
    assert "d1" not in public and "singles" not in public
    assert "which combinations of attributes single somebody out, and whom" in public


@so_many(13, fuzz=1000)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=9))
def test_everybody_is_told_no_small_number(classes: list[int]) -> None:
    page = to_page(risk(classes), public=True)
    check_number = re.compile(rf"fewer than {SMALL}|([\d,]+) or more")
    counts = [*bars(page, "Records by their risk").values()]
    counts += [row[1] for row in table(page, "Records at or above").rows]
    for count in counts:
        match = check_number.fullmatch(count)
        assert match, count
        if match[1]:
            assert int(match[1]) % SMALL == 0 and int(match[1]) > 0
    assert re.fullmatch(
        r"fewer than 5|[5-9]|\d\d+", table(page, "What each").rows[0][1]
    )
    rate = Fraction(len(classes), sum(classes))
    told = re.search(r"at most ([\d.]+)% of the records", page.verdict.sentence)
    assert told and Fraction(told[1]) / 100 >= rate


SECRET = "zq"


def secret_tables(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, object]]:
    """An original, a release and a policy full of a secret."""
    zips = [f"{SECRET}{number % 3}" for number in range(12)]
    before = pd.DataFrame(
        {
            "who": [f"{SECRET}who{number}" for number in range(12)],
            "zip": zips,
            "age": [f"{SECRET}age{number}" for number in range(12)],
            "ill": [f"{SECRET}ill{number % 2}" for number in range(12)],
        }
    )
    policy = {
        "columns": {
            "identifier": "who",
            "quasi": ["zip", "age"],
            "sensitive": ["ill"],
        },
        "agents": {f"{SECRET}nurse": ["zip"]},
        "secrets": {f"'{SECRET}who1'": [f"ill = '{SECRET}ill1'"]},
        "rules": {f"{SECRET}rule": f"@'{SECRET}who1' ~[a1] ill = '{SECRET}ill1'"},
    }
    return before, before, policy


def test_everybody_is_told_nothing_of_the_records(tmp_path: Path) -> None:
    before, after, policy = secret_tables(tmp_path)
    links = pd.DataFrame(
        {
            "record": before["who"],
            "original": [*before["who"][1:], before["who"][0]],
            "probability": 1,
        }
    )
    for method in (None, links):
        result = ph.reidentify(before, after, policy, method=method)
        page = result.to_html(public=True)
        check_page(page)
        assert SECRET not in page
        # its owner is told
        assert SECRET in result.to_html()
        redacted = ph.reidentify(before, after, policy, method=method, redact=True)
        assert f"{SECRET}who" not in redacted.to_html()


def test_a_method_is_judged() -> None:
    result = ph.reidentify(
        HOSPITAL / "original.csv",
        HOSPITAL / "release.csv",
        HOSPITAL / "policy.toml",
        method=HOSPITAL / "links.csv",
    )
    text = said(result.to_html())
    assert "UNSOUND The linkage method cannot be relied on" in text
    assert "d3 gives 1/4 to i3, from which it comes, and 3/4 to i4" in text
    assert "57.1%" in text and "Calibration" in text
    public = said(result.to_html(public=True))
    assert "d3" not in public and "57.1%" not in public
    assert "more is given to another record than to the one" in public
    check_page(result._repr_html_(), fragment=True)


def test_names_of_columns_are_texts() -> None:
    evil = "<i>\u202e&"
    frame = pd.DataFrame({evil: ["<b>", "<b>", "c"], "s": ["1", "2", "3"]})
    roles = {"columns": {"quasi": [evil], "sensitive": ["s"]}, "rows": "same order"}
    result = ph.reidentify(frame, frame, roles)
    for page in (result.to_html(), result.to_html(public=True)):
        check_page(page)
        assert "<i>" not in page and "\u202e" not in page
    assert "<i>\\u202e&" in said(result.to_html())


def test_the_command_writes_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "page.html"
    tables = [str(HOSPITAL / name) for name in ("original.csv", "release.csv")]
    command = ["reidentify", *tables, "--policy", str(HOSPITAL / "policy.toml")]
    assert main([*command, "--html", str(target)]) == 0
    page = target.read_text(encoding="utf-8")
    check_page(page)
    assert "8 of 8 (100%)" in said(page)
    assert main([*command, "--html", str(target), "--public"]) == 0
    assert "hospital" not in target.read_text(encoding="utf-8")
