"""Columns of two tables in one code: the same number means the same label in both.

Labels are sorted first, so that nothing depends on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from phverify.exact import Ints
from phverify.microdata.keys import packed
from phverify.microdata.table import CodedColumn, Label
from phverify.spec.source import Values

Sides = tuple[Ints, Ints]
"""Of the original, and of the release."""


@dataclass(frozen=True, eq=False)
class PairedColumn:
    """One column in both tables, coded by sorted labels.

    ``before[row]`` indexes ``values`` and ``after[row]`` indexes ``images``, which are
    the same labels unless the column is quasi-identifying.
    """

    name: str
    before: Ints
    after: Ints
    values: Values
    images: Values

    @property
    def pairs(self) -> list[tuple[Label, Label, int]]:
        """The values with what became of them row by row, in order.

        Each pair stands with the first row that shows it.
        """
        width = len(self.images)
        keys, rows = np.unique(self.before * width + self.after, return_index=True)
        value_codes, image_codes = np.divmod(keys, width)
        values = [self.values[code] for code in value_codes.tolist()]
        images = [self.images[code] for code in image_codes.tolist()]
        return list(zip(values, images, rows.tolist(), strict=True))

    def mapping(self, image_codes: Ints) -> dict[Label, Label]:
        """The released value of each value; ``image_codes[k]`` is that of value k."""
        images = [self.images[code] for code in image_codes.tolist()]
        return dict(zip(self.values, images, strict=True))


def paired_column(
    name: str, before: CodedColumn, after: CodedColumn, shared: bool
) -> PairedColumn:
    """A column of two tables; where ``shared``, one code means the same in both."""
    together = (*before.labels, *after.labels)
    values = _ordered(together if shared else before.labels)
    images = _ordered(together if shared else after.labels)
    old = CodedColumn.coded(before.labels, values)
    new = CodedColumn.coded(after.labels, images)
    return PairedColumn(name, old[before.codes], new[after.codes], values, images)


def _ordered(labels: Iterable[Label]) -> Values:
    """Distinct labels in order, a missing one first."""
    distinct = set(labels)
    return tuple(sorted(distinct, key=lambda label: (label is not None, label or "")))


def codes_of(
    columns: Sequence[PairedColumn], rows: int, rest: Sides | None = None
) -> Sides:
    """One code a row for all columns together, and the ``rest`` beside them.

    The same code in both tables means the same cells, where labels are shared.
    """
    codes = [np.concatenate((one.before, one.after)) for one in columns]
    sizes = [max(len(one.values), len(one.images)) for one in columns]
    if rest is not None:
        codes.append(np.concatenate(rest))
        sizes.append(int(rest[0].max()) + 1)
    _, keys, _ = packed(codes, sizes, 2 * rows)
    _, code = np.unique(keys, return_inverse=True)
    return code[:rows], code[rows:]
