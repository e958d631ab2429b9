"""Fuzzers against the plain reference, each for some time and from a fixed seed.

``python tests/fuzz.py SECONDS SEED [NAME]``, as ``make fuzz`` calls it. Releases with
their originals in any order; policies with assumptions, agents and named people, whose
verdicts and witnesses are judged by all models; certificates with one thing forged.
Each prints how many cases it had.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import test_forged
import test_forged_tuples
import test_never_known
import test_original_random
import test_original_tuples
import test_witness_random
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support import original_tuples_oracle as tuples_oracle

BATCH = 300
"""Cases from one seed."""
ENCODINGS = st.sampled_from(["quotient", "quotient", "full"])
PLAIN = settings(
    max_examples=BATCH,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],  # shrinking a failure may take longer than all the rest
)


def batches(
    check: Callable[..., None], strategies: tuple[Any, ...], seconds: float, seed: int
) -> int:
    """Check random cases for so long; gives how many there were."""
    end, cases = time.monotonic() + seconds, 0

    def counted(case: Any) -> None:
        nonlocal cases
        cases += 1
        check(*case)

    while time.monotonic() < end:
        hypothesis.seed(seed)(PLAIN(given(st.tuples(*strategies))(counted)))()
        seed += 1
    return cases


def originals(seconds: float, seed: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        place = st.just(Path(folder))
        columns = test_original_random.explained, test_original_random.cases()
        tuples = test_original_tuples.as_all_models_say, tuples_oracle.cases()
        cases = [
            batches(check, (strategy, place), seconds / 2, seed)
            for check, strategy in (columns, tuples)
        ]
    return (
        f"{cases[0]} releases with their originals, {cases[1]} mostly recoded by tuples"
    )


def witnesses(seconds: float, seed: int) -> str:
    shown = test_witness_random.drawn_is_so, (test_witness_random.policies(), ENCODINGS)
    known = (
        test_never_known.as_all_models_say,
        (
            test_never_known.questions(),
            ENCODINGS,
        ),
    )
    cases = [batches(*one, seconds / 2, seed) for one in (shown, known)]
    return (
        f"{cases[0]} policies with their witnesses, {cases[1]} questions of never_known"
    )


def forgeries(seconds: float, seed: int) -> str:
    counts = {}
    for kind in test_forged.KINDS:
        counts[kind] = Counter[str]()
        test_forged.run(
            kind, range(seed, 10**9), counts[kind], seconds / len(test_forged.KINDS)
        )
    return "; ".join(
        f"certificates of {kind}: {dict(told)}" for kind, told in counts.items()
    )


def tuples(seconds: float, seed: int) -> str:
    told = Counter[str]()
    test_forged_tuples.run(range(seed, 10**9), told, seconds)
    return f"certificates of recodings by tuples: {dict(told)}"


FUZZERS = {
    "originals": originals,
    "witnesses": witnesses,
    "forgeries": forgeries,
    "tuples": tuples,
}

if __name__ == "__main__":
    for name in sys.argv[3:] or FUZZERS:
        print(
            f"{name}: {FUZZERS[name](float(sys.argv[1]), int(sys.argv[2]))}", flush=True
        )
