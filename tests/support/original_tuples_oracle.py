"""Random originals with releases recoded by tuples, and what is true of them by
Definitions 6 and 7, word for word.

What each released text contains is written down here, and not read.
"""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import phverify as ph
from phverify.logic.printer import to_text
from phverify.spec import syntax as s
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.signature import Attribute, Signature
from phverify.spec.types import TEXT, ValueType
from support import oracle
from support.strategies import AGENTS, RULES, fit

Row = Mapping[str, str | None]
Meaning = Mapping[str | None, frozenset[str | None]]
QUASI = ("q", "r")
NAMES = ("Ann", "Bob", "Cem", "Dee", "Eve")
TREE = {"n": ("n", "low", "*"), "o": ("o", "low", "*"), "p": ("p", "high", "*")}
NUMBERS = ("20", "25", "31")
KINDS = ("", "integer", NUMBERS)
"""What the policy says of r: nothing, a type, or an order."""


def holding(table: Mapping[str, str]) -> dict[str | None, frozenset[str | None]]:
    """Texts with the values that they contain, which stand with blanks between."""
    return {text: frozenset(values.split()) for text, values in table.items()}


ANY_Q: Meaning = {
    **holding(
        {
            "n": "n", "o": "o", "p": "p", "{n, o}": "n o", "{n,o, p}": "n o p",
            "n or p": "n p", "o,p": "o p", "n~p": "n p", "p, n": "n p",
            "n, o or p": "n o p", "n-p": "", "n,": "", "n,x": "", "{n, x}": "",
            "[n, p]": "", "N": "", ">=n": "", "**": "",
        }
    ),
    None: frozenset((None,)),
    "*": frozenset(("n", "o", "p", None)),
}  # fmt: skip
ALONG: Meaning = {
    **ANY_Q,
    **holding({"low": "n o", "high": "p", "low,high": ""}),
}
ANY_R: Meaning = {
    **holding(
        {
            "20": "20", "25": "25", "31": "31", "20-25": "20 25", "20..31": "20 25 31",
            "[20, 31)": "20 25", "[20, 25[": "20", "[20-25]": "20 25",
            "20 - 25": "20 25", "25~31": "25 31", "(20, 31]": "25 31",
            "]20, 31]": "25 31", "]20, 31[": "25", ">=25": "25 31", ">25": "31",
            "<25": "20", "<=25": "20 25", "{20, 31}": "20 31", "20 or 31": "20 31",
            "20,25,31": "20 25 31", "20 to 31": "20 25 31", "20,25": "", "25-20": "",
            "20-": "", "[20, 31": "", "{20, 32}": "", "20;31": "", "abc": "",
        }
    ),
    None: frozenset((None,)),
    "*": frozenset((*NUMBERS, None)),
}  # fmt: skip
BEYOND: Meaning = holding(
    {"19-30": "20 25", "0..100": "20 25 31", "20.0": "20", "24.5-25.5": "25", "26": ""}
)
"""Of numbers, whose ends need not occur; of an order they are nothing."""


@dataclass(frozen=True)
class Case:
    """``after`` has the rows of ``before`` in the same order.

    The files are shuffled where identifiers are known.
    """

    before: list[Row]
    after: list[Row]
    order: list[int]
    hierarchy: bool
    kind: str | tuple[str, ...]
    rule: str

    @property
    def identified(self) -> bool:
        """Whether both files have the identifiers; else the policy tells the order."""
        return self.order != list(range(len(self.before)))

    @property
    def shown(self) -> list[Row]:
        """The released rows as they stand in the file."""
        return [self.after[k] for k in self.order]

    def meaning(self, column: str) -> Meaning:
        """What the released texts of a column contain.

        A text is a set only where all its members are known.
        """
        occurring = {row[column] for row in self.before}
        if column == "q" and self.hierarchy:
            return ALONG
        if column == "q":
            return known(ANY_Q, occurring)
        if not isinstance(self.kind, str):
            return {**ANY_R, **dict.fromkeys(BEYOND, NONE)}
        return {**known(ANY_R, occurring), **BEYOND}


NONE: frozenset[str | None] = frozenset()
SETS = {
    "{n, o}": "no", "{n,o, p}": "nop", "n or p": "np", "o,p": "op", "n~p": "np",
    "p, n": "np", "n, o or p": "nop", "{20, 31}": ("20", "31"),
    "20 or 31": ("20", "31"), "20,25,31": NUMBERS,
}  # fmt: skip
"""The texts that are sets, with their members."""


