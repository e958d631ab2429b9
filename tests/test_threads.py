"""Questions to the solver from several threads at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from phverify.constraints.solver import least, solve

QUESTION = """
(declare-const x Int) (declare-const y Int)
(assert (and (<= 0 x 9) (<= 0 y 9) (= (+ x (* 3 y)) {}) (< x y)))
"""


def asked(number: int) -> tuple[str, str]:
    """Whether a sum is reached, by the solver and by the optimizer."""
    text = QUESTION.format(number)
    soft = f"{text} (assert-soft (= x 0) :weight 1)"
    return solve(text).status, least(soft).status


def test_threads_have_their_own_contexts() -> None:
    numbers = [*range(45)] * 8
    with ThreadPoolExecutor(max_workers=6) as pool:
        answers = list(pool.map(asked, numbers))
    for number, statuses in zip(numbers, answers, strict=True):
        reached = any(x + 3 * y == number for y in range(10) for x in range(y))
        expected = "sat" if reached else "unsat"
        assert statuses == (expected, expected), number
