"""Hypothesis profiles, and a second opinion on every PROVED of the test suite.

The usual profile, and one with many more cases for ``make fuzz``.
"""

import gc
import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from support.bridge import certified

import phverify.cli.outputs as outputs
import phverify.cli.terminal as terminal
from phverify.spec import syntax as s
from phverify.spec.safety import asks_all_models
from phverify.verification.decision import Decision
from phverify.verification.rule import Decider

_QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile(
    "ci",
    deadline=None,
    suppress_health_check=_QUIET,
    derandomize=True,
    max_examples=50,
)
settings.register_profile(
    "fuzz", deadline=None, suppress_health_check=_QUIET, max_examples=20_000
)
settings.register_profile(
    "more", deadline=None, suppress_health_check=_QUIET, max_examples=500
)
settings.register_profile(
    "mutants",
    parent=settings.get_profile("ci"),
    phases=[
        Phase.explicit,
        Phase.generate,
    ],  # a failure is enough, it need not be small
    report_multiple_bugs=False,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def _held(write: Callable[..., Any]) -> Callable[..., Any]:
    """A writer of answers that holds each against its schema."""

    def written(data: Any, **more: Any) -> Any:
        from support.schemas import validated

        from phverify.report.audit_json import made

        whole = made(data)
        validated(whole)
        return write(whole, **more)

    return written


# Every --json of every test has the form that is published.
outputs.json_pieces = _held(outputs.json_pieces)
outputs.say_json = _held(outputs.say_json)
# No line of progress in a test's output, however slow the machine is.
terminal.FIRST = float("inf")
ROWS, VERDICTS = 30, 2
"""Of each test, so many PROVED on tables of at most so many rows are proved again by
the checker's means.
"""


def pytest_configure() -> None:
    """A shell starts what runs in its background with SIGINT ignored: tests of Ctrl-C
    would wait for ever, here and in the processes they start.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """What thousands of tests are made of stays: collections need not walk over it each
    time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_sessionfinish() -> None:
    gc.unfreeze()


@pytest.fixture(autouse=True)
def second_opinion(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No PROVED rests on a rule that the checker does not know."""
    decide, left = Decider.decide, [VERDICTS]

    def decided(self: Decider, formula: s.Formula) -> Decision:
        found = decide(self, formula)
        if (
            found.status == "proved"
            and not asks_all_models(formula)
            and left[0] > 0
            and self.release.quotient.rows <= ROWS
        ):
            left[0] -= 1
            certified(formula, self.assumptions.formulas, self.release)
        return found

    monkeypatch.setattr(Decider, "decide", decided)
    yield
