"""How dense the code is: syntax-tree nodes a line, nested comprehensions, branches.

Run ``python tests/prose.py [FOLDER OR FILE ..]``: the figures of all functions below
these places (default: the package), then the functions that are furthest from a reading
in one go.  ``tests/test_prose.py`` bounds the figures of the whole package.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "phverify"

Function = ast.FunctionDef | ast.AsyncFunctionDef
COMPREHENSIONS = ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp
BRANCHES = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.match_case,
)


@dataclass(frozen=True)
class Measured:
    """A function's body without its docstring; ``complexity`` is McCabe's number."""

    place: str
    name: str
    nodes: int
    lines: int
    nested: bool
    complexity: int

    @property
    def density(self) -> float:
        """Syntax-tree nodes a line."""
        return self.nodes / self.lines


@dataclass(frozen=True)
class Figures:
    """Of many functions: medians, and shares from 0 to 1."""

    functions: int
    density: float
    dense: float
    nested: float
    complexity: int


def measured(paths: Iterable[Path]) -> list[Measured]:
    """All functions of Python files and of folders of them."""
    functions: list[Measured] = []
    for path in paths:
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        for file in files:
            functions += _of_file(file)
    return functions


def figures(functions: list[Measured]) -> Figures:
    """``dense``: the density that nine functions in ten do not exceed."""
    densities = sorted(function.density for function in functions)
    nested = sum(function.nested for function in functions)
    return Figures(
        len(functions),
        statistics.median(densities),
        densities[len(densities) * 9 // 10],
        nested / len(functions),
        max(function.complexity for function in functions),
    )


def _of_file(file: Path) -> Iterator[Measured]:
    text = file.read_text(encoding="utf-8")
    written = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, Function) and (body := _body(node)):
            place = f"{file}:{node.lineno}"
            nodes = [inner for statement in body for inner in ast.walk(statement)]
            lines = _lines(written[body[0].lineno - 1 : body[-1].end_lineno])
            nested = any(map(_nests, nodes))
            complexity = 1 + sum(isinstance(node, BRANCHES) for node in nodes)
            yield Measured(place, node.name, len(nodes), lines, nested, complexity)


def _lines(written: list[str]) -> int:
    """How many lines are code: blank lines and comments say nothing of density."""
    return sum(line.strip()[:1] not in ("", "#") for line in written)


def _body(function: Function) -> list[ast.stmt]:
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return function.body[1:] if documented else function.body


def _nests(node: ast.AST) -> bool:
    """Whether a comprehension holds another one."""
    if not isinstance(node, COMPREHENSIONS):
        return False
    return sum(isinstance(inner, COMPREHENSIONS) for inner in ast.walk(node)) > 1


def main(places: list[str]) -> None:
    """Print the figures and the worst functions."""
    functions = measured([Path(place) for place in places] or [PACKAGE])
    whole = figures(functions)
    print(f"functions          {whole.functions}")
    print(
        f"nodes a line       median {whole.density:.1f}, nine in ten {whole.dense:.1f}"
    )
    print(f"nested             {whole.nested:.1%} of the functions")
    print(f"complexity         at most {whole.complexity}")
    print("\ndensest (nodes a line, lines)")
    for one in sorted(functions, key=lambda one: -one.density)[:40]:
        print(f"  {one.density:5.1f} {one.lines:4}  {one.place} {one.name}")
    print("\nnested comprehensions")
    for one in filter(lambda one: one.nested, functions):
        print(f"  {one.place} {one.name}")
    print("\nmost branches")
    for one in sorted(functions, key=lambda one: -one.complexity)[:15]:
        print(f"  {one.complexity:5}  {one.place} {one.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
