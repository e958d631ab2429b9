"""A second solver, cvc5, asked the same text: two solvers of different makers rarely
share a mistake.

It runs in a process of its own that is stopped when its time is over: cvc5's own limit
does not stop every query. Only this file knows cvc5, which is an extra of the
installation.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec

from phverify.constraints.solver import SolverAnswer
from phverify.errors import Defect, refusal

START = 60.0
"""Seconds that the process has for loading cvc5, before the time of its first query."""

READY = "ready\n"
PROGRAM = """
import json, os, sys
said = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever the library prints is no answer
import cvc5
print("ready", file=said, flush=True)

def answer(text, strict):
    solver = cvc5.Solver()
    if strict:
        solver.setOption("parsing-mode", "strict")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "query")
    manager = parser.getSymbolManager()
    asked, heard = 0, []
    while not (command := parser.nextCommand()).isNull():
        name = command.getCommandName()
        if name == "exit":
            break
        asked += name == "check-sat"
        if name != "set-info":  # a stated status is not asked about
            heard.append(command.invoke(solver, manager).strip())
    heard = [line for line in heard if line]
    if asked == 1 and heard in (["sat"], ["unsat"]):
        return {"status": heard[0]}
    return {"status": "unknown", "reason": " ".join(heard) or "no check-sat"}

for text, strict in json.load(sys.stdin):
    try:
        found = answer(text, strict)
    except Exception as error:
        found = {"status": "unknown", "reason": f"refused: {error}"}
    print(json.dumps(found), file=said, flush=True)
"""


def available() -> bool:
    """Whether cvc5 is installed."""
    return find_spec("cvc5") is not None


def second_version() -> str:
    """The version of the second solver.  Raises InputError when it is not installed."""
    _require()
    return f"cvc5 {version('cvc5')}"


def second(text: str, seconds: float, *, strict: bool = False) -> SolverAnswer:
    """Ask cvc5 about one SMT-LIB text.  Raises InputError when it is not installed.

    An answer is never guessed: anything but one plain sat or unsat is unknown, with the
    reason.  A model is not asked for: ``values`` stays empty.  ``strict`` refuses what
    SMT-LIB 2.6 does not know.
    """
    return second_all([text], seconds, strict=strict)[0]


def second_all(
    texts: Sequence[str], seconds: float, *, strict: bool = False
) -> list[SolverAnswer]:
    """Ask cvc5 about several texts, each for so many seconds at most.  Raises
    InputError when it is not installed.
    """
    _require()
    answers: list[SolverAnswer] = []
    while len(answers) < len(
        texts
    ):  # after a hard stop, a new process goes on with the rest
        answers += _run(texts[len(answers) :], seconds, strict)
    return answers


def _require() -> None:
    if not available():
        hint = "pip install 'phverify[proofs]'"
        raise refusal("the second solver", "cvc5 is not installed", hint)


def _run(texts: Sequence[str], seconds: float, strict: bool) -> Iterator[SolverAnswer]:
    """The answers of one process, up to and with the first that it does not survive."""
    # One process for many texts: it takes longer to load cvc5 than to ask it.
    with _process([(text, strict) for text in texts]) as lines:
        if _next(lines, START) != READY:
            raise Defect("cvc5 is installed and does not start")
        for _ in texts:
            line = _next(lines, seconds)
            yield _answer(line, seconds)
            if not line:
                return


def _answer(line: str | None, seconds: float) -> SolverAnswer:
    if line is None:
        return SolverAnswer("unknown", reason=f"cvc5 was stopped after {seconds:g} s")
    if not line:
        return SolverAnswer("unknown", reason="cvc5 ended without an answer")
    try:
        reply = json.loads(line)
        status = reply["status"]
        reason = reply.get("reason", "")
    except (ValueError, TypeError, KeyError, AttributeError):
        # what cannot be read is no answer: never sat, never unsat
        return SolverAnswer("unknown", reason=f"cvc5 says: {line.strip()}")
    if status in ("sat", "unsat"):
        return SolverAnswer(status)
    return SolverAnswer("unknown", reason=f"cvc5 says: {reason or status}")


Lines = queue.SimpleQueue[str]


@contextmanager
def _process(questions: Sequence[tuple[str, bool]]) -> Iterator[Lines]:
    """A process that answers the questions in order, one line each; an empty line is
    its end.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        json.dump(questions, file)
        file.seek(0)
        command = [
            sys.executable,
            "-P",
            "-c",
            PROGRAM,
        ]  # -P: nothing is imported from the current folder
        child = subprocess.Popen(
            command,
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    lines: Lines = queue.SimpleQueue()
    reader = threading.Thread(target=_read, args=(child, lines), daemon=True)
    reader.start()
    try:
        yield lines
    finally:
        child.kill()
        child.wait()
        reader.join()


def _read(child: subprocess.Popen[str], lines: Lines) -> None:
    assert child.stdout is not None
    with child.stdout as out:
        for line in out:
            lines.put(line)
    lines.put("")


def _next(lines: Lines, seconds: float) -> str | None:
    """The next line; an empty one when the process has ended, None when it was silent
    for so long.
    """
    try:
        return lines.get(timeout=seconds)
    except queue.Empty:
        return None
