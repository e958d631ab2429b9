"""Each criterion's own definition for one class, in exact arithmetic.

A criterion is a name with its arguments by parameter.  ``inside`` counts each value of its column in the class,
``whole`` in the table; write n and N for their sums, q = k/n for the share of a value in the class and p = K/N for
its share in the table.  Fractions are compared by whole numbers; logarithms by bounds that close in on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import prod
from typing import Any

from phverify.spec import syntax as s
from phverify.spec.data import Data, Label, Refused
from phverify.spec.source import number, shortened

Counts = Mapping[Label, int]

WHOLE, NUMBER, POSITIVE, FROM_ONE = "a whole number from 1", "a number from 0", "a number above 0", "a number from 1"
COLUMN = "a column"
DISTANCES, ABSENT = ("variational", "ordered", "hierarchical"), ("violates", "ignored")

PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "k_anonymity": {"k": WHOLE},
    "alpha_k_anonymity": {"f": COLUMN, "alpha": NUMBER, "k": WHOLE},
    "l_diversity": {"f": COLUMN, "l": WHOLE},
    "recursive_l_diversity": {"f": COLUMN, "c": POSITIVE, "l": WHOLE},
    "entropy_l_diversity": {"f": COLUMN, "l": FROM_ONE},
    "t_closeness": {"f": COLUMN, "t": NUMBER, "distance": DISTANCES},
    "delta_disclosure": {"f": COLUMN, "delta": POSITIVE, "absent": ABSENT},
    "beta_likeness": {"f": COLUMN, "beta": NUMBER},
    "enhanced_beta_likeness": {"f": COLUMN, "beta": NUMBER},
    "average_benefit": {"f": COLUMN, "b": NUMBER},
    "logical_safety": {},
    "weighted_safety": {"b": NUMBER},
}
"""What each criterion takes, in order; of a list of choices the first is meant where none is given."""
SAFETY = ("logical_safety", "weighted_safety")
"""Criteria about individuals: they are written out as formulas."""


def arguments(node: s.Criterion, data: Data) -> s.Criterion:
    """The criterion with all its arguments by parameter, in the order of the parameters, each in one form.

    Raises Refused for an unknown criterion and for arguments that do not fit it.
    """
    wanted = PARAMETERS.get(node.name)
    if wanted is None or len(node.args) > len(wanted):
        if node.name == "never_known":
            raise Refused("certificates do not cover never_known")
        raise Refused(f"there is no criterion {node.name!r} with {len(node.args)} arguments")
    pairs = [*zip(wanted, node.args, strict=False), *node.named]
    texts = dict(pairs)
    if len(texts) < len(pairs) or not set(texts) <= set(wanted):
        raise Refused(f"{node.name} has no such argument, or has it twice: {pairs}")
    named = ((param, str(_argument(node.name, kind, texts.get(param), data))) for param, kind in wanted.items())
    return s.Criterion(node.name, (), tuple(named), span=node.span)


def given(node: s.Criterion) -> Mapping[str, Any]:
    """The arguments of a criterion by parameter: columns and choices as text, whole numbers as int, others Fraction."""
    return _given(node.name, node.named)


@lru_cache(maxsize=4096)
def _given(name: str, named: tuple[tuple[str, str], ...]) -> Mapping[str, Any]:
    kinds = PARAMETERS[name]
    return {param: _read(kinds[param], text) for param, text in named}


def _read(kind: Any, text: str) -> str | int | Fraction:
    if kind == COLUMN or isinstance(kind, tuple):
        return text
    return int(text) if kind == WHOLE else Fraction(text)


def _argument(name: str, kind: Any, text: str | None, data: Data) -> str | int | Fraction:
    if isinstance(kind, tuple) and (text is None or text in kind):
        return str(kind[0] if text is None else text)
    if kind == COLUMN and text in data.columns:
        return str(text)
    if text is None or kind == COLUMN or isinstance(kind, tuple):
        raise Refused(f"an argument of {name} is missing, or is not {kind}: {text!r}")
    try:
        value = number(text)
    except ValueError as error:
        raise Refused(f"an argument of {name} is no number: {error}") from None
    least = 1 if kind in (WHOLE, FROM_ONE) else 0
    if value < least or (kind == POSITIVE and value == 0) or (kind == WHOLE and value.denominator > 1):
        raise Refused(f"an argument of {name} is {kind}, not {shortened(text)}")
    return int(value) if kind == WHOLE else value


def attribute(name: str, args: Mapping[str, Any]) -> str:
    """The column whose values a criterion of classes counts; "" where it only counts rows."""
    return str(args.get("f", ""))


def holds(name: str, args: Mapping[str, Any], inside: Counts, whole: Counts, data: Data) -> bool:
    """Whether a class satisfies a criterion.

    Without a column, each count has the one key "".  Raises Refused where the criterion needs an order or a
    hierarchy that ``data`` does not have.
    """
    return DEFINITIONS[name](args, inside, whole, data)


def _k_anonymity(args: Mapping[str, Any], inside: Counts, whole: Counts, data: Data) -> bool:
    """n >= k."""
    return bool(_size(inside) >= args["k"])


def _alpha_k_anonymity(args: Mapping[str, Any], inside: Counts, whole: Counts, data: Data) -> bool:
    """n >= k, and q <= alpha for every value."""
    n = _size(inside)
    return n >= args["k"] and all(k <= args["alpha"] * n for k in inside.values())


def _l_diversity(args: Mapping[str, Any], inside: Counts, whole: Counts, data: Data) -> bool:
    """At least l values occur."""
    return sum(k > 0 for k in inside.values()) >= int(args["l"])


def _recursive(args: Mapping[str, Any], inside: Counts, whole: Counts, data: Data) -> bool:
    """k_1 < c (k_l + .. + k_m), where k_1 >= .. >= k_m are the counts."""
    ranked = sorted(inside.values(), reverse=True)
    return bool(ranked[0] < args["c"] * sum(ranked[args["l"] - 1 :]))


def _entropy(args: Mapping[str, Any], inside: Counts, whole: Counts, data: Data) -> bool:
    """- sum of q log q >= log l, that is n^n >= l^n * (product of k^k)."""
    n, a, b = _size(inside), args["l"].numerator, args["l"].denominator
    counts = [k for k in inside.values() if k > 0]
    if n > 200 and (sign := _sign([(n, n), (n, b), (-n, a), *((-k, k) for k in counts)], 40)):
        return sign > 0
    return bool((b * n) ** n >= a**n * prod(k**k for k in counts))


def _t_closeness(args: Mapping[str, Any], inside: Counts, whole: Counts, data: Data) -> bool:
    """factor * (sum over some sets of values of |q - p|) <= t; which sets, and the factor, depend on the distance."""
    n, rows = _size(inside), _size(whole)
    gap = {value: inside.get(value, 0) * rows - k * n for value, k in whole.items()}  # (q - p) * n * N
    if args["distance"] == "ordered":
        gaps, factor = _cumulative([gap[value] for value in _in_order(args["f"], data)])
    elif args["distance"] == "hierarchical":
        gaps, factor = _by_level(gap, _paths(args["f"], data))
    else:
        gaps, factor = list(gap.values()), Fraction(1, 2)
    return bool(factor * sum(map(abs, gaps)) <= args["t"] * n * rows)


def _cumulative(gaps: list[int]) -> tuple[list[int], Fraction]:
    """Each set holds the j lowest of the m values, for j < m; the factor is 1/(m - 1)."""
    return list(accumulate(gaps[:-1])), Fraction(1, max(len(gaps) - 1, 1))


def _by_level(gap: Mapping[Label, int], paths: Mapping[Any, tuple[str, ...]]) -> tuple[list[int], Fraction]:
    """Each set holds the values below a node under the root; the factor is 1/(2 * height)."""
    nodes: dict[tuple[int, str], int] = {}
    height = len(next(iter(paths.values()))) - 1
    for value, difference in gap.items():
        for level in range(height):
            node = level, paths[value][level]
            nodes[node] = nodes.get(node, 0) + difference
    return list(nodes.values()), Fraction(1, 2 * height)


def spread(args: Mapping[str, Any], domain: tuple[Label, ...], data: Data) -> tuple[Fraction, list[tuple[Label, ...]]]:
    """The factor and the sets S of values with which a distance is factor * (sum of |q - p| over S)."""
    if args["distance"] == "ordered":
        order = _in_order(args["f"], data)
        return Fraction(1, max(len(order) - 1, 1)), [order[:j] for j in range(1, len(order))]
    if args["distance"] == "variational":
        return Fraction(1, 2), [(value,) for value in domain]
    paths = _paths(args["f"], data)
    height = len(next(iter(paths.values()))) - 1
    nodes: dict[tuple[int, str], tuple[Label, ...]] = {}
    for value in domain:
        for place in list(enumerate(paths[value]))[:height]:
            nodes[place] = (*nodes.get(place, ()), value)
    return Fraction(1, 2 * height), list(nodes.values())


def _in_order(f: str, data: Data) -> tuple[Label, ...]:
    """The values lowest first: by their type, else by the lines of the hierarchy."""
    domain = data.domains[f]
    if None in domain:
        raise Refused(f"{f!r} has missing values, which have no place in an order")
    if data.kinds[f].ordered:
        return domain
    lines = {value: line for line, value in enumerate(data.hierarchies.get(f, {}))}
    if not set(domain) <= set(lines):
        raise Refused(f"{f!r} has no order: neither a type nor a hierarchy of all its values")
    return tuple(sorted(domain, key=lambda value: lines[value or ""]))


def _paths(f: str, data: Data) -> Mapping[Any, tuple[str, ...]]:
    paths = data.hierarchies.get(f, {})
    roots, heights = {path[-1] for path in paths.values()}, {len(path) - 1 for path in paths.values()}
    if len(roots) != 1 or len(heights) != 1 or heights == {0} or not set(data.domains[f]) <= set(paths):
        raise Refused(f"{f!r} has no hierarchy of all its values with one root")
    return paths


def _delta(args: Mapping[str, Any], inside: Counts, whole: Counts, data: Data) -> bool:
    """|log2(q / p)| < delta for every value; one that is absent from the class violates it or is ignored."""
    for q, p in _shares(inside, whole):
        if q == 0 and args["absent"] == "violates":
            return False
        if q > 0 and not all(_below_power(x, args["delta"]) for x in (Fraction(q, p), Fraction(p, q))):
            return False
    return True


def _below_power(x: Fraction, exponent: Fraction) -> bool:
    """x < 2^(a/b), for x > 0 and a/b > 0, that is x^b < 2^a."""
    bits = x.numerator.bit_length() - x.denominator.bit_length()
    if exponent >= bits + 1 or exponent <= bits - 1:  # 2^(bits - 1) < x < 2^(bits + 1)
        return exponent >= bits + 1
    a, b = exponent.numerator, exponent.denominator
    if b <= 64:
        return bool(x.numerator**b < x.denominator**b << a)
    # 2^(a/b) is irrational here, so that the two differ
    return _certain([(b, x.numerator), (-b, x.denominator), (-a, 2)], Fraction(0)) < 0


def _beta(args: Mapping[str, Any], inside: Counts, whole: Counts, data: Data) -> bool:
    """(q - p) / p <= beta for every value."""
    a, b = args["beta"].as_integer_ratio()
    return all((q - p) * b <= a * p for q, p in _shares(inside, whole))


def _enhanced(args: Mapping[str, Any], inside: Counts, whole: Counts, data: Data) -> bool:
    """(q - p) / p <= min(beta, -ln p) for every value."""
    size = _size(inside) * _size(whole)
    for q, p in _shares(inside, whole):
        if q > p and not (q - p <= args["beta"] * p and _at_most_log(Fraction(q - p, p), Fraction(p, size))):
            return False
    return True


def _at_most_log(gain: Fraction, p: Fraction) -> bool:
    """gain <= -ln p, for gain > 0, where p < 1: ln p is irrational then (Lindemann), so that the two differ."""
    return _certain([(1, p.numerator), (-1, p.denominator)], gain) < 0


def _benefit(args: Mapping[str, Any], inside: Counts, whole: Counts, data: Data) -> bool:
    """q - p <= b for every value."""
    a, b = args["b"].as_integer_ratio()
    size = _size(inside) * _size(whole)
    return all((q - p) * b <= a * size for q, p in _shares(inside, whole))


DEFINITIONS: Mapping[str, Callable[[Mapping[str, Any], Counts, Counts, Data], bool]] = {
    "k_anonymity": _k_anonymity,
    "alpha_k_anonymity": _alpha_k_anonymity,
    "l_diversity": _l_diversity,
    "recursive_l_diversity": _recursive,
    "entropy_l_diversity": _entropy,
    "t_closeness": _t_closeness,
    "delta_disclosure": _delta,
    "beta_likeness": _beta,
    "enhanced_beta_likeness": _enhanced,
    "average_benefit": _benefit,
}


def _size(counts: Counts) -> int:
    return sum(counts.values())


def _shares(inside: Counts, whole: Counts) -> Iterator[tuple[int, int]]:
    """(q, p) for every value of the table, both times n * N, which makes them whole."""
    n, rows = _size(inside), _size(whole)
    return ((inside.get(value, 0) * rows, k * n) for value, k in whole.items())


# logarithms


def _certain(parts: list[tuple[int, int]], rest: Fraction) -> int:
    """The sign of rest + the sum of c * ln k over (c, k), which must not be 0."""
    digits = 30
    while not (sign := _sign(parts, digits, rest)):
        digits *= 2
    return sign


def _sign(parts: list[tuple[int, int]], digits: int, rest: Fraction = Fraction(0)) -> int:
    """The same by logarithms of so many digits; 0 when they do not tell."""
    bounds = [(c, *_logarithm(k, digits)) for c, k in parts]
    least = rest + sum(c * (low if c > 0 else high) for c, low, high in bounds)
    most = rest + sum(c * (high if c > 0 else low) for c, low, high in bounds)
    return 1 if least > 0 else -1 if most < 0 else 0


@lru_cache(maxsize=4096)
def _logarithm(k: int, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds on ln k: Decimal rounds it to the nearest number of so many digits, so that the neighbours enclose it."""
    if k == 1:
        return Fraction(0), Fraction(0)
    context = Context(prec=digits)
    found = context.ln(Decimal(k))
    return Fraction(context.next_minus(found)), Fraction(context.next_plus(found))
