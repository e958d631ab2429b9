"""Ctrl-C once an answer is known, or a search has been stopped: the answer is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.interrupts_cases import (
    ALL,
    INPUTS,
    SEARCH,
    Patch,
    Run,
    files,
    run,  # noqa: F401
    stops_at,
)
from test_search_soon import hierarchies, policy, table

import phverify as ph
from phverify.budget import Deadline
from phverify.generalization.answer import _Answering
from phverify.generalization.explanation import _FinerColumn
from phverify.generalization.options import options
from phverify.microdata.read import read
from phverify.report import search_text, tradeoff_text, verify_text
from phverify.verbs.prepared_search import prepared

VERIFY = ["verify", INPUTS[0], "--policy", INPUTS[1]]
WORDED = {
    "search": (search_text, "_found", SEARCH, 0, "OPTIMAL: loss 0.642857"),
    "curve": (tradeoff_text, "_table", [*SEARCH, "--tradeoff", "k=2..3"], 0, "  k  "),
    "verify": (verify_text, "_rules", VERIFY, 1, "REFUTED: 2 rules"),
}
"""Of each verb what words its answer, the command, its code and some of its words."""


@pytest.mark.parametrize("verb", WORDED)
def test_an_answer_that_is_being_worded(
    verb: str, run: Run, monkeypatch: Patch
) -> None:
    """Files are written by then: they have an answer, and so has the terminal."""
    module, words, command, code, shown = WORDED[verb]
    stops_at(monkeypatch, module, words)
    found, out, said = run(*command, "--json", "result.json")
    assert (found, said) == (code, "")
    assert shown in out
    assert json.loads(Path("result.json").read_text("utf-8"))
    # Who insists is heard.
    for call in (1, 1):
        stops_at(monkeypatch, module, words, call)
    assert "interrupted" in "".join(map(str, run(*command)[1:]))


@pytest.mark.parametrize("step", ["shared", "result", "standing", "statistics"])
def test_an_answer_that_is_being_put_together(
    step: str, run: Run, monkeypatch: Patch
) -> None:
    """The release that is known is written; nothing is claimed of others."""
    stops_at(monkeypatch, _Answering, step)
    code, out, said = run(*SEARCH, *ALL)
    assert said == ""
    assert code == 3
    assert "UNDECIDED: loss 0.642857" in out
    assert "(interrupted)" in out
    assert files() == {"out.csv", "result.json"}
    checked = ph.verify("out.csv", INPUTS[1])
    assert checked.verdict == "proved"


@pytest.mark.parametrize("charged", [False, True])
def test_what_is_stopped_before_it_begins_looks_at_nothing(charged: bool) -> None:
    asked = policy("l_diversity(f, 2)")
    chosen = options(asked, "levels", "loss", "1/5", None, not charged, None, charged)
    stopped = prepared(
        asked, read(table(3, 12)), hierarchies(), chosen, Deadline(), lambda step: None
    )
    stopped.stopped = "interrupted"
    if charged:
        assert stopped.least() is None
    else:
        assert stopped.minimal() == []
    assert stopped.examined == 0


def test_an_answer_that_is_being_explained(run: Run, monkeypatch: Patch) -> None:
    stops_at(monkeypatch, _FinerColumn, "changed")
    code, out, said = run(*SEARCH, *ALL, "--explain")
    assert (code, said) == (0, "")
    assert "OPTIMAL: loss 0.642857" in out
    assert "the answer is not explained: interrupted" in out
    assert files() == {"out.csv", "proof.json", "result.json"}