def known(meaning: Meaning, occurring: set[str | None]) -> Meaning:
    """Sets with a member that does not occur contain nothing."""
    found = dict(meaning)
    for text, members in SETS.items():
        if not occurring.issuperset(members):
            found[text] = NONE
    return found


@st.composite
def cases(draw: st.DrawFn, most: int = 5) -> Case:
    """An original, and mostly a recoding by tuples of it."""
    row = st.fixed_dictionaries(
        {
            "q": st.sampled_from(("n", "n", "o", "p", None)),
            "r": st.sampled_from((*NUMBERS, None)),
            "f": st.sampled_from(("a", "a", "a", "b")),
            "g": st.sampled_from(("0", "0", "0", "1")),
        }
    )
    before: list[dict[str, Any]] = draw(st.lists(row, min_size=2, max_size=most))
    case = Case(
        list(before), [], [], draw(st.booleans()), draw(st.sampled_from(KINDS)), ""
    )
    boxes = [{q: draw(labels(case.meaning(q))) for q in QUASI} for _ in "ab"]
    by_row = draw(st.integers(0, 2)) == 0
    if by_row or draw(st.booleans()):
        before[1].update(q=before[0]["q"], r=before[0]["r"])
    images: dict[Any, Any] = {}
    after = []
    for number, one in enumerate(before):
        key = number if by_row else (one["q"], one["r"])
        if key not in images:
            images[key] = draw(image(case, one, boxes))
        after.append({**one, **images[key]})
    mutate(draw, case, after)
    for number in range(len(before)):
        before[number]["who"] = after[number]["who"] = NAMES[number]
    order = list(range(len(before)))
    if draw(st.booleans()):
        order = draw(st.permutations(order))
    rule = fit(draw(RULES), after)
    if order != list(range(len(before))) and names_records(rule):
        order = list(range(len(before)))
    return Case(
        list(before), list(after), order, case.hierarchy, case.kind, to_text(rule)
    )


def labels(meaning: Meaning) -> st.SearchStrategy[str | None]:
    return st.sampled_from(sorted(meaning, key=str))


@st.composite
def image(draw: st.DrawFn, case: Case, row: Row, boxes: Sequence[Row]) -> Row:
    """A box that holds a row: one of those that others have, or one of its own."""
    own = {}
    for q in QUASI:
        fitting = [u for u, held in case.meaning(q).items() if row[q] in held]
        own[q] = draw(st.sampled_from(sorted(fitting, key=str)))
    common = [box for box in boxes if contained(case, row, box)]
    everything = {"q": "*", "r": "*"}
    return draw(st.sampled_from([own, *common, *common, everything]))


def mutate(draw: st.DrawFn, case: Case, after: list[dict[str, Any]]) -> None:
    """Perhaps put something else into one cell."""
    what = draw(st.integers(0, 7))
    row = after[draw(st.integers(0, len(after) - 1))]
    if what < 2:
        q = QUASI[what]
        row[q] = draw(labels(case.meaning(q)))
    if what == 2:
        row["f"] = "b"


def names_records(rule: s.Formula) -> bool:
    """Whether a formula names rows of the release, whose numbers the order changes."""
    named = [n.name for n in s.subformulas(rule) if isinstance(n, s.Nominal | s.At)]
    return any(isinstance(name, s.Name) and name.text[0] == "d" for name in named)


# What is true


def contained(case: Case, row: Row, box: Row) -> bool:
    """Whether a box contains the quasi-identifiers of a row."""
    return all(row[q] in case.meaning(q).get(box[q], NONE) for q in QUASI)


def by_columns(case: Case) -> bool:
    """Definition 6: one function for each column, along the hierarchy of q."""
    for q in QUASI:
        pairs = {(b[q], a[q]) for b, a in zip(case.before, case.after, strict=True)}
        if len({value for value, _ in pairs}) < len(pairs):
            return False
        if q == "q" and case.hierarchy:
            for value, label in pairs:
                line = (None, "*") if value is None else TREE[value]
                if label not in line:
                    return False
    return unchanged(case)


def by_tuples(case: Case) -> bool:
    """Every released cell contains the original one."""
    rows = zip(case.before, case.after, strict=True)
    return unchanged(case) and all(contained(case, b, a) for b, a in rows)


