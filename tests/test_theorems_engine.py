"""Both sides of the theorems agree with the engine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many
from support.theorems_cases import sides, value


def parsed(text: str) -> Any:
    stack: list[list[Any]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0][0]


@st.composite
def histograms(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """The counts of a class and of its table, in which every value occurs."""
    m = draw(st.integers(1, 4))
    inside = draw(st.lists(st.integers(0, 5), min_size=m, max_size=m).filter(any))
    rest = [draw(st.integers(0 if n else 1, 5)) for n in inside]
    return inside, [n + k for n, k in zip(inside, rest, strict=True)]


def bindings(
    inside: Sequence[int], whole: Sequence[int], **more: Any
) -> dict[str, Any]:
    n, rows, m = sum(inside), sum(whole), len(inside)
    known: dict[str, Any] = {"n": n} | {f"n{v}": k for v, k in enumerate(inside)}
    q = [Fraction(k, n) for k in inside]
    known |= {f"q{v}": x for v, x in enumerate(q)} | {
        f"p{v}": Fraction(k, rows) for v, k in enumerate(whole)
    }
    place = next(v for v in range(m) if inside[v])
    known |= {f"x{v}": int(v == place) for v in range(m)}
    c = more.get("c", Fraction(1))
    known |= {f"y{v}": c * x for v, x in enumerate(q)}
    for j, x in enumerate(sorted(q, reverse=True), 1):
        known |= {f"k{j}": x, f"ck{j}": c * x}
    return known | more


@so_many(200, fuzz=2000)
@given(st.data())
def test_both_sides_agree_with_the_engine(data: st.DataObject) -> None:
    inside, whole = data.draw(histograms())
    criterion, definition, formula, more = data.draw(sides(inside, whole))
    counts = {str(v): k for v, k in enumerate(inside) if k}
    expected = criterion.holds(counts, {str(v): k for v, k in enumerate(whole)})
    known = bindings(inside, whole, **more)
    assert bool(value(parsed(definition), known)) == expected, (criterion, definition)
    assert bool(value(parsed(formula), known)) == expected, (criterion, formula)
