"""The search's view of a space: where to go from a candidate, and what a candidate
makes of coded columns.

What a scheme is and costs stands in ``phverify.spec``.  Here a *candidate* is an array
of Booleans.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from phverify.errors import InputError, Problem, refusal
from phverify.exact import Bools, Ints
from phverify.generalization.column_above import ColumnAbove
from phverify.microdata.hierarchy import Hierarchies, Hierarchy, absent
from phverify.microdata.table import CodedColumn, float_hint
from phverify.policy.hierarchies import EXAMPLES
from phverify.policy.model import Policy
from phverify.spec import spaces as spec
from phverify.spec.along import Along, Subtrees
from phverify.spec.data import Refused
from phverify.spec.parser import parse
from phverify.spec.schemes import Clause, Scheme, Truth
from phverify.spec.together import Together
from phverify.spec.types import TEXT, ValueType
from phverify.words import toml_key, toml_string

Problems = Iterator[Problem]

BUILDERS = {"integer": "intervals", "decimal": "intervals", "date": "dates"}
"""For types of values the builder that makes a hierarchy of them."""
KEPT = 100
"""Of so many candidates is kept what becomes of the values."""

Implication = tuple[frozenset[int], int]
"""Decisions that imply another one."""


@dataclass(frozen=True, eq=False)
class Recoding:
    """A partition of one attribute: ``column.codes[value]`` numbers the block of a
    value, ``blocks`` are the blocks.
    """

    column: CodedColumn
    blocks: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class CodedSpace(spec.Space):
    """The product of the attributes' schemes, with candidates as arrays of Booleans."""

    _memo: dict[tuple[str, bytes], Recoding] = field(default_factory=dict)
    _cuts: dict[tuple[int, int], Clause] = field(default_factory=dict)
    _candidates: dict[bytes, list[Recoding]] = field(default_factory=dict)
    _above: dict[tuple[int, int], ColumnAbove] = field(default_factory=dict)

    @cached_property
    def implications(self) -> list[list[Implication]]:
        """What decisions of each attribute imply."""
        return list(map(implications, self.schemes))

    def each(self, candidate: Bools) -> list[Bools]:
        """The candidate attribute by attribute."""
        bounds = pairwise(self.starts)
        return [candidate[start:end] for start, end in bounds]

    def top(self) -> Bools:
        """The most general candidate."""
        return np.ones(self.decisions, dtype=bool)

    def bottom(self) -> Bools:
        """The candidate that generalizes nothing."""
        return np.zeros(self.decisions, dtype=bool)

    def raised(self, candidate: Bools, unknown: int) -> Bools:
        """The finest coarser candidate with the unknown true."""
        # "right": an attribute without decisions starts where the next one does
        k = bisect_right(self.starts, unknown) - 1
        start, end = self.starts[k : k + 2]
        if self.by_levels:
            raised = candidate.copy()
            # whoever is above a level is above all below it
            raised[start : unknown + 1] = True
            return raised
        own = np.flatnonzero(candidate[start:end]).tolist()
        # decisions imply others of their own attribute alone
        true = implied(self.implications[k], {unknown - start, *own})
        raised = candidate.copy()
        raised[[start + decision for decision in true]] = True
        return raised

    def lowered(self, candidate: Bools, unknown: int) -> Bools:
        """A finer candidate with the unknown false, as little finer as single steps
        find.
        """
        after = np.searchsorted(self.starts, unknown, side="right")
        k = int(after) - 1
        start = self.starts[k]
        lowered = candidate.copy()
        lowered[unknown] = False
        changed = True
        while changed:
            changed = False
            for together, head in self.implications[k]:
                own = [start + decision for decision in together]
                if not lowered[start + head] and lowered[own].all():
                    # Something that implies it has to go.
                    lowered[max(own)] = False
                    changed = True
        return lowered

    def cut(self, box: spec.Box) -> Clause:
        """The candidates that do not keep a box apart from everything else."""
        literals: list[int] = []
        for number, block in enumerate(box):
            key = number, block
            # boxes share most of their blocks
            if key not in self._cuts:
                cut = self.schemes[number].cut(block)
                self._cuts[key] = self.lifted(number, cut)
            literals += self._cuts[key]
        return tuple(literals)

    def total(self, candidate: Bools, cost: spec.Cost) -> int:
        """The cost of a candidate in units of 1 / denominator."""
        return cost.total(self.solution(candidate.tolist()))

    def recoding(self, candidate: Bools) -> list[Recoding]:
        """What becomes of the values of each attribute."""
        whole = candidate.tobytes()
        if whole not in self._candidates:
            if len(self._candidates) >= KEPT:
                self._candidates.clear()
            self._candidates[whole] = self._recoding(candidate)
        return self._candidates[whole]

    def _recoding(self, candidate: Bools) -> list[Recoding]:
        recodings = []
        for scheme, part in zip(self.schemes, self.each(candidate), strict=True):
            key = scheme.name, part.tobytes()
            # candidates near each other share most of their partitions
            if key not in self._memo:
                self._memo[key] = _recoded(scheme, part.tolist())
            recodings.append(self._memo[key])
        return recodings

    def columns(self, candidate: Bools) -> dict[str, CodedColumn]:
        """For each attribute, the image of every value."""
        columns = {}
        recoded = self.recoding(candidate)
        for scheme, recoding in zip(self.schemes, recoded, strict=True):
            columns[scheme.name] = recoding.column
        return columns

    def levels(self, candidate: Bools) -> dict[str, int] | None:
        """The level of each attribute, in the space of levels."""
        if not self.by_levels:
            return None
        names = [scheme.name for scheme in self.schemes]
        return dict(zip(names, self.level_vector(candidate), strict=True))

    def level_vector(self, candidate: Bools) -> tuple[int, ...]:
        """In the space of levels, that of each attribute."""
        # Decision d says "above level d": how many are true is the level.
        decisions = candidate.tolist()
        spans = pairwise(self.starts)
        return tuple([sum(decisions[start:end]) for start, end in spans])

    def above(self, number: int, level: int) -> ColumnAbove:
        """In the space of levels, an attribute from a level on."""
        key = number, level
        if key not in self._above:
            scheme = self.schemes[number]
            assert isinstance(scheme, Along)
            ladders = {ladder[level]: ladder[level:] for ladder in scheme.ladders}
            of_blocks = [list(ladders[block]) for block in sorted(ladders)]
            self._above[key] = ColumnAbove(level, of_blocks)
        return self._above[key]

    def vector(self, levels: Sequence[int]) -> Bools:
        """The candidate of a level vector."""
        candidate = self.bottom()
        for start, level in zip(self.starts[:-1], levels, strict=True):
            candidate[start : start + level] = True
        return candidate


