"""The evidence page: what each report says of where it comes from and what it means."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from support.pages import check_page, said
from test_pages_verify import SECRET, secret_files

import phverify as ph
from phverify.cli.evidence import sha256_of
from phverify.cli.main import main
from phverify.logic.threats import (
    INFERENCE,
    LINKABILITY,
    OF_CRITERIA,
    SINGLING_OUT,
    THREATS,
    subject_of,
)
from phverify.report.evidence import source_of
from phverify.spec import syntax as s
from phverify.spec.criterion.formulas import one_column
from phverify.spec.criterion.registry import CRITERIA, names
from phverify.spec.parser import parse

EXAMPLES = Path(ph.__file__).parent / "examples" / "hospital"
VALUES = ("a", "b", "c")
ARGUMENTS = {
    "k_anonymity": (2,),
    "alpha_k_anonymity": ("f", Fraction(1, 2), 2),
    "l_diversity": ("f", 2),
    "entropy_l_diversity": ("f", Fraction(2)),
    "recursive_l_diversity": ("f", Fraction(2), 2),
    "t_closeness": ("f", Fraction(1, 2)),
    "beta_likeness": ("f", Fraction(1)),
    "enhanced_beta_likeness": ("f", Fraction(1)),
    "delta_disclosure": ("f", Fraction(1)),
    "average_benefit": ("f", Fraction(1, 2)),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_criterion_speaks_of_what_its_theorem_does(name: str) -> None:
    """The table of criteria agrees with their formulas, read as any other rule."""
    criterion = CRITERIA[name](*ARGUMENTS[name])
    formula = criterion.formula(one_column("f", VALUES, 6))
    assert subject_of(formula).threats == OF_CRITERIA[name]
    assert subject_of(s.Criterion(name)).criteria == (name,)


def test_every_criterion_is_known() -> None:
    assert set(OF_CRITERIA) == set(names())
    for name in names():
        assert source_of(name)
    theirs = {threat for threats in OF_CRITERIA.values() for threat in threats}
    assert theirs <= set(THREATS)


@pytest.mark.parametrize(
    ("rule", "threats"),
    [
        ("forall i: l_a1(i) <= 1/5", (SINGLING_OUT,)),
        ("forall i: @i l_a1(i | f = 1) <= 1/5", (SINGLING_OUT, INFERENCE)),
        ("forall i: ~[nurse] i", (SINGLING_OUT, LINKABILITY)),
        ("forall i, a in agents: l_a(i) <= 1/2", (SINGLING_OUT, LINKABILITY)),
        ("[nurse] f = 1", (INFERENCE,)),
        ("forall D in clauses(f, 2): l_a1(D) - l_a0(D) < 1/2", (INFERENCE,)),
        # what is said of the data, and of nobody who learns it
        ("forall i: @i (f = 1 -> ~d1)", ()),
        ("[a1] @i1 f = 1", (INFERENCE,)),
        ("never_known(@i1 f = 1)", (INFERENCE,)),
        ("never_known(@i1 d1)", (SINGLING_OUT,)),
        ("k_anonymity(5) & t_closeness(f, 0.2)", (SINGLING_OUT, INFERENCE)),
        ("true", ()),
    ],
)
def test_what_rules_speak_of(rule: str, threats: tuple[str, ...]) -> None:
    assert subject_of(parse(rule)).threats == threats


def evidence(page: str) -> str:
    """What stands on the evidence page."""
    return said(page).rpartition(" Evidence Purpose and scope ")[2]


def test_the_evidence_of_a_verdict(tmp_path: Path) -> None:
    release, policy = secret_files(tmp_path)
    page, data = tmp_path / "page.html", tmp_path / "report.json"
    certificate = tmp_path / "certificate.json"
    command = ["verify", release, "--policy", policy, "--rule", "diverse"]
    command += ["--certificate", str(certificate)]
    assert main([*command, "--html", str(page), "--json", str(data)]) == 1
    text = page.read_text(encoding="utf-8")
    check_page(text)
    shown = evidence(text)
    digest = hashlib.sha256(Path(release).read_bytes()).hexdigest()
    for told in (
        "Purpose: to decide whether a table that is to be published keeps each promise",
        "all 8 rows of the release, in 2 classes",
        "l_diversity Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006; Theorem 3",
        "Opinion 05/2014 on Anonymisation Techniques",
        "zqnurse zip",
        "zqknown: (at the record of 'zqwho7', pay is",
        "In the policy's language: @'zqwho7' pay = ",
        "inference the value of an attribute can be deduced, for certain or probably"
        " diverse",
        "linkability records of one person in two sets of data can be brought together"
        " no rule speaks of it",
        f"release {release} {digest}",
        "hierarchy of ill",
        f"phverify verify {release} --policy {policy} --rule diverse",
        f"phverify check {certificate} --release {release} --policy {policy}",
        "Data protection officer",
    ):
        assert told in shown, told
    plain = json.loads(data.read_text(encoding="utf-8"))["evidence"]
    assert plain["command"][:3] == ["phverify", "verify", release]
    assert plain["check"][:3] == ["phverify", "check", str(certificate)]
    assert plain["inputs"][0] == {
        "role": "release",
        "name": release,
        "sha256": digest,
        "reason": "",
    }
    assert plain["versions"]["phverify"] == ph.__version__


def test_public_evidence_names_no_file_and_has_no_hash(tmp_path: Path) -> None:
    release, policy = secret_files(tmp_path)
    page = tmp_path / "page.html"
    for verb in ("verify", "measure"):
        main([verb, release, "--policy", policy, "--html", str(page), "--public"])
        text = page.read_text(encoding="utf-8")
        check_page(text)
        assert SECRET not in text
        assert hashlib.sha256(Path(release).read_bytes()).hexdigest() not in text
        assert "whoever guesses the rows of a small table" in evidence(text)


def test_redacted_evidence_has_no_hash(tmp_path: Path) -> None:
    """Whoever knows all but a few values could try them."""
    release, policy = secret_files(tmp_path)
    page, data = tmp_path / "page.html", tmp_path / "report.json"
    command = ["verify", release, "--policy", policy, "--redact"]
    main([*command, "--html", str(page), "--json", str(data)])
    digest = hashlib.sha256(Path(release).read_bytes()).hexdigest()
    assert digest not in page.read_text(encoding="utf-8")
    assert "beside --redact" in evidence(page.read_text(encoding="utf-8"))
    plain = json.loads(data.read_text(encoding="utf-8"))["evidence"]
    assert {one["sha256"] for one in plain["inputs"]} == {None}


def test_redacted_commands_have_no_rules(tmp_path: Path) -> None:
    release, _ = secret_files(tmp_path)
    page, data = tmp_path / "page.html", tmp_path / "report.json"
    rule = "forall i: @i ~[a1] ill = 'zqill1'"
    command = ["verify", release, "--quasi", "zip", "--sensitive", "ill", "--html"]
    command += [str(page), "--json", str(data), "--rule", rule]
    for redact in ([], ["--redact"]):
        assert main([*command, *redact]) == 0
        texts = [file.read_text(encoding="utf-8") for file in (page, data)]
        assert all(("zqill1" in text) == (not redact) for text in texts)
        assert all("(hidden)" in text or not redact for text in texts)


def test_many_files_and_pipes(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    frame = pd.DataFrame({"zip": ["1", "1"], "ill": ["a", "b"]})
    for number in range(2):
        frame.to_parquet(folder / f"part{number}.parquet")
    policy = tmp_path / "policy.toml"
    policy.write_text(
        '[columns]\nquasi = ["zip"]\nsensitive = ["ill"]\n[rules]\nr = "k_anonymity(2)"\n'
    )
    data = tmp_path / "out.json"
    command = ["verify", str(folder), "--policy", str(policy), "--json", str(data)]
    assert main(command) == 0
    inputs = json.loads(data.read_text(encoding="utf-8"))["evidence"]["inputs"]
    files = [folder / "part0.parquet", folder / "part1.parquet"]
    assert [one["name"] for one in inputs] == [*map(str, files), str(policy)]
    assert [one["sha256"] for one in inputs[:2]] == [sha256_of(file) for file in files]


def test_a_changed_file_has_another_hash(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    hashes = set()
    for text in ("a\n1\n", "a\n1\n2\n", "a\n"):
        file.write_text(text)
        hashes.add(sha256_of(file))
    assert len(hashes) == 3


def test_from_python_the_files_are_not_known() -> None:
    report = ph.verify(EXAMPLES / "release.csv", EXAMPLES / "policy.toml")
    shown = evidence(report.to_html())
    assert "which files were read, and their hashes, are not known here" in shown
    assert "Z3" in report.solver and f"phverify {ph.__version__}" in shown


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("audit", "--demo", "bank"), "inference the value of an attribute can be"),
        (("mechanism", "--demo"), "epsilon bounds what an output tells of its input"),
        (("lint", str(EXAMPLES / "policy.toml")), f"policy {EXAMPLES / 'policy.toml'}"),
        (
            ("compare", "k_anonymity(3)", "k_anonymity(2)"),
            "Purpose: to decide whether one promise implies another for every table",
        ),
    ],
)
def test_pages_of_other_verbs_end_with_it(
    command: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    for form in ("--internal", "--public"):
        assert main([*command, "--html", str(page), form]) in (0, 1)
        text = page.read_text(encoding="utf-8")
        check_page(text)
        shown = said(text).rpartition(" Evidence Purpose and scope ")[2]
        assert "Data protection officer" in shown
        assert (told in shown) or (form == "--public" and command[0] == "lint")
