"""All figures of a release beside its original."""

from __future__ import annotations

from fractions import Fraction

from phverify.utility.cells import SpreadColumn
from phverify.utility.correlations import correlations
from phverify.utility.distances import distance, listed_shares, pair_distances
from phverify.utility.explained import DataPair, Explained
from phverify.utility.losses import class_sizes, loss, mean_of, precision
from phverify.utility.result import ClassSizes, ColumnUtility, DataComparison, Learned
from phverify.version import __version__


class ComparedTables:
    """All figures of two tables."""

    def __init__(
        self,
        tables: DataPair,
        columns: dict[str, SpreadColumn],
        known: Explained,
        notes: list[str],
    ) -> None:
        self.tables = tables
        self.columns = columns
        self.known = known
        self.notes = notes
        self.quasi = [name for name in columns if name in tables.policy.quasi]
        self.released = tables.release.rows
        self.rows = tables.original.rows

    def whole(self, found: Learned | None, redact: bool) -> DataComparison:
        """The answer."""
        columns = tuple(map(self.column, self.columns.values()))
        by_name = {column.name: column for column in columns}
        lost = mean_of([by_name[name].loss for name in self.quasi])
        climbed = mean_of([by_name[name].precision for name in self.quasi])
        pairs, left_out = pair_distances([*self.columns.values()])
        for first, second in left_out:
            self.notes.append(f"{first} and {second} have too many values together")
        before, after = self.classes()
        untyped = not self.tables.policy.types
        return DataComparison(
            original=self.tables.original.source,
            release=self.tables.release.source,
            rows=self.rows,
            released=self.released,
            quasi=tuple(self.quasi),
            explained=self.known.by or "",
            departures=tuple(self.known.departures),
            columns=columns,
            loss=lost,
            loss_with_withheld=self.charged(lost),
            precision=climbed,
            before=before,
            after=after,
            pairs=tuple(pairs),
            correlations=correlations([*self.columns.values()], untyped),
            learned=found,
            notes=tuple(self.notes),
            version=__version__,
            redacted=redact,
        )

    def column(self, column: SpreadColumn) -> ColumnUtility:
        """What became of a column."""
        unread = dict(column.unread)
        return ColumnUtility(
            name=column.name,
            role=self.role(column.name),
            changed=not column.plain,
            loss=loss(column),
            precision=precision(column),
            distance=distance(column),
            shares=listed_shares(column),
            unread=sum(unread.values()),
            example=next(iter(unread), None),
        )

    def role(self, name: str) -> str:
        """The role of a column; "" where the policy gives it none."""
        policy = self.tables.policy
        for role in ("quasi", "sensitive", "neutral"):
            if name in getattr(policy, role):
                return role
        return ""

    def charged(self, lost: Fraction | None) -> Fraction | None:
        """The loss where a withheld record counts as suppressed."""
        if lost is None:
            return None
        withheld = max(self.rows - self.released, 0)
        everybody = self.released + withheld
        total = lost * self.released + withheld
        return total / everybody

    def classes(self) -> tuple[ClassSizes, ClassSizes]:
        """The classes before and after."""
        withheld = max(self.rows - self.released, 0)
        columns = [self.columns[name] for name in self.quasi]
        before = class_sizes([column.before for column in columns])
        after = class_sizes([column.after for column in columns], withheld, self.rows)
        return before, after
