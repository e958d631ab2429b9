"""Every mistake of a user: exit code 2, the place and the nearest right name on stderr,
nothing written.
"""

from __future__ import annotations

import pytest
from support.bad_input_cases import (
    COLUMNS,
    FORMULAS,
    HUGE,
    MANY,
    POLICIES,
    RULES,
    Desk,
    desk,  # noqa: F401
    names_all,
)
from support.so_many import sampled


def test_the_desk_is_good(desk: Desk) -> None:
    assert desk.run()[0] == 0
    assert desk.run("--original", "original.csv")[0] == 0


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


SECTIONS = ["rules", "secrets", "assumptions"]
PLACED = [
    (SECTIONS[(number + turn) % 3], text)
    for number, text in enumerate(FORMULAS)
    for turn in range(3)
]
"""Each formula in each section; of each three, the first is in another one each time."""


@pytest.mark.parametrize(
    ("section", "text"),
    sampled(PLACED, 3),
)
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


@pytest.mark.parametrize("text", HUGE)
def test_huge_numbers_are_decided_or_refused(desk: Desk, text: str) -> None:
    desk.write("policy.toml", f'{COLUMNS}[rules]\nhuge = "{text}"\n')
    code, _, said = desk.run()
    assert code in (0, 1, 2), said
    assert code != 2 or "rules.huge" in said


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
