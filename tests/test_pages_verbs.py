"""The pages of comparisons, checks, mechanisms and lint: what they must say, and what
nobody but the owner is told.
"""

from __future__ import annotations

import hashlib
import json
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.pages import check_page, read_page, said

import phverify as ph
from phverify.cli.main import main
from phverify.comparison.matrix import CRITERIA, ImplicationMatrix
from phverify.report import matrix_html
from phverify.verbs.check_result import CheckResult

HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
RELEASE, POLICY = HOSPITAL / "release.csv", HOSPITAL / "policy.toml"
SECRET = "zq"


def cells_of(page: str) -> list[str]:
    return [one.text for one in read_page(page) if one.tag in ("th", "td")]


# compare


def test_a_separating_table_is_a_table() -> None:
    comparison = ph.compare(
        "l_diversity(s, 3)", "entropy_l_diversity(s, 3)", equivalent=True
    )
    page = comparison.to_html()
    check_page(page)
    check_page(comparison._repr_html_(), fragment=True)
    assert cells_of(page)[:6] == ["row", "class", "s", "d1", "A", "a"]
    text = said(page)
    assert (
        "SEPARATED They are not equivalent. Every table that keeps the second keeps the"
        " first, but a table may keep the first and break the second." in text
    )
    turned = ph.compare("k_anonymity(3)", "k_anonymity(2)", equivalent=True)
    assert "Every table that keeps the first keeps the second, but a table may" in said(
        turned.to_html()
    )
    neither = ph.compare("k_anonymity(2)", "l_diversity(s, 2)", equivalent=True)
    whole = "They are not equivalent: a table keeps the one and breaks the other."
    assert (whole in said(neither.to_html())) == (neither.converse.verdict != "implies")
    assert "On that table the first is kept" in text
    assert "On that table the second is broken" in text
    assert "the entropy is below log 3" in text
    # in the other direction the sides have their names
    assert "Does the second imply the first? IMPLIES" in text
    assert "Every table that satisfies the second satisfies the first:" in text


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (
            "k_anonymity(3)",
            "k_anonymity(2)",
            "IMPLIES Every table that keeps the first",
        ),
        ("k_anonymity(2)", "k_anonymity(2)", "EQUIVALENT A table keeps the first if"),
    ],
)
def test_what_is_implied(first: str, second: str, told: str) -> None:
    comparison = ph.compare(first, second, equivalent="EQUIVALENT" in told)
    assert told in said(comparison.to_html())


def secret_policy(rule: str) -> dict[str, Any]:
    return {
        "columns": {"quasi": ["zip"], "sensitive": ["ill"]},
        "agents": {f"{SECRET}nurse": ["zip"]},
        "secrets": {"*": [f"ill = '{SECRET}flu'"]},
        "rules": {f"{SECRET}rule": rule},
    }


def test_a_public_comparison_quotes_nothing() -> None:
    known = f"~[a1] ill = '{SECRET}flu'"
    policies = [secret_policy("k_anonymity(2)"), secret_policy(known)]
    comparison = ph.compare(*policies, equivalent=True)
    assert comparison.verdict == "separated"
    assert SECRET in comparison.to_html()
    page = comparison.to_html(public=True)
    check_page(page)
    assert SECRET not in page


def a_matrix() -> ImplicationMatrix:
    """All pairs, with the three kinds of answers."""
    answers = (
        ph.compare("k_anonymity(3)", "k_anonymity(2)"),
        ph.compare("k_anonymity(2)", "k_anonymity(3)"),
        ph.compare("l_diversity(s, 3)", "entropy_l_diversity(s, 3)", budget=1e-9),
    )
    assert [one.verdict for one in answers] == ["implies", "separated", "undecided"]
    names = list(CRITERIA)
    pairs = [(side, top) for side in names for top in names if side != top]
    return ImplicationMatrix(
        {pair: answers[number % 3] for number, pair in enumerate(pairs)}
    )


def test_the_matrix_has_words_in_its_cells() -> None:
    matrix = a_matrix()
    page = matrix.to_html()
    check_page(page)
    check_page(matrix._repr_html_(), fragment=True)
    elements = read_page(page)
    words = [
        (one.text, (one.attributes["class"] or "").split()[-1])
        for one in elements
        if one.tag == "td" and (one.attributes.get("class") or "").startswith("cell")
    ]
    count = len(CRITERIA)
    assert len(words) == count * count
    # first row: itself, then the three answers in their order
    assert words[:4] == [
        ("itself", "plain"),
        ("yes", "good"),
        ("no: 2 rows", "bad"),
        ("not known", "open"),
    ]
    heads = [one.text for one in elements if one.tag == "th"][: count + 1]
    assert heads == ["does .. imply ..", *CRITERIA]
    third = count * (count - 1) // 3
    sentence = matrix_html.to_page(matrix).verdict.sentence
    assert f" {third + 1} are implications, {third + 1} are separated" in sentence
    assert f"{third} are undecided" in sentence


def test_the_command_writes_the_matrix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("phverify.cli.compare.matrix", lambda *_, **__: a_matrix())
    target = tmp_path / "page.html"
    assert main(["compare", "--matrix", "--html", str(target), "--public"]) == 3
    assert "Which criterion implies which?" in said(target.read_text(encoding="utf-8"))
    command = ["compare", "k_anonymity(3)", "k_anonymity(2)", "--html", str(target)]
    assert main(command) == 0
    assert "IMPLIES" in said(target.read_text(encoding="utf-8"))


