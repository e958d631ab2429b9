"""The verb ``check`` on certificates of searches, and what is asked of files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.cli_search_cases import (
    ALL,
    COLUMNS,
    GOOD,
    HIERARCHIES,
    LINES,
    ROOT,
    TABLE,
    Run,
    Shown,
    files,
    policy,
    run,  # noqa: F401
    searched,
)

from phverify.generalization.certificate import digest
from phverify.verbs.files import naming


def checked(
    run: Run, certificate: str = "proof.json", table: str = "table.csv"
) -> Shown:
    return run("check", certificate, "--table", table)


def test_accepted(run: Run) -> None:
    searched(run, *ALL)
    code, out, said = checked(run)
    assert (code, said) == (0, "")
    lines = out.splitlines()
    assert lines[:2] == [
        "  ok  the policy is 'policy.toml', given with --policy",
        "  ok  the digest fits",
    ]
    assert (
        "  ok  the released table satisfies the policy (8 records, 0 withheld)" in lines
    )
    assert "  ok  loss is 1/14" in lines
    assert lines[-1] == "ACCEPTED"


@pytest.mark.parametrize(
    ("old", "new"),
    [("Ann,34", "Ann,35"), ("Hal,78,13002,cold,h\n", ""), ("13002,cold", "13002,flu")],
)
def test_another_table_is_refused(run: Run, old: str, new: str) -> None:
    searched(run, *ALL)
    Path("other.csv").write_text(TABLE.replace(old, new), encoding="utf-8")
    code, out, said = checked(run, table="other.csv")
    assert (code, said) == (1, "")
    assert out.splitlines()[-1].startswith("REFUSED: ")


@pytest.mark.parametrize(
    "changed",
    [
        {"rules": GOOD.replace("k_anonymity(2)", "k_anonymity(3)")},
        {"rules": GOOD.splitlines()[0] + "\n"},
        {"hierarchies": HIERARCHIES.replace("[10, 20, 40]", "[10, 20]")},
        {"columns": COLUMNS.replace('"age", "zip"', '"zip", "age"')},
    ],
)
def test_another_policy_is_refused(run: Run, changed: dict[str, str]) -> None:
    searched(run, *ALL)
    policy(**changed)
    code, out, said = checked(run)
    assert (code, said) == (1, "")
    assert out.splitlines()[-1].startswith("REFUSED: ")


def test_an_edited_certificate_does_not_fit_its_digest(run: Run) -> None:
    searched(run, *ALL)
    text = Path("proof.json").read_text(encoding="utf-8")
    Path("edited.json").write_text(
        text.replace('"cost": "1/14"', '"cost": "1/15"'), encoding="utf-8"
    )
    code, out, _ = checked(run, "edited.json")
    refused = (
        "REFUSED: the certificate was changed after it was written (its digest does not"
        " fit)"
    )
    assert (code, out.splitlines()[1:]) == (1, [refused])


FORGED: list[tuple[str, Any, str]] = [
    ("cost", "0", "the cost is 1/14, not 0"),
    ("choice", [], "the mapping is not that of the candidate"),
    ("choice", [999], "a candidate names unknowns that the space does not have"),
    ("choice", None, "choice of the certificate is no list"),
    ("clauses", [], "a cheaper candidate meets all clauses"),
    ("clauses", [{"kind": "x"}], "none of the forms that it may have"),
    (
        "withheld_classes",
        [["nobody", "1"]],
        "a class that is said to be withheld does not exist",
    ),
    ("format", 3, "let it certify the same files again"),
    ("rows", 4, "the certificate has not exactly the fields"),
    ("suppress", "2", "the certificate does not fit this table and policy: suppress"),
    ("space", "subtrees", "the mapping is not that of the candidate"),
    ("objective", "height", "the cost is 1, not 1/14"),
    ("weights", {"age": "9"}, "the weights are not those"),
    ("weights", {"age": "9", "zip": "1"}, "the cost is"),
    ("closures", [{"part": 0, "upward": True, "how": "each"}], "closure under merging"),
    ("bound", {"farkas": []}, "REFUSED"),
    ("mapping", {}, "the mapping is not that of the candidate"),
]


@pytest.mark.parametrize(
    ("key", "value", "reason"), FORGED, ids=lambda value: str(value)[:20]
)
def test_a_forged_certificate_is_refused(
    run: Run, key: str, value: Any, reason: str
) -> None:
    searched(run, *ALL)
    code, out, said = forged(run, {key: value})
    assert (code, said) == (1, "")
    assert out.splitlines()[-1].startswith("REFUSED: ")
    assert reason in out


@pytest.mark.parametrize(
    "change",
    [
        {"blocks": [-1, -1]},
        {"blocks": [999, 0]},
        {"blocks": None},
        {"part": 99},
        {"rows": 5},
        {"rule": "x"},
    ],
)
def test_a_forged_violation_is_refused(run: Run, change: dict[str, Any]) -> None:
    searched(run, *ALL)
    first, *others = json.loads(Path("proof.json").read_text(encoding="utf-8"))[
        "clauses"
    ]
    code, out, said = forged(run, {"clauses": [first | change, *others]})
    assert (code, said) == (1, "")
    assert out.splitlines()[-1].startswith("REFUSED: ")


def forged(run: Run, change: dict[str, Any]) -> Shown:
    """The certificate with something changed and a digest that fits."""
    content = json.loads(Path("proof.json").read_text(encoding="utf-8")) | change
    del content["digest"]
    Path("forged.json").write_text(
        json.dumps({**content, "digest": digest(content)}), encoding="utf-8"
    )
    return checked(run, "forged.json")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"kind": "phverify certif', "is no JSON"),
        ("", "is no JSON"),
        ("[]", "is no certificate"),
        ("{}", "phverify search --certificate FILE writes one"),
        (TABLE, "is no JSON"),
    ],
)
def test_what_is_no_certificate(run: Run, content: str, message: str) -> None:
    Path("proof.json").write_text(content, encoding="utf-8")
    code, out, said = checked(run)
    assert (code, out) == (2, "")
    assert message in said


def test_files_that_are_not_there(run: Run) -> None:
    assert "this is a directory, not a file" in checked(run, ".")[2]
    code, out, said = checked(run, "prof.json")
    assert (code, out) == (2, "")
    assert "prof.json: there is no such file" in said
    searched(run, *ALL)
    code, out, said = checked(run, table="tabel.csv")
    assert (code, out) == (2, "")
    assert "tabel.csv: there is no such file\n    did you mean 'table.csv'" in said


def test_ctrl_c_still_interrupts_after_cp_sat(run: Run) -> None:
    code = (
        "import os, signal\nfrom phverify.constraints.hitting import HittingSet,"
        " none_cheaper\nfrom phverify.constraints.solver import"
        " Deadline\nnone_cheaper(HittingSet((1, 1), [(1, 2)]), 1, 'CP-SAT',"
        " Deadline())\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\nexcept"
        " KeyboardInterrupt:\n    print('caught')\n"
    )
    pytest.importorskip("ortools")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")]),
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "caught\n"


def test_a_hierarchy_is_never_overwritten(run: Run) -> None:
    Path("zip.csv").write_text("\n".join(LINES), encoding="utf-8")
    policy(hierarchies='age = {intervals = [10]}\nzip = "zip.csv"\n')
    assert searched(run, "--output", "zip.csv")[0] == 2


def test_a_misspelt_identifier_publishes_no_names(run: Run) -> None:
    policy(columns=COLUMNS.replace('"person"', '"persn"'))
    assert searched(run, "--output", "out.csv")[0] == 2
    assert files() == set()


@pytest.mark.parametrize("weights", ["age=0", "zip=0"])
def test_nothing_is_generalized_for_nothing(run: Run, weights: str) -> None:
    searched(run, "--weights", weights, "--all-minimal", "--json", "all.json")
    searched(run, "--weights", weights, "--json", "one.json")
    found, one = (
        json.loads(Path(name).read_text(encoding="utf-8"))
        for name in ("all.json", "one.json")
    )
    assert one["levels"] in found["minimal"]


def test_numbers_of_individuals_are_those_of_the_input(run: Run) -> None:
    """Individual i4 stays row 4 of the input when row 1 is withheld, and the user is
    told.
    """
    rows = (
        "99,99999,flu\n"
        + "34,12045,flu\n34,12045,cold\n34,12045,flu\n"
        + "45,12111,gout\n" * 3
    )
    Path("table.csv").write_text(f"age,zip,illness\n{rows}", encoding="utf-8")
    columns = '[columns]\nquasi = ["age", "zip"]\nsensitive = ["illness"]\n'
    policy(
        'a = "k_anonymity(2)"\nb = "@i4 l_a1(illness = gout) <= 0"\n', columns=columns
    )
    code, out, _ = searched(run, "--suppress", "0.15", "--output", "out.csv")
    assert code == 0
    assert (
        "warning: the policy names individuals by the input: records are withheld"
        in out
    )
    assert Path("out.csv").read_text(encoding="utf-8").count("34,12045") == 3


def test_a_weight_given_twice(run: Run) -> None:
    assert searched(run, "--weights", "age=2,age=3")[0] == 2


@pytest.mark.parametrize(
    "change", [{"clauses": [1]}, {"weights": 3}, {"weights": {"age": None}}]
)
def test_certificates_of_the_wrong_shape(run: Run, change: dict[str, Any]) -> None:
    searched(run, *ALL)
    assert forged(run, change)[0] == 1


def test_an_order_that_the_policy_fixes(run: Run) -> None:
    """A shuffled release contradicts it, and so does a released file in another
    order.
    """
    text = Path("policy.toml").read_text(encoding="utf-8")
    Path("policy.toml").write_text(f'rows = "same order"\n{text}', encoding="utf-8")
    code, _, said = searched(run, "--shuffle", "5")
    assert code == 2 and 'the policy says rows = "same order"' in said
    assert searched(run, *ALL)[0] == 0
    check = ("check", "proof.json", "--table", "table.csv", "--release", "out.csv")
    code, out, _ = run(*check)
    assert code == 0 and "in the order of the table, as the policy says" in out
    head, *rows = Path("out.csv").read_text(encoding="utf-8").splitlines()
    Path("out.csv").write_text("\n".join([head, *rows[::-1]]) + "\n", encoding="utf-8")
    certificate = json.loads(Path("proof.json").read_text(encoding="utf-8"))
    named = naming(certificate, release=Path("out.csv").read_bytes())
    Path("proof.json").write_text(json.dumps(named), encoding="utf-8")
    code, out, _ = run(*check)
    assert code == 1 and "in another order than the table" in out


def test_a_certificate_that_would_claim_nothing(run: Run) -> None:
    Path("release.csv").write_text(
        "age,zip,illness,note\n1,1,flu,a\n1,1,cold,b\n", encoding="utf-8"
    )
    policy('r = "never_known(@i1 illness = flu)"\n', hierarchies="")
    code, out, _ = run("verify", "release.csv", "--certificate", "proof.json")
    assert code == 0 and "certificates do not cover never_known" in out
    assert not Path("proof.json").exists()
