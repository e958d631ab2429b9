"""Releases that ``search`` makes with records withheld, along hierarchies of every
builder, beside their originals: ``verify`` says what all explanations say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import builders_oracle, withheld_oracle
from support import original_tuples_oracle as whole
from support.hierarchies_cases import built
from support.original_tuples_oracle import QUASI, Case, Meaning, Row
from support.so_many import so_many
from support.strategies import RULES, fit
from support.withheld_oracle import Fewer, expected

import phverify as ph
from phverify.logic.printer import to_text

NUMBERS = ("20", "25", "31", "38")
NAMES = ("aa1", "aa2", "ab1", "b")
DAYS = ("2020-01-31", "2020-02-01", "2021-02-01", "2031-12-31")
FILE = [("aa1", "a", "*"), ("aa2", "a", "*"), ("ab1", "a", "*"), ("b", "c", "*")]
"""Lines of a hierarchy that is given as a file."""
GROUPS = [{"x": ["aa1", "b"], "y": ["aa2", "ab1"]}]
BUILDERS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"at_most": 30}, NUMBERS),
    ({"at_least": 25}, NUMBERS),
    ({"at_least": 22, "at_most": 38}, NUMBERS),
    ({"intervals": [5, 10]}, NUMBERS),
    ({"intervals": [10], "at_most": 31}, NUMBERS),
    ({"round": [5, 20]}, NUMBERS),
    ({"ranges": [[20, 30, 40]]}, NUMBERS),
    ({"prefixes": [2, 1]}, NAMES),
    ({"masking": "right"}, NAMES),
    ({"masking": "left"}, NAMES),
    ({"groups": GROUPS}, NAMES),
    ({"dates": ["month", "year", "decade"]}, DAYS),
    ({"at_least": "2020-02-01"}, DAYS),
    ({}, NAMES),
]
BORDERS = {
    NUMBERS: (
        ("-1", "0", "19", "20", "21", "22", "23", "24", "25", "29", "30", "31"),
        ("21", "22", "24", "25", "29", "30", "31", "37", "38", "39", "40", "41"),
        ("2.5", "19.5", "22.5", "24.5", "27.5", "30", "30.5", "31", "37.5", "38"),
    ),
    NAMES: (NAMES, NAMES[:2]),
    DAYS: (DAYS, ("2020-01-30", "2020-01-31", "2020-02-02", "2029-12-31")),
}
"""Values at which labels change, and beside them."""

EQUAL = ("001", "0012", "0011", "00112", "00123", "0123")
"""Which rows are equal: with some what is released is not all suppressed."""
SHARES = ("1/3", "1/2")
"""So many records may be withheld."""


@dataclass(frozen=True)
class Built(Case):
    """A case whose columns have hierarchies; ``lines`` are theirs, by the words of the
    documentation.
    """

    lines: Mapping[str, builders_oracle.Lines] = field(default_factory=dict)

    def meaning(self, column: str) -> Meaning:
        """A label contains the values on whose lines it is."""
        found: dict[str | None, set[str | None]] = {None: {None}}
        values = {line[0] for line in self.lines[column]}
        for line in self.lines[column]:
            for label in line:
                found.setdefault(label, set()).add(line[0])
        found["*"] = {*values, None}
        return {label: frozenset(held) for label, held in found.items()}


@pytest.mark.parametrize(("spec", "values"), [one for one in BUILDERS if one[0]])
def test_builders_make_what_the_words_say(
    spec: dict[str, Any], values: tuple[str, ...]
) -> None:
    for texts in (values, *BORDERS[values]):
        expected = builders_oracle.lines(spec, texts)
        assert list(built(spec, texts).paths.values()) == expected


@st.composite
def originals(draw: st.DrawFn) -> tuple[list[Row], dict[str, dict[str, Any]]]:
    """A few rows, and how their quasi-identifiers are generalized."""
    specs = {}
    cells = {}
    for column in QUASI:
        spec, values = draw(st.sampled_from(BUILDERS))
        specs[column] = spec
        cells[column] = st.sampled_from((*values[:3], *values))
    tuples = draw(st.lists(st.fixed_dictionaries(cells), min_size=4, max_size=4))
    secrets = {"f": st.sampled_from("aaab"), "g": st.sampled_from("0001")}
    rows: list[Row] = []
    for place in draw(st.sampled_from(EQUAL)):
        rows.append({**tuples[int(place)], **draw(st.fixed_dictionaries(secrets))})
    return rows, specs


def hierarchies(
    rows: list[Row], specs: dict[str, dict[str, Any]], folder: Path
) -> tuple[dict[str, Any], dict[str, builders_oracle.Lines]]:
    """The hierarchies as a policy has them, and their lines."""
    named: dict[str, Any] = {}
    lines = {}
    for column, spec in specs.items():
        named[column] = spec
        lines[column] = FILE
        if spec:
            values = [str(row[column]) for row in rows]
            lines[column] = builders_oracle.lines(spec, values)
            continue
        file = folder / f"{column}.csv"
        file.write_text("".join(";".join(line) + "\n" for line in FILE))
        named[column] = str(file)
    return named, lines


@so_many(90, fuzz=2000)
@given(
    drawn=originals(),
    rule=RULES,
    told=st.sampled_from(["nothing", "order"]),
    space=st.sampled_from(["levels", "subtrees"]),
    share=st.sampled_from(SHARES),
)
def test_own_releases_are_what_all_explanations_say(
    tmp_path_factory: pytest.TempPathFactory,
    drawn: tuple[list[Row], dict[str, dict[str, Any]]],
    rule: Any,
    told: str,
    space: str,
    share: str,
) -> None:
    rows, specs = drawn
    named, lines = hierarchies(rows, specs, tmp_path_factory.getbasetemp())
    before = pd.DataFrame(rows)
    columns = {"quasi": list(QUASI), "sensitive": ["f", "g"]}
    asked: dict[str, Any] = {"columns": columns, "hierarchies": named}
    found = ph.search(
        before,
        {**asked, "rules": {"k": "k_anonymity(2)"}},
        space=space,
        suppress=share,
    )
    if not found.suppressed:
        return
    after = found.release
    shown: list[Row] = after.to_dict("records")
    if not shown:
        return
    wanted = to_text(fit(rule, shown))
    case = Built(rows, shown, [], True, "", wanted, lines)
    if whole.names_records(withheld_oracle.parse(wanted)):
        return
    fewer = Fewer(case, list(range(len(shown))), told)
    answer = expected(fewer)
    # Definition 6 holds of what a search makes.
    assert answer != "none"
    policy = withheld_oracle.policy(replace(fewer, case=case))
    given_: dict[str, Any] = {**policy, "hierarchies": named}
    try:
        report = ph.verify(after, given_, before)
    except ph.InputError as error:
        said = str(error)
        assert answer in ("open", "withheld", "unfit"), said
        named_there = "is open" in said or "withheld" in said
        assert answer == "unfit" or named_there, said
        return
    assert report.verdict == answer
