"""EXECUTE is the statement that it names, with its values, where the log says which one
that is; PREPARE and DEALLOCATE say nothing.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import phverify
from phverify.disclosure.histories.prepared import executed
from phverify.disclosure.log.statements import Statement
from phverify.disclosure.result import AuditReport

pytest.importorskip("sqlglot")

FRAME = pd.DataFrame(
    {"id": [1, 2, 3, 4], "town": ["a", "a", "b", "O'B"], "pay": [10, 20, 30, 40]}
)
POLICY: dict[str, Any] = {
    "table": "t",
    "key": "id",
    "public": ["town"],
    "sensitive": {"pay": {"from": 0, "to": 100}},
    "protect": {"pays": {"column": "pay"}},
    "dialect": "postgres",
}
WHOLE = "SELECT SUM(pay) FROM t"
BY_TOWN = "PREPARE of_town (text) AS SELECT SUM(pay) FROM t WHERE town = $1"


def audited(*log: Any, **policy: Any) -> AuditReport:
    return phverify.audit(FRAME, list(log), {**POLICY, **policy}, ranges=0)


def fates(report: AuditReport) -> list[str]:
    return [step.status for step in report.steps[1:]]


def test_it_is_the_statement_with_its_values() -> None:
    log = [WHOLE, BY_TOWN, "EXECUTE of_town('b')", "DEALLOCATE of_town"]
    report = audited(*log)
    assert fates(report) == ["answered", "silent", "answered", "silent"]
    assert report.steps[3].answer == ((30,),)
    assert report.steps[3].sql == "SELECT SUM(pay) FROM t WHERE town = 'b'"
    (one,) = report.disclosed
    assert (one.since, one.queries) == (3, ((3, 3),))


@pytest.mark.parametrize(
    ("prepared", "executed", "text"),
    [
        ("PREPARE p AS SELECT SUM(pay) FROM t", "EXECUTE p", WHOLE),
        ("prepare P as SELECT SUM(pay) FROM t", "execute p ()", WHOLE),
        (BY_TOWN, "EXECUTE of_town ('O''B')", f"{WHOLE} WHERE town = 'O''B'"),
        (
            "PREPARE p (int, integer) AS SELECT SUM(pay) FROM t WHERE id IN ($2, $1)",
            "EXECUTE p(1, -3)",
            f"{WHOLE} WHERE id IN ((-3), 1)",
        ),
        (
            "PREPARE p AS SELECT SUM(pay) FROM t WHERE id > $1",
            "EXECUTE p('2')",
            f"{WHOLE} WHERE id > 2",
        ),
    ],
)
def test_forms(prepared: str, executed: str, text: str) -> None:
    report = audited(prepared, executed)
    assert fates(report) == ["silent", "answered"]
    assert report.steps[2].sql == text
    again = audited(text)
    assert report.steps[2].answer == again.steps[1].answer
    found = [one.verdict for one in report.steps[-1].findings]
    assert found == [one.verdict for one in again.steps[-1].findings]


def test_the_word_of_mysql() -> None:
    prepared = "PREPARE s FROM 'SELECT SUM(pay) FROM t WHERE id > 1'"
    report = audited(prepared, "EXECUTE s", "DROP PREPARE s", dialect="mysql")
    assert fates(report) == ["silent", "answered", "silent"]


@pytest.mark.parametrize(
    "log",
    [
        # nobody prepared it, or only later
        ["EXECUTE of_town('b')"],
        ["EXECUTE of_town('b')", BY_TOWN],
        # two texts by one name: of which session is it?
        [BY_TOWN, BY_TOWN.replace("town =", "town <>"), "EXECUTE of_town('b')"],
        [BY_TOWN, "EXECUTE of_town('b')", BY_TOWN.replace("town =", "town <>")],
        # values that are no literals, or that their types may change
        [BY_TOWN, "EXECUTE of_town(lower('B'))"],
        [BY_TOWN, "EXECUTE of_town(E'b')"],
        [BY_TOWN.replace("(text)", "(char(1))"), "EXECUTE of_town('bcd')"],
        ["PREPARE p (int) AS SELECT SUM(pay) FROM t WHERE id < $1", "EXECUTE p(2.5)"],
        # more or fewer values than it has places
        [BY_TOWN, "EXECUTE of_town('b', 'a')"],
        [BY_TOWN, "EXECUTE \"of_town\"('b')"],
    ],
)
def test_what_is_not_known_taints(log: list[str]) -> None:
    report = audited(*log)
    assert "unsupported" in fates(report) and report.verdict == "unsupported"


def test_a_value_too_few_may_be_any() -> None:
    assert fates(audited(BY_TOWN, "EXECUTE of_town"))[1] in ("bounded", "unsupported")


def test_what_it_executes_may_write() -> None:
    report = audited("PREPARE gone AS DELETE FROM t", "EXECUTE gone")
    assert fates(report) == ["silent", "refused"]


def test_names_are_those_of_users() -> None:
    ann = {"sql": BY_TOWN, "user": "ann"}
    bob = {"sql": BY_TOWN.replace("town =", "town <>"), "user": "bob"}
    asks = {"sql": "EXECUTE of_town('b')"}
    report = audited(ann, bob, {**asks, "user": "ann"}, {**asks, "user": "eve"})
    assert fates(report) == ["silent", "silent", "answered", "unsupported"]
    assert report.steps[3].answer == ((30,),)


def test_a_failure_is_looked_at_as_it_was_sent() -> None:
    failed = {"sql": "EXECUTE of_town('b')", "error": "it does not exist"}
    assert fates(audited(BY_TOWN, failed)) == ["silent", "unsupported"]


def test_the_message_names_what_to_write() -> None:
    said = audited("EXECUTE of_town('b')").steps[1].reason
    assert said.count("not EXECUTE") == 1 and "write the query in its place" in said


A = "PREPARE p AS SELECT SUM(pay) FROM t"
FROM_A = "PREPARE p FROM 'SELECT SUM(pay) FROM t'"


@pytest.mark.parametrize(
    "log",
    [
        # another text by that name, however it is written
        [A, "DEALLOCATE p", f"PREPARE/**/p AS {WHOLE} WHERE id = 1"],
        [A, "DEALLOCATE p", f"/* again */ PREPARE p /* ( */ AS {WHOLE} WHERE id = 1"],
        [FROM_A, f'PREPARE p FROM "{WHOLE} WHERE id = 1"'],
        [FROM_A, "PREPARE p FROM @asked"],
        # of which nobody says whose it is
        [{"sql": A, "user": "ann"}, f"PREPARE p AS {WHOLE} WHERE id = 1"],
        # one that is another's, or nobody's
        ['PREPARE "P" AS SELECT SUM(pay) FROM t'],
        [{"sql": A, "error": "it exists"}],
        ["/* first */ PREPARE/**/p AS SELECT SUM(pay) FROM t"],
    ],
)
@pytest.mark.parametrize("user", [None, "ann"])
def test_another_text_by_the_name_taints(log: list[Any], user: str | None) -> None:
    report = audited(*log, {"sql": "EXECUTE p", "user": user}, dialect="mysql")
    assert fates(report)[-1] == "unsupported"
    assert report.verdict == "unsupported"


BEFORE = "PREPARE p ({}) AS SELECT SUM(pay) FROM t WHERE day < $1"


@pytest.mark.parametrize(
    ("type_", "value", "fate"),
    [
        ("date", "2020-01-02", "answered"),
        ("timestamp", "2020-01-02", "answered"),
        # before noon is the whole day, which a date would not be
        ("timestamp", "2020-01-02 12:00", "unsupported"),
        ("DATE", "2020-01-02 12:00", "unsupported"),
    ],
)
def test_a_time_of_day_is_what_its_type_is(type_: str, value: str, fate: str) -> None:
    frame = FRAME.assign(day=pd.date_range("2020-01-01", periods=4).date)
    log = [BEFORE.format(type_), f"EXECUTE p('{value}')"]
    policy = {**POLICY, "public": ["town", "day"]}
    report = phverify.audit(frame, log, policy, ranges=0)
    assert fates(report)[-1] == fate


def test_a_number_beside_texts_may_make_them_numbers() -> None:
    """DuckDB finds ``'03'`` by 3, and PostgreSQL does not."""
    frame = FRAME.assign(town=["1", "2", "3", "03"])
    prepared = "PREPARE p AS SELECT SUM(pay) FROM t WHERE town = $1"
    for value, fate in (("3", "bounded"), ("'3'", "answered")):
        log = [prepared, f"EXECUTE p({value})"]
        policy = {**POLICY, "dialect": "duckdb"}
        report = phverify.audit(frame, log, policy, ranges=0)
        assert fates(report)[-1] == fate


def test_a_fraction_in_quotes_may_be_rounded() -> None:
    prepared = "PREPARE p AS SELECT SUM(pay) FROM t WHERE id > $1"
    assert fates(audited(prepared, "EXECUTE p('2.5')"))[-1] == "unsupported"


def test_a_text_that_was_cut_is_not_executed() -> None:
    asked = Statement("EXECUTE p", 2)
    cut = Statement(A, 1, unread="it was cut")
    assert executed([cut, asked])[1] == asked
    assert executed([Statement(A, 1), asked])[1].text == WHOLE


def of(user: str, text: str) -> dict[str, str]:
    return {"sql": text, "user": user}


@pytest.mark.parametrize(
    "log",
    [
        [A, "DEALLOCATE p", "EXECUTE p"],
        [A, "deallocate PREPARE p", "EXECUTE p"],
        [A, "DROP PREPARE P", "EXECUTE p"],
        [A, "DEALLOCATE ALL", "EXECUTE p"],
        [A, "DISCARD ALL", "EXECUTE p"],
        [A, A, "DEALLOCATE p", "DEALLOCATE p", "EXECUTE p"],
        [of("ann", A), "DEALLOCATE p", of("ann", "EXECUTE p")],
        [A, of("ann", "DEALLOCATE p"), "EXECUTE p"],
    ],
)
def test_after_deallocate_a_name_is_of_a_text_that_is_not_in_the_log(
    log: list[Any],
) -> None:
    """It was answered, so that somebody had prepared it, and the log has not what."""
    report = audited(*log, dialect="mysql")
    assert fates(report)[-1] == "unsupported"
    assert "no DEALLOCATE since" in report.steps[-1].reason


@pytest.mark.parametrize(
    "log",
    [
        [A, "DEALLOCATE p", A, "EXECUTE p"],
        # two sessions, one of which has it still
        [A, A, "DEALLOCATE p", "EXECUTE p"],
        [A, "DEALLOCATE q", "EXECUTE p"],
        [A, {"sql": "DEALLOCATE p", "error": "it does not exist"}, "EXECUTE p"],
        [of("ann", A), of("bob", A), of("bob", "DEALLOCATE p"), of("ann", "EXECUTE p")],
    ],
)
def test_what_is_prepared_still_is_executed(log: list[Any]) -> None:
    assert fates(audited(*log, dialect="mysql"))[-1] == "answered"