# check


def certified() -> dict[str, Any]:
    report = ph.verify(RELEASE, POLICY)
    return dict(ph.certify(report, RELEASE, POLICY))


def test_claims_and_files(tmp_path: Path) -> None:
    certificate = tmp_path / "verdict.json"
    certificate.write_text(json.dumps(certified()), encoding="utf-8")
    result = ph.check(certificate, release=RELEASE, policy=POLICY)
    assert [one.role for one in result.files] == ["certificate", "release", "policy"]
    cells = cells_of(result.to_html())
    for file in (certificate, RELEASE, POLICY):
        content = file.read_bytes()
        place = cells.index(str(file))
        assert cells[place + 1] == f"{len(content):,}"
        assert cells[place + 2] == hashlib.sha256(content).hexdigest()
    text = said(result.to_html())
    assert "ACCEPTED What the certificate claims is so. (10 claims verified)" in text
    for line in result.verified:
        assert " ".join(line.split()) in text
    assert "No claim rests on a solver" in text
    assert result.to_dict()["files"][1]["sha256"] in text


def test_what_is_refused_or_not_required() -> None:
    claimed = certified()
    other = ph.check(claimed, release=HOSPITAL / "repaired.csv", policy=POLICY)
    text = said(other.to_html())
    assert "REFUSED The certificate shows nothing" in text
    assert "its SHA-256 differs" in text and "No claim rests" not in text
    unmet = ph.check(claimed, release=RELEASE, policy=POLICY, require="proved")
    text = said(unmet.to_html())
    assert "UNMET" in text and "Required, and not so: safe is refuted" in text
    check_page(unmet._repr_html_(), fragment=True)
    by_solvers = CheckResult("accepted", ("on 2 systems two solvers agree: no proof",))
    assert "two solvers, asked again, agree" in said(by_solvers.to_html())
    assert "No claim rests" not in said(by_solvers.to_html())


def test_a_public_check_names_the_release_alone(tmp_path: Path) -> None:
    frame = pd.DataFrame({"zip": ["1", "1"], "ill": [f"{SECRET}flu", f"{SECRET}cold"]})
    release = tmp_path / f"{SECRET}.csv"
    frame.to_csv(release, index=False)
    policy = tmp_path / f"{SECRET}.toml"
    policy.write_text(
        f"""
[columns]
quasi = ["zip"]
sensitive = ["ill"]
[agents]
{SECRET}nurse = ["zip"]
[secrets]
"*" = ["ill = '{SECRET}flu'"]
[rules]
{SECRET}rule = "~[a1] ill = '{SECRET}flu'"
""",
        encoding="utf-8",
    )
    claimed = dict(ph.certify(ph.verify(release, policy), release, policy))
    result = ph.check(claimed, release=release, policy=policy, require="proved")
    assert result.accepted and SECRET in result.to_html()
    strange = ph.check({**claimed, "kind": SECRET}, table=frame, policy=policy)
    assert strange.verdict == "refused"
    for one in (result, strange):
        page = one.to_html(public=True)
        check_page(page)
        assert SECRET not in page
    page = result.to_html(public=True)
    hashes = [hashlib.sha256(one.read_bytes()).hexdigest() for one in (release, policy)]
    assert hashes[0] in page and hashes[1] not in page


def test_the_command_writes_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    certificate = tmp_path / "verdict.json"
    certificate.write_text(json.dumps(certified()), encoding="utf-8")
    target = tmp_path / "page.html"
    command = ["check", str(certificate), "--release", str(RELEASE)]
    assert main([*command, "--html", str(target)]) == 0
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    told = capsys.readouterr().out
    assert told.index("ACCEPTED") < told.index("the page is written to")
    assert main([*command, "--html", str(certificate)]) == 2
    assert "is an input, which is never overwritten" in capsys.readouterr().err
    assert main([*command, "--public"]) == 2


# mechanism, lint


def test_a_mechanism(tmp_path: Path) -> None:
    frame = tmp_path / f"{SECRET}.csv"
    frame.write_text(
        f"input,{SECRET}x,y\n{SECRET}a,3/4,1/4\n<b>,1/4,3/4\n", encoding="utf-8"
    )
    report = ph.mechanism(frame, "1")
    page = report.to_html()
    check_page(page)
    text = said(page)
    assert "REFUTED The mechanism may lose more than was promised. (epsilon 1)" in text
    assert "Least epsilon: ln(3)" in text and f"{SECRET}a 3/4 1/4" in text
    public = report.to_html(public=True)
    check_page(public)
    assert SECRET not in public and "ln(3)" in public
    unsettled = replace(report, least=None, reason=f"of {SECRET}")
    assert f"not settled, of {SECRET}." in said(unsettled.to_html())
    assert SECRET not in unsettled.to_html(public=True)
    assert "ASSESSED Least epsilon: ln(3)" in said(ph.mechanism(frame).to_html())


def test_lint() -> None:
    policy = secret_policy("k_anonymity(3)")
    policy["rules"]["<i>"] = "k_anonymity(2)"
    result = ph.lint(policy)
    page = result.to_html()
    check_page(page)
    assert "redundant: <i>" in said(page) and "<i>" not in page
    public = result.to_html(public=True)
    check_page(public)
    assert SECRET not in public and "&lt;i&gt;" not in public
    assert "redundant" in said(public)
