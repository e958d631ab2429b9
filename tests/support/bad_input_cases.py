"""What the tests of bad input have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from phverify.cli.main import main

RELEASE = "zip,age,height,health,pay\n1*,30,160,flu,10\n1*,30,165,cold,20\n2*,40,170,flu,30\n2*,40,175,gout,40\n"


ORIGINAL = (
    "name,zip,age,height,health,pay\n"
    "Ann,11,30,160,flu,10\nBob,12,30,165,cold,20\nCyd,21,40,170,flu,30\nDan,22,40,175,gout,40\n"
)


COLUMNS = (
    '[columns]\nquasi = ["zip", "age"]\nsensitive = ["health", "pay"]\nneutral ='
    ' ["height"]\nidentifier = "name"\n'
)


RULES = '[rules]\nsmall = "k_anonymity(2)"\n'


HIERARCHY = "flu;lung;*\ncold;lung;*\ngout;joint;*\n"


KEPT = "the report of yesterday"


@dataclass
class Desk:
    """A folder with a good release, original and policy, of which a test spoils one."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    def write(self, name: str, content: str | bytes) -> str:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    def run(
        self, *more: str, release: str = "release.csv", policy: str = "policy.toml"
    ) -> tuple[int, str, str]:
        paths = [str(self.folder / name) for name in (release, policy)]
        try:
            code = main(["verify", paths[0], "--policy", paths[1], *more])
        except SystemExit as leave:
            code = int(leave.code or 0)
        shown = self.capsys.readouterr()
        return code, shown.out, shown.err

    def refused(
        self, *more: str, release: str = "release.csv", policy: str = "policy.toml"
    ) -> str:
        """What stderr says; everything that holds for all bad input is checked here."""
        old = self.write("old.json", KEPT)
        before = sorted(p.name for p in self.folder.rglob("*"))
        said = ""
        for target in (old, str(self.folder / "new.json"), "-"):
            json = [] if "--json" in more else ["--json", target]
            code, out, said = self.run(*more, *json, release=release, policy=policy)
            assert code == 2, f"exit code {code}\n{said}\n{out}"
            assert out == ""
            assert "Traceback" not in said
            assert "defect" not in said
            assert said.startswith(("phverify: ", "usage: "))
        assert sorted(p.name for p in self.folder.rglob("*")) == before, (
            "nothing is written"
        )
        assert (self.folder / "old.json").read_text() == KEPT
        return said


@pytest.fixture
def desk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Desk:
    monkeypatch.chdir(tmp_path)
    made = Desk(tmp_path, capsys)
    made.write("release.csv", RELEASE)
    made.write("original.csv", ORIGINAL)
    made.write("policy.toml", COLUMNS + RULES)
    made.write("health.csv", HIERARCHY)
    return made


def names_all(said: str, expected: Sequence[str]) -> None:
    for part in expected:
        assert part in said, f"{part!r} is not said in:\n{said}"


