"""Pages: one file that loads nothing, whose colours and structure everybody can read, in
which no value of the data is more than a text.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.pages import STYLE, check_page, contrast, palettes, read_page, said

import phverify as ph
from phverify.cli.main import main
from phverify.logic.printer import quoted
from phverify.report.html import page_file, page_fragment
from phverify.report.page import (
    Banner,
    Bar,
    BarChart,
    BarPair,
    ChartCurve,
    CodeText,
    CurveChart,
    CurvePoint,
    DataTable,
    Drawing,
    Facts,
    MatrixCell,
    MatrixTable,
    Page,
    PageBlock,
    PageSection,
    PairedBars,
    Paragraph,
    Points,
    Remark,
    SignatureLines,
    TableColumn,
    Timeline,
    TimelineEvent,
)
from phverify.result import Result

EVIL = "<script>alert(1)</script>\"'&\u202eflu\u200b"
SEEN = "<script>alert(1)</script>\"'&\\u202eflu\\u200b"
"""The same as a reader sees it."""


def every_block(text: str) -> list[PageBlock]:
    """Each kind of block, full of a text."""
    point = CurvePoint(0.0, 0.25, text, text)
    last = CurvePoint(1.0, 0.75, text, text)
    curves = (ChartCurve(text, (point, last)), ChartCurve(text, (point, last), False))
    return [
        Paragraph(text),
        CodeText((text, text)),
        Banner(text, text, "bad"),
        Remark(text, text, "open"),
        Points((text,)),
        Points((text,), ordered=True),
        Facts(((text, text),)),
        DataTable(
            text, (TableColumn(text), TableColumn(text, True)), ((text, text),), text
        ),
        BarChart(text, text, text, (Bar(text, text, 0.5, "bad"),), 0.2, text),
        PairedBars(
            text, text, text, text, (BarPair(text, text, 0.5, text, 1.0),), text
        ),
        CurveChart(text, text, text, text, (0, 8, 0, 2), curves, text),
        Timeline(text, (TimelineEvent(text, (text,), text, "bad"),)),
        MatrixTable(text, text, (text,), (text,), ((MatrixCell(text, "good"),),)),
        Drawing(text, text, "<svg><title>drawn</title></svg>"),
        SignatureLines(text, (text,)),
    ]


def page_of(text: str) -> Page:
    inner = PageSection(text, tuple(every_block(text)))
    sections = (PageSection(text, (), (inner,)),)
    return Page(text, text, Banner(text, text, "good"), sections)


def test_every_kind_of_block_is_tried() -> None:
    assert {type(block) for block in every_block("a")} == set(
        PageBlock.__subclasses__()
    )


@pytest.mark.parametrize("write", [page_file, page_fragment])
def test_texts_stay_texts(write: Any) -> None:
    page = write(page_of(EVIL))
    check_page(page, write is page_fragment)
    assert "\u202e" not in page and "\u200b" not in page
    assert "<script" not in page
    shown = said(page)
    # each of them: as many as there are in a page of plain words
    plain = said(write(page_of("plain")))
    assert shown.count(SEEN) == plain.count("plain") > 30


def test_bars_have_their_lengths() -> None:
    elements = read_page(page_file(page_of("a")))
    widths = [one.attributes.get("width") for one in elements if one.tag == "rect"]
    assert {"50.00", "100.00"} <= set(widths)
    marks = [one for one in elements if one.attributes.get("class") == "mark"]
    assert marks[0].attributes["x"] == "20.00"


TEXTS = ("text", "muted", "good", "bad", "open")


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_colours_can_be_told_apart(scheme: str) -> None:
    colours = palettes()[scheme]
    panels = [name for name in colours if name.endswith("panel")]
    for panel in ("page", *panels):
        assert contrast(colours["text"], colours[panel]) >= 4.5
    for text in TEXTS:
        for panel in ("page", "panel"):
            assert contrast(colours[text], colours[panel]) >= 4.5, (text, panel)
    for tone in ("good", "bad", "open"):
        assert contrast(colours[tone], colours[f"{tone}-panel"]) >= 4.5
    # what is drawn, beside what it is drawn on
    for drawn in ("bar", "other", "good", "bad", "open"):
        for ground in ("page", "panel", "track"):
            assert contrast(colours[drawn], colours[ground]) >= 3, (drawn, ground)


def test_printing_is_as_in_the_light() -> None:
    assert palettes()["print"] == palettes()["light"]
    assert set(palettes()["dark"]) == set(palettes()["light"])
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)


def test_the_style_is_about_the_page_alone() -> None:
    """In a notebook it stands beside what others have written."""
    style = STYLE.read_text(encoding="utf-8")
    for rule in re.findall(r"([^{}]+)\{", style):
        selectors = rule.strip()
        if selectors.startswith("@media"):
            continue
        for selector in selectors.split(","):
            assert selector.strip().startswith(".phverify"), selector
    fragment = page_fragment(page_of("a"))
    assert "@page" not in fragment and "<html" not in fragment
    assert "@page" in page_file(page_of("a"))


ROLES = {"columns": {"quasi": ["<q>"], "sensitive": ["s"], "identifier": "id"}}


def evil_report(**more: Any) -> ph.Report:
    frame = pd.DataFrame(
        {"<q>": ["<b>&", "<b>&"], "s": [EVIL, EVIL], "id": ["Ada<i>", "Bob"]}
    )
    rules = {"<script>": "l_diversity(s, 2)", "eq": f"~[a1] s = {quoted(EVIL)}"}
    return ph.verify(frame, ph.Policy.from_dict({**ROLES, "rules": rules}), **more)


def test_values_of_the_data_are_texts() -> None:
    report = evil_report()
    for page in (report.to_html(), report.to_html(public=True)):
        check_page(page)
        assert "<script" not in page and "<b>&" not in page and "<i>" not in page
    fragment = report._repr_html_()
    check_page(fragment, fragment=True)
    assert "&lt;b&gt;&amp;" in fragment


def write_release(folder: Path, rule: str = "k_anonymity(2)") -> list[str]:
    """A release and a policy as files; the command that verifies it."""
    (folder / "release.csv").write_text("q,s\n1,a\n1,b\n2,a\n", encoding="utf-8")
    (folder / "policy.toml").write_text(
        f'[columns]\nquasi = ["q"]\nsensitive = ["s"]\n[rules]\nk = "{rule}"\n',
        encoding="utf-8",
    )
    return [
        "verify",
        str(folder / "release.csv"),
        "--policy",
        str(folder / "policy.toml"),
    ]


def test_a_page_is_for_its_owner(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = write_release(tmp_path)
    target = tmp_path / "page.html"
    target.write_text("an earlier one, open to all", encoding="utf-8")
    target.chmod(0o644)
    assert main([*command, "--html", str(target)]) == 1
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    said_there = capsys.readouterr().out
    assert f"the page is written to {target} (it may quote the data:" in said_there
    page = target.read_text(encoding="utf-8")
    check_page(page)
    assert "REFUTED" in said(page) and "Internal" in said(page)
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "page.html",
        "policy.toml",
        "release.csv",
    ]
    assert main([*command, "--html", str(target), "--public"]) == 1
    assert "Public" in said(target.read_text(encoding="utf-8"))
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--public"], "--public: says what stands on the page of --html"),
        (["--html", "-"], "--html: is the name of a file"),
        (["--html", "{}/release.csv"], "--html"),
        (["--html", "{}/none/page.html"], "--html"),
        (["--html", "{}/a", "--json", "{}/a"], "is where --"),
    ],
)
def test_where_a_page_cannot_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], told: str
) -> None:
    command = write_release(tmp_path)
    options = [option.format(tmp_path) for option in more]
    assert main([*command, *options]) == 2
    assert told in capsys.readouterr().err


class Undrawn(Result):
    """An answer that has no page."""

    verb = "undrawn"


def test_answers_without_a_page_say_so() -> None:
    with pytest.raises(ph.InputError, match="undrawn: has no page: Undrawn is told"):
        Undrawn().to_html()


def test_the_templates_are_in_the_package() -> None:
    """They are data of the package as its metadata says."""
    import tomllib

    root = Path(ph.__file__).parent.parent
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = settings["tool"]["setuptools"]["package-data"]["phverify.report"]
    packed = {
        one.name for pattern in patterns for one in (STYLE.parents[1]).glob(pattern)
    }
    assert packed == {one.name for one in STYLE.parent.iterdir() if one.is_file()}
