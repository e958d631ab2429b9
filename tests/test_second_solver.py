"""The second solver: a process of its own, a hard stop, and never a guess."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

import phverify
import phverify.constraints.second as second_module
from phverify.constraints.second import second, second_all, second_version
from phverify.constraints.solver import solve
from phverify.errors import Defect, InputError

ROOT = Path(phverify.__file__).parent
YES = "(set-logic QF_LIA)\n(declare-const x Int)\n(assert (= (* 2 x) 4))\n(check-sat)\n"
NO = YES.replace("4", "5")


def pigeons(n: int) -> str:
    """n + 1 pigeons in n holes, in Booleans: neither solver settles 12 of them in a
    moment.
    """
    lines = [
        "(set-logic QF_UF)",
        *(f"(declare-const p{p}_{h} Bool)" for p in range(n + 1) for h in range(n)),
    ]
    lines += [
        f"(assert (or {' '.join(f'p{p}_{h}' for h in range(n))}))" for p in range(n + 1)
    ]
    pairs = [(a, b) for a in range(n + 1) for b in range(a)]
    lines += [
        f"(assert (not (and p{a}_{h} p{b}_{h})))" for h in range(n) for a, b in pairs
    ]
    return "\n".join([*lines, "(check-sat)", ""])


def test_it_answers() -> None:
    assert [answer.status for answer in second_all([YES, NO, YES], 10)] == [
        "sat",
        "unsat",
        "sat",
    ]
    assert second(NO, 10).status == solve(NO).status == "unsat"
    assert second_version().startswith("cvc5 ")
    assert second_all([], 10) == []


def test_a_hard_stop_and_the_rest_goes_on() -> None:
    start = time.monotonic()
    answers = second_all([YES, pigeons(14), NO, pigeons(14), YES], 0.5)
    assert [answer.status for answer in answers] == [
        "sat",
        "unknown",
        "unsat",
        "unknown",
        "sat",
    ]
    assert answers[1].reason == "cvc5 was stopped after 0.5 s"
    assert time.monotonic() - start < 20


def test_no_process_is_left() -> None:
    def children() -> set[str]:
        listed = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(os.getpid())],
            capture_output=True,
            text=True,
        )
        return set(listed.stdout.split())

    before = children()
    second(pigeons(14), 0.2)
    assert len(children() - before) <= 1  # ps itself


@pytest.mark.parametrize(
    "odd",
    [
        "",
        "(check-sat",
        "(foo)",
        "(set-logic QF_LIA)\n",
        "(set-logic QF_LIA)\n(check-sat)\n(check-sat)\n",
        '(set-logic QF_LIA)\n(echo "unsat")\n',
        '(set-logic QF_LIA)\n(echo "unsat")\n(check-sat)\n',
        "(set-logic QF_LIA)\n(assert (= y 2))\n(check-sat)\n",
        (
            "(set-logic QF_LIA)\n(declare-const x Int)\n(assert (= (* x x)"
            " 2))\n(check-sat)\n"
        ),
        "(set-logic QF_LIA)\n(set-option :foo true)\n(check-sat)\n",
        "(set-logic QF_LIA)\n(exit)\n(check-sat)\n",
        "(set-logic QF_LIA)\n(declare-const x Bool)\n(check-sat-assuming (x))\n",
    ],
)
def test_anything_odd_is_unknown_with_its_reason(odd: str) -> None:
    first, then = second_all([odd, NO], 10)
    assert first.status == "unknown" and first.reason.startswith("cvc5 says: ")
    assert then.status == "unsat"


@pytest.mark.parametrize("status", ["sat", "unsat", "unknown"])
def test_a_stated_status_is_no_hint(status: str) -> None:
    assert second(f"(set-info :status {status})\n{NO}", 10).status == "unsat"


def test_strict_refuses_what_the_standard_does_not_know() -> None:
    single = (
        "(set-logic QF_LIA)\n(declare-const x Bool)\n(assert (or x))\n(check-sat)\n"
    )
    assert second(single, 10).status == "sat"
    assert second(single, 10, strict=True).status == "unknown"


def test_without_it_the_error_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(second_module, "find_spec", lambda name: None)
    with pytest.raises(InputError) as caught:
        second(YES, 1)
    assert caught.value.problems[0].hint == "pip install 'phverify[proofs]'"
    with pytest.raises(InputError):
        second_version()


def test_a_process_that_dies_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    dying = second_module.PROGRAM.replace("found = answer(text, strict)", "os._exit(3)")
    assert dying != second_module.PROGRAM
    monkeypatch.setattr(second_module, "PROGRAM", dying)
    assert [a.reason for a in second_all([YES, NO], 10)] == [
        "cvc5 ended without an answer"
    ] * 2


@pytest.mark.parametrize(
    "line",
    ["unsat", '{"status": "unsat"', '["unsat"]', '{"status": "Unsat"}', "null", "3"],
)
def test_noise_is_no_answer(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    noisy = second_module.PROGRAM.replace("print(json.dumps(found)", f"print({line!r}")
    assert noisy != second_module.PROGRAM
    monkeypatch.setattr(second_module, "PROGRAM", noisy)
    answer = second(YES, 10)
    assert answer.status == "unknown" and answer.reason


def test_a_program_that_does_not_start_is_a_defect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(second_module, "PROGRAM", "raise SystemExit(1)")
    with pytest.raises(Defect):
        second(YES, 10)


def test_only_one_file_knows_it() -> None:
    knowing = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if "import cvc5" in path.read_text("utf-8")
    }
    assert knowing == {"constraints/second.py"}