POLICIES: dict[str, tuple[str, list[str]]] = {
    "no TOML": ("this is no policy", ["policy.toml", "TOML", "line 1"]),
    "TOML that breaks off": (COLUMNS + '[rules]\nsmall = "k_anonymity(2)\n', ["policy.toml", "TOML", "line 7"]),
    "a key twice": (COLUMNS + RULES + 'small = "k_anonymity(3)"\n', ["policy.toml", "TOML"]),
    "empty": ("", ["policy.toml", "[columns]", "[rules]"]),
    "no [rules]": (COLUMNS, ["policy.toml", "[rules]"]),
    "empty [rules]": (COLUMNS + "[rules]\n", ["policy.toml", "[rules]"]),
    "no [columns]": (RULES, ["policy.toml", "[columns]"]),
    "unknown section": (COLUMNS + RULES + '[agnets]\nbob = ["zip"]\n', ["[agnets]", "agents"]),
    "section that is none": ("rules = 5\n" + COLUMNS, ["[rules]", "5"]),
    "columns that are no section": ('columns = "zip"\n' + RULES, ["[columns]", "zip"]),
    "unknown role": (COLUMNS.replace("neutral", "nuetral") + RULES, ["nuetral", "neutral"]),
    "role without list": ('[columns]\nquasi = "zip"\n' + RULES, ["columns.quasi", "list", "zip"]),
    "role with numbers": ("[columns]\nquasi = [1, 2]\n" + RULES, ["columns.quasi", "list"]),
    "identifier that is a list": ('[columns]\nidentifier = ["name"]\n' + RULES, ["columns.identifier"]),
    "two roles": ('[columns]\nquasi = ["zip", "pay"]\nsensitive = ["pay"]\n' + RULES, ["pay", "quasi", "sensitive"]),
    "two roles with the identifier": (
        '[columns]\nquasi = ["zip"]\nidentifier = "zip"\n' + RULES,
        ["zip", "quasi", "identifier"],
    ),
    "one role twice": ('[columns]\nquasi = ["zip", "zip"]\n' + RULES, ["columns.quasi", "zip", "twice"]),
    "missing": ('missing = "drop"\n' + COLUMNS + RULES, ["missing", "drop", "error", "value"]),
    "unknown type": (COLUMNS + '[types]\npay = "intger"\n' + RULES, ["types.pay", "intger", "integer"]),
    "type of no column": (COLUMNS + '[types]\npya = "integer"\n' + RULES, ["types.pya", "pay"]),
    "type that is a number": (COLUMNS + "[types]\npay = 3\n" + RULES, ["types.pay", "3"]),
    "hierarchy of no column": (COLUMNS + '[hierarchies]\nhealht = "health.csv"\n' + RULES, ["healht", "health"]),
    "hierarchy that is no path": (COLUMNS + "[hierarchies]\nhealth = 5\n" + RULES, ["hierarchies.health", "5"]),
    "hierarchy that is not there": (
        COLUMNS + '[hierarchies]\nhealth = "helth.csv"\n' + RULES,
        ["helth.csv", "no such file", "health.csv"],
    ),
    "agent of the wrong column": (COLUMNS + '[agents]\nbob = ["health"]\n' + RULES, ["agents.bob", "health", "zip"]),
    "agent of an unknown column": (COLUMNS + '[agents]\nbob = ["zpi"]\n' + RULES, ["agents.bob", "zpi", "'zip'"]),
    "agent without list": (COLUMNS + '[agents]\nbob = "zip"\n' + RULES, ["agents.bob", "list"]),
    "agent called a1": (COLUMNS + '[agents]\na1 = ["zip"]\n' + RULES, ["agents.a1", "a1"]),
    "agent with a strange name": (COLUMNS + '[agents]\n"b b" = ["zip"]\n' + RULES, ["agents.b b", "name"]),
    "secret that is a number": (COLUMNS + '[secrets]\n"*" = [3]\n' + RULES, ["secrets.*", "3"]),
    "secret without formula": (COLUMNS + '[secrets]\n"*" = [{weight = 1}]\n' + RULES, ["secrets.*", "formula"]),
    "secret with a further key": (
        COLUMNS + '[secrets]\n"*" = [{formula = "health = flu", wieght = 1}]\n' + RULES,
        ["secrets.*", "wieght", "weight"],
    ),
    "assumption that is a number": (COLUMNS + "[assumptions]\nx = 3\n" + RULES, ["assumptions.x", "3"]),
    "rule that is a number": (COLUMNS + "[rules]\nsmall = 2\n", ["rules.small", "2"]),
    "rule that is a list": (COLUMNS + '[rules]\nsmall = ["k_anonymity(2)"]\n', ["rules.small"]),
    "safety without secrets": (COLUMNS + '[rules]\nsafe = "logical_safety()"\n', ["rules.safe", "[secrets]"]),
    "secrets of a stranger": (
        COLUMNS + '[secrets]\ni9 = ["health = flu"]\n' + RULES,
        ["[secrets]", "i9", "i1 to i4"],
    ),
    "safety inside a secret": (
        COLUMNS + '[secrets]\n"*" = ["logical_safety()"]\n' + RULES,
        ["secrets.*", "logical_safety", "line 1, column 1"],
    ),
    "column that the release lacks": (COLUMNS.replace('"pay"', '"apy"') + RULES, ["release.csv", "'apy'", "'pay'"]),
    "typed column with other values": (
        COLUMNS + '[types]\nhealth = "integer"\n' + RULES,
        ["release.csv", "health", "'flu'", "integer"],
    ),
    "order that lacks a value": (
        COLUMNS + '[types]\nhealth = ["cold", "flu"]\n' + RULES,
        ["release.csv", "health", "'gout'", "cold"],
    ),
    "contradictory assumptions": (
        COLUMNS
        + "[assumptions]\none = '@i1 health = flu'\nfree = '@i3 health = flu'\ntwo = '@i1 health = cold'\n"
        + RULES,
        ["[assumptions]", "one", "two"],
    ),
    "one assumption that cannot be": (
        COLUMNS + '[assumptions]\nno = "@i1 health = gout"\n' + RULES,
        ["[assumptions]", "no"],
    ),
}  # fmt: skip


