"""``phverify check --json``: the same answer as plain data, with its evidence."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import phverify as ph
from phverify.cli.main import main

HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
RELEASE, POLICY = HOSPITAL / "release.csv", HOSPITAL / "policy.toml"


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    path = tmp_path / "verdict.json"
    claimed = dict(ph.certify(ph.verify(RELEASE, POLICY), RELEASE, POLICY))
    path.write_text(json.dumps(claimed), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("more", "release", "code", "verdict", "unmet"),
    [
        ((), "release.csv", 0, "accepted", 0),
        ((), "repaired.csv", 1, "refused", 0),
        (("--require", "proved"), "release.csv", 1, "accepted", 1),
        (("--budget", "1e-9"), "release.csv", 3, "undecided", 0),
    ],
)
def test_what_check_found_as_a_file(
    certificate: Path,
    more: tuple[str, ...],
    release: str,
    code: int,
    verdict: str,
    unmet: int,
) -> None:
    target = certificate.with_name("answer.json")
    command = ["check", str(certificate), "--release", str(HOSPITAL / release)]
    command += ["--policy", str(POLICY), *more, "--json", str(target)]
    assert main(command) == code
    answer = json.loads(target.read_text(encoding="utf-8"))
    assert (answer["verdict"], len(answer["unmet"])) == (verdict, unmet)
    assert bool(answer["problem"]) == (verdict in ("refused", "undecided"))
    assert (verdict == "accepted") == (len(answer["verified"]) == 10)
    evidence = answer["evidence"]
    assert evidence["command"] == ["phverify", *command]
    hashes = {one["role"]: one["sha256"] for one in evidence["inputs"]}
    content = certificate.read_bytes()
    assert hashes["certificate"] == hashlib.sha256(content).hexdigest()
    assert {"certificate", "release", "policy"} <= set(hashes)


def test_standard_output_has_the_answer_alone(
    certificate: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["check", str(certificate), "--release", str(RELEASE)]
    assert main([*command, "--json", "-"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert answer["verdict"] == "accepted"
    assert main([*command, "--json", str(certificate)]) == 2
    assert "is an input, which is never overwritten" in capsys.readouterr().err
    page = str(certificate.with_name("page.html"))
    assert main([*command, "--json", page, "--html", page]) == 2
