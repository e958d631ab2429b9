"""What Python callers get wrong: told as bad input, with what to do instead."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import phverify as ph

HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"values": "3"}, "values: is a whole number of values above 0, not '3'"),
        ({"values": True}, "values"),
        ({"values": 0}, "values"),
        ({"budget": "3"}, "budget: is a number of seconds above 0, not the text '3'"),
        ({"budget": float("nan")}, "budget"),
        ({"budget": -1}, "budget"),
    ],
)
def test_limits_of_comparisons(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ph.InputError) as error:
        ph.compare("k_anonymity(2)", "k_anonymity(3)", **given)
    assert said in str(error.value)
    with pytest.raises(ph.InputError):
        ph.lint(HOSPITAL / "policy.toml", **given)


def test_a_comparison_is_not_about_a_table() -> None:
    with pytest.raises(
        ph.InputError, match="is a formula, a policy file or a Policy, not DataFrame"
    ):
        ph.compare(pd.DataFrame({"q": ["a"]}), "k_anonymity(2)")  # type: ignore[arg-type]


def test_a_certificate_of_other_files(tmp_path: Path) -> None:
    report = ph.verify(HOSPITAL / "release.csv", HOSPITAL / "policy.toml")
    head, *rest = (HOSPITAL / "release.csv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "other.csv").write_text(
        "\n".join([head, *rest[::-1]]), encoding="utf-8"
    )
    (tmp_path / "short.csv").write_text("\n".join([head, *rest[1:]]), encoding="utf-8")
    for name in ("other.csv", "short.csv"):
        with pytest.raises(ph.InputError, match="other files than verify was given"):
            ph.certify(report, tmp_path / name, HOSPITAL / "policy.toml")
    shutil.copy(HOSPITAL / "release.csv", tmp_path / "same.csv")
    assert ph.certify(report, tmp_path / "same.csv", HOSPITAL / "policy.toml")


def test_ctrl_c_while_modules_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(
            [str(tmp_path), str(Path(ph.__file__).parents[1])]
        ),
    }
    files = [str(HOSPITAL / name) for name in ("release.csv", "policy.toml")]
    command = [sys.executable, "-m", "phverify", "verify", files[0]]
    command += ["--policy", files[1]]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60
    )
    told = "phverify: interrupted: nothing was decided\n"
    assert (done.returncode, done.stdout, done.stderr) == (3, "", told)
