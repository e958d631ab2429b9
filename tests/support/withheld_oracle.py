"""Random releases beside their originals with records withheld, and all ways in which
these explain them.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from phverify.spec import syntax as s
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.signature import Signature
from support import oracle
from support import original_tuples_oracle as whole
from support.original_tuples_oracle import QUASI, Case, Row
from support.strategies import AGENTS

Way = tuple[int | None, ...]
"""For each original row its released row, or None."""


@dataclass(frozen=True)
class Fewer:
    """``shown`` are some rows of ``case.after``; ``told`` is how it is known which:
    identifier, order or nothing.
    """

    case: Case
    people: list[int]
    told: str

    @property
    def shown(self) -> list[Row]:
        """The released rows as they stand in the file."""
        return [self.case.after[k] for k in self.people]


@st.composite
def fewer(draw: st.DrawFn, most: int = 5) -> Fewer:
    """A release of fewer rows than its original."""
    case = draw(whole.cases(most))
    case = replace(case, order=list(range(len(case.before))))
    told = draw(st.sampled_from(("identifier", "order", "nothing")))
    people = list(range(len(case.before)))
    gone = draw(st.sets(st.sampled_from(people), min_size=1, max_size=len(people) - 1))
    # Whole tuples, or some of those who are alike.
    if told == "nothing" or draw(st.booleans()):
        tuples = {key(case.before[k]) for k in gone}
        wholly = {k for k in people if key(case.before[k]) in tuples}
        gone = wholly if len(wholly) < len(people) else gone
    kept = [k for k in people if k not in gone]
    if told != "order":
        kept = list(draw(st.permutations(kept)))
    return Fewer(case, kept, told)


def key(row: Row) -> tuple[Any, ...]:
    """The quasi-identifiers of a row."""
    return tuple(row[q] for q in QUASI)


def may_be(case: Case, before: Row, after: Row) -> bool:
    """Whether an original row can have become a released one."""
    same = all(before[name] == after[name] for name in "fg")
    return same and whole.contained(case, before, after)


def ways(fewer: Fewer) -> Iterator[Way]:
    """All ways that explain the release, by definition."""
    case, shown = fewer.case, fewer.shown
    rows = range(len(case.before))
    places = range(len(shown))
    if fewer.told == "nothing":
        yield from functions(fewer)
        return
    for chosen in itertools.combinations(rows, len(shown)):
        if fewer.told == "identifier":
            chosen = tuple(fewer.people)
        pairs = list(zip(chosen, places, strict=True))
        if all(may_be(case, case.before[k], shown[p]) for k, p in pairs):
            at = dict(pairs)
            yield tuple(at.get(k) for k in rows)
        if fewer.told == "identifier":
            return


def functions(fewer: Fewer) -> Iterator[Way]:
    """All functions on tuples that make the rows of the release."""
    case, shown = fewer.case, fewer.shown
    tuples = list(dict.fromkeys(map(key, case.before)))
    boxes = [None, *dict.fromkeys(map(key, shown))]
    wanted = Counter((key(row), row["f"], row["g"]) for row in shown)
    for images in itertools.product(boxes, repeat=len(tuples)):
        image = dict(zip(tuples, images, strict=True))
        made = [(image[key(row)], row["f"], row["g"]) for row in case.before]
        if Counter(one for one in made if one[0] is not None) != wanted:
            continue
        held = [
            whole.contained(case, row, dict(zip(QUASI, one[0], strict=True)))
            for row, one in zip(case.before, made, strict=True)
            if one[0] is not None
        ]
        if not all(held):
            continue
        free = list(range(len(shown)))
        way: list[int | None] = []
        for box, f, g in made:
            place = None
            if box is not None:
                place = next(
                    p
                    for p in free
                    if (key(shown[p]), shown[p]["f"], shown[p]["g"]) == (box, f, g)
                )
                free.remove(place)
            way.append(place)
        yield tuple(way)


def expected(fewer: Fewer) -> str:
    """The verdict; "unfit" where the rule names what is not there; "none" where nothing explains the release; "withheld" or "open"
    where somebody named is, or may be somewhere else.
    """
    case, shown = fewer.case, fewer.shown
    found = list(ways(fewer))
    if not found:
        return "none"
    outcomes: dict[Any, set[Any]] = {}
    for way in found:
        for row, place in zip(case.before, way, strict=True):
            cells = None if place is None else key(shown[place])
            outcomes.setdefault(key(row), set()).add(cells)
    named = people_of(case.rule)
    became = [outcomes[key(case.before[k])] for k in named]
    if {None} in became:
        return "withheld"
    if any(len(one) > 1 for one in became):
        return "open"
    way = found[0]
    released = [k for k, place in enumerate(way) if place is not None]
    rows = [shown[place] for place in way if place is not None]
    names = [f"i{k + 1}" for k in released]
    language = signature(rows, case.before, names)
    formula, problems = resolve(parse(case.rule), language, "test", case.rule)
    if problems:
        return "unfit"
    valid = oracle.valid(rows, AGENTS, language, formula)
    return "proved" if valid else "refuted"


def people_of(rule: str) -> set[int]:
    """The individuals whom a rule names, from 0."""
    people = set()
    for node in s.subformulas(parse(rule)):
        if not isinstance(node, s.Nominal | s.At):
            continue
        if isinstance(node.name, s.Name) and node.name.text.startswith("i"):
            people.add(int(node.name.text[1:]) - 1)
    return people


def signature(
    rows: Sequence[Row], known: Sequence[Row], names: Sequence[str]
) -> Signature:
    """The language of the release; individuals have their numbers in the original."""
    plain = whole.signature(rows, known)
    return replace(plain, names=tuple(names), numbered=True)


def policy(fewer: Fewer) -> dict[str, Any]:
    """The policy as a dictionary; its hierarchy is in q.csv."""
    found = whole.policy(fewer.case)
    found.pop("rows", None)
    if fewer.told == "order":
        found["rows"] = "same order"
    if fewer.told != "identifier":
        del found["columns"]["identifier"]
    return found


def files(fewer: Fewer, folder: Path) -> tuple[Path, Path, Path]:
    """Release, policy and original."""
    whole.bound(fewer.case, folder)
    release, rules, original = (
        folder / name for name in ("release.csv", "policy.toml", "original.csv")
    )
    identified = fewer.told == "identifier"
    numbers = {name: f"i{k + 1}" for k, name in enumerate(whole.NAMES)}
    for path, rows in ((original, fewer.case.before), (release, fewer.shown)):
        named = [{**row, "who": numbers[str(row["who"])]} for row in rows]
        whole.write(path, named, identified)
    found = policy(fewer)
    lines = [f"rows = {json.dumps(found['rows'])}"] if "rows" in found else []
    for section in ("columns", "types", "agents", "hierarchies", "rules"):
        lines.append(f"[{section}]")
        entries = found.get(section, {})
        lines += [f"{key} = {json.dumps(value)}" for key, value in entries.items()]
    rules.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return release, rules, original
