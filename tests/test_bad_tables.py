"""Mistakes in tables, hierarchies, options and budgets: exit code 2, the place, a hint."""

from __future__ import annotations

import random

import pytest
from support.bad_input_cases import (
    COLUMNS,
    HIERARCHY,
    LINES,
    MANY,
    ORIGINAL,
    RELEASE,
    RULES,
    TABLES,
    Desk,
    desk,  # noqa: F401
    names_all,
)

from phverify import Policy
from phverify.cli.main import main
from phverify.errors import InputError
from phverify.verbs.verify import verify


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
