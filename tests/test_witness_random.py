"""What is shown of a leak, read back from the report as a stranger would, and judged by
all models that it leaves.

Random policies with assumptions, agents, identifiers and named people.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.kripke import KripkeModel
from support.so_many import so_many
from support.strategies import (
    QUASI,
    RULES,
    SCHEMAS,
    SMALL,
    criteria,
    descriptors,
    fit,
    tables,
)
from support.witness_random_cases import (
    Row,
    looked_up,
    models,
    policy,
    signature,
)

import phverify as ph
from phverify.logic.printer import to_text
from phverify.spec import syntax as s
from phverify.spec.semantics import holds, true_in
from phverify.spec.signature import Signature

Case = tuple[list[Row], str, dict[str, str], tuple[str, ...]]
"""Rows, a rule, assumptions, and the names of the individuals, where they have some."""


NAMES = ("Ann", "Bob", "Cem", "Dee", "Eve", "Fay")


LOOKALIKES = ("i2", "i5", "i1", "i9", "d9", "i6")
"""Identifiers that read as positions, most of somebody else."""


def placed(model: KripkeModel, place: Mapping[s.Reference, int]) -> bool:
    """Whether a model has everyone where a witness shows them."""
    return all(model.world(name) == row for name, row in place.items())


@st.composite
def policies(draw: st.DrawFn) -> Case:
    rows: list[Row] = draw(tables(6, missing=False))  # type: ignore[assignment]
    table = [dict(row) for row in rows]
    people = st.sampled_from([s.Name(f"i{k + 1}") for k in range(len(rows))])
    known = st.builds(s.At, people, descriptors())
    negated = known.map(s.Not)
    told = draw(st.lists(st.one_of(known, negated, SMALL), min_size=0, max_size=3))
    rule = draw(
        st.one_of(
            RULES,
            SCHEMAS,
            criteria,
            known,
            st.builds(lambda a, b: s.Or((a, b)), known, known),
        )
    )
    names = draw(st.sampled_from([(), NAMES, LOOKALIKES]))[: len(rows)]
    given_ = {
        f"a{k}": to_text(renamed(fit(a, table), names)) for k, a in enumerate(told)
    }
    return rows, to_text(renamed(fit(rule, table), names)), given_, names


def renamed(formula: s.Formula, names: tuple[str, ...]) -> s.Formula:
    """The formula with individuals by their identifiers."""

    def name(given_: s.Reference) -> s.Reference:
        by_number = isinstance(given_, s.Name) and given_.text[0] == "i" and bool(names)
        return s.Name(names[int(given_.text[1:]) - 1], True) if by_number else given_  # type: ignore[union-attr]

    match formula:
        case s.Nominal(given_):
            return s.Nominal(name(given_))
        case s.At(given_, body):
            return s.At(name(given_), renamed(body, names))
    return s.rebuild(formula, lambda child: renamed(child, names))


def reference(name: str, language: Signature) -> s.Reference:
    """Who is meant by a name of an assignment, as a formula reads it."""
    found = language.find(s.Name(name.strip("'"), quoted=name[0] == "'"))
    assert isinstance(found, s.Person)
    return found


def test_individuals_are_called_by_their_identifiers() -> None:
    """Also those whom a quantifier ranges over: ``i2`` would be somebody else here."""
    rows = [
        {"q": "x", "r": "u", "f": "b", "g": "1"},
        {"q": "y", "r": "u", "f": "a", "g": "0"},
        {"q": "x", "r": "u", "f": "a", "g": "2"},
        {"q": "y", "r": "u", "f": "b", "g": "0"},
    ]
    rule = "forall i, j: [half] ('i5' & i & d4)"
    shown_is_so((rows, rule, {}, ("i2", "i5", "i1", "i9")), "quotient")


@contextmanager
def given_to(engine: str, table: pd.DataFrame) -> Iterator[Any]:
    """The table as an engine reads it: in memory, or as two files."""
    if engine == "pandas":
        yield table
        return
    with tempfile.TemporaryDirectory() as folder:
        half = len(table) // 2
        # A file may have no rows.
        table[:half].to_parquet(f"{folder}/part-1.parquet", index=False)
        table[half:].to_parquet(f"{folder}/part-2.parquet", index=False)
        yield f"{folder}/*.parquet"


def speaks_of_places(formula: s.Formula) -> bool:
    return any(isinstance(node, s.At) for node in s.subformulas(formula))


@so_many(75, more=1500)
@given(policies(), st.sampled_from(["quotient", "quotient", "full"]))
def test_what_is_shown_is_so(case: Case, encoding: Any) -> None:
    drawn_is_so(case, encoding)


@so_many(20, more=400)
@given(policies(), st.sampled_from(["quotient", "quotient", "full"]))
def test_what_is_shown_is_so_where_rows_stay_in_an_engine(
    case: Case, encoding: Any
) -> None:
    drawn_is_so(case, encoding, "duckdb")


def drawn_is_so(case: Case, encoding: Any, engine: str = "pandas") -> None:
    """The same of a case that is drawn; row by row only small tables are encoded."""
    rows, *_ = case
    assume(encoding == "quotient" or len(rows) <= 4)
    shown_is_so(case, encoding, engine)


def shown_is_so(case: Case, encoding: Any, engine: str = "pandas") -> None:
    """The verdict is that of all models, and the witness is one, whoever else is
    where.
    """
    rows, text, told, names = case
    language = signature(rows, names)
    rule = looked_up(text, language)
    given_ = [looked_up(a, language) for a in told.values()]
    allowed = [m for m in models(rows, language) if all(true_in(m, a) for a in given_)]
    table = pd.DataFrame(rows).assign(who=names) if names else pd.DataFrame(rows)
    try:
        with given_to(engine, table) as release:
            result = ph.verify(
                release,
                policy({"r": text}, told),
                encoding=encoding,
                engine=engine,
            ).rules[0]
    except ph.InputError:
        assert not allowed
        return
    assert result.verdict == (
        "proved" if all(true_in(m, rule) for m in allowed) else "refuted"
    )
    if result.witness is None:
        return
    shown = result.witness
    place = {
        reference(name, language): int(row[1:]) - 1
        for name, row in shown.assignment.items()
    }
    assert len(set(place.values())) == len(place)
    world = int(shown.world[1:]) - 1
    left = [m for m in models(rows, language) if placed(m, place)]
    assert left, "nobody can be placed as shown"
    whole = not shown.instance.endswith(" ..")  # a long instance is shown in part
    instance = looked_up(shown.instance, language) if whole else rule
    for model in left:
        assert model in allowed or all(true_in(model, a) for a in given_), (
            "an assumption is broken"
        )
        assert not holds(model, world, rule), "the rule is not false there"
        assert not holds(model, world, instance), (
            "what is shown of the rule is not false there"
        )
    assert shown.cls == {q: rows[world][q] for q in QUASI}
    assert shown.rows == sum(
        all(row[q] == rows[world][q] for q in QUASI) for row in rows
    )
    if (
        isinstance(instance, s.At)
        and isinstance(instance.name, s.Person)
        and not speaks_of_places(instance.body)
    ):
        assert place[instance.name] == world


@so_many(100)
@given(
    tables(6, missing=False),
    st.lists(st.tuples(st.booleans(), descriptors()), min_size=1, max_size=3),
)
def test_all_that_fails_is_counted(
    rows: list[Row], secrets: list[tuple[bool, s.Formula]]
) -> None:
    """Secrets of everyone and of the first person: the classes with somebody of whom
    one is known.
    """
    table = [dict(row) for row in rows]
    fitted = [(everyone, fit(secret, table)) for everyone, secret in secrets]
    by_name: dict[str, list[str]] = {}
    for everyone, secret in fitted:
        by_name.setdefault("*" if everyone else "i1", []).append(to_text(secret))
    result = ph.verify(
        pd.DataFrame(rows), policy({"r": "logical_safety()"}, {}, secrets=by_name)
    ).rules[0]
    language = signature(rows)
    failing = set()
    for person, home in enumerate(rows):
        own = [k for k, row in enumerate(rows) if all(row[q] == home[q] for q in QUASI)]
        model = next(models(rows, language))
        for everyone, secret in fitted:
            formula = looked_up(to_text(secret), language)
            if (everyone or person == 0) and all(holds(model, k, formula) for k in own):
                failing.add(tuple(own))
    assert (result.verdict == "refuted") == bool(failing)
    if result.witness is not None:
        told = result.witness.failing
        assert told is not None and told.exact
        assert (told.classes, told.rows) == (len(failing), sum(map(len, failing)))


def test_two_people_are_never_on_one_row() -> None:
    """The person of a criterion's instance is the one whom the assumptions put
    there.
    """
    rows = [{"q": "x", "r": "u", "f": f, "g": "1"} for f in "ab"]
    told = {"tip": "@i1 f = b"}
    result = ph.verify(pd.DataFrame(rows), policy({"r": "k_anonymity(3)"}, told)).rules[
        0
    ]
    assert result.witness is not None
    assert result.witness.assignment == {"i1": "d2", "i2": "d1"}


def test_the_class_is_that_of_the_place_where_it_fails() -> None:
    rows = [{"q": q, "r": "u", "f": f, "g": "1"} for q, f in ("xa", "xa", "yb", "yc")]
    shown = (
        ph.verify(
            pd.DataFrame(rows),
            policy({"r": "@i1 f = a & (@i2 f = a -> @i3 f = b)"}, {}),
        )
        .rules[0]
        .witness
    )
    assert shown is not None
    assert (shown.cls["q"], shown.rows) == ("y", 2)
    assert shown.world == shown.assignment["i3"]


def test_the_false_part_of_a_conjunction_is_where_it_fails() -> None:
    rows = [{"q": q, "r": "u", "f": f, "g": "1"} for q, f in ("xa", "xa", "yb", "yc")]
    rule = "@i1 f = a -> (@i2 f = a & @i3 f = b)"
    shown = ph.verify(pd.DataFrame(rows), policy({"r": rule}, {})).rules[0].witness
    assert shown is not None
    assert (shown.cls["q"], shown.world) == ("y", shown.assignment["i3"])


def test_what_assumptions_exclude_is_not_counted() -> None:
    rows = [{"q": q, "r": "u", "f": f, "g": "1"} for q, f in ("xa", "xb", "yc", "yd")]
    told = {"tip": "@i3 f = c"}
    shown = (
        ph.verify(pd.DataFrame(rows), policy({"r": "@i1 f = a & @i3 f = c"}, told))
        .rules[0]
        .witness
    )
    assert shown is not None
    assert shown.failing is not None
    assert (shown.failing.classes, shown.failing.rows, shown.failing.exact) == (
        1,
        2,
        False,
    )


@pytest.mark.parametrize(
    ("rule", "classes", "rows", "exact"),
    [
        ("forall v in f: l_a1(f = v) < 1", 2, 3, True),
        ("l_diversity(f, 2) & k_anonymity(2)", 2, 3, True),
        ("@i1 ~[a1] f = a & @i3 ~[a1] f = b", 2, 3, True),
        ("forall v in f: l_a1(f = v) < 1 | @i5 f = d", 1, 2, False),
    ],
)
def test_how_much_fails(rule: str, classes: int, rows: int, exact: bool) -> None:
    """a in the class of x, b in that of y; c and d in that of z."""
    table = [
        {"q": q, "r": "u", "f": f, "g": "1"} for q, f in ("xa", "xa", "yb", "zc", "zd")
    ]
    shown = ph.verify(pd.DataFrame(table), policy({"r": rule}, {})).rules[0].witness
    assert shown is not None
    assert shown.failing is not None
    assert (shown.failing.classes, shown.failing.rows, shown.failing.exact) == (
        classes,
        rows,
        exact,
    )


def test_names_that_read_as_positions() -> None:
    """i2 is the identifier of the first individual: without quotes it could be the
    second as well.
    """
    rows = pd.DataFrame(
        [
            {"q": "x", "r": "u", "f": f, "g": "1", "who": w}
            for f, w in (("a", "i2"), ("b", "d1"))
        ]
    )
    for name, what in (("i2", "individual 2"), ("d1", "record 1")):
        with pytest.raises(
            ph.InputError,
            match=f"'{name}' is the identifier of individual .*, and reads as {what}",
        ):
            ph.verify(rows, policy({"r": f"@{name} f = a"}, {}))
    shown = ph.verify(rows, policy({"r": "@'i2' f = a"}, {})).rules[0].witness
    assert shown is not None
    assert (shown.instance, shown.assignment["'i2'"]) == ("@'i2' f = 'a'", "d2")
    rules = {"r": "logical_safety()"}
    with pytest.raises(ph.InputError, match="'i2' is the identifier of individual 1"):
        ph.verify(rows, policy(rules, {}, secrets={"i2": ["f = a"]}))
    assert (
        ph.verify(rows, policy(rules, {}, secrets={"'i2'": ["f = a"]})).verdict
        == "proved"
    )