def _recoded(scheme: Scheme, part: Truth) -> Recoding:
    blocks = scheme.blocks(part)
    shown = scheme.shown(blocks)
    place = {block: k for k, block in enumerate(shown)}
    codes: Ints = np.array([place[block] for block in blocks])
    return Recoding(CodedColumn(codes, tuple(shown.values())), tuple(shown))


# Where to go from a partition


def implications(scheme: Scheme) -> list[Implication]:
    """What decisions imply: each clause of a scheme says that some unknowns together
    imply another one.
    """
    implied_by = []
    for clause in scheme.constraints():
        # Clauses about unknowns that serve the cost alone lead nowhere.
        if max(map(abs, clause)) <= scheme.decisions:
            together = frozenset(-literal - 1 for literal in clause if literal < 0)
            implied_by.append((together, max(clause) - 1))
    return implied_by


def implied(given: Sequence[Implication], true: set[int]) -> set[int]:
    """These decisions and all that follow from them."""
    decisions, waiting = set(true), given
    while True:
        # up to the least fixpoint: the order of the clauses does not matter
        waiting = [one for one in waiting if one[1] not in decisions]
        more = {head for body, head in waiting if body <= decisions}
        if not more:
            return decisions
        decisions |= more


def wider(scheme: Scheme, block: int, part: Bools) -> tuple[int, ...]:
    """The smallest blocks larger than this one that are unions of blocks of a
    partition, as this one is.
    """
    if isinstance(scheme, Along):
        # in a tree the next larger block is the parent, and no other
        if block in scheme.above:
            return (scheme.above[block],)
        return ()
    assert isinstance(scheme, Together)
    unions = {block | other for other in scheme.blocks(part.tolist())} - {block}
    blocks = sorted(filter(scheme.valid, unions))
    # where no union is a block, all values together are one
    return tuple(blocks or [scheme.everything] if unions else [])


# Which space is searched


def _described(policy: Policy) -> set[str]:
    """The columns that some formula speaks of, as for the checker, which reads no rule
    with ``never_known``.
    """
    columns: set[str] = set()
    for text in spec.formulas(policy):
        formula = parse(text)
        columns.update(spec.attributes(formula))
    return columns