FORMULAS: dict[str, list[str]] = {
    "k_anonimity(2)": ["unknown criterion", "k_anonimity", "'k_anonymity'"],
    "k_anonymity()": ["k_anonymity lacks k", "k_anonymity(k)"],
    "k_anonymity(2, 3)": ["k_anonymity takes 1", "2", "k_anonymity(k)"],
    "k_anonymity(l=2)": ["no argument 'l'", "k_anonymity(k)"],
    "k_anonymity(0)": ["k of k_anonymity", "1", "0"],
    "k_anonymity(-3)": ["k of k_anonymity", "-3"],
    "k_anonymity(1.5)": ["k of k_anonymity", "whole", "1.5"],
    "k_anonymity(two)": ["k of k_anonymity", "number", "'two'"],
    "k_anonymity('')": ["k of k_anonymity", "number"],
    "k_anonymity(2/0)": ["k of k_anonymity", "2/0"],
    "t_closeness(health, -0.1)": ["t of t_closeness", ">= 0", "-0.1"],
    "t_closeness(health, half)": ["t of t_closeness", "number", "'half'"],
    "t_closeness(health)": ["t_closeness lacks t"],
    "t_closeness(helth, 0.1)": ["unknown column 'helth'", "'health'"],
    "t_closeness(health, 0.1, distance=euclid)": ["distance", "variational", "'euclid'"],
    "t_closeness(health, 0.1, ordered, release, 3)": ["t_closeness takes 4", "5"],
    "t_closeness(health, 0.1, dist=ordered)": ["no argument 'dist'", "distance"],
    "t_closeness(health, 0.1, distance=ordered)": ["order", "health", "[types]"],
    "t_closeness(health, 0.1, distance=hierarchical)": ["hierarchy", "health", "[hierarchies]"],
    "l_diversity(health, 0)": ["l of l_diversity", "0"],
    "l_diversity(2, health)": ["l_diversity", "is a column, not '2'"],
    "recursive_l_diversity(health, 0, 2)": ["c of recursive_l_diversity", "> 0"],
    "entropy_l_diversity(health, 0.5)": ["l of entropy_l_diversity", "0.5"],
    "delta_disclosure(health, 0)": ["delta of delta_disclosure", "> 0"],
    "alpha_k_anonymity(health, -1, 2)": ["alpha of alpha_k_anonymity", "-1"],
    "beta_likeness(health, -1)": ["beta of beta_likeness", "-1"],
    "weighted_safety(-1)": ["b of weighted_safety", "-1"],
    "logical_safety(1)": ["logical_safety takes 0"],
    "[a2] health = flu": ["unknown agent 'a2'", "'a1'"],
    "l_bob(health = flu) > 0": ["unknown agent 'bob'"],
    "<eve> health = flu": ["unknown agent 'eve'"],
    "helth = flu": ["unknown column 'helth'", "'health'"],
    "name = Ann": ["unknown column 'name'"],
    "forall v in helth: health = v": ["unknown column 'helth'", "'health'"],
    "health = fluu": ["'fluu'", "health", "'flu'"],
    "health in {flu, cool}": ["'cool'", "'cold'"],
    "zip = 11": ["'11'", "zip", "1*"],
    "health > flu": ["'health' is text", "[types]"],
    "@i5 health = flu": ["unknown individual 'i5'", "i1 to i4"],
    "@i0 health = flu": ["unknown individual 'i0'"],
    "@d5 health = flu": ["unknown individual 'd5'", "d1 to d4"],
    "@Ann health = flu": ["unknown individual 'Ann'"],
    "[a1] i77": ["unknown individual 'i77'"],
    "forall v in health: @v zip = '1*'": ["'v' ranges over"],
    "forall i: health = i": ["'i' ranges over individuals"],
    "forall v in pay: health = v": ["'v' ranges over values of 'pay'", "'health'"],
    "forall D in clauses(health, 0): [a1] D": ["clause", "at least 1"],
    "health = ": ["ends too early"],
    "": ["ends too early"],
    "(health = flu": ["ends too early", "')'"],
    "health = flu)": ["')'"],
    "health == flu": ["line 1, column 9"],
    "health = flu and and pay = 10": ["line 1, column 22"],
    "l_a1(health = flu) <= ": ["ends too early"],
    "l_a1(health = flu) <= 1/0": ["1/0", "zero"],
    "k_anonymity(2": ["ends too early"],
    "health = 'flu": ["cannot read"],
    "$": ["cannot read '$'", "line 1, column 1"],
    "forall health = flu": ["line 1"],
}  # fmt: skip


