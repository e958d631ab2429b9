"""Every mistake of a user: exit code 2, the place and the nearest right name on stderr,
nothing written.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from phverify import Policy
from phverify.cli.main import main
from phverify.errors import InputError
from phverify.verbs.verify import verify

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


def test_the_desk_is_good(desk: Desk) -> None:
    assert desk.run()[0] == 0
    assert desk.run("--original", "original.csv")[0] == 0


# --- policies
# ------------------------------------------------------------------------------------------

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


@pytest.mark.parametrize("case", POLICIES)
def test_policies(desk: Desk, case: str) -> None:
    text, expected = POLICIES[case]
    desk.write("policy.toml", text)
    names_all(desk.refused(), expected)


def test_only_the_contradicting_assumptions_are_named(desk: Desk) -> None:
    desk.write("policy.toml", POLICIES["contradictory assumptions"][0])
    assert "free" not in desk.refused()


@pytest.mark.parametrize(
    "weight", ["-0.1", "1.1", "2", "-1", '"heavy"', "true", "[]", "nan", "inf", "-inf"]
)
def test_weights_outside_0_to_1(desk: Desk, weight: str) -> None:
    secret = f'[secrets]\n"*" = [{{formula = "health = flu", weight = {weight}}}]\n'
    desk.write(
        "policy.toml", COLUMNS + secret + '[rules]\nsafe = "weighted_safety(0.5)"\n'
    )
    said = desk.refused()
    assert "policy.toml" in said
    assert "Fraction" not in said
    assert "nan" in weight or "inf" in weight or "secrets.*" in said


@pytest.mark.parametrize("weight", ["0", "1", "0.25", "0.2_5", '"1/3"', "1e-3"])
def test_weights_that_are_fine(desk: Desk, weight: str) -> None:
    secret = f'[secrets]\n"*" = [{{formula = "health = flu", weight = {weight}}}]\n'
    desk.write(
        "policy.toml", COLUMNS + secret + '[rules]\nsafe = "weighted_safety(1)"\n'
    )
    code, _, said = desk.run()
    assert (code, said) == (0, "")


# --- formulas
# ------------------------------------------------------------------------------------------

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
    "t_closeness(health, 0.1, ordered, 3)": ["t_closeness takes 3", "4"],
    "t_closeness(health, 0.1, dist=ordered)": ["no argument 'dist'", "distance"],
    "t_closeness(health, 0.1, distance=ordered)": ["order", "health", "[types]"],
    "t_closeness(health, 0.1, distance=hierarchical)": ["hierarchy", "health", "[hierarchies]"],
    "l_diversity(health, 0)": ["l of l_diversity", "0"],
    "l_diversity(2, health)": ["l_diversity", "unknown column '2'"],
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


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.parametrize("section", ["rules", "secrets", "assumptions"])
def test_formulas(desk: Desk, text: str, section: str) -> None:
    written = text.replace("\\", "\\\\").replace('"', '\\"')
    if section == "rules":
        body, place = (
            f'[secrets]\n"*" = ["health = flu"]\n[rules]\nmine = "{written}"\n',
            "rules.mine",
        )
    elif section == "secrets":
        body, place = f'[secrets]\n"*" = ["{written}"]\n{RULES}', "secrets.*"
    else:
        body, place = f'[assumptions]\nmine = "{written}"\n{RULES}', "assumptions.mine"
    desk.write("policy.toml", COLUMNS + body)
    names_all(desk.refused(), ["policy.toml", place, *FORMULAS[text]])


@pytest.mark.parametrize(
    ("text", "line", "column", "picture"),
    [
        ("health = flu and\n  pay == 10", 2, 8, "  pay == 10\n           ^"),
        ("health = flu and\n  helth = 10", 2, 3, "  helth = 10\n      ^"),
        ("k_anonymity(2) and [a7] health = flu", 1, 20, None),
        ("k_anonymity(2) & k_anon(3)", 1, 18, "k_anonymity(2) & k_anon(3)"),
        ("\n\n   @i9 health = flu", 3, 4, "   @i9 health = flu\n       ^"),
        ("health = flu &", 1, 15, None),
    ],
)
def test_the_caret_stands_under_the_mistake(
    desk: Desk, text: str, line: int, column: int, picture: str | None
) -> None:
    desk.write("policy.toml", f'{COLUMNS}[rules]\nmine = """\n{text}"""\n')
    said = desk.refused()
    assert f"line {line}, column {column}:" in said
    rows = said.splitlines()
    where = next(k for k, row in enumerate(rows) if row.strip() == "^")
    assert rows[where].index("^") == 4 + column - 1
    assert rows[where - 1][4:] == text.split("\n")[line - 1]
    assert picture is None or picture.split("\n")[0] in said


@pytest.mark.parametrize("count", [30, 150, 200, 250, 330, 400, 5000])
@pytest.mark.parametrize(
    "start", ["(", "~", "@i1 ", "[a1] ", "l_a1(", "health = flu -> "]
)
def test_deep_formulas_are_decided_or_refused(
    desk: Desk, start: str, count: int
) -> None:
    ends = {"(": ")", "l_a1(": ") > 0"}
    text = f"{start * count}(health = flu){ends.get(start, '') * count}"
    desk.write("policy.toml", f'{COLUMNS}[rules]\ndeep = "{text}"\n')
    code, _, said = desk.run()
    assert code in (0, 1, 2), said[-300:]
    assert code != 2 or "deep" in said


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


@pytest.mark.parametrize("text", HUGE)
def test_huge_numbers_are_decided_or_refused(desk: Desk, text: str) -> None:
    desk.write("policy.toml", f'{COLUMNS}[rules]\nhuge = "{text}"\n')
    code, _, said = desk.run()
    assert code in (0, 1, 2), said
    assert code != 2 or "rules.huge" in said


# --- all problems at once
# ------------------------------------------------------------------------------

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
MISTAKES = """mising|two roles|idntifier|identifier|agnets|agents.bob|intger|heigth|heatlh|secrets.*|not 3|'helth'|
assumptions.known|'a9'|'k_anonimity'|rules.zero|t of t_closeness|rules.open|too early|'nuhealth'|'a8'|rules.number"""


def test_all_mistakes_of_a_policy_are_told_at_once(desk: Desk) -> None:
    desk.write("policy.toml", MANY)
    names_all(desk.refused(), MISTAKES.replace("\n", "").split("|"))


MET = """
[columns]
quasi = ["zip", "age"]
sensitive = ["health", "pay"]
[types]
health = "integer"
[hierarchies]
pay = "none.csv"
[secrets]
i8 = ["zip = '3*'"]
[rules]
who = "@i9 age = 30"
what = "zip = '9*'"
dist = "t_closeness(zip, 0.1, distance=ordered)"
"""


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        (
            'pay = "none.csv"|health = "integer"',
            ["'i8'", "'3*'", "'i9'", "'9*'", "rules.dist", "'nope'"],
        ),
        (
            'pay = "none.csv"',
            ["'flu'", "'i8'", "'3*'", "'i9'", "'9*'", "rules.dist", "'nope'"],
        ),
        (
            'health = "integer"',
            ["none.csv", "'i8'", "'3*'", "'i9'", "'9*'", "rules.dist", "'nope'"],
        ),
        (
            "-",
            [
                "none.csv",
                "'flu'",
                "'i8'",
                "'3*'",
                "'i9'",
                "'9*'",
                "rules.dist",
                "'nope'",
            ],
        ),
    ],
    ids=["names only", "with a type", "with a hierarchy", "everything"],
)
def test_all_mistakes_that_the_data_show_are_told_at_once(
    desk: Desk, left_out: str, expected: list[str]
) -> None:
    text = MET
    for part in left_out.split("|"):
        text = text.replace(part + "\n", "")
    desk.write("policy.toml", text)
    names_all(desk.refused("--rule", "nope"), expected)


def test_all_absent_columns_are_told_at_once(desk: Desk) -> None:
    desk.write(
        "policy.toml",
        '[columns]\nquasi = ["zpi", "aeg"]\nsensitive = ["helth"]\n' + RULES,
    )
    names_all(
        desk.refused(), ["'zpi'", "'zip'", "'aeg'", "'age'", "'helth'", "'health'"]
    )


# --- tables
# --------------------------------------------------------------------------------------------

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


@pytest.mark.parametrize("case", TABLES)
def test_releases(desk: Desk, case: str) -> None:
    content, expected = TABLES[case]
    desk.write("release.csv", content)
    names_all(desk.refused(), expected)


@pytest.mark.parametrize("case", [c for c in TABLES if c != "a foreign column twice"])
def test_originals(desk: Desk, case: str) -> None:
    content, expected = TABLES[case]
    desk.write("original.csv", content)
    names_all(
        desk.refused("--original", "original.csv"),
        [part.replace("release", "original") for part in expected],
    )


@pytest.mark.parametrize("row", ["2*,40,170,flu,30,99", "2*,40"])
def test_ragged_rows_are_named_by_their_line(desk: Desk, row: str) -> None:
    desk.write("release.csv", RELEASE.replace("2*,40,170,flu,30", row))
    assert "line 4" in desk.refused()


def test_semicolons_are_found_and_said(desk: Desk) -> None:
    desk.write("release.csv", RELEASE.replace(",", ";"))
    code, out, said = desk.run()
    assert (code, said) == (0, "")
    assert "semicolon" in out


@pytest.mark.parametrize("role", ["release", "policy", "--original"])
def test_paths(desk: Desk, role: str) -> None:
    (desk.folder / "folder").mkdir()

    def refused(path: str) -> str:
        if role == "--original":
            return desk.refused("--original", str(desk.folder / path))
        return desk.refused(**{role: path})

    near = {
        "release": "release.csv",
        "policy": "policy.toml",
        "--original": "original.csv",
    }[role]
    names_all(
        refused(near.replace(".", "s.")),
        [near.replace(".", "s."), "no such file", repr(near)],
    )
    names_all(refused("nowhere/x.csv"), ["nowhere", "no such file"])
    names_all(refused("folder"), ["folder", "directory"])


def test_policies_that_are_no_text(desk: Desk) -> None:
    desk.write(
        "policy.toml",
        (COLUMNS + RULES).replace("small", "# é\nsmall").encode("latin-1"),
    )
    names_all(desk.refused(), ["policy.toml", "UTF-8"])
    desk.write("policy.toml", (COLUMNS + RULES).encode("utf-16"))
    names_all(desk.refused(), ["policy.toml", "UTF-8"])
    desk.write("policy.toml", RELEASE)
    names_all(desk.refused(), ["policy.toml", "TOML"])


@pytest.mark.parametrize("column", ["zip", "health", "height"])
def test_missing_cells_where_they_are_an_error(desk: Desk, column: str) -> None:
    position = LINES[0].strip().split(",").index(column)
    cells = LINES[2].split(",")
    cells[position] = ""
    desk.write("release.csv", "".join([*LINES[:2], ",".join(cells), *LINES[3:]]))
    desk.write("policy.toml", COLUMNS + RULES)
    assert desk.run()[0] in (0, 1)
    for text in (
        'missing = "error"\n' + COLUMNS + RULES,
        COLUMNS + 'missing = "error"\n' + RULES,
    ):
        desk.write("policy.toml", text)
        names_all(desk.refused(), ["release.csv", repr(column), "missing", "1 cell"])


# --- originals
# -----------------------------------------------------------------------------------------

WHO = ORIGINAL.splitlines(keepends=True)

ORIGINALS: dict[str, tuple[str, list[str]]] = {
    "fewer rows": ("".join(WHO[:-1]), ["3 rows", "4"]),
    "more rows": (ORIGINAL + "Eve,23,40,170,flu,30\n", ["5 rows", "4"]),
    "a column less": (
        "\n".join(",".join(line.split(",")[:-1]) for line in ORIGINAL.splitlines()) + "\n",
        ["original.csv", "'pay'"],
    ),
    "an identifier twice": (ORIGINAL.replace("Dan", "Ann"), ["original.csv", "'Ann'", "twice", "'name'"]),
    "an identifier missing": (ORIGINAL.replace("Dan", ""), ["original.csv", "'name'", "missing"]),
    "identifiers missing and twice": (ORIGINAL.replace("Dan", "").replace("Cyd", "Ann"), ["'Ann'", "missing"]),
    "a confidential value changed": (ORIGINAL.replace("gout", "flu"), ["health", "'gout'", "'flu'"]),
    "a neutral value changed": (ORIGINAL.replace("175", "176"), ["height", "'176'", "'175'"]),
    "a value with two images": (ORIGINAL.replace("Bob,12", "Bob,21"), ["zip", "'21'", "'1*'", "'2*'"]),
}  # fmt: skip


@pytest.mark.parametrize("case", ORIGINALS)
def test_originals_that_do_not_fit(desk: Desk, case: str) -> None:
    text, expected = ORIGINALS[case]
    desk.write("original.csv", text)
    names_all(desk.refused("--original", "original.csv"), expected)


def test_identifiers_of_the_release_itself(desk: Desk) -> None:
    desk.write("release.csv", ORIGINAL.replace("Dan", "Ann"))
    names_all(desk.refused(), ["release.csv", "'Ann'", "twice"])


def test_strangers_among_named_individuals(desk: Desk) -> None:
    secrets, rules = (
        '[secrets]\nDann = ["health = flu"]\n',
        "[rules]\nwho = \"@'Boob' health = flu\"\n",
    )
    desk.write("policy.toml", COLUMNS + secrets + rules)
    names_all(
        desk.refused("--original", "original.csv"),
        ["'Dann'", "'Dan'", "'Boob'", "'Bob'"],
    )


# --- hierarchies
# ---------------------------------------------------------------------------------------

HIERARCHIES: dict[str, tuple[str | bytes, list[str]]] = {
    "empty": ("", ["empty"]),
    "blank": ("\n\n", ["empty"]),
    "unbalanced": ("flu;lung;*\ncold;*\ngout;joint;*\n", ["'cold'", "2", "3"]),
    "a value twice": (HIERARCHY + "flu;lung;*\n", ["'flu'", "two lines"]),
    "two parents": ("flu;lung;bad;*\ncold;lung;mild;*\ngout;joint;bad;*\n", ["'lung'", "'bad'", "'mild'"]),
    "everything": (HIERARCHY.replace("*\ngout", "+\ngout") + "flu;lung;*\nplague;*\n", ["'flu'", "'plague'", "'lung'"]),
    "no text": (HIERARCHY.replace("flu", "légère").encode("latin-1"), ["UTF-8"]),
    "an open quote": (HIERARCHY.replace("flu", '"flu'), ["CSV"]),
    "a value absent": ("flu;lung;*\ncold;lung;*\n", ["'gout'", "t_closeness"]),
    "no root": ("flu;lung\ncold;lung\ngout;joint\n", ["root"]),
    "no level": ("flu\ncold\ngout\n", ["health.csv"]),
}  # fmt: skip


@pytest.mark.parametrize("case", HIERARCHIES)
def test_hierarchies(desk: Desk, case: str) -> None:
    content, expected = HIERARCHIES[case]
    desk.write("health.csv", content)
    rules = '[rules]\nnear = "t_closeness(health, 0.5, distance=hierarchical)"\n'
    desk.write(
        "policy.toml", COLUMNS + '[hierarchies]\nhealth = "health.csv"\n' + rules
    )
    names_all(desk.refused(), ["health.csv", *expected])


def test_missing_cells_have_no_place_in_a_hierarchy(desk: Desk) -> None:
    desk.write("release.csv", RELEASE.replace("gout", ""))
    rules = (
        '[rules]\nnear = "t_closeness(health, 0.5, distance=hierarchical)"\nline ='
        ' "t_closeness(health, 1, ordered)"\n'
    )
    desk.write(
        "policy.toml", COLUMNS + '[hierarchies]\nhealth = "health.csv"\n' + rules
    )
    names_all(desk.refused(), ["rules.near", "rules.line", "health", "missing"])


# --- options
# -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "budget",
    ["0", "-1", "ten", "", "nan", "inf", "1/0", "0.0", "1e-400", "1s", "--redact"],
)
def test_budgets(desk: Desk, budget: str) -> None:
    names_all(desk.refused("--budget", budget), ["--budget"])


@pytest.mark.parametrize(
    "budget", ["1e400", "1e9", "1e300", "4294967.3", "1/2", "3.5", "1e3"]
)
def test_budgets_that_are_fine_or_refused(desk: Desk, budget: str) -> None:
    desk.write("policy.toml", f'{COLUMNS}[rules]\nr = "@i1 [a1] health = flu"\n')
    code, _, said = desk.run("--budget", budget)
    assert code in (1, 2), said
    assert code == 1 or "--budget" in said


def test_rules_that_are_not_there(desk: Desk) -> None:
    names_all(
        desk.refused("--rule", "smal", "--rule", "other"),
        ["'smal'", "'small'", "'other'"],
    )
    assert desk.run("--rule", "small")[0] == 0


def test_reports_that_cannot_be_written(desk: Desk) -> None:
    (desk.folder / "folder").mkdir()
    names_all(desk.refused("--json", "nowhere/out.json"), ["--json", "nowhere"])
    names_all(desk.refused("--json", "folder"), ["--json", "folder", "directory"])
    assert not (desk.folder / "nowhere").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["verify"],
        ["verify", "release.csv"],
        ["verifi", "release.csv"],
        ["verify", "--policy", "policy.toml"],
    ],
)
def test_command_lines(desk: Desk, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as leave:
        main(arguments)
    assert leave.value.code == 2
    shown = desk.capsys.readouterr()
    assert shown.out == ""
    assert "usage: phverify" in shown.err
    assert "phverify: " in shown.err


@pytest.mark.parametrize(
    "option", ["--encoding=half", "--ruel=small", "--json", "--budget"]
)
def test_unknown_options(desk: Desk, option: str) -> None:
    code, out, said = desk.run(option)
    assert (code, out) == (2, "")
    assert "usage: phverify" in said


# --- the same through the library
# ----------------------------------------------------------------------


@pytest.mark.parametrize("budget", [0, -1, float("nan")])
def test_budgets_of_the_library(desk: Desk, budget: float) -> None:
    with pytest.raises(InputError, match="budget"):
        verify("release.csv", "policy.toml", budget=budget)


def test_errors_of_the_library_carry_all_problems(desk: Desk) -> None:
    desk.write("policy.toml", MANY)
    with pytest.raises(InputError) as caught:
        Policy.load("policy.toml")
    assert len(caught.value.problems) >= 14
    assert all(problem.where and problem.what for problem in caught.value.problems)
    assert all(problem.text() in str(caught.value) for problem in caught.value.problems)


def test_unknown_encodings_of_the_library(desk: Desk) -> None:
    with pytest.raises(InputError, match="encoding"):
        verify("release.csv", "policy.toml", encoding="half")  # type: ignore[arg-type]


# --- anything at all
# -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_spoiled_bytes_never_lead_to_a_defect(desk: Desk, seed: int) -> None:
    """Bytes changed, dropped, doubled at random: a verdict or a message, never a
    traceback.
    """
    chance = random.Random(seed)
    names = {"release.csv": RELEASE, "original.csv": ORIGINAL, "health.csv": HIERARCHY}
    names["policy.toml"] = (
        COLUMNS + '[hierarchies]\nhealth = "health.csv"\n[types]\npay ='
        ' "integer"\n[agents]\nbob = ["zip"]\n'
        + '[secrets]\n"*" = [{formula = "health = flu | pay >= 20", weight = 0.5}]\n'
        + '[rules]\na = "k_anonymity(2)"\nb = "logical_safety()"\nc ='
        ' "t_closeness(health, 1/2, hierarchical)"\n'
        + 'd = "forall i: @i l_bob(pay > 10) <= 1/2 or ~[a1] i"\n'
    )
    for name, text in names.items():
        desk.write(name, text)
    name = chance.choice(list(names))
    data = bytearray(names[name].encode())
    for _ in range(chance.randrange(1, 4)):
        place, kind = chance.randrange(len(data)), chance.randrange(4)
        if kind == 0:
            data[place] = chance.randrange(256)
        elif kind == 1:
            data[place] = ord(chance.choice(",;\n\"'()[]{}=<>@~|&*0a "))
        elif kind == 2:
            del data[place : place + chance.randrange(1, 8)]
        else:
            data[place:place] = data[place : place + chance.randrange(1, 12)]
    desk.write(name, bytes(data))
    code, _, said = desk.run("--original", "original.csv", "--budget", "20")
    assert code in (0, 1, 2), f"{name}: {bytes(data)!r}\n{said}"
    assert "Traceback" not in said
    assert (code == 2) == bool(said)
