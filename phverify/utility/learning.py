"""What a classifier learns from a release, tested on records of the original.

Cross validation: the records of the original are split into folds; for each fold one
classifier is trained on the original's other records, and one on what the release shows
of the same people.  Both are asked about the original records of the fold.  A released
text counts evenly for the values it stands for, a released number as their mean.  It is
logistic regression of scikit-learn, on floats: no verdict rests on it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from phverify.errors import InputError, Problem, nearest, refusal
from phverify.exact import Floats, Ints
from phverify.utility.cells import SpreadColumn
from phverify.utility.correlations import between
from phverify.utility.result import Learned

INSTALL = "pip install 'phverify[utility]'"
FOLDS = 5
LEAST = 10
"""Fewer records are no ground to learn from."""
CATEGORIES = 50
"""Values at most of a target; more are no classes but a number."""
WIDEST = 256
"""Values at most of a text column that is learned from."""
ROUNDS, CLOSE = 200, 1e-3
"""Steps of the fit at most, and when it is taken to be settled."""


@dataclass(frozen=True, eq=False)
class LearningTask:
    """What is learned of whom: record ``people[i]`` of the original is ``shown[i]`` in
    the release.
    """

    target: SpreadColumn
    features: tuple[SpreadColumn, ...]
    people: Ints
    shown: Ints
    seed: int
    untyped: bool

    @cached_property
    def before(self) -> Any:
        """The features of all original records."""
        return self._matrix(released=False)

    @cached_property
    def after(self) -> Any:
        """The features of all released records, in the same columns."""
        return self._matrix(released=True)

    def _matrix(self, released: bool) -> Any:
        from scipy import sparse

        blocks = [_block(one, released, self.untyped) for one in self.features]
        return sparse.hstack(blocks, format="csr")

    @cached_property
    def said(self) -> Ints:
        """The target that the release shows, by original record; -1 where it has
        none.
        """
        said: Ints = np.full(self.target.rows, -1, dtype=np.int64)
        # The target is published as it was: each label is one value.
        single = np.concatenate(self.target.sets)
        released = single[self.target.after]
        said[self.people] = released[self.shown]
        return said


def require_learner() -> None:
    """Raises InputError where scikit-learn is not installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        what = "needs scikit-learn, which is not installed"
        raise refusal("classifier", what, INSTALL) from None


def target_of(
    columns: Sequence[SpreadColumn], wanted: str | None, sensitive: Sequence[str]
) -> SpreadColumn:
    """The column that is predicted: the one that is wanted, else the first sensitive
    one.

    Raises InputError where there is none, or nothing that can be predicted.
    """
    by_name = {column.name: column for column in columns}
    if wanted is None and not sensitive:
        what = "is not said, and there is no sensitive column that it could be"
        raise refusal("target", what, nearest("", by_name, "columns"))
    name = sensitive[0] if wanted is None else wanted
    if name not in by_name:
        hint = nearest(name, by_name, "columns that both tables have")
        raise InputError(Problem("target", f"there is no column {name!r}", hint))
    target = by_name[name]
    if not target.plain:
        what = (
            f"{name!r} is generalized in the release: its classes are not those before"
        )
        raise refusal("target", what, "choose a column that is published as it was")
    if len(target.values) > CATEGORIES:
        what = f"{name!r} has {len(target.values):,} values, and {CATEGORIES} may be"
        raise refusal("target", what, "choose a column of few values")
    return target


def learned(task: LearningTask) -> Learned:
    """The errors of both classifiers, and of saying the most frequent value."""
    from sklearn.model_selection import KFold

    rows = task.target.rows
    known = task.target.before
    folds = min(FOLDS, rows)
    splitter = KFold(n_splits=folds, shuffle=True, random_state=task.seed)
    place = np.full(rows, -1, dtype=np.int64)
    place[task.people] = task.shown
    wrong_before = 0
    wrong_after = 0
    for trained, tested in splitter.split(np.zeros(rows)):
        asked = task.before[tested]
        right = known[tested]
        told = _predicted(task.before[trained], known[trained], asked, task.seed)
        wrong_before += int(np.count_nonzero(told != right))
        # Of those who are withheld the release shows nothing.
        released = trained[place[trained] >= 0]
        cells = task.after[place[released]]
        told = _predicted(cells, task.said[released], asked, task.seed)
        wrong_after += int(np.count_nonzero(told != right))
    most = int(np.bincount(known).max())
    return Learned(
        target=task.target.name,
        features=tuple(one.name for one in task.features),
        folds=folds,
        records=rows,
        original=wrong_before,
        release=wrong_after,
        majority=rows - most,
    )


def _predicted(cells: Any, classes: Ints, asked: Any, seed: int) -> Ints:
    """What a classifier says of records, trained on others."""
    from sklearn.linear_model import LogisticRegression

    seen = np.unique(classes)
    # Where nobody is left to learn from, no class is right.
    if len(seen) < 2:
        return np.full(asked.shape[0], seen[0] if len(seen) else -1)
    model = LogisticRegression(max_iter=ROUNDS, tol=CLOSE, random_state=seed)
    with warnings.catch_warnings():
        # A model that is not quite settled is one that an analyst may have, too.
        warnings.simplefilter("ignore")
        told: Ints = model.fit(cells, classes).predict(asked)
    return told


def _block(column: SpreadColumn, released: bool, untyped: bool) -> Any:
    """The features of a column: a number in units of its deviation, else for each value
    how much of the cell is it.
    """
    from scipy import sparse

    codes = column.after if released else column.before
    figures = column.figures(untyped)
    shown = column.shown_figures(untyped)
    if figures is None or shown is None:
        shares = _shares(column) if released else sparse.identity(len(column.values))
        return sparse.csr_matrix(shares)[codes]
    ordered = sorted(figure for figure in figures if figure is not None)
    own = np.array(_floats(figures, ordered))[column.before]
    known = own[~np.isnan(own)]
    scale = float(known.std()) or 1.0
    cells = (
        np.array(_floats(shown if released else figures, ordered))[codes] - known.mean()
    )
    # A cell without a number is taken for the mean.
    standard = np.nan_to_num(cells / scale, nan=0.0)
    return sparse.csr_matrix(standard.reshape(-1, 1))


def _floats(
    figures: Sequence[Fraction | None], ordered: Sequence[Fraction]
) -> list[float]:
    """Numbers beside the least and the largest of the original: floats hold those."""
    floats = []
    for figure in figures:
        floats.append(np.nan if figure is None else float(between(figure, ordered)))
    return floats


def _shares(column: SpreadColumn) -> Floats:
    """By released label how much of it each value is."""
    height = len(column.labels)
    width = len(column.values)
    shares = np.zeros((height, width))
    for label, places in enumerate(column.sets):
        size = max(len(places), 1)
        shares[label, places] = 1 / size
    return shares
