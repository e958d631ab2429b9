"""Answers that were kept: exact ones, rounded ones, noise, and those of another table."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as given_
from hypothesis import strategies as st
from support.audit_oracle import Case
from support.audit_worlds import Worlds
from support.histories_cases import ACCOUNTS, ALL, BUT_JEAN, POLICY, csv_text
from support.published_answers import Way, given, numbers, published
from support.so_many import so_many

from phverify.disclosure.log.ranges import NumberRange
from phverify.disclosure.result import DISCLOSED, SAFE, AuditReport
from phverify.errors import InputError
from phverify.report.audit_json import to_json
from phverify.verbs.audit import audit

pytest.importorskip("sqlglot")


@so_many(10, fuzz=400)
@given_(st.integers(0, 10**6))
def test_verdicts_are_those_of_all_worlds_that_may_have_answered_so(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """Against the enumeration of all worlds."""
    r = random.Random(seed)
    case, way = Case.random(seed), Way.random(r)
    file = tmp_path_factory.mktemp("case") / "case.duckdb"
    case.write(file)
    worlds = Worlds(case)
    log = []
    alive = set(range(len(worlds.all)))
    for sql in case.log[:4]:
        places = [] if sql.startswith("SELECT id") else numbers(worlds, sql)
        answers = worlds.together(sql)
        said = published(list(answers[worlds.truth].elements()), places, way, r)
        log.append({"sql": sql, "answer": said})
        alive &= {w for w in alive if given(answers[w], said, places, way.far)}
    report = audit(file, log, case.policy() | way.policy(), each=120, ranges=0)
    assert [one.status for one in report.steps] == ["answered"] * 5, (seed, report)
    for finding in report.steps[-1].findings:
        entry = case.protect[finding.fact.protected.name]
        row = 0 if "formula" in entry else finding.fact.rows[0]
        follows = worlds.disclosed(entry, row, alive)
        assert finding.verdict == (DISCLOSED if follows else SAFE), (seed, finding)
    file.unlink()


@pytest.fixture
def accounts(tmp_path: Path) -> Path:
    path = tmp_path / "accounts.csv"
    path.write_text(ACCOUNTS, encoding="utf-8")
    return path


MEANS = "SELECT branch, AVG(balance), COUNT(*) FROM accounts GROUP BY branch"
LOG = [ALL, MEANS, BUT_JEAN]
ANSWERS: list[Any] = [[[1580]], [["south", 280.0, 3], ["north", 370.0, 2]], [[1160]]]


def told(report: AuditReport) -> Any:
    """A report without lines, times, and the order of rows."""
    steps = to_json(report)["steps"]
    for step in steps:
        del step["line"], step["seconds"]
        step["answer"] = sorted(map(str, step["answer"]))
    return steps


def test_exact_kept_answers_say_what_the_table_does(
    accounts: Path, tmp_path: Path
) -> None:
    plain = told(audit(accounts, LOG, POLICY, ranges=0))
    pairs = list(zip(LOG, ANSWERS, strict=True))
    kept = [{"sql": sql, "answer": answer} for sql, answer in pairs]
    assert told(audit(accounts, kept, POLICY, ranges=0)) == plain

    # as JSON text in CSV
    history = tmp_path / "history.csv"
    rows = [[sql, json.dumps(answer)] for sql, answer in pairs]
    history.write_text(csv_text([["sql", "answer"], *rows]), encoding="utf-8")
    assert told(audit(accounts, history, POLICY, ranges=0)) == plain

    # as files: a folder, and JSON Lines
    folder = tmp_path / "answers"
    folder.mkdir()
    (folder / "1.json").write_text("1580", encoding="utf-8")
    means = [["avg", "n", "branch"], [280, 3, "south"], ["370.00", 2, "north"]]
    (folder / "2.csv").write_text(csv_text(means), encoding="utf-8")
    (folder / "query3.json").write_text('[{"sum": 1160}]', encoding="utf-8")
    log = [ALL, MEANS.replace(")", ") AS avg", 1).replace("(*)", "(*) AS n"), BUT_JEAN]
    found = told(audit(accounts, log, POLICY, ranges=0, answers=folder))
    assert [one["answer"] for one in found] == [one["answer"] for one in plain]
    lines = tmp_path / "answers.jsonl"
    entries = [{"query": n, "rows": rows} for n, rows in enumerate(ANSWERS, 1)]
    lines.write_text("\n".join(map(json.dumps, entries)), encoding="utf-8")
    assert told(audit(accounts, LOG, POLICY, ranges=0, answers=lines)) == plain


@pytest.mark.parametrize(
    ("sql", "answer", "said"),
    [
        (ALL, 1581, "it was answered '1581', and the table says '1580'"),
        (ALL, [], "it was answered without these rows, and the table says '1580'"),
        (ALL, [[None]], "answered 'missing'"),
        (ALL, "1580.5", "answered '3161/2'"),
        (MEANS, [["south", 280, 3], ["north", 371, 2]], "'north, 371.0, 2'"),
        (MEANS, [["south", 280, 3]], "and the table says 'north, 370.0, 2'"),
        (
            MEANS,
            [["south", 280, 3], ["north", 370, 2], ["west", 1, 1]],
            "answered 'west, 1.0, 1', and the table has no such rows: the data",
        ),
    ],
)
def test_an_answer_of_another_table_is_named_and_taints(
    sql: str, answer: Any, said: str, accounts: Path
) -> None:
    log = [
        {"sql": sql, "answer": answer},
        BUT_JEAN,
        "SELECT name, balance FROM accounts",
    ]
    report = audit(accounts, log[:2], POLICY, ranges=0)
    step = report.steps[1]
    assert step.status == "contradicted" and said in step.reason
    assert "the data changed since, or the log is not of this table" in step.reason
    assert report.verdict == "unsupported" and not any(
        one.verdict == SAFE for one in report.steps[-1].findings
    )
    assert f"line {step.line}) is not audited: it was answered" in str(report)
    told = to_json(report, redact=True)
    # The folder of the test, and seconds, may have these digits, too.
    shown = [{**one, "seconds": None} for one in told["steps"]]
    assert "1581" not in json.dumps(shown)
    # what others say follows all the same
    assert audit(accounts, log, POLICY, ranges=0).verdict == DISCLOSED


@pytest.mark.parametrize(
    ("sql", "answer", "said"),
    [
        (ALL, "many", "is no number"),
        (ALL, [[1, 2]], "rows of 2 cells, and it shows 1"),
        (f"{ALL}; {ALL}", 1, "one entry with an answer has several statements"),
        ("SELECT MIN(branch) FROM accounts", [[["a"]]], "for a text"),
    ],
)
def test_a_kept_answer_that_is_not_understood_taints(
    sql: str, answer: Any, said: str, accounts: Path
) -> None:
    log = [{"sql": sql, "answer": json.dumps(answer)}]
    report = audit(accounts, log, POLICY, ranges=0)
    assert report.verdict == "unsupported" and said in report.steps[1].reason


@pytest.mark.parametrize(
    ("entries", "what"),
    [
        ('{"query": 4, "rows": [[1]]}', "no statement for query 4"),
        ('{"query": 1, "rows": [[1]]}\n{"line": 1, "rows": [[1]]}', "has two answers"),
        ('{"rows": [[1]]}', "is no answer of a query"),
        ('{"query": "1", "rows": [[1]]}', "is no answer of a query"),
        ('{"query": 1, "rows": [[1], 2]}', "each a list"),
    ],
)
def test_answers_that_are_none(
    entries: str, what: str, accounts: Path, tmp_path: Path
) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(entries, encoding="utf-8")
    with pytest.raises(InputError) as error:
        audit(accounts, LOG, POLICY, answers=path)
    assert what in str(error.value)


def test_a_file_that_answers_no_query(accounts: Path, tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    folder.mkdir()
    (folder / "all.csv").write_text("sum\n1580\n", encoding="utf-8")
    with pytest.raises(InputError, match="is the answer of no query"):
        audit(accounts, LOG, POLICY, answers=folder)


def differs(tmp: Path, log: Any, answers: Any, **protect: Any) -> AuditReport:
    """An audit of the bank with answers that are published in some way."""
    policy = POLICY | {"answers": answers}
    return audit(tmp, log, policy | ({"protect": protect} if protect else {}), ranges=0)


def test_rounded_sums_leave_a_range(accounts: Path) -> None:
    kept = [{"sql": ALL, "answer": 1600}, {"sql": BUT_JEAN, "answer": 1200}]
    near = {"column": "balance", "within": 100, "keys": ["Jean"]}
    far = {"column": "balance", "within": 99, "keys": ["Jean"]}
    rich = {"fact": "balance >= 300", "keys": ["Jean"]}
    top = {"fact": "balance < 500", "keys": ["Jean"]}
    bottom = {"fact": "balance > 300", "keys": ["Jean"]}
    protect = {"near": near, "far": far, "rich": rich, "top": top, "bottom": bottom}
    report = differs(accounts, kept, {"rounded": 100}, **protect)
    # 1550..1650 less 1150..1250: Jean has 300..500
    said = {f.fact.protected.name: f.verdict for f in report.steps[-1].findings}
    assert said.pop("rich") == DISCLOSED and set(said.values()) == {SAFE}
    assert "1600 (1550 to 1650)" in str(report)
    # without kept answers they are those of the table, rounded
    plain = differs(accounts, LOG[::2], {"rounded": 100}, rich=rich)
    assert plain.steps[1].answer[0][0].published == "1600"
    assert plain.verdict == DISCLOSED


def said(table: Path, sql: str, answer: Any, formulas: list[str]) -> list[str]:
    """The verdicts on some formulas, after an answer that was rounded to 100."""
    protect = {f"f{n}": {"formula": text} for n, text in enumerate(formulas)}
    report = differs(
        table, [{"sql": sql, "answer": answer}], {"rounded": 100}, **protect
    )
    assert report.steps[1].status == "answered"
    found = {f.fact.protected.name: f.verdict for f in report.steps[-1].findings}
    return [found[name] for name in protect]


@pytest.mark.parametrize(
    ("sql", "answer", "follow", "open_"),
    [
        # both ends are included
        (
            "SELECT SUM(balance) FROM accounts WHERE name = 'Jean'",
            400,
            ["balance[Jean] >= 350", "balance[Jean] <= 450"],
            ["balance[Jean] > 350", "balance[Jean] < 450"],
        ),
        # a sum of no cell is missing, and no 0
        (
            "SELECT SUM(balance) FROM accounts WHERE name = 'Zoe' AND balance < 9",
            0,
            ["balance[Zoe] < 9"],
            ["balance[Zoe] < 8"],
        ),
        # of two cells the lower and the upper median are two
        (
            "SELECT MEDIAN(balance) FROM accounts WHERE name IN ('Ann', 'Jean')",
            400,
            ["balance[Ann] + balance[Jean] >= 700"],
            ["balance[Ann] + balance[Jean] > 700", "balance[Ann] < 400"],
        ),
        (
            "SELECT MAX(balance), AVG(balance) FROM accounts WHERE name > 'K'",
            [[400, 200]],
            [
                "balance[Lou] <= 450",
                "balance[Kim] + balance[Lou] + balance[Zoe] <= 750",
            ],
            ["balance[Lou] < 450", "balance[Lou] >= 350"],
        ),
    ],
)
def test_what_a_rounded_answer_says(
    sql: str, answer: Any, follow: list[str], open_: list[str], tmp_path: Path
) -> None:
    table = tmp_path / "zoe.csv"
    table.write_text(f"{ACCOUNTS}Zoe,north,0\n", encoding="utf-8")
    assert said(table, sql, answer, follow) == [DISCLOSED] * len(follow)
    assert said(table, sql, answer, open_) == [SAFE] * len(open_)


def test_objects_of_a_kept_answer_have_their_columns_in_any_order(
    accounts: Path,
) -> None:
    sums = "SELECT branch, SUM(balance) AS total FROM accounts GROUP BY branch"
    answer = [{"branch": "north", "total": 740}, {"total": 840, "branch": "south"}]
    log = [{"sql": sums, "answer": answer}]
    assert audit(accounts, log, POLICY, ranges=0).steps[1].status == "answered"


def test_what_was_published_otherwise_is_not_read(accounts: Path) -> None:
    taints = [
        ([{"sql": ALL, "answer": 1585}], {"rounded": 10}, "not rounded to 10"),
        ([{"sql": ALL, "answer": 1590}], {"rounded": 10}, "answered '1590 (1585 to"),
        ([{"sql": ALL, "answer": 1586}], {"within": 5}, "the data changed since"),
        ([ALL], {"rounded": 1000.8}, ""),
    ]
    for log, answers, why in taints:
        report = differs(accounts, log, answers)
        if why:
            assert report.verdict == "unsupported" and why in report.steps[1].reason
        else:
            assert report.verdict == SAFE


def test_what_was_published_in_an_unknown_way_says_at_most_the_exact_answer(
    accounts: Path,
) -> None:
    among = "WITH c AS (SELECT * FROM accounts WHERE name <> 'Jean')"
    among += " SELECT SUM(balance) FROM c"
    bounded = [
        (ALL, {"within": 5}, "had noise and was not kept"),
        (ALL, {"rounded": 40}, "in the middle of two rounded ones"),
        (among, {"rounded": 10}, "WITH is outside"),
    ]
    for sql, answers, why in bounded:
        report = differs(accounts, [sql], answers)
        step = report.steps[1]
        assert step.status == "bounded" and not step.answer
        assert "its answer without rounding or noise" in step.reason
        assert why in step.reason and report.verdict == SAFE
    report = differs(accounts, [ALL, BUT_JEAN], {"within": 5})
    assert report.steps[2].worst() == "undecided"
    # A kept answer in another form cannot be compared with the table's.
    report = differs(accounts, [{"sql": among, "answer": 1160}], {"rounded": 10})
    assert report.verdict == "unsupported" and "WITH" in report.steps[1].reason


@so_many(6, fuzz=300)
@given_(st.integers(0, 10**6))
def test_answers_that_were_not_kept_are_known_at_most_exactly(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """Against the enumeration of all worlds: those that give the kept answers, and
    those of them where the others are the same, too.
    """
    r = random.Random(seed)
    case, way = Case.random(seed), Way(None, Fraction(r.choice([1, 2]), 2))
    file = tmp_path_factory.mktemp("case") / "case.duckdb"
    case.write(file)
    worlds = Worlds(case)
    log: list[Any] = []
    kept = set(range(len(worlds.all)))
    alive = set(kept)
    fates = ["answered"]
    for sql in case.log[:4]:
        places = [] if sql.startswith("SELECT id") else numbers(worlds, sql)
        answers = worlds.together(sql)
        true = answers[worlds.truth]
        same = {w for w in kept if answers[w] == true}
        if r.random() < 0.5:
            said = published(list(true.elements()), places, way, r)
            log.append({"sql": sql, "answer": said})
            may = {w for w in kept if given(answers[w], said, places, way.far)}
            kept &= may
            alive &= may
            fates.append("answered")
        else:
            log.append(sql)
            alive &= same
            # That there is no row, or no number, is exact.
            noisy = any(row[place] is not None for row in true for place in places)
            if not noisy:
                kept &= same
            fates.append("bounded, silent" if noisy else "answered, silent")
    report = audit(file, log, case.policy() | way.policy(), each=120, ranges=0)
    for step, fate in zip(report.steps, fates, strict=True):
        assert step.status in fate, (seed, step)
    for finding in report.steps[-1].findings:
        entry = case.protect[finding.fact.protected.name]
        row = 0 if "formula" in entry else finding.fact.rows[0]
        at_most = worlds.disclosed(entry, row, alive)
        surely = worlds.disclosed(entry, row, kept)
        assert (finding.verdict == DISCLOSED) == surely, (seed, finding)
        assert not (finding.verdict == SAFE and at_most), (seed, finding)
    file.unlink()


def test_a_mean_with_more_digits_than_a_double_is_a_range(accounts: Path) -> None:
    mean = "SELECT AVG(balance) FROM accounts WHERE branch = 'south' OR name = 'Ann'"
    log = [{"sql": mean, "answer": '"290.0000000000000000"'}]
    assert audit(accounts, log, POLICY, ranges=0).steps[1].answer == ((290.0,),)
    third = "SELECT AVG(balance) FROM accounts WHERE name IN ('Ann', 'Bob', 'Jean')"
    log = [{"sql": third, "answer": '"336.6666666666666667"'}]
    step = audit(accounts, log, POLICY, ranges=0).steps[1]
    assert isinstance(step.answer[0][0], NumberRange) and step.status == "answered"
    log = [{"sql": third, "answer": '"336.6666666666666767"'}]
    step = audit(accounts, log, POLICY, ranges=0).steps[1]
    assert step.status == "contradicted"


@pytest.mark.parametrize(
    ("answers", "what"),
    [
        ({"rounded": 0}, "is a number above 0"),
        ({"rounded": "10"}, "is a number above 0"),
        ({"within": float("inf")}, "is a number above 0"),
        ({"decimals": -1}, "is a number from 0 to 30"),
        ({"decimals": 1, "rounded": 1}, "has both"),
        ({"round": 1}, "unknown entry 'round'"),
    ],
)
def test_a_section_answers_that_is_none(
    answers: Any, what: str, accounts: Path
) -> None:
    with pytest.raises(InputError, match=what):
        differs(accounts, LOG, answers)


def test_a_kept_answer_of_another_dialect(accounts: Path) -> None:
    policy = POLICY | {"dialect": "tsql"}
    asked = "SELECT SUM([balance]) FROM [accounts]"
    for answer, status in ((1580, "answered"), (1581, "contradicted")):
        log = [{"sql": asked, "answer": answer}]
        assert audit(accounts, log, policy, ranges=0).steps[1].status == status


@pytest.mark.parametrize("sql", [MEANS.replace(", COUNT(*)", ""), ALL, ALL + " / 0"])
@pytest.mark.parametrize(
    "number", ["1e400", "-1e999", "5.5e400", "9" * 1000, "9" * 5000 + ".5"]
)
def test_numbers_beyond_what_a_double_is_are_no_answer_and_are_not_shown_whole(
    sql: str, number: str, accounts: Path, tmp_path: Path
) -> None:
    answer = f"[[{number}]]" if sql.startswith(ALL[:12]) else f'[["south", {number}]]'
    history = tmp_path / "history.csv"
    history.write_text(csv_text([["sql", "answer"], [sql, answer]]), encoding="utf-8")
    for more in ({}, {"answers": {"rounded": 10}}):
        policy = POLICY | {"dialect": "duckdb"} | more
        step = audit(accounts, history, policy, ranges=0).steps[-1]
        assert step.status in ("unsupported", "contradicted")
        assert len(step.reason) < 250
