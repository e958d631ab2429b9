"""A log of answered queries over a database: which worlds are left, and is the secret
true in all of them?

Plain writers of the page's constraints, apart from ``phverify.audit``, which asks such
questions of a user's log. A world gives every row a value of each unknown column;
answers are constraints; a secret is disclosed when no world is left in which it is
false.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pages import census
from pages.census import conj, count, mean, plus
from pages.common import File

FOLDER = "audit"


@dataclass(frozen=True)
class Log:
    """Answered queries over rows with an unknown integer column, the values from
    ``low`` to ``high``.

    ``secret`` is a claim about the unknowns v0, v1, ..; ``disclosed`` says after how
    many answers it is certain (None: after none of them), ``consistent`` whether some
    world gives all the answers.
    """

    name: str
    people: Sequence[str]
    low: int
    high: int
    answers: Sequence[tuple[str, str]]
    secret: tuple[str, str]
    disclosed: int | None
    consistent: bool = True


def rows(*numbers: int) -> str:
    """The sum of the unknowns of some rows."""
    return plus([f"v{r}" for r in numbers])


def least(value: int, *numbers: int) -> str:
    """MIN over some rows: all are at least the value, and one is it."""
    return extreme(">=", value, numbers)


def most(value: int, *numbers: int) -> str:
    """MAX over some rows."""
    return extreme("<=", value, numbers)


def extreme(sign: str, value: int, numbers: Sequence[int]) -> str:
    reached = " ".join(f"(= v{r} {value})" for r in numbers)
    return conj([*(f"({sign} v{r} {value})" for r in numbers), f"(or {reached})"])


BANK = ["Claude", "Paul", "Jean", "Martin", "Michel"]
JEAN = ("Jean's balance is at least 420", "(>= v2 420)")
ALL = ("SELECT SUM(balance): 1580", f"(= {rows(0, 1, 2, 3, 4)} 1580)")
OTHERS = (
    "SELECT SUM(balance) WHERE name <> 'Jean': 1160",
    f"(= {rows(0, 1, 3, 4)} 1160)",
)
MINIMUM = ("published: the total is at least 1580", f"(>= {rows(0, 1, 2, 3, 4)} 1580)")
STAFF = ["a", "b", "c", "d"]
LOGS = [
    Log("bank", BANK, 0, 1000, [ALL, OTHERS], JEAN, 2),
    Log("bank_minimum", BANK, 0, 1000, [MINIMUM, OTHERS], JEAN, 2),
    Log(
        "bank_safe",
        BANK,
        0,
        1000,
        [ALL, ("SELECT MAX(balance): 420", most(420, 0, 1, 2, 3, 4))],
        JEAN,
        None,
    ),
    Log(
        "extremes",
        STAFF,
        0,
        9,
        [
            ("SELECT MAX(v) WHERE name IN ('a', 'b'): 7", most(7, 0, 1)),
            ("SELECT MAX(v) WHERE name IN ('a', 'c'): 5", most(5, 0, 2)),
        ],
        ("b's value is 7", "(= v1 7)"),
        2,
    ),
    Log(
        "bounds",
        STAFF,
        0,
        1,
        [("SELECT SUM(v) WHERE name IN ('a', 'b', 'c'): 3", f"(= {rows(0, 1, 2)} 3)")],
        ("a's value is 1", "(= v0 1)"),
        1,
    ),
    Log(
        "groups",
        STAFF,
        0,
        2,
        [
            (
                "SELECT v, COUNT(*) GROUP BY v: 1 twice, 2 twice",
                f"(= {count([f'(= v{r} 1)' for r in range(4)])} 2)",
            ),
            ("no group 0 in it", f"(= {count([f'(= v{r} 0)' for r in range(4)])} 0)"),
            ("SELECT SUM(v) WHERE name IN ('a', 'b'): 2", f"(= {rows(0, 1)} 2)"),
        ],
        ("c's value is 2", "(= v2 2)"),
        3,
    ),
    Log(
        "average",
        STAFF,
        0,
        9,
        [
            (
                "SELECT AVG(v) WHERE name IN ('a', 'b', 'c'), rounded to tenths: 8.7",
                mean(87, 3, rows(0, 1, 2)),
            ),
            ("SELECT MIN(v) WHERE name IN ('b', 'c'): 8", least(8, 1, 2)),
        ],
        ("a's value is 9", "(= v0 9)"),
        2,
    ),
    Log(
        "impossible",
        STAFF,
        0,
        9,
        [
            ("SELECT SUM(v) WHERE name = 'a': 4", "(= v0 4)"),
            ("SELECT MAX(v): 3", most(3, 0, 1, 2, 3)),
        ],
        ("b's value is 3", "(= v1 3)"),
        None,
        consistent=False,
    ),
]


def files() -> Iterator[File]:
    for log in LOGS:
        yield from log_files(log)
    yield from census.files()


def log_files(log: Log) -> Iterator[File]:
    """After each answer: is there a world left where the secret is false?  And is there
    any world at all?
    """
    for number in range(1, len(log.answers) + 1):
        asked = log.answers[:number]
        certain = log.disclosed is not None and number >= log.disclosed
        empty = not log.consistent and number == len(log.answers)
        header = (
            (
                f"After {number} of {len(log.answers)} answers, can it be false that"
                f" {log.secret[0]}?"
            ),
            *_world(log),
            *(f"answer {k}: {said}" for k, (said, _) in enumerate(asked, start=1)),
            (
                "unsat: no world is left in which it is false, so that it is disclosed"
                " (if *.possible is sat)"
            ),
            (
                "sat: a model is a world in which it is false, and the adversary cannot"
                " exclude it"
            ),
        )
        claims = [*(claim for _, claim in asked), f"(not {log.secret[1]})"]
        yield File(
            f"{FOLDER}/{log.name}.{number}.smt2",
            "unsat" if certain or empty else "sat",
            header,
            script(log, claims),
        )
    header = (
        f"Is there a world that gives all {len(log.answers)} answers?",
        *_world(log),
        *(f"answer {k}: {said}" for k, (said, _) in enumerate(log.answers, start=1)),
        (
            "sat: yes.  unsat: the log is impossible, which is no disclosure but a"
            " wrong answer somewhere"
        ),
    )
    text = script(log, [claim for _, claim in log.answers])
    yield File(
        f"{FOLDER}/{log.name}.possible.smt2",
        "sat" if log.consistent else "unsat",
        header,
        text,
    )


def _world(log: Log) -> Iterator[str]:
    said = ", ".join(f"v{r} of {name}" for r, name in enumerate(log.people))
    yield f"unknowns: {said}; whole numbers from {log.low} to {log.high}"


def script(log: Log, claims: Sequence[str]) -> str:
    unknowns = [
        f"(declare-const v{r} Int)\n(assert (<= {log.low} v{r} {log.high}))"
        for r in range(len(log.people))
    ]
    return "\n".join(
        [
            "(set-logic QF_LIA)",
            *unknowns,
            *(f"(assert {c})" for c in claims),
            "(check-sat)",
            "",
        ]
    )
