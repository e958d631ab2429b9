"""The table that ``compare`` shows does not depend on what was asked before in the same
process.
"""

from __future__ import annotations

import subprocess
import sys

import phverify as ph

PAIRS = [
    ("l_diversity(s, 2)", "entropy_l_diversity(s, 2)"),
    ("l_diversity(s, 3)", "t_closeness(s, 0.5)"),
    ("k_anonymity(2) & l_diversity(s, 2)", "beta_likeness(s, 1)"),
    ("average_benefit(s, 0.3)", "beta_likeness(s, 1)"),
]
FRESH = (
    "import sys, phverify as ph; print(ph.compare(*sys.argv[1:], budget=None).table)"
)


def shown(pair: tuple[str, str]) -> str:
    found = ph.compare(*pair, budget=None)
    assert found.verdict == "separated"
    return str(found.table)


def test_the_same_table_in_every_order() -> None:
    forward = [shown(pair) for pair in PAIRS]
    backward = [shown(pair) for pair in reversed(PAIRS)]
    assert forward == backward[::-1]


def test_the_same_table_as_in_a_new_process() -> None:
    for pair in PAIRS[:2]:
        command = [sys.executable, "-c", FRESH, *pair]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == shown(pair)