def unchanged(case: Case) -> bool:
    rows = zip(case.before, case.after, strict=True)
    return all(b[name] == a[name] for b, a in rows for name in "fg")


def expected(case: Case) -> set[str]:
    """The verdict for each way to put people into classes that their quasi-identifiers
    allow; "open" where the classes of named people differ, nothing where the release is
    no sanitization.
    """
    if by_columns(case):
        ways: Iterator[Sequence[int]] = iter([range(len(case.before))])
    elif by_tuples(case):
        ways = exchanges(case)
    else:
        return set()
    records = names_records(parse(case.rule))
    answers: set[str] = set()
    classes, seen = set(), set()
    for way in ways:
        rows = [case.after[k] for k in way]
        places = tuple(tuple(row[q] for q in QUASI) for row in rows)
        if places in seen:
            continue
        seen.add(places)
        language = signature(rows, case.before)
        formula, problems = resolve(parse(case.rule), language, "test", case.rule)
        assert not problems
        named = [
            n.name for n in s.subformulas(formula) if isinstance(n, s.Nominal | s.At)
        ]
        people = sorted({n.index for n in named if isinstance(n, s.Person)})
        classes.add(tuple(places[k] for k in people))
        if records and len(seen) > 1:
            # The judge would have the records under other numbers.
            continue
        valid = oracle.valid(rows, AGENTS, language, formula)
        answers.add("proved" if valid else "refuted")
    return {"open"} if len(classes) > 1 else answers


def exchanges(case: Case) -> Iterator[Sequence[int]]:
    """All ways to exchange people with the same quasi-identifiers."""
    tuples = [(row["q"], row["r"]) for row in case.before]
    for way in itertools.permutations(range(len(tuples))):
        if all(tuples[k] == tuples[person] for person, k in enumerate(way)):
            yield way


def signature(rows: Sequence[Row], known: Sequence[Row]) -> Signature:
    kinds = {"f": TEXT, "g": ValueType("integer"), "q": TEXT, "r": TEXT}
    domains = {f: tuple(sorted({row[f] for row in rows}, key=str)) for f in kinds}
    spelled = {f: frozenset(str(row[f]) for row in known) for f in kinds}
    attributes = {
        f: Attribute(f, kind, domains[f], spelled[f]) for f, kind in kinds.items()
    }
    return Signature(attributes, tuple(AGENTS), len(rows), (), len(rows))


# How it is asked


def policy(case: Case) -> dict[str, Any]:
    """The policy as a dictionary; its hierarchy is in q.csv."""
    found: dict[str, Any] = {
        "columns": {"quasi": list(QUASI), "sensitive": ["f", "g"], "identifier": "who"},
        "types": {"g": "integer"},
        "agents": {"half": ["q"]},
        "rules": {"rule": case.rule},
    }
    if case.kind:
        kind = case.kind if isinstance(case.kind, str) else list(case.kind)
        found["types"]["r"] = kind
    if case.hierarchy:
        found["hierarchies"] = {"q": "q.csv"}
    if not case.identified:
        found["rows"] = "same order"
    return found


def bound(case: Case, folder: Path) -> ph.Policy:
    """The policy with its hierarchy beside it."""
    text = "".join(";".join(line) + "\n" for line in TREE.values())
    (folder / "q.csv").write_text(text)
    return ph.Policy.from_dict(policy(case), folder)


def write(path: Path, rows: Sequence[Row], identified: bool) -> None:
    """A table as a file, missing cells empty."""
    names = [*(["who"] if identified else []), *QUASI, "f", "g"]
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, names, extrasaction="ignore")
        out.writeheader()
        for row in rows:
            out.writerow({name: row[name] or "" for name in names})


def files(case: Case, folder: Path) -> tuple[Path, Path, Path]:
    """Release, policy and original."""
    bound(case, folder)
    found = policy(case)
    release, rules, original = (
        folder / name for name in ("release.csv", "policy.toml", "original.csv")
    )
    write(original, case.before, True)
    write(release, case.shown, case.identified)
    lines = [f"rows = {json.dumps(found['rows'])}"] if "rows" in found else []
    for section in ("columns", "types", "agents", "hierarchies", "rules"):
        lines.append(f"[{section}]")
        entries = found.get(section, {})
        lines += [f"{key} = {json.dumps(value)}" for key, value in entries.items()]
    rules.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return release, rules, original
