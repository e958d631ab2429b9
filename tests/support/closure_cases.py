"""What the tests of closure have in common."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from operator import add, le
from typing import Any

import numpy as np
import pandas as pd
import pytest

import phverify as ph
from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import solve
from phverify.microdata.read import read
from phverify.microdata.table import CodedColumn
from phverify.policy.bind import bind
from phverify.spec import syntax as s
from phverify.spec.models import ReleaseModel
from phverify.spec.schemas import expand
from phverify.spec.semantics import truth_set
from phverify.symbolic.histograms import attributes
from phverify.symbolic.models import bits
from phverify.symbolic.prover import Closure, closure, local
from phverify.symbolic.release import SymbolicRelease

Rows = Sequence[dict[str, str | None]]


Histogram = tuple[int, ...]


Quantities = dict[str, Fraction | int]


TREE = "a;ab;*\nb;ab;*\nc;c;*"


def table(**counts: int) -> Rows:
    """So many rows of each value of f; g goes 0, 1, 0, 1, .."""
    values = [v for v, k in counts.items() for _ in range(k)]
    return [{"q": "x", "f": v, "g": str(n % 2)} for n, v in enumerate(values)]


def bound(
    rows: Rows, text: str, folder: str = "."
) -> tuple[s.Formula, SymbolicRelease]:
    hierarchies = {"f": "tree.csv"} if folder != "." else {}
    found = bind(
        ph.Policy.from_dict(
            {
                "columns": {"quasi": ["q"], "sensitive": ["f", "g"]},
                "types": {"g": "integer"},
                "hierarchies": hierarchies,
                "rules": {"rule": text},
            },
            folder,
        ),
        read(pd.DataFrame(rows)[["q", "f", "g"]]),
        None,
    )
    return found.rules[0].expanded, found.release


def for_all(formula: s.Formula) -> s.Formula:
    """Without ``forall i: @i``: at all worlds."""
    match formula:
        case s.Quantified(universal, binders, body):
            kept = tuple(b for b in binders if b.sort != "individuals")
            return (
                s.Quantified(universal, kept, for_all(body)) if kept else for_all(body)
            )
        case s.At(_, body):
            return for_all(body)
    return s.rebuild(formula, for_all)


@dataclass(eq=False)
class Judge:
    """Brute force: a class is some rows of the table, and the reference semantics says
    what is true there.
    """

    formula: s.Formula
    release: SymbolicRelease
    most: int = 3
    members: list[list[int]] = field(init=False)
    limits: list[int] = field(init=False)
    known: dict[Histogram, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.formula = expand(for_all(self.formula), self.release.signature)
        seen = attributes(self.formula, self.release.criteria.__getitem__)
        groups: dict[tuple[int, ...], list[int]] = {}
        for row in range(self.release.quotient.rows):
            key = tuple(int(self.release.columns[f].codes[row]) for f in seen)
            groups.setdefault(key, []).append(row)
        self.members = list(groups.values())
        self.limits = [len(rows) for rows in self.members]

    def holds(self, histogram: Histogram) -> bool:
        if histogram not in self.known:
            inside = np.zeros(self.release.quotient.rows, dtype=bool)
            for rows, k in zip(self.members, histogram, strict=True):
                inside[rows[:k]] = True
            columns = {
                **self.release.columns,
                "q": CodedColumn(inside.astype(np.int64), ("out", "in")),
            }
            base = replace(self.release, columns=columns)
            everyone = bits(inside)
            self.known[histogram] = (
                truth_set(ReleaseModel(base, {}), self.formula, everyone) == everyone
            )
        return self.known[histogram]

    def classes(self) -> list[Histogram]:
        ranges = (range(min(self.most, len(rows)) + 1) for rows in self.members)
        return [h for h in itertools.product(*ranges) if any(h)]

    def closed(self) -> tuple[bool, bool]:
        """(merge, upward), as far as these classes go."""
        merge = upward = True
        every = self.classes()
        for x, y in itertools.product(filter(self.holds, every), every):
            both = tuple(map(add, x, y))
            if all(map(le, both, self.limits)) and not self.holds(both):
                upward = False
                merge = merge and not self.holds(y)
        return merge, upward


def checked(found: Closure) -> Closure:
    """With every query asked again."""
    assert all(solve(text).status == "unsat" for text in found.queries)
    assert bool(found.queries) == found.merge
    assert found.how
    return found


def settle(
    rows: Rows, text: str, folder: str = "."
) -> tuple[Closure, tuple[bool, bool]]:
    formula, release = bound(rows, text, folder)
    assert local(formula, ("q",)), text
    judge = Judge(
        formula, release, 3 if len(release.signature.attributes["f"].domain) > 2 else 4
    )
    return checked(closure(formula, release, Deadline(20))), judge.closed()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tree")
    (path / "tree.csv").write_text(TREE)
    return str(path)


MERGE, UPWARD = "merge-closed", "upward-closed"


NEITHER = "neither"


FORMULAS = [
    ("forall v in f: l_a1(f = v) <= 1/2", MERGE),
    ("forall i, v in f: @i l_a1(f = v) <= 1/2", MERGE),
    ("forall i: @i ~[a1] f = a", UPWARD),
    ("forall i: @i (~[a1] f = a & ~[a1] f = b)", UPWARD),
    ("forall v in f: l_a1(f = v) <= 2 * l_a0(f = v)", MERGE),
    ("forall v in f: abs(l_a1(f = v) - l_a0(f = v)) <= 1/4", MERGE),
    ("forall v in f: abs(l_a1(f = v) - l_a0(f = v)) >= 1/4", NEITHER),
    ("forall D in clauses(f, 2): ~[a1] D", UPWARD),
    ("forall D in clauses(f, 2): l_a0(D) - l_a1(D) <= 1/3", MERGE),
    ("~(exists v in f: l_a1(f = v) > 2/3)", MERGE),
    ("exists v in f: l_a1(f = v) > 2/3", NEITHER),
    ("~(exists v in f: l_a1(f = v) = 1/2)", NEITHER),
    ("k_anonymity(4) | l_diversity(f, 2)", UPWARD),
    ("k_anonymity(4) & l_diversity(f, 2)", UPWARD),
    ("k_anonymity(4) | t_closeness(f, 1/4)", MERGE),
    ("k_anonymity(4) | entropy_l_diversity(f, 2)", MERGE),
    ("k_anonymity(3) -> l_diversity(f, 2)", NEITHER),
    ("k_anonymity(2) & (k_anonymity(2) -> l_diversity(f, 2))", UPWARD),
    ("~k_anonymity(3)", NEITHER),
    ("~~k_anonymity(3)", UPWARD),
    ("~l_diversity(f, 2)", NEITHER),
    ("~(~k_anonymity(3) | ~l_diversity(f, 2))", UPWARD),
    ("l_a1(f = a & g = 1) <= 3/2 * l_a0(f = a)", MERGE),
    ("l_a1(f = a) = 1/2", MERGE),
    ("l_a1(f = a) != 1/2", NEITHER),
    ("l_a1(f = a) + l_a1(g = 0) > 1/2", MERGE),
    ("<a1> f = a", UPWARD),
    ("[a1] f != a", MERGE),
    ("f != a", MERGE),
    ("f = a -> l_a1(g = 1) <= 1/2", NEITHER),
    ("f = a -> k_anonymity(3)", MERGE),
    ("f != a | k_anonymity(3)", MERGE),
    ("<a1> f = a -> <a1> f = b", MERGE),
    ("<a1> f = a <-> <a1> f = b", MERGE),
    ("l_a1(<a1> f = a) >= 1/2", UPWARD),
    ("true", UPWARD),
    ("k_anonymity(2) | l_a0(f = a) <= 1", UPWARD),
    ("k_anonymity(5) | recursive_l_diversity(f, 2, 2)", MERGE),
    ("alpha_k_anonymity(f, 1/2, 2) & recursive_l_diversity(f, 2, 2)", MERGE),
    ("t_closeness(f, 1/4) & (k_anonymity(2) | l_diversity(f, 2))", MERGE),
    ("f != a | g = 1", MERGE),
    ("~alpha_k_anonymity(f, 1/2, 2)", NEITHER),
    ("~recursive_l_diversity(f, 2, 2)", NEITHER),
    ("~t_closeness(f, 1/4)", NEITHER),
    ("~beta_likeness(f, 1/2)", NEITHER),
    ("~enhanced_beta_likeness(f, 1/2)", NEITHER),
    ("~average_benefit(f, 1/4)", NEITHER),
    ("~delta_disclosure(f, 1)", NEITHER),
    ("~entropy_l_diversity(f, 2)", NEITHER),
]


ALL = table(a=4, b=4, c=4)


def value(text: str, names: Quantities) -> Fraction | bool:
    """The value of an SMT-LIB term, by its definition."""
    tokens = text.replace("(", " ( ").replace(")", " ) ").split()

    def term() -> Fraction | bool:
        token = tokens.pop(0)
        if token in names:
            return Fraction(names[token])
        if token != "(":
            return token == "true" if token in ("true", "false") else Fraction(token)
        sign, args = tokens.pop(0), list[Fraction | bool]()
        while tokens[0] != ")":
            args.append(term())
        tokens.pop(0)
        return VALUES[sign](args)

    return term()


def true(term: t.Term, quantities: Quantities) -> bool:
    """Whether a condition is true of some quantities, as its text says."""
    if term is t.TRUE:
        return True
    said = script([term])
    claim = re.findall(r"^\(assert (.*)\)$", said, re.MULTILINE)[-1]
    for name, meant in reversed(
        re.findall(r"^\(define-fun (\w+) \(\) \w+ (.*)\)$", said, re.MULTILINE)
    ):
        claim = re.sub(rf"\b{name}\b", meant, claim)
    return value(claim, quantities) is True


VALUES: dict[str, Callable[[list[Any]], Any]] = {
    "and": all,
    "or": any,
    "=": lambda a: a[0] == a[1],
    "<=": lambda a: all(map(le, a, a[1:])),
    ">=": lambda a: a[0] >= a[1],
    "<": lambda a: a[0] < a[1],
    ">": lambda a: a[0] > a[1],
    "*": lambda a: a[0] * a[1],
    "+": sum,
    "-": lambda a: a[0] - a[1] if len(a) > 1 else -a[0],
}


def seen(c: Any, inside: dict[str, int], whole: dict[str, int]) -> list[Quantities]:
    """What the instances of a criterion see in a class, as its lemma says in words."""
    n, rows = sum(inside.values()), sum(whole.values())
    have = {v: inside.get(v, 0) for v in whole}
    shares = {v: Fraction(k, rows) for v, k in whole.items()}
    sets = [
        sum(have[v] for v in chosen)
        for chosen in itertools.combinations(whole, min(getattr(c, "l", 1) - 1, 3))
    ]
    match c.name:
        case "l_diversity":
            return [{"n": n, "a": n - b} for b in sets]
        case "recursive_l_diversity":
            return [{"n": n, "a": a, "b": b} for a in have.values() for b in sets]
        case "t_closeness":
            return [{"d": n * c.value(inside, whole), "u": n * c.t}]
        case "delta_disclosure":
            reach = 2 ** int(c.delta)
            return [
                {"a": have[v], "u": n * p * reach, "w": n * p / reach}
                for v, p in shares.items()
            ]
        case "beta_likeness" | "enhanced_beta_likeness":
            return [
                {"a": have[v], "u": n * p * (1 + c.beta)} for v, p in shares.items()
            ]
        case "average_benefit":
            return [{"a": have[v], "u": n * (p + c.b)} for v, p in shares.items()]
    return [{"n": n, "a": a} for a in have.values()]
