"""Released cells that are values of the original as they are written, whatever else
their texts name: a node of the hierarchy, a mark of suppression, another spelling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from phverify.linkage.candidates.released_cells import ReleasedCells
from phverify.microdata.table import Label
from phverify.spec.notation import interval, members


@dataclass(frozen=True, eq=False)
class OwnValues:
    """The original values that the released cells of a column are, by their codes."""

    cells: ReleasedCells

    def narrower(self, sources: Sequence[Sequence[int]]) -> dict[int, tuple[int, ...]]:
        """The released values that are values of the original, with these, where their
        ``sources`` are more.
        """
        found: dict[int, tuple[int, ...]] = {}
        for image, label in enumerate(self.cells.after.labels):
            values = self.of(label)
            if values and len(values) < len(sources[image]):
                found[image] = tuple(values)
        return found

    def of(self, label: Label) -> Sequence[int]:
        """The values that a released cell is; none for one that is no value."""
        masking = self.cells.masking
        # what these make of a value may be called as another one
        exchanged = masking.swapping == 1 or masking.pseudonyms
        if masking.table is not None or exchanged:
            return ()
        if (label or "") in masking.suppressed:
            return self.spelt.get(label, ())
        changed = masking.changing or masking.rounding is not None
        if label is None or changed:
            return ()
        if masking.intervals and interval(label):
            return self.cells.occurring.get(label, ())
        return self.of_text(label)

    def of_text(self, label: str) -> Sequence[int]:
        """The same of a text: a value in any spelling, or a set of values and nodes."""
        for text in (label, self.cells.canonical(label)):
            if text in self.spelt:
                return self.spelt[text]
        if label in self.cells.known:
            return ()
        inside = members(label) or self.cells.meaning.listed(label)
        if inside is None:
            return ()
        codes: set[int] = set()
        for text in inside:
            codes.update(self.of_text(text) or self.cells.said(text) or ())
        return sorted(codes)

    @cached_property
    def spelt(self) -> dict[Label, list[int]]:
        """The value of each text; of a text that is none, the values that their type
        writes so.
        """
        codes: dict[Label, list[int]] = {}
        for code, value in enumerate(self.cells.values):
            if value is not None:
                text = self.cells.canonical(value)
                codes.setdefault(text, []).append(code)
        for code, value in enumerate(self.cells.values):
            codes[value] = [code]
        return codes
