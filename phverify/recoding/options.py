"""What a search for a recoding by tuples is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from phverify.errors import InputError, Problem, Problems, nearest
from phverify.generalization.options import Number, share, weights_of, wrong_shuffle
from phverify.given import wrong_mapping, wrong_names, wrong_switches, wrong_word
from phverify.policy.model import Policy
from phverify.spec.recoding import PUBLISHED
from phverify.spec.sides import COUNTED, OBJECTIVES

USUAL = 60.0
"""Seconds that a search takes where neither a budget nor a gap is given."""


@dataclass(frozen=True)
class TuplesAsked:
    """``share`` of the records may be withheld, ``cells`` of the released cells be
    ``*``.

    ``gap`` ends the search, ``budget`` in seconds does; ``ranges`` are released in
    ranges though they have a hierarchy.  ``blind`` classes look at quasi-identifiers
    alone, and have at least so many records; 0 for all others.  ``publish``: what is
    shown in columns of numbers, their range or the class's median.
    """

    objective: str
    weights: Mapping[str, Fraction]
    share: Fraction
    cells: Fraction
    disjoint: bool
    gap: Fraction | None
    ranges: tuple[str, ...]
    blind: int
    seed: int
    publish: str


@dataclass(frozen=True)
class TupleSettings:
    """What a caller says of a release by tuples, as it was said.

    The fields are the arguments of ``anonymize``; ``asked`` reads them.
    """

    objective: str = "loss"
    suppress: Number = 0
    weights: Mapping[str, Number] | None = None
    cells: Number = 1
    disjoint: bool = False
    gap: Number | None = None
    ranges: Sequence[str] = ()
    blind: int = 0
    publish: str = "range"
    shuffle: int | None = None
    redact: bool = False

    def wrong_kinds(self) -> Iterator[Problem]:
        """What is of another kind than it should be, before any of it is read."""
        yield from wrong_word("objective", self.objective, "loss")
        yield from wrong_word("publish", self.publish, "median")
        yield from wrong_mapping("weights", self.weights, '{"zip": 2}')
        yield from wrong_names("ranges", self.ranges, "age")
        yield from wrong_switches(disjoint=self.disjoint, redact=self.redact)

    def wrong(self) -> Problems:
        """What is wrong with them, whatever the policy is."""
        _, starred, _, problems = self._shares()
        bounded = self.disjoint or starred < 1
        problems += _unmeasured(self.objective, bounded)
        problems += _no_records(self.blind)
        problems += _unpublished(self.publish, self.disjoint)
        return problems

    def _shares(self) -> tuple[Fraction, Fraction, Fraction | None, Problems]:
        """The shares of withheld records, of cells and of the cost, and what is wrong
        with them.
        """
        problems: Problems = []
        withheld = share("suppress", self.suppress, "records", problems)
        starred = share("cells", self.cells, "cells", problems, most=1)
        gap = None
        if self.gap is not None:
            gap = share("gap", self.gap, "cost", problems)
        return withheld, starred, gap, problems

    def asked(self, policy: Policy, seed: int = 0) -> TuplesAsked:
        """What is searched for.  Raises InputError with everything that is wrong."""
        withheld, starred, gap, _ = self._shares()
        problems = self.wrong()
        weights = weights_of(policy, self.weights or {}, problems)
        problems += _no_quasi(self.ranges, policy)
        problems += wrong_shuffle(policy, self.shuffle)
        if problems:
            raise InputError(problems)
        return TuplesAsked(
            self.objective,
            weights,
            withheld,
            starred,
            self.disjoint,
            gap,
            tuple(self.ranges),
            self.blind,
            seed,
            self.publish,
        )


DEFAULTS = TupleSettings()


def time_limit(budget: float | None, gap: Number | None) -> float | None:
    """The seconds that a search may take; None where only the gap ends it."""
    if budget is None and gap is None:
        return USUAL
    return budget


def _no_quasi(ranges: Sequence[str], policy: Policy) -> Iterator[Problem]:
    """Columns of ranges that are no quasi-identifiers."""
    for name in ranges:
        if name not in policy.quasi:
            hint = nearest(name, policy.quasi, "quasi-identifiers")
            yield Problem("ranges", f"{name!r} is no quasi-identifier", hint)


def _no_records(blind: object) -> Iterator[Problem]:
    """What is wrong with the size of classes that look at no confidential value."""
    if type(blind) is not int or blind < 0:
        yield Problem("blind", f"is a whole number of records, not {blind!r}")


def _unmeasured(objective: str, bounded: bool) -> Problems:
    """What is wrong with what is to be least; ``bounded`` boxes are asked for."""
    if objective not in (*OBJECTIVES, *COUNTED):
        *others, last = (*OBJECTIVES, *COUNTED)
        known = f"{', '.join(others)} or {last}"
        what = f"for releases by tuples is {known}, not {objective!r}"
        return [Problem("objective", what, "all others are told of the result")]
    if objective in COUNTED and bounded:
        what = f"{objective} counts classes, whatever their boxes are"
        hint = "with --disjoint or --cells the objective is loss, precision or entropy"
        return [Problem("objective", what, hint)]
    return []


def _unpublished(publish: str, disjoint: bool) -> Problems:
    """What is wrong with what is to be shown of numbers."""
    if publish not in PUBLISHED:
        what = f"is {' or '.join(PUBLISHED)}, not {publish!r}"
        return [Problem("publish", what, "median shows one number in place of 20-29")]
    if publish == "median" and disjoint:
        what = "medians do not show the boxes that are disjoint"
        return [Problem("publish", what, "leave out one of the two")]
    return []
