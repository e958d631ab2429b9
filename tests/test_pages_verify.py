"""The page of a report: what it must say, and what its public form must not."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from support.pages import check_page, said

import phverify as ph
from phverify.cli.main import main
from phverify.measurement.result import SizeBin
from phverify.measurement.threshold import Threshold
from phverify.report.portraits import public_sizes, public_threshold

SECRET = "zq"
"""In every cell, name and value of this release."""


def cells(column: str, count: int) -> list[str]:
    return [f"{SECRET}{column}{number}" for number in range(count)]


def secret_files(folder: Path) -> tuple[str, str]:
    """A release and a policy whose every value, name and path has the secret."""
    place = folder / f"{SECRET}-folder"
    place.mkdir()
    zips, ills, pays = cells("zip", 2), cells("ill", 3), cells("pay", 2)
    rows = []
    for number in range(8):
        rows.append(
            {
                "zip": zips[0] if number < 3 else zips[1],
                "ill": ills[0] if number < 3 else ills[number % 3],
                "pay": pays[number % 2],
                "height": f"{SECRET}height",
                "who": f"{SECRET}who{number}",
            }
        )
    release = place / "release.csv"
    pd.DataFrame(rows).to_csv(release, index=False)
    tree = "".join(f"{value};{SECRET}node;*\n" for value in ills)
    (place / "ill.csv").write_text(tree, encoding="utf-8")
    policy = place / "policy.toml"
    policy.write_text(
        f"""
