"""Generalization hierarchies: as ARX writes them, one line per value,
``value;level1;level2;...``, or built.

What each builder makes stands in ``phverify.spec.builders``; here is which values do
not fit one, and how to mend them.  Whatever the builder, two values with one label at a
level have one label at the next, all paths are equally long, and they meet at one root:
``*``, unless the last level has a single label anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from phverify.errors import Defect, InputError, Problem, nearest, refusal
from phverify.microdata.files import UNPACK, TableFile, existing_file, text_of
from phverify.microdata.grouped_digits import grouped_hint
from phverify.microdata.table import Label
from phverify.spec.builders import LONGEST, Builder, built
from phverify.spec.coding import BOUNDED, CODING
from phverify.spec.hierarchies import flaws, lines, path_of
from phverify.spec.notation import Interval, interval
from phverify.spec.source import MONTH, File, Line, Paths, Refused, Values

SHOWN = 5
"""Values of one kind that are listed."""


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """``paths[value]`` is the value followed by its generalizations, all equally many.

    The order of ``paths`` is the order of the file: it orders a text attribute.
    """

    source: str
    paths: Paths

    @property
    def levels(self) -> int:
        """How many generalization steps there are; level 0 is the value itself."""
        some_path = next(iter(self.paths.values()))
        return len(some_path) - 1

    def rooted(self) -> bool:
        """Whether all values meet at the top level."""
        tops = {path[-1] for path in self.paths.values()}
        return len(tops) == 1

    def generalizations(self, value: Label) -> Values:
        """What a value may become, itself first; nothing for a value that has no line.

        A missing cell takes the line whose value is empty; without one it stays missing
        below the top, and joins everybody there, if the hierarchy has one root.
        """
        return tuple(dict.fromkeys(path_of(value, self.paths)))


Hierarchies = Mapping[str, Hierarchy]
GivenHierarchies = Mapping[str, File | Hierarchy]
"""By column a file, or what has been read."""


def read_hierarchy(source: str | Path) -> Hierarchy:
    """Read and validate a hierarchy file.

    Raises InputError when the file is unbalanced, names a value twice, or gives a node
    two parents.
    """
    path = existing_file(source, "hierarchy")
    if path.suffix.lower() in UNPACK:
        what = "hierarchies are not read packed, since their checker reads them itself"
        raise refusal(str(path), what, "unpack it, and name that file")
    with text_of(TableFile(str(path))) as text:
        return validated(str(path), lines(text))


def validated(source: str, rows: Sequence[Line]) -> Hierarchy:
    """The hierarchy of these paths.  Raises InputError when they are none."""
    if problems := flaws(rows, source):
        raise InputError(problems)
    return Hierarchy(source, {row[0]: row for row in rows})


def build(builder: Builder, values: Iterable[str], where: str) -> Hierarchy:
    """The hierarchy of a column whose labels other than missing are ``values``.

    ``where`` becomes the source of the hierarchy.  Raises InputError naming values that
    do not fit.
    """
    distinct = tuple(dict.fromkeys(values))
    try:
        paths = built(builder, distinct, where)
    except Refused:
        problems = [*islice(_unfit(builder, distinct, where), SHOWN)]
        what = f"no cell has a value that {builder.kind} could generalize"
        raise InputError(problems or Problem(where, what, "leave it out")) from None
    # A builder promises what a file has to prove.
    if flawed := flaws([*paths.values()], where):
        raise Defect("\n".join(problem.text() for problem in flawed))
    return Hierarchy(where, paths)


def _unfit(builder: Builder, values: Sequence[str], where: str) -> Iterator[Problem]:
    """The values that do not fit."""
    longest = max(map(len, values), default=0)
    if builder.kind == "masking" and longest > LONGEST:
        what = (
            "masking makes a level for each character, and the longest value has"
            f" {longest}"
        )
        hint = "name the lengths to keep, for example {prefixes = [3, 2, 1]}"
        yield Problem(where, what, hint)
        return
    for value in values:
        try:
            builder.labels([value])
        except ValueError as error:
            plain_date = builder.kind == "dates" and builder.bounds is None
            what = f"{value!r} is no date" if plain_date else str(error)
            yield Problem(where, f"the value {what}", _meant(builder, value), True)


def _meant(builder: Builder, value: str) -> str:
    """What a value that does not fit may mean."""
    if value == "*":
        return (
            "a release has * for all values: the table before sanitization belongs here"
        )
    return _mended(builder, value)


def _mended(builder: Builder, value: str) -> str:
    """The value as it fits, or how it is written."""
    already = interval(value)
    if already is not None and builder.kind in (*BOUNDED, CODING):
        return _coded_already(already)
    match builder.kind:
        case "groups":
            return nearest(value, dict(builder.levels[0]), "values in groups")
        case _ if reads_dates(builder) and MONTH.fullmatch(value.strip()):
            return "write the months as days, such as 1956-03-01"
        case _ if reads_dates(builder):
            # Ten characters: what stands behind a date is a time of day.
            mended = value.strip().replace("/", "-").replace(".", "-")[:10]
            hint = "dates are written as 1956-03-23"
        case _ if MONTH.fullmatch(value.strip()):
            return (
                'write the months as days, such as 1956-03-01, and {dates = ["year",'
                ' "decade"]}; or fractions as decimals'
            )
        case _ if hint := grouped_hint(value):
            return hint
        case _:
            mended = value.strip().replace(",", ".")
            hint = (
                "numbers are written as 12, -0.5 or 2/3; for other values use prefixes,"
                " masking or groups"
            )
    try:
        builder.labels([mended])
    except ValueError:
        return hint
    return f"did you mean {mended!r}?"


def reads_dates(builder: Builder) -> bool:
    """Whether a builder takes dates, and no numbers."""
    if builder.bounds is not None:
        return builder.bounds.dates
    return builder.kind == "dates"


def _coded_already(range_: Interval) -> str:
    """How a builder takes a value that is a range."""
    if range_.high is None:
        return "values that are top coded are taken with at_most = the number there"
    if range_.low is None:
        return "values that are bottom coded are taken with at_least, above them"
    return "values that are ranges have a hierarchy in a file"


def absent(hierarchy: Hierarchy, labels: Iterable[Label]) -> list[str]:
    """The values of a column that the hierarchy lacks, each once."""
    values = [label for label in dict.fromkeys(labels) if label is not None]
    return [value for value in values if value not in hierarchy.paths]