def space(
    kind: str,
    policy: Policy,
    columns: Mapping[str, CodedColumn],
    hierarchies: Hierarchies,
) -> CodedSpace:
    """The search space of a kind over the quasi-identifiers.  Raises InputError with
    all problems.
    """
    named = _described(policy)
    schemes: list[Scheme] = []
    problems: list[Problem] = []
    for name in policy.quasi:
        paths = hierarchies.get(name)
        unfit = list(_unfit(kind, policy, name, columns[name], paths))
        # a scheme takes for granted that its column fits
        if not unfit:
            lines = None if paths is None else paths.paths
            scheme = spec.scheme(
                kind, policy, name, columns[name].labels, lines, name in named
            )
            schemes.append(scheme)
            # one name for two groups says enough: more follow from the same lines
            unfit = list(_ambiguous(scheme))[:1] if isinstance(scheme, Subtrees) else []
        problems += unfit
    if problems or not schemes:
        raise InputError(
            problems
            or [Problem(policy.source, "there are no quasi-identifiers to generalize")]
        )
    return CodedSpace(tuple(schemes))


def _untyped(column: CodedColumn, kind: ValueType, name: str) -> Problems:
    """A value that is not of its column's type."""
    try:
        column.typed(kind, f"column {name}")
    except InputError as error:
        yield from error.problems


def _unfit(
    kind: str,
    policy: Policy,
    name: str,
    column: CodedColumn,
    hierarchy: Hierarchy | None,
) -> Problems:
    """Why a column has no scheme in a space."""
    typed = policy.types.get(name, TEXT)
    if spec.chosen(kind, typed, len(column.labels)) in ("intervals", "partitions"):
        if kind == "intervals":
            yield from _untyped(column, typed, name)
    elif hierarchy is not None:
        for value in absent(hierarchy, column.labels)[:5]:
            what = f"the value {value!r} of the column {name!r} is not in the hierarchy"
            hint = float_hint(value) or "add a line for it"
            yield Problem(hierarchy.source, what, hint, True)
        for value in [
            value for value, path in hierarchy.paths.items() if "" in path[1:]
        ][:1]:
            what = (
                f"the path of {value!r} has an empty generalization, which would read"
                " as a missing cell"
            )
            yield Problem(hierarchy.source, what, "write * or a word", True)
    elif typed == TEXT:
        return  # without a hierarchy its values are kept, or become *
    elif kind == "partitions":
        what = (
            f"{name!r} has {len(column.labels)} values: all partitions are tried up to"
            f" {spec.MOST_PARTED}"
        )
        yield Problem(
            "--space partitions", what, "give it a hierarchy, or use --space intervals"
        )
    else:
        key, file = toml_key(name), toml_string(f"{name}.csv")
        builder = EXAMPLES[BUILDERS.get(typed.name, "masking")]
        hint = (
            f"under [hierarchies]: {key} = {file}, or a builder such as {key} ="
            f" {{{builder}}}; --space intervals needs none"
        )
        what = f"the quasi-identifier {name!r} needs a hierarchy"
        yield Problem(policy.source, what, hint)


def _ambiguous(scheme: Subtrees) -> Problems:
    """Names that a cut could release for two groups of values."""
    seen: dict[str | None, int] = {}
    for node in sorted(scheme.nodes):
        label = scheme.label(node)
        one = set(scheme.members(seen.setdefault(label, node)))
        two = set(scheme.members(node))
        # of two groups within each other a cut releases one at most
        if not (one <= two or two <= one):
            what = (
                f"{label!r} stands for two groups of values in the hierarchy of"
                f" {scheme.name!r}"
            )
            yield Problem(
                scheme.name,
                what,
                "a cut may release both: give every node its own name",
                True,
            )


def cost(
    coded: CodedSpace,
    objective: str,
    occurrences: Mapping[str, Ints],
    weights: Mapping[str, Fraction],
    rows: int,
) -> spec.Cost:
    """The linear cost of an objective: height, precision or loss.  Raises InputError.

    ``occurrences`` says how often each value of a scheme occurs among the ``rows``.
    """
    records = {
        s.name: dict(zip(s.values, occurrences[s.name].tolist(), strict=True))
        for s in coded.schemes
    }
    try:
        return spec.cost(coded, objective, records, weights, rows)
    except Refused as error:
        raise refusal("objective", str(error), "use loss") from None