[columns]
quasi = ["zip"]
sensitive = ["ill", "pay"]
neutral = ["height"]
identifier = "who"
[hierarchies]
ill = "ill.csv"
[agents]
{SECRET}nurse = ["zip"]
[secrets]
"*" = ["ill = '{ills[1]}'"]
"'{SECRET}who1'" = ["ill = '{ills[0]}'"]
[assumptions]
{SECRET}known = "@'{SECRET}who7' pay = '{pays[1]}' | @'{SECRET}who7' pay = '{pays[0]}'"
[rules]
{SECRET}large = "k_anonymity(2)"
diverse = "l_diversity(ill, 2)"
guarded = "guarded(ill, '{SECRET}node', 1/2)"
named = "@'{SECRET}who1' ~[a1] ill = '{ills[0]}'"
safe = "logical_safety()"
joint = "forall i, j: ~[a1](@i ill = '{ills[1]}' & @j pay in {{'{pays[0]}'}})"
agent = "forall v in ill: ~[{SECRET}nurse] (ill = v & d1)"
never = "never_known(@'{SECRET}who2' ill = '{ills[0]}')"
close = "t_closeness(ill, 0.1) & @'{SECRET}who1' true"
""",
        encoding="utf-8",
    )
    return str(release), str(policy)


def test_a_public_page_has_nothing_of_the_data(tmp_path: Path) -> None:
    release, policy = secret_files(tmp_path)
    report = ph.verify(release, policy, portrait=True)
    assert {rule.verdict for rule in report.rules} >= {"proved", "refuted"}
    measurement = ph.measure(release, policy)
    for result in (report, measurement):
        internal, public = result.to_html(), result.to_html(public=True)
        check_page(internal)
        check_page(public)
        # the internal one has them: there is something to be left out
        assert internal.count(SECRET) > 20
        assert SECRET not in public
        # nor who is on which record, nor how large the worst class is
        shown = said(public)
        for told in ("d1", "i1", "3 rows", "1/3", "2/3", "60.0%"):
            assert told not in shown.split(), told
        assert "Public form" in shown and "Internal form" in said(internal)
    assert report.to_html(public=True).count("REFUTED") >= 4


def test_what_the_page_of_a_report_says(tmp_path: Path) -> None:
    release, policy = secret_files(tmp_path)
    shown = said(ph.verify(release, policy, portrait=True).to_html())
    for told in (
        "The release breaks the policy: at least one rule is not kept.",
        "Every person is hidden among at least 2 people with the same quasi-identifiers.",
        "What an observer knows: the quasi-identifiers zip = zqzip0.",
        "What remains: 3 rows of the release",
        "Classes by their size",
        "ill in this class and in the whole table",
        "l_diversity(ill, l) l = 2 largest l = 1 no",
        "k_anonymity(k) k = 2 largest k = 3 yes",
        "it breaks diverse",
        "What this verdict covers",
        "other releases of the same or of overlapping data",
    ):
        assert told in shown, told
    # the verdict comes first
    assert shown.index("REFUTED") < shown.index("What this verdict covers")


def test_redacted_pages_show_no_confidential_value(tmp_path: Path) -> None:
    release, policy = secret_files(tmp_path)
    report = ph.verify(release, policy, portrait=True, redact=True)
    assert report.portrait is not None
    for view in report.portrait.worst:
        assert view.columns == ()
    page = report.to_html()
    for told in ("zqill", "zqpay", "zqwho", "zqheight"):
        assert told not in page.replace("zqwho-folder", ""), told
    measured = ph.measure(release, policy, redact=True)
    assert "zqnode" not in measured.to_html() and "zqnode" not in str(measured)


def test_the_command_draws_the_classes(tmp_path: Path) -> None:
    release, policy = secret_files(tmp_path)
    page = tmp_path / "page.html"
    assert main(["verify", release, "--policy", policy, "--html", str(page)]) == 1
    assert "How strict the criteria could be" in page.read_text(encoding="utf-8")
    assert main(["measure", release, "--policy", policy, "--html", str(page)]) == 0
    assert "MEASURED" in page.read_text(encoding="utf-8")


def test_a_notebook_shows_the_same(tmp_path: Path) -> None:
    release, policy = secret_files(tmp_path)
    report = ph.verify(release, policy, portrait=True)
    fragment = report._repr_html_()
    check_page(fragment, fragment=True)
    assert said(fragment) in said(report.to_html())


def test_verdicts_are_the_same_with_a_portrait(tmp_path: Path) -> None:
    release, policy = secret_files(tmp_path)
    plain, drawn = (ph.verify(release, policy, portrait=one) for one in (False, True))
    assert [rule.verdict for rule in plain.rules] == [
        rule.verdict for rule in drawn.rules
    ]
    assert [rule.name for rule in plain.rules] == [rule.name for rule in drawn.rules]
    one = ph.verify(release, policy, portrait=True, rules=["safe"])
    assert [rule.name for rule in one.rules] == ["safe"]


def test_public_sizes_hide_small_numbers() -> None:
    bins = [SizeBin(1, 1, 4, 4), SizeBin(2, 2, 3, 6), SizeBin(20, 49, 14, 500)]
    shown = [(bar.label, bar.number) for bar in public_sizes(bins).bars]
    assert shown == [
        ("1 to 4", "5 or more"),
        ("5 to 9", "fewer than 5"),
        ("10 to 19", "fewer than 5"),
        ("20 to 49", "10 or more"),
        ("50 to 99", "fewer than 5"),
        ("100 or more", "fewer than 5"),
    ]


@pytest.mark.parametrize(
    ("threshold", "told"),
    [
        (Threshold("k", 4, 0, most=True), "k below 5"),
        (Threshold("k", 5, 0, most=True), "k = 5"),
        (Threshold("t", "3/7", 0), "t = 9/20"),
        (Threshold("t", "1/2", 0), "t = 1/2"),
        (Threshold("beta", "317", 0), "beta above 1"),
        # just beyond a step it does not hold at the step
        (Threshold("c", "1/2", 0, attained=False), "c = 11/20"),
        (Threshold("delta", "5/4", 0, attained=False, logarithm=True), "delta = 7/20"),
        (Threshold("delta", None, 0, attained=False, why="log 0"), "with no delta"),
    ],
)
def test_public_thresholds_promise_less(threshold: Threshold, told: str) -> None:
    from dataclasses import replace
    from fractions import Fraction

    if threshold.value is not None:
        threshold = replace(threshold, value=Fraction(threshold.value))
    assert public_threshold(threshold) == told


def test_what_is_decided_survives_an_interrupted_portrait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, policy = secret_files(tmp_path)

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("phverify.measurement.run.measured_criteria", interrupted)
    report = ph.verify(release, policy, portrait=True, partly=True)
    assert (report.verdict, report.portrait) == ("refuted", None)
    assert "interrupted: the classes are not shown" in said(report.to_html())
    with pytest.raises(KeyboardInterrupt):
        ph.verify(release, policy, portrait=True)
