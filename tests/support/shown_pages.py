"""Commands whose pages are opened in a browser, and what each page must say."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import phverify
from phverify.cli.main import main

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = ["--disable-background-networking", "--disable-component-update"]
EXAMPLES = Path(phverify.__file__).parent / "examples"
CERTIFICATE = "certificate.json"
"""A file that ``check`` reads and another command writes first."""


@dataclass(frozen=True)
class Shown:
    """A command whose page is opened, its exit code, and what the page must say.

    ``first`` is the command that writes the certificate that this one reads.
    """

    command: tuple[str, ...]
    code: int
    facts: tuple[str, ...]
    first: tuple[str, ...] = ()


POLICY = "hospital/policy.toml"
RELEASE = ("hospital/release.csv", "--policy", POLICY)
TABLE = ("hospital/original.csv", "--policy", POLICY)
REPAIRED = "hospital/repaired.csv"
BANK = ("--log", "bank/queries.sql", "--policy", "bank/audit.toml")
AUDIT = ("audit", "--database", "bank/accounts.csv", *BANK)
RISK = (TABLE[0], RELEASE[0], *RELEASE[1:])
LINKS = ("--method", "hospital/links.csv")
DIVERSE = ("l_diversity(s, 3)", "entropy_l_diversity(s, 3)", "--equivalent")
TUPLES = ("search", *TABLE, "--space", "tuples")
CERTIFIED = ("verify", *RELEASE, "--certificate", CERTIFICATE)
LEAST = ("search", *TABLE, "--certificate", CERTIFICATE)
CHECK = ("check", CERTIFICATE, "--release")
PAGES = {
    "verify": Shown(("verify", *RELEASE), 1, ("REFUTED", "10***", "8 rows")),
    "verify-public": Shown(("verify", *RELEASE, "--public"), 1, ("REFUTED", "Public")),
    "measure": Shown(("measure", *RELEASE), 0, ("largest k", "2")),
    "measure-public": Shown(("measure", *RELEASE, "--public"), 0, ("Public",)),
    "audit": Shown(AUDIT, 1, ("GIVES AWAY", "1160", "1: 420")),
    "audit-public": Shown((*AUDIT, "--public"), 1, ("GIVES AWAY",)),
    "reidentify": Shown(("reidentify", *RISK), 0, ("8 of 8 (100%)", "d1")),
    "reidentify-public": Shown(("reidentify", *RISK, "--public"), 0, ("5 or more",)),
    "method": Shown(("reidentify", *RISK, *LINKS), 1, ("UNSOUND", "d3")),
    "compare": Shown(("compare", *DIVERSE), 1, ("SEPARATED", "entropy is below")),
    "compare-data": Shown(
        ("compare-data", *RISK), 0, ("COMPARED", "0.2143", "Spearman")
    ),
    "check": Shown(
        (*CHECK, *RELEASE, "--require", "proved"),
        1,
        ("UNMET", "verified", "Required, and not so"),
        CERTIFIED,
    ),
    "check-refused": Shown((*CHECK, REPAIRED), 1, ("REFUSED",), CERTIFIED),
    "check-public": Shown(
        (*CHECK, RELEASE[0], "--public"), 0, ("Left out",), CERTIFIED
    ),
    "check-search": Shown(
        ("check", CERTIFICATE, "--table", *TABLE), 0, ("nothing costs less",), LEAST
    ),
    "levels": Shown(("search", *TABLE), 0, ("OPTIMAL", "0.642857")),
    "levels-public": Shown(("search", *TABLE, "--public"), 0, ("OPTIMAL",)),
    "subtrees": Shown(("search", *TABLE, "--space", "subtrees"), 0, ("OPTIMAL",)),
    "tuples": Shown((*TUPLES, "--budget", "1"), 0, ("PROVED", "0.428571")),
    "tradeoff": Shown(("search", *TABLE, "--tradeoff", "k=2..4"), 0, ("0.642857",)),
    "lint": Shown(("lint", POLICY), 0, ("CLEAN",)),
    "mechanism": Shown(("mechanism", "--demo"), 0, ("ln(7/2)",)),
    "matrix": Shown(
        ("compare", "--matrix"), 3, ("itself", "no: 2 rows", "not known", "yes")
    ),
}
"""What is opened; the codes of the matrix are those of one with three kinds of pairs."""


def write_page(shown: Shown, path: Path) -> int:
    """Write the page of a command beside copies of the examples; its exit code.

    Files are named as whoever stands in that folder names them.
    """
    folder = path.parent
    for example in ("hospital", "bank"):
        shutil.copytree(EXAMPLES / example, folder / example, dirs_exist_ok=True)
    with contextlib.chdir(folder):
        if shown.first:
            main([*shown.first])
        return main([*shown.command, "--html", path.name])


def launched(playwright: Any) -> Any:
    """A browser that asks nobody for anything."""
    arguments = ["--no-sandbox", "--disable-gpu", *QUIET]
    return playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
