"""The command line: the only place that prints, writes files and exits.

Exit codes: 0 proved (search: optimal, check: accepted, audit: safe), 1 refuted
(infeasible, refused, disclosed), 2 bad input, 3 undecided, 4 a defect in phverify.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import TracebackType

from phverify.cli.arguments.parser import BAD_INPUT, parser
from phverify.cli.stale import forget
from phverify.cli.terminal import INTERRUPTED, complain
from phverify.errors import BudgetExceeded, InputError, Problem
from phverify.interrupts import interrupts_put_off, stopped_by
from phverify.version import __version__

UNDECIDED, DEFECT = 3, 4
FRAMES = 5
"""So many places of a defect are named, the innermost first."""
ISSUES = "please report it with the input that caused it (or a redacted one)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Raises SystemExit for ``--help`` alone, and for what cannot be parsed.
    """
    redact = False
    given = sys.argv[1:] if arguments is None else arguments
    try:
        for stream in (sys.stdout, sys.stderr):
            # A caller may have put a StringIO there, which encodes nothing.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        options = _read(given)
        options.invoked = tuple(given)
        redact = bool(getattr(options, "redact", False))
        return _gated(options)
    except InputError as error:
        # problems that differ in what is not shown are one
        problems = [_as_typed(problem, given) for problem in error.problems]
        for text in dict.fromkeys(problem.text(redact) for problem in problems):
            complain(text)
        return BAD_INPUT
    except (KeyboardInterrupt, BudgetExceeded) as ended:
        complain(_why(ended))
        return UNDECIDED
    except OSError as error:  # a full disk, a device that fails: nothing of ours
        complain(f"{error.filename or 'standard output'}: {error.strerror or error}")
        return BAD_INPUT
    except MemoryError:
        complain("the memory does not suffice: nothing was decided")
        return BAD_INPUT
    except Exception as error:  # the last line of defence: no bare traceback
        return _defect(error, redact)


def _as_typed(problem: Problem, words: Sequence[str]) -> Problem:
    """A problem of an argument, whose place is the option that was typed.

    Verbs know arguments by the names that Python callers give them.
    """
    name = re.split("[ ,]", problem.where, maxsplit=1)[0]
    option = f"--{name}"
    if not any(word == option or word.startswith(f"{option}=") for word in words):
        return problem
    # A file may be called like an option.
    longer = [word for word in words if word.startswith(name)]
    if any(problem.where.startswith(word) for word in longer):
        return problem
    return replace(problem, where=f"--{problem.where}")


def _why(ended: BaseException) -> str:
    """Why a run ended before there was anything to be told."""
    if isinstance(ended, BudgetExceeded):
        return f"{ended}: nothing was decided"
    return INTERRUPTED


def _read(words: Sequence[str]) -> argparse.Namespace:
    """What was typed; what cannot be read leaves gates no answer of an earlier run."""
    try:
        options: argparse.Namespace = parser().parse_args(words)
    except BaseException as ended:
        forget(words)
        asks = any(word.startswith(("--junit", "--sarif")) for word in words)
        if asks and isinstance(ended, SystemExit) and ended.code:
            from phverify.cli.gates import unreadable

            unreadable(words)
        raise
    return options


def _gated(options: argparse.Namespace) -> int:
    """Run the verb; what gates read is about this run, however it ends."""
    asked = [getattr(options, name, None) for name in ("junit", "sarif")]
    if not any(asked):
        return _run(options)
    try:
        forget(options.invoked)
        return _run(options)
    except InputError:
        _unanswered(options, "the input is wrong (exit code 2); the log says why")
        raise
    except BaseException:
        _unanswered(options, "the run was ended; the log says why")
        raise


def _unanswered(options: argparse.Namespace, why: str) -> None:
    """Tell gates that there is no answer."""
    # Its formats are loaded for who asks for them.
    from phverify.cli.gates import without_answer

    without_answer(options, why)


def _run(options: argparse.Namespace) -> int:
    """Load the verb's module, and run it."""
    module = options.command.replace("-", "_")
    # A module that is loaded by half breaks what loads it in other ways, too.
    with interrupts_put_off():
        verb = import_module(f"phverify.cli.{module}")
    with stopped_by(signal.SIGINT):
        code: int = verb.run(options)
        return code


def _defect(error: Exception, redact: bool) -> int:
    """Say that phverify failed, and where."""
    places: list[str] = []
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        places.append(f"{file.name}:{trace.tb_lineno}")
        trace = trace.tb_next

    kind = type(error).__name__
    # What an error says may quote values.
    message = kind if redact else f"{kind}: {error}"
    innermost = " < ".join(places[: -FRAMES - 1 : -1])
    complain(
        f"a defect in phverify {__version__}, not a verdict: {message}\n"
        f"    at {innermost}\n"
        f"    {ISSUES}"
    )
    return DEFECT


if __name__ == "__main__":
    sys.exit(main())