HUGE = [
    "k_anonymity(1e30)",
    "k_anonymity(99999999999999999999)",
    "l_diversity(health, 99999999999999999999)",
    "recursive_l_diversity(health, 2, 99999999999999999999)",
    "recursive_l_diversity(health, 1e300, 2)",
    "recursive_l_diversity(health, 1e300, 9)",
    "entropy_l_diversity(health, 1e300)",
    "t_closeness(health, 1e300)",
    "t_closeness(health, 1e-300)",
    "delta_disclosure(health, 1e12)",
    "delta_disclosure(health, 1e30)",
    "beta_likeness(health, 1e300)",
    "enhanced_beta_likeness(health, 1e-300)",
    "enhanced_beta_likeness(health, 1e300)",
    "average_benefit(health, 1e-300)",
    "alpha_k_anonymity(health, 1e-300, 99999999999999999999)",
    "l_a1(health = flu) < 1e300",
]


MANY = """
mising = "error"
[columns]
quasi = ["zip", "age", "pay"]
sensitive = ["health", "pay"]
neutral = ["height"]
idntifier = "name"
[agnets]
eve = ["zip"]
[agents]
bob = ["health"]
[types]
pay = "intger"
heigth = "integer"
[hierarchies]
heatlh = "health.csv"
[secrets]
"*" = [{formula = "health = flu", weight = 3}, "helth = flu"]
[assumptions]
known = "[a9] health = flu"
[rules]
small = "k_anonimity(2)"
zero = "k_anonymity(0)"
near = "t_closeness(health, -1)"
open = "(health = flu"
two = "nuhealth = flu & [a8] health = flu"
number = 5
"""


LINES = RELEASE.splitlines(keepends=True)


TABLES: dict[str, tuple[str | bytes, list[str]]] = {
    "nothing": ("", ["release.csv", "empty"]),
    "a byte order mark only": ("\ufeff", ["release.csv", "empty"]),
    "blank lines only": ("\n\n\n", ["release.csv", "empty"]),
    "a header only": (LINES[0], ["release.csv", "no rows"]),
    "a header without newline": (LINES[0].strip(), ["release.csv", "no rows"]),
    "a header and blank lines": (LINES[0] + "\n\n", ["release.csv", "no rows"]),
    "a column name twice": (RELEASE.replace("age", "zip"), ["release.csv", "'zip'", "twice"]),
    "a foreign column twice": ("x,x," + RELEASE.replace("\n1", "\n0,0,1").replace("\n2", "\n0,0,2"), ["'x'", "twice"]),
    "a row too long": (RELEASE.replace("cold,20", "cold,20,9"), ["release.csv", "3", "6 fields", "5"]),
    "a row too short": (RELEASE.replace("2*,40,170,flu,30", "2*,40,170,flu"), ["release.csv", "4", "4 fields", "5"]),
    "a last row cut off": (RELEASE.replace(",gout,40\n", ""), ["release.csv", "5", "3 fields"]),
    "an open quote": (RELEASE.replace("cold", '"cold'), ["release.csv", "CSV"]),
    "text after a quote": (RELEASE.replace("cold", '"co"ld'), ["release.csv", "CSV"]),
    "latin-1": (RELEASE.replace("cold", "grippe légère").encode("latin-1"), ["release.csv", "UTF-8", "line 3", "0xe9"]),
    "latin-1 header": (RELEASE.replace("age", "âge").encode("latin-1"), ["release.csv", "UTF-8", "line 1"]),
    "utf-16": (RELEASE.encode("utf-16"), ["release.csv", "UTF-8", "UTF-16"]),
    "utf-16 without mark": (RELEASE.encode("utf-16-le"), ["release.csv"]),
    "a picture": (b"\x89PNG\r\n\x1a\n\x00\x00\x00", ["release.csv", "UTF-8"]),
    "another table": ("a,b\n1,2\n", ["release.csv", "'zip'", "'age'", "'health'"]),
    "another case": (RELEASE.replace("zip", "ZIP"), ["release.csv", "'zip'"]),
    "a column that is not there": (RELEASE.replace("health", "haelth"), ["'health'", "'haelth'"]),
    "spaces in the header": (RELEASE.replace("zip,age", "zip, age"), ["'age'", "' age'"]),
}  # fmt: skip
