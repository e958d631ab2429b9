"""The checker by itself: one file, a bare Python, nothing else of phverify, and short
enough to be read.
"""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import phverify as ph
from phverify.spec.bundle import bundle

HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
ROOT = Path(ph.__file__).parent
NODES = {"small": 26_100, "original": 35_400, "large": 37_400, "search": 45_800}
"""Syntax-tree nodes of all that a check loads, at most."""
LISTED = """
import json, sys
sys.path.insert(0, sys.argv[1])
from phverify.spec.command import main
code = main(sys.argv[2:])
print(json.dumps([code, sorted(sys.modules)]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hospital's files with two certificates, and the checker."""
    found = tmp_path_factory.mktemp("checker")
    for name in ("release.csv", "original.csv", "policy.toml", "birth.csv"):
        shutil.copy(HOSPITAL / name, found / name)
    files = [
        str(found / name) for name in ("release.csv", "policy.toml", "original.csv")
    ]
    report = ph.verify(*files)
    (found / "verdict.json").write_text(
        json.dumps(ph.certify(report, *files)), encoding="utf-8"
    )
    rows = [f"x,{value}" for value in ["a", "a", *"bcd" * 8]]
    (found / "large.csv").write_text("\n".join(["q,f", *rows, ""]), encoding="utf-8")
    (found / "large.toml").write_text(
        '[columns]\nquasi = ["q"]\nsensitive = ["f"]\n[rules]\n'
        'pigeons = "~(@i1 f = a & @i2 f = a & @i3 f = a)"\nk = "k_anonymity(26)"\n',
        encoding="utf-8",
    )
    (found / "small.csv").write_text("q,f\nx,a\nx,b\ny,a\ny,b\n", encoding="utf-8")
    (found / "small.toml").write_text(
        '[columns]\nquasi = ["q"]\nsensitive = ["f"]\n[rules]\n'
        'anonymous = "k_anonymity(2)"\nunsure = "forall v in f: ~[a1] f = v"\n',
        encoding="utf-8",
    )
    small = [str(found / "small.csv"), str(found / "small.toml")]
    (found / "small.json").write_text(
        json.dumps(ph.certify(ph.verify(*small), *small)), encoding="utf-8"
    )
    large = [str(found / "large.csv"), str(found / "large.toml")]
    (found / "large.json").write_text(
        json.dumps(ph.certify(ph.verify(*large), *large)), encoding="utf-8"
    )
    (found / "table.csv").write_text("q,f\n1,a\n2,b\n3,a\n4,b\n", encoding="utf-8")
    (found / "q.csv").write_text(
        "1;low;*\n2;low;*\n3;high;*\n4;high;*\n", encoding="utf-8"
    )
    (found / "search.toml").write_text(
        '[columns]\nquasi = ["q"]\nsensitive = ["f"]\n[hierarchies]\nq ='
        ' "q.csv"\n[rules]\nk = "k_anonymity(2)"\n',
        encoding="utf-8",
    )
    searched = ph.search(
        str(found / "table.csv"), str(found / "search.toml"), space="subtrees"
    )
    (found / "search.json").write_text(
        json.dumps(searched.certificate), encoding="utf-8"
    )
    bundle(found / "check.pyz")
    return found


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The checker in a Python that sees no packages."""
    command = [sys.executable, "-I", "-S", "check.pyz", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )


FILES = (
    "--release",
    "release.csv",
    "--original",
    "original.csv",
    "--policy",
    "policy.toml",
)


def test_a_verdict_is_checked_with_a_bare_python(folder: Path) -> None:
    found = run(folder, "verdict.json", *FILES)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.endswith("in all: 1 proved, 1 refuted\nACCEPTED\n")
    same = ph.check(folder / "verdict.json", policy=folder / "policy.toml", release=folder / "release.csv",
                    original=folder / "original.csv")  # fmt: skip
    assert [
        line.split(" is ", 1)[-1][:5] for line in found.stdout.splitlines()[1:]
    ] == [line.split(" is ", 1)[-1][:5] for line in str(same).splitlines()[1:]]


def test_what_is_claimed_and_not_so_is_refused(folder: Path) -> None:
    found = run(folder, "verdict.json", *FILES, "--require", "proved")
    assert found.returncode == 1 and found.stdout.splitlines()[-1].startswith("UNMET: ")
    claimed: dict[str, Any] = json.loads(
        (folder / "verdict.json").read_text(encoding="utf-8")
    )
    (folder / "other.json").write_text(
        json.dumps({**claimed, "version": "other"}), encoding="utf-8"
    )
    (folder / "older.json").write_text(
        json.dumps({**claimed, "format": 2, "queries": {}}), encoding="utf-8"
    )
    assert (
        run(folder, "other.json", *FILES)
        .stdout.splitlines()[-1]
        .startswith("REFUSED: the certificate was changed")
    )
    older = run(folder, "older.json", *FILES)
    assert (
        older.returncode == 1
        and "format 2, which an earlier phverify wrote" in older.stdout
    )
    swapped = run(folder, "verdict.json", "--release", "original.csv", *FILES[2:])
    assert (
        swapped.returncode == 1
        and "is not the file that the certificate is about" in swapped.stdout
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["verdict.json"], "this certificate needs --release FILE"),
        (["verdict.json", *FILES, "--table", "release.csv"], "has no use for --table"),
        (
            ["verdict.json", *FILES[:4], "--require", "proved"],
            "--require proved is about your policy",
        ),
        (["policy.toml", *FILES], "is no JSON"),
        (["none.json", *FILES], "No such file"),
    ],
)
def test_bad_input(folder: Path, arguments: list[str], said: str) -> None:
    found = run(folder, *arguments)
    assert found.returncode == 2 and said in found.stdout + found.stderr


@pytest.mark.parametrize("certificate", list(NODES))
def test_nothing_but_the_ground_floor_is_loaded(folder: Path, certificate: str) -> None:
    files = {
        "small": ("--release", "small.csv", "--policy", "small.toml"),
        "original": FILES,
        "large": ("--release", "large.csv", "--policy", "large.toml"),
        "search": ("--table", "table.csv", "--policy", "search.toml"),
    }[certificate]
    name = "verdict" if certificate == "original" else certificate
    command = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        LISTED,
        "check.pyz",
        f"{name}.json",
        *files,
    ]
    found = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True
    )
    code, modules = json.loads(found.stdout.splitlines()[-1])
    assert code == 0
    own = [name for name in modules if name.split(".")[0] == "phverify"]
    assert set(own) <= {
        "phverify",
        "phverify.errors",
        "phverify.spec",
        *(n for n in own if n[:14] == "phverify.spec."),
    }
    for name in set(modules) - set(own):
        assert name.split(".")[0] in sys.stdlib_module_names or name == "__main__", name
    read = sum(map(nodes, own[1:]))
    assert 0.9 * NODES[certificate] < read <= NODES[certificate]


def nodes(module: str) -> int:
    """The nodes of a module's syntax tree."""
    path = ROOT.joinpath(*module.split(".")[1:])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return sum(1 for _ in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def test_large_tables_have_proofs(folder: Path) -> None:
    assert json.loads((folder / "large.json").read_text(encoding="utf-8"))["proofs"]
    assert not json.loads((folder / "verdict.json").read_text(encoding="utf-8"))[
        "proofs"
    ]


def test_the_bundle_is_built_without_site_packages(tmp_path: Path) -> None:
    """The folder has a ``types.py``: it must not stand in for that of the standard
    library.
    """
    command = [
        sys.executable,
        "-P",
        "-S",
        str(ROOT / "spec" / "bundle.py"),
        str(tmp_path / "check.pyz"),
    ]
    subprocess.run(command, check=True, timeout=60)
    assert (tmp_path / "check.pyz").stat().st_size > 0
