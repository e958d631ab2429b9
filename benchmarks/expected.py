"""What the verdicts must be: every criterion's tight threshold from one matrix of
counts, without phverify.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

AT_LEAST = ("k", "l", "entropy")
RULES = {
    "k": "k_anonymity({k})",
    "safe": "logical_safety()",
    "l": "l_diversity({f}, {l})",
    "recursive": "recursive_l_diversity({f}, {recursive}, 2)",
    "variational": "t_closeness({f}, {variational}, distance=variational)",
    "ordered": "t_closeness({f}, {ordered}, distance=ordered)",
    "hierarchical": "t_closeness({f}, {hierarchical}, distance=hierarchical)",
    "delta": "delta_disclosure({f}, {delta}, absent=violates)",
    "delta_ignored": "delta_disclosure({f}, {delta_ignored}, absent=ignored)",
    "entropy": "entropy_l_diversity({f}, {entropy})",
    "alpha": "alpha_k_anonymity({f}, {alpha}, {k})",
    "beta": "beta_likeness({f}, {beta})",
    "enhanced": "enhanced_beta_likeness({f}, {enhanced})",
    "benefit": "average_benefit({f}, {benefit})",
}
"""All criteria at once; the names are also those of the tight thresholds."""
NINE = (
    "k",
    "l",
    "recursive",
    "variational",
    "delta_ignored",
    "entropy",
    "alpha",
    "beta",
    "enhanced",
)
"""Those that pyCANON has as well."""
USUAL = {"k": 5, "l": 3, "recursive": 3, "variational": 0.2, "ordered": 0.2, "hierarchical": 0.2, "delta": 2} | {
    "delta_ignored": 2, "entropy": 3, "alpha": 0.5, "beta": 1, "enhanced": 1, "benefit": 0.25
}  # fmt: skip
Values = Mapping[str, float]


def texts(
    attribute: str, thresholds: Values, names: Sequence[str] = tuple(RULES)
) -> dict[str, str]:
    """The rules with these thresholds."""
    return {name: RULES[name].format(f=attribute, **thresholds) for name in names}


def values(
    frame: pd.DataFrame,
    quasi: Sequence[str],
    f: str,
    paths: Sequence[Sequence[str]],
    secret: Sequence[str],
) -> dict[str, float]:
    """The tight threshold of every criterion, in floats; ``paths`` orders the values
    and groups them in levels.
    """
    order = [path[0] for path in paths]
    classes = frame.groupby(list(quasi), observed=True).ngroup()
    m = pd.crosstab(classes, frame[f])[order].to_numpy()
    n, whole = m.sum(axis=1), m.sum(axis=0)
    q, p = m / n[:, None], whole / len(frame)
    known = m[:, [order.index(value) for value in secret]] == n[:, None]
    safe = {
        "k": int(n.min()),
        "safe": float(known.sum()),
        "l": int((m > 0).sum(axis=1).min()),
    }
    return safe | _diversity(m, q) | _closeness(q, p, paths) | _disclosure(q, p)


def _diversity(m: np.ndarray, q: np.ndarray) -> dict[str, float]:
    ranked = -np.sort(-m, axis=1)
    tail = ranked[:, 1:].sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        recursive = (ranked[:, 0] / tail).max()
        entropy = -np.nansum(np.where(q > 0, q * np.log(q), 0), axis=1)
    return {
        "recursive": float(recursive),
        "entropy": float(np.exp(entropy.min())),
        "alpha": float(q.max()),
    }


def _closeness(
    q: np.ndarray, p: np.ndarray, paths: Sequence[Sequence[str]]
) -> dict[str, float]:
    gaps = q - p
    ordered = np.abs(np.cumsum(gaps, axis=1)[:, :-1]).sum(axis=1) / (len(p) - 1)
    height = len(paths[0]) - 1
    levels = [
        pd.DataFrame(gaps.T).groupby([path[k] for path in paths]).sum().to_numpy()
        for k in range(height)
    ]
    tree = sum(np.abs(level).sum(axis=0) / 2 for level in levels) / height
    variational = np.abs(gaps).sum(axis=1) / 2
    named = {"variational": variational, "ordered": ordered, "hierarchical": tree}
    return {name: float(np.max(found)) for name, found in named.items()}


def _disclosure(q: np.ndarray, p: np.ndarray) -> dict[str, float]:
    with np.errstate(divide="ignore"):
        logs = np.abs(np.log2(q / p))
    gain = (q - p) / p
    beyond = bool((gain > -np.log(p)).any())
    beta = float(gain.max())
    return {
        "delta": float(logs.max()),
        "delta_ignored": float(logs[q > 0].max()),
        "beta": beta,
        "enhanced": math.inf if beyond else beta,
        "benefit": float((q - p).max()),
    }


def loose(found: Values) -> dict[str, float]:
    """Thresholds in hundredths that just hold; 1 for what no threshold makes hold."""
    result = {
        name: value for name, value in USUAL.items() if not math.isfinite(found[name])
    }
    for name in set(USUAL) - set(result):
        step = 0 if name in ("k", "l") else -0.01 if name in AT_LEAST else 0.01
        result[name] = round(found[name] + step, 2) if step else int(found[name])
    return result


def verdicts(found: Values, thresholds: Values) -> dict[str, str]:
    """What each rule's verdict must be."""
    return {
        name: "proved" if _holds(name, found, thresholds) else "refuted"
        for name in RULES
    }


def _holds(name: str, found: Values, thresholds: Values) -> bool:
    if name == "safe":
        return found[name] == 0
    value, bound = found[name], thresholds[name]
    if name in ("k", "l"):
        return value >= bound
    assert abs(value - bound) > 1e-6, (
        f"{name}: too close for floats, {value} and {bound}"
    )
    if name == "alpha":
        return value < bound and found["k"] >= thresholds["k"]
    return value > bound if name in AT_LEAST else value < bound
