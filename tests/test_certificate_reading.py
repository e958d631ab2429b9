"""What the checker of certificates reads, it reads as the rest of phverify does.

Tables, policies and criteria by two roads that have no code in common, formulas with
what these say of their names. The other way round nothing is asked: a text that only
the checker refuses leaves a certificate unchecked, one that it misreads would be a lie.
"""

from __future__ import annotations

import ast
import csv
import io
import random
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bridge import told
from support.examples import EXAMPLES
from support.strategies import RULES, fit, tables
from test_agreement import cases
from test_bad_input import COLUMNS, HUGE
from test_bad_input import FORMULAS as BAD_FORMULAS
from test_bad_input import POLICIES as BAD_POLICIES
from test_bad_input import TABLES as BAD_TABLES

import phverify
from phverify.errors import InputError
from phverify.logic.printer import UNICODE, to_text
from phverify.microdata.hierarchy import read_hierarchy
from phverify.microdata.read import read
from phverify.policy.bind import Bound, bind
from phverify.policy.model import Policy
from phverify.spec import data as d
from phverify.spec import rules as f
from phverify.spec import syntax as s
from phverify.spec.builders import Builder
from phverify.spec.criterion.registry import SAFETY, Unfit
from phverify.spec.names import resolve
from phverify.spec.origin import origin
from phverify.spec.parser import parse
from phverify.spec.schemas import apart
from phverify.spec.separated import hierarchy
from phverify.spec.signature import Signature
from phverify.spec.types import ValueType

FOLDER = Path(phverify.__file__).parent / "spec"
OWN = [
    str(path.relative_to(FOLDER).with_suffix(""))
    for path in sorted(FOLDER.rglob("*.py"))
]


@pytest.mark.parametrize("name", OWN)
def test_only_the_standard_library_is_imported(name: str) -> None:
    for node in ast.walk(
        ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    ):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += (
            [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        )
        for module in names:
            own = module == "phverify.errors" or module.split(".")[:2] == [
                "phverify",
                "spec",
            ]
            assert own or module.split(".")[0] in sys.stdlib_module_names, (
                f"{name} imports {module}"
            )


# --- formulas: their names in the table
# ---------------------------------------------------------------------


def by_the_engine(text: str, signature: Signature, data: d.Data) -> Any:
    """What the engine reads; None when it refuses."""
    try:
        formula, problems = resolve(parse(text), signature, "test", text)
        if problems or any(
            isinstance(n, s.Criterion) and n.name in SAFETY
            for n in s.subformulas(formula)
        ):
            return None
        return told(formula, data)
    except (InputError, Unfit, d.Refused):
        return None


def by_the_checker(text: str, data: d.Data) -> Any:
    try:
        return apart(f.looked_up(f.read(text), data))
    except d.Refused:
        return None


class Anything:
    """Holds everything."""

    def __contains__(self, item: object) -> bool:
        return True


def both(section: dict[str, Any], text: str, tmp: Path) -> tuple[Signature, d.Data]:
    """A table as both roads see it; every value may be named."""
    path = tmp / "table.csv"
    path.write_text(text, encoding="utf-8")
    bound = bind(Policy.from_dict(section), read(str(path)), None)
    signature = bound.release.signature
    free = {
        column: replace(attribute, any_value=True)
        for column, attribute in signature.attributes.items()
    }
    data = d.release_data(of(section), d.table(path, ()), {})
    return replace(signature, attributes=free), replace(
        data, known=dict.fromkeys(data.columns, Anything())
    )


def of(section: Mapping[str, Any]) -> d.Policy:
    """The checker's policy from what the engine's is made of, by way of TOML."""
    return d.policy(toml(section))


def toml(section: Mapping[str, Any]) -> str:
    def value(item: Any) -> str:
        if isinstance(item, Mapping):
            return (
                "{"
                + ", ".join(f"{value(k)} = {value(v)}" for k, v in item.items())
                + "}"
            )
        if isinstance(item, str):
            return (
                '"'
                + item.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
                + '"'
            )
        return (
            "[" + ", ".join(map(value, item)) + "]"
            if isinstance(item, list | tuple)
            else str(item.text)
        )

    return "\n".join(f"{title} = {value(item)}" for title, item in section.items())


MIXED: dict[str, Any] = {
    "columns": {
        "quasi": ["zip", "n", "birth"],
        "sensitive": ["health", "income", "age", "q-r", "odd name", "in"],
        "neutral": ["height", "grade", "day"],
        "identifier": "person",
    },
    "types": {
        "n": "integer",
        "age": "integer",
        "height": "decimal",
        "grade": ["low", "mid", "top"],
        "day": "date",
    },
    "agents": {"bob": ["zip"], "a2": [], "i": ["n"]},
    "rules": {"r": "true"},
}
MIXED_TABLE = """person,zip,n,birth,health,income,age,q-r,odd name,in,height,grade,day
Ann,2126*,007,03/56,flu,30K,7,x,u,1,1.50,low,2020-01-02
Bob Smith,10-20,8,03/56,2,30K,008,y,v,2,1.5,top,20200103
d2,2126*,9,04/56,0,100K,,x,,1,1/3,mid,2020-01-02
O'Neil,10-20,8,03/56,v,missing,12,y,v,2,5%,top,2019-12-31
"""
MORE = [
    "zip = 2126*", "zip=10-20", "birth = 03/56", "age = -5", "height = .5", "income = 30K", "income in {30K, 100K}",
    "health = 2 & l_a1(health = 2) = 2", "age >= 07", "n = 7", "n < 08", "n = 007", "height = 1.50", "height <= 150%",
    "day > '2020-01-01'", "day = 20200102", "grade < top", "grade in {low, 'mid'}", "'odd name' = u", "q-r = x",
    '"odd name" != missing', "in = 1", "in in {1, 2}", "health = 'missing'", "income = missing", "age = missing",
    "@Ann health = flu", "@'Bob Smith' d2", "@\"O'Neil\" ~d1", "@'O''Neil' i4", "d2", "'d2' <-> d2", "i1 | d4",
    "2 l_a1(health = 2) < 1", "2 * l_a1(health = 2) < 1", "2·l_a1(d1) ≥ 3 × l_a0(d1)", "50% <= l_a1(d1)",
    "1/3l_a1(d1) - 2 l_bob(d3)+abs(l_a0(d1)-1)!=1e-1", "-l_a1(d1) <= −1/2", "0.5 = l_{a₁}(d1)", "ℓ_a1(d₁) > 0",
    "forall i, v in health: @i health = v", "forall i: forall i: i", "(forall i: i) | (exists i: @i ~i)",
    "forall c in clauses(health, 2): ~[a1] c", "forall c in clauses('odd name', 4/2): c", "forall a in agents: [a] d1",
    "forall i: [i] i", "forall a in agents: [bob] l_a(d1) < 1", "exists v in clauses: true", "∃ v ∈ health: health ≠ v",
    "forall v in health: forall v in income: income = v", "forall v in health: income = 'v'", "health = v",
    "forall v in individuals: v & @v true", "forall v in 'agents': true", "forall in in in: in = in",
    "forall i: @'i' i", "forall k: @'Ann' k", "k_anonymity(2)", "k_anonymity(k=4/2)", "t_closeness(age, 5%, ordered)",
    "t_closeness(distance = hierarchical, f = health, t = .1)", "t_closeness(t=1/2, health)", "l_diversity ('in', 3)",
    "entropy_l_diversity(health, 1e0)", "delta_disclosure(f=q-r, delta=1.5, absent=ignored)", "logical_safety()",
    "weighted_safety(1)", "k_anonymity()", "k_anonymity(2, 3)", "k_anonymity(0)", "k_anonymity(1.5)",
    "recursive_l_diversity(health, 0, 2)", "recursive_l_diversity(health, 1e-9, 2)", "l_a1(d1)", "2 = 2", "abs(1) = 1",
    "a & b", "health = 2 = 2", "~health = 2", "~(health = 2)", "not health = 2 and not d1", "~forall", "~forall = 2",
    "d1 & forall i: i", "d1 -> forall i: i", "d1 & (forall i: i)", "d1 -> d2 -> d3", "d1 <-> d2 <-> d3", "d1 <- d2",
    "age <-5", "age <->5", "age <- 5", "d1<->d2", "d1->d2", "~d1&d2|d3->d4", "d1 && d2 || d3", "!d1", "! d1 != d2",
    "<a1> d1", "<a1>d1", "⟨a1⟩ d1", "<a1⟩ d1", "< a1 >= d1", "[a1]~[a1]d1", "[a9] d1", "@i9 d1", "@d5 d1", "i0", "i01",
    "@i1 2 l_a1(d1) < 1", "@i1 -1 < l_a1(d1)", "@i1-1 < l_a1(d1)", "-1 < l_a1(d1)", "--1 < l_a1(d1)", "1 + -1 < 2",
    "l_diversity(health, 2)", "ℓ_diversity(d1) < 1", "l_bob (d1) < 1", "l_bob < 1", "abs = 1", "abs (l_a1(d1)) = 1",
    "truest = 1", "true = 1", "⊤ ∧ ⊥", "⊤⊃⊥⇒⊤", "⊤ ≡ ⊥ ⇔ ⊤", "health = 2\n\t& d1", "health\u00a0=\u20092",
    "health₁ = 2", "health = ''", "health = ' 2'", "'health' = 2", "health = \"a\"\"b\"", "health = 'it''s'",
    "health = 'x",
    "d1 d2", "health = ٣", "l_a1(d1) < ٣", "health = 2₁", "health = x₁", "k_anonymity(" + "9" * 5000 + ")",
    "l_a1(d1) < " + "9" * 5000, "l_a1(d1) < 1e99999", "l_a1(d1) < 1/0", "(" * 90 + "d1" + ")" * 90,
    "d1" + " -> d1" * 70, "~" * 59 + "d1", "~" * 60 + "d1", " & ".join(["d1"] * 200),
    "(" * 5000 + "d1" + ")" * 5000, "~" * 5000 + "d1",
    "'in'", "@in d1", "forall forall: forall", "forall i j: i", "forall i,: i", "forall i: ", ": d1", "health in {}",
    "health in {2,}", "health in {missing, 2, missing}", "health in 2", "health ∈ {2}", "k_anonymity(2) k_anonymity(3)",
    "forall i: @i1 l_a1(i) = 1", "forall i1: @i1 l_a1(i1) = 1", "forall i: exists i: forall j, i: i <-> j",
    "forall i: l_a1(forall i: i) + abs(l_a0(exists i: i)) < l_a1(i)", "forall i: <i> i", "forall v in nosuch: true",
    "forall v in '': true", "forall i, i: i", "'' = 2", "@'' d1", "age < missing", "zip < 3", "age = x", "grade = best",
    "forall v in age: age < v", "forall v in age: height = v", "forall v in zip: @v d1", "forall i: age = i",
    "forall c in clauses(age, 1): @c d1", "forall c in clauses(age, 1): age = c", "forall c in clauses(age, 1.5): c",
    "forall Ann: 'Ann' | Ann", "forall Ann: @'Ann' Ann", "'i1'", "'d3'", "@'d3' d3", "i1 i", "i٣", "d1٣",
    "health = missingx",
    "income = missing-x", "forall forallx: forallx", "forall existsx: existsx", "forall notx: ~notx", "nottrue",
    "forall trues: trues", "forall falsey: falsey | forall-x", "forall andy: d1 & andy", "forall orb: d1 | orb",
    "d1 andd2", "d1 ord2", "d1 and-d2", "d1 and- d2", "d1 and d2", "forall v inhealth: true", "forall v in-health: d1",
    "health in{2}", "health inx {2}", "forall v in clausesx: d1", "forall true: true", "forall a: forall not: @not a",
    "pignistic(i1, a1) <= 9%", "forall i: pignistic(i, bob) < 1/3", "pignistic (Ann, a1) >= 2",
    "pignistic('Bob Smith', a₁) = 1", "forall a in agents: forall a1: pignistic(a1, a) != 0.5 & d1",
    "pignistic(i1, a1)",
    "pignistic(i1, a1) <= l_a1(d1)",
    "pignistic(i1, a1) <= -1", "1 >= pignistic(i1, a1)", "pignistic(i9, a1) < 1", "pignistic(i1, a9) < 1",
    "pignistic = 2", "forall pignistic: pignistic", "pignistic(i1) < 1", "2 * pignistic(i1, a1) < 1",
    "~pignistic(i1, a1) < 1 -> d1",
    "forall c in clauses(age, 1): pignistic(c, a1) < 1", "forall i: pignistic(i, i) < 1", "pignistic(d2, a1) <-> d1",
    "pignistic(i1, a1) < 1e0/2%", "pignistics(i1, a1) < 1", "forall a in agents: pignistic('i1', 'a') < 1",
    "forall a in agents: @a d1", "forall a in agents: a", "forall a in agents: l_a(d1) = 1 & l_a1(d1) = 1",
]  # fmt: skip


@cache
def mixed() -> tuple[Signature, d.Data]:
    with tempfile.TemporaryDirectory() as folder:
        return both(MIXED, MIXED_TABLE, Path(folder))


def written_texts() -> list[str]:
    """Every formula text that the test suite, the README and the demo's policy hold."""
    policy = (
        files("phverify.examples.hospital")
        .joinpath("policy.toml")
        .read_text(encoding="utf-8")
    )
    readme = Path(phverify.__file__).parent.parent / "README.md"
    sources = [policy, readme.read_text(encoding="utf-8") if readme.exists() else ""]
    quoted = [m for source in sources for m in re.findall(r'"([^"\n]+)"', source)]
    ticked = [m for source in sources for m in re.findall(r"`([^`\n]+)`", source)]
    found = [*(text for text, _ in EXAMPLES), *quoted, *ticked, *BAD_FORMULAS, *HUGE]
    return [
        text for text in found if "never_known" not in text
    ]  # which the checker does not cover


TEXTS = list(dict.fromkeys([*MORE, *written_texts()]))


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:40])
def test_both_read_the_same(text: str) -> None:
    signature, data = mixed()
    assert by_the_checker(text, data) == by_the_engine(text, signature, data)


HOSPITAL_POLICY: dict[str, Any] = {
    "columns": {
        "quasi": ["birth", "zip"], "sensitive": ["income", "health"], "neutral": ["height"], "identifier": "person"
    },
    "rules": {"r": "true"},
}  # fmt: skip


@pytest.mark.parametrize(("text", "verdict"), EXAMPLES)
def test_worked_examples(text: str, verdict: str, tmp_path: Path) -> None:
    head, *rows = (
        files("phverify.examples.hospital")
        .joinpath("release.csv")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    table = "\n".join(
        [f"person,{head}", *(f"i{k},{row}" for k, row in enumerate(rows, 1))]
    )
    signature, data = both(HOSPITAL_POLICY, table, tmp_path)
    found = by_the_checker(text, data)
    assert found is not None
    assert found == by_the_engine(text, signature, data)


SMALL_POLICY: dict[str, Any] = {
    "columns": {"quasi": ["q", "r"], "sensitive": ["f", "g"]},
    "types": {"g": "integer"},
    "agents": {"half": ["q"]},
    "rules": {"r": "true"},
}


def lines(rows: list[dict[str, str | None]], separator: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(
        out, list(rows[0]), delimiter=separator, lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


@cases(250)
@given(tables(), RULES)
def test_printed_formulas(
    tmp_path_factory: Any, rows: list[dict[str, str | None]], formula: s.Formula
) -> None:
    signature, data = both(SMALL_POLICY, lines(rows), tmp_path_factory.getbasetemp())
    for text in (to_text(fit(formula, rows)), to_text(fit(formula, rows), UNICODE)):
        found = by_the_checker(text, data)
        assert found is not None
        assert found == by_the_engine(text, signature, data)


SUBSCRIPTED = [
    "forall i₁: @i₁ health = 2",
    "forall v₁ in health: health = v₁",
    "forall i₁, i₂: i₁ | i₂",
]


@pytest.mark.parametrize("text", SUBSCRIPTED)
def test_variables_with_subscripts(text: str) -> None:
    signature, data = mixed()
    expected = by_the_engine(text.translate(PLAIN), signature, data)
    assert (
        by_the_checker(text, data) == by_the_engine(text, signature, data) == expected
    )


PLAIN = str.maketrans("₁₂", "12")


def test_positions_are_plain_numbers() -> None:
    data = replace(mixed()[1], rows=20, names=(), home=((),) * 20)
    both_named = s.And((s.Nominal(s.Person(12)), s.Nominal(s.Row(19))))
    assert f.looked_up(f.read("i13 & d20"), data) == both_named
    for text in ("i1٣", "d21", "i013", "i0", "'i13'"):
        with pytest.raises(d.Refused):
            f.looked_up(f.read(text), data)


@pytest.mark.parametrize(
    "args",
    ["health, f=health, delta=1", "f=health, f=health, delta=1", "health, 1, delta=2"],
)
def test_an_argument_is_given_once(args: str) -> None:
    with pytest.raises(d.Refused, match="twice"):
        f.looked_up(f.read(f"delta_disclosure({args})"), mixed()[1])


PIECES = [
    *"()[]{}<>@~&|!=:,+-*/%.'\"_ \n₁0123aiv", "->", "<->", "<=", ">=", "!=", " in ", "forall ", "exists ", "missing",
    "true", "not ", " and ", " or ", "abs(", "l_a1(", "ℓ_a1(", "clauses(", "i", "d1", "a1", "health", "v in health",
    "≠", "≤", "∈", "⟨", "⟩", "∀", "¬", "∧", "→", "≡", "⊤", "−", "·", "2", "1/2", "-5", "30K", "k_anonymity(2)",
    "agents", ": ",
]  # fmt: skip


def mutated(text: str, rng: random.Random) -> str:
    """The text after a few places were deleted, doubled, exchanged, or filled with a
    piece of the language.
    """
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(text) + 1)
        to = min(at + rng.choice((1, 1, 1, 1, 2, 3, 9)), len(text))
        action, piece = rng.randrange(4), rng.choice(PIECES)
        text = (
            text[:at]
            + ("", text[at:to] * 2, piece, piece + text[at:to])[action]
            + text[to:]
        )
    return text


@cache
def seeds() -> list[str]:
    """Short texts, four fifths of them formulas."""
    short = [text for text in TEXTS if 0 < len(text) < 200]
    good = [text for text in short if by_the_checker(text, mixed()[1])]
    return [*short, *good * (4 * len(short) // len(good))]


@cases(1200)
@given(st.deferred(lambda: st.sampled_from(seeds())), st.integers(0, 2**40))
def test_a_mutated_text_is_never_misread(text: str, seed: int) -> None:
    """Whatever the checker accepts, the engine accepts and reads in the same way."""
    signature, data = mixed()
    changed = mutated(text, random.Random(seed))
    found = by_the_checker(changed, data)
    assert found is None or found == by_the_engine(changed, signature, data), changed


# --- rules, with the secrets of a policy
# -----------------------------------------------------------------

RULE_TEXTS = [
    "logical_safety()", "weighted_safety(1/2)", "weighted_safety(50%) | ~logical_safety()", "k_anonymity(2)",
    "forall i: @i logical_safety()", "forall v in f: f = v & logical_safety()", "l_a1(weighted_safety(b=1)) = 1",
    "(forall i: i) | logical_safety() | (forall i, v in f: @i f = v)",
]  # fmt: skip


@dataclass(frozen=True)
class AsItIs:
    """A value in the words of TOML."""

    text: str


@st.composite
def policies(draw: st.DrawFn) -> tuple[list[dict[str, str | None]], dict[str, Any]]:
    """A table with identifiers, and a policy with secrets and assumptions over it."""
    rows = draw(tables())
    for k, row in enumerate(rows):
        row["who"] = ("Ann", "d9", "B B", "i9", "c*")[k]
    people = [
        *(str(row["who"]) for row in rows),
        *(f"i{k + 1}" for k in range(len(rows))),
    ]
    formulas = RULES.map(lambda formula: to_text(fit(formula, rows)))
    weights = st.sampled_from(["0", "1", "0.25", "1e-1", '"1/3"', '"5%"']).map(AsItIs)
    weighted = st.fixed_dictionaries({"formula": formulas, "weight": weights})
    secrets: dict[str, Any] = {}
    for who in draw(st.lists(st.sampled_from(["*", *people]), unique=True, max_size=3)):
        secrets[who] = draw(st.lists(st.one_of(formulas, weighted), max_size=2))
    section = dict(
        SMALL_POLICY,
        columns={**SMALL_POLICY["columns"], "identifier": "who"},
        secrets=secrets,
    )
    section["rules"] = {
        f"r{k}": text for k, text in enumerate([*RULE_TEXTS, draw(formulas)])
    }
    section["assumptions"] = {"known": draw(formulas)}
    return rows, section


def met(policy: str, folder: Path) -> Bound:
    (folder / "policy.toml").write_text(policy, encoding="utf-8")
    return bind(
        Policy.load(folder / "policy.toml"), read(str(folder / "table.csv")), None
    )


@cases(250)
@given(policies())
def test_rules_with_their_secrets(
    tmp_path_factory: Any, given_: tuple[list[Any], dict[str, Any]]
) -> None:
    (rows, section), folder = given_, tmp_path_factory.getbasetemp()
    (folder / "table.csv").write_text(lines(rows), encoding="utf-8")
    policy = of(section)
    data = d.release_data(policy, d.table(folder / "table.csv", policy.columns), {})
    if not section["secrets"] or section["secrets"] == {"*": []}:
        for rule in [
            rule for rule, text in section["rules"].items() if "safety" in text
        ]:
            with pytest.raises(d.Refused, match="no secret"):
                f.rule(policy, data, rule)
            del section["rules"][rule]
    bound = met(toml(section), folder)
    for found in bound.rules:
        assert f.rule(policy, data, found.name) == told(found.expanded, data)
    for name, formula in bound.assumptions.items():
        assert f.assumption(policy, data, name) == told(formula, data)


def test_identifiers_that_read_as_positions(tmp_path: Path) -> None:
    """Without quotes neither reads them; an identifier that is the own position is no
    other.
    """
    section = dict(
        SMALL_POLICY, columns={**SMALL_POLICY["columns"], "identifier": "who"}
    )
    rows = [
        {"q": "x", "r": "u", "f": "a", "g": "1", "who": who}
        for who in ("i1", "i3", "d1")
    ]
    (tmp_path / "table.csv").write_text(lines(rows), encoding="utf-8")
    for text in ("@i3 f = a", "@d1 f = a"):
        policy = of(dict(section, rules={"r": text}))
        data = d.release_data(
            policy, d.table(tmp_path / "table.csv", policy.columns), {}
        )
        with pytest.raises(d.Refused, match="is the identifier of individual"):
            f.rule(policy, data, "r")
        with pytest.raises(InputError, match="in single quotes for the identifier"):
            met(toml(dict(section, rules={"r": text})), tmp_path)
    section["rules"] = {
        "a": "@'i3' f = a & @i1 f = a & @i2 f = a",
        "b": "logical_safety()",
    }
    section["secrets"] = {"'i3'": ["f = a"]}
    policy, bound = of(section), met(toml(section), tmp_path)
    data = d.release_data(policy, d.table(tmp_path / "table.csv", policy.columns), {})
    for found in bound.rules:
        assert f.rule(policy, data, found.name) == told(found.expanded, data)


@pytest.mark.parametrize(
    ("secrets", "rule"),
    [
        ('"*" = ["logical_safety()"]', "logical_safety()"),
        ('"*" = ["f = a", "g < "]', "logical_safety()"),
        ('i9 = ["f = a"]', "logical_safety()"),
        ('d1 = ["f = a"]', "weighted_safety(1)"),
        ('"*" = []', "logical_safety()"),
        ("", "k_anonymity(2) | weighted_safety(1)"),
        ('"*" = ["f = a"]', "nothing"),
    ],
)
def test_secrets_that_are_none(secrets: str, rule: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("q,r,f,g\nx,u,a,1\n")
    text = toml({**SMALL_POLICY, "rules": {"r": rule}}) + f"\n[secrets]\n{secrets}\n"
    policy = d.policy(text.replace('"r" = "nothing"', '"s" = "true"'))
    with pytest.raises(d.Refused):
        f.rule(policy, d.release_data(policy, d.table(tmp_path / "t.csv", ()), {}), "r")


def test_criteria_about_secrets_belong_into_rules(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("q,r,f,g\nx,u,a,1\n")
    section = {
        **SMALL_POLICY,
        "secrets": {"*": ["f = a"]},
        "assumptions": {"a": "logical_safety()"},
    }
    policy = of(section)
    with pytest.raises(d.Refused, match="outside rules"):
        f.assumption(
            policy, d.release_data(policy, d.table(tmp_path / "t.csv", ()), {}), "a"
        )


# --- tables and policies
# ---------------------------------------------------------------------------------

CELLS = [
    "", "", "7", "007", "+7", " 7 ", "-0", "0", "12", "1.0", "-1.50", "3/2", "6/4", "1/3", "5%", ".5", "1e2", "100",
    "x", "2020-01-01", "20200101", "2020-W01-3", " 2020-01-01", "low", "mid", "top", "x,y", 'say "hi"', "a;b", "ü",
    "o\np", "a\tb", "c|d", "'", "٣", "d3", "missing",
]  # fmt: skip
TYPES = ["text", "integer", "decimal", "date"]
KINDS = [*TYPES, ["low", "mid", "top"], ["7", "007"], []]
FITTING = {
    "integer": CELLS[2:9],
    "decimal": CELLS[2:18],
    "date": CELLS[19:23],
    "text": CELLS,
}


@st.composite
def files_with_policies(draw: st.DrawFn) -> tuple[bytes, dict[str, Any]]:
    """A CSV file as programs write them, and a policy for it; not everything fits."""
    names = ["a", "b", "c;c", "d d", "é", "id"]
    kinds = {
        name: draw(st.sampled_from(KINDS)) for name in names[:5] if draw(st.booleans())
    }
    count = draw(st.integers(1, 6))
    columns: dict[str, list[str]] = {}
    for name in names:
        kind = kinds.get(name, "text")
        fitting = FITTING[kind] if isinstance(kind, str) else [*kind, ""]
        pool = draw(st.sampled_from([fitting, fitting, fitting, CELLS]))
        columns[name] = draw(
            st.lists(st.sampled_from(pool), min_size=count, max_size=count)
        )
    if draw(st.integers(0, 3)):
        columns["id"] = [f"p{k}" for k in range(count)]
    separator, end = (
        draw(st.sampled_from(",;\t|")),
        draw(st.sampled_from(["\n", "\r\n", "\r"])),
    )
    out = io.StringIO()
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    writer = csv.writer(out, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerows([list(columns), *zip(*columns.values(), strict=True)])
    text = out.getvalue() + draw(st.sampled_from(["", "", end, end * 2]))
    section: dict[str, Any] = {
        "missing": draw(st.sampled_from(["value", "value", "error"]))
    }
    split = draw(st.integers(0, 3))
    section["columns"] = {
        "quasi": names[:split],
        "sensitive": names[split:4],
        "neutral": ["é"],
        "identifier": "id",
    }
    section["types"] = kinds
    section["agents"] = {"bob": names[: min(split, 1)]}
    section["rules"] = {"r": "true"}
    bom = b"\xef\xbb\xbf" if draw(st.booleans()) else b""
    return bom + text.encode(), section


def cells(bound: Bound, column: str) -> tuple[str | None, ...]:
    found = bound.release.columns[column]
    return tuple(found.labels[code] for code in found.codes.tolist())


def agree(data: d.Data, bound: Bound) -> None:
    signature = bound.release.signature
    assert data.rows == signature.rows == signature.individuals
    assert data.quasi == bound.release.quotient.quasi
    assert data.names == tuple(signature.names)
    assert data.agents == dict(bound.release.agents)
    assert list(data.columns) == list(signature.attributes)
    for name, attribute in signature.attributes.items():
        assert data.columns[name] == cells(bound, name)
        assert data.domains[name] == attribute.domain
        kind = attribute.kind
        assert isinstance(kind, ValueType)
        assert (data.kinds[name].name, data.kinds[name].order) == (
            kind.name,
            kind.order,
        )
    rows = [tuple(data.columns[q][k] for q in data.quasi) for k in range(data.rows)]
    assert data.home == tuple(rows[k] for k in bound.release.home.tolist())


def engine_or_none(
    section: Any, path: Path, original: Path | None = None
) -> Bound | None:
    try:
        policy = Policy.from_dict(section)
        wanted = (*policy.columns, *([policy.identifier] if policy.identifier else []))
        before = None if original is None else read(str(original), wanted)
        return bind(policy, read(str(path), wanted), before)
    except InputError:
        return None


def checker_or_none(section: Any, path: Path) -> d.Data | None:
    try:
        policy = of(section)
        wanted = (*policy.columns, *([policy.identifier] if policy.identifier else []))
        return d.release_data(policy, d.table(path, wanted), {})
    except d.Refused:
        return None


def one_table_two_roads(content: bytes, section: dict[str, Any], folder: Path) -> None:
    path = folder / "some.csv"
    path.write_bytes(content)
    bound, data = engine_or_none(section, path), checker_or_none(section, path)
    assert (bound is None) == (data is None)
    if bound is not None and data is not None:
        agree(data, bound)


@pytest.mark.parametrize("kind", TYPES)
def test_canonical_texts(kind: str) -> None:
    """Every cell, with either sign, is the same value by both roads."""
    for text in [sign + cell for cell in CELLS for sign in ("", "-", "+")]:
        found: list[Any] = []
        for road in (ValueType(kind), ValueType(kind)):
            try:
                canonical = road.canonical(text)
                found.append((canonical, road.key(canonical)))
            except ValueError:
                found.append(None)
        assert found[0] == found[1], text


@pytest.mark.parametrize(
    ("cells", "kind"),
    [("7,007", "text"), ("007,8", "integer"), ("7,x", "text"), ("7,", "integer")],
)
def test_two_spellings_of_a_number_are_two_texts(
    cells: str, kind: str, tmp_path: Path
) -> None:
    section = {**SMALL_POLICY, "types": {"q": "integer", "g": "integer"}}
    text = "q,r,f,g\n" + "".join(f"{cell},u,a,1\n" for cell in cells.split(","))
    _, data = both(section, text, tmp_path)
    assert data.kinds["q"].name == kind
    one_table_two_roads(text.encode(), section, tmp_path)


@cases(300)
@given(files_with_policies())
def test_tables_under_policies(
    tmp_path_factory: Any, given_: tuple[bytes, dict[str, Any]]
) -> None:
    one_table_two_roads(*given_, tmp_path_factory.getbasetemp())


@cases(250)
@given(files_with_policies(), st.integers(0, 2**40))
def test_damaged_tables(
    tmp_path_factory: Any, given_: tuple[bytes, dict[str, Any]], seed: int
) -> None:
    rng, (content, section) = random.Random(seed), given_
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(content) + 1)
        piece = rng.choice(
            [
                b"",
                b'"',
                b",",
                b";",
                b"\n",
                b"\r",
                b"\xff",
                b"\x00",
                b"7",
                b'""',
                b"\xef\xbb\xbf",
            ]
        )
        content = content[:at] + piece + content[at + rng.randrange(2) :]
    one_table_two_roads(content, section, tmp_path_factory.getbasetemp())


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a\nx\n\ny\n", {"a": ("x", None, "y")}),
        ("a,b\nx,1\n\ny,2\n", {"a": ("x", "y"), "b": ("1", "2")}),
        (
            "a;b,c,d,e\nx;1,2,3,4\n",
            {"a": ("x",), "b,c,d,e": ("1,2,3,4",)},
        ),  # the wanted column decides
        (
            "e;f,g\nx;1,2\n",
            {"e;f": ("x;1",), "g": ("2",)},
        ),  # none does: the first separator of the two
        (
            "e;f;g,h\nx;1;2,3\n",
            {"e": ("x",), "f": ("1",), "g,h": ("2,3",)},
        ),  # the most columns do
    ],
)
def test_separators_and_blank_lines(
    text: str, columns: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(text)
    assert d.table(tmp_path / "t.csv", ("a", "z")) == columns
    engine = read(str(tmp_path / "t.csv"), ("a", "z"))
    assert {
        name: tuple(c.labels[k] for k in c.codes.tolist())
        for name, c in engine.columns.items()
    } == columns


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_tables(case: str, tmp_path: Path) -> None:
    content = BAD_TABLES[case][0]
    content = content.encode() if isinstance(content, str) else content
    one_table_two_roads(
        content, tomllib.loads(COLUMNS + "[rules]\nr = 'true'\n"), tmp_path
    )


DATA_DEPENDENT = {
    "hierarchy that is not there", "safety without secrets", "secrets of a stranger", "safety inside a secret",
    "column that the release lacks", "typed column with other values", "order that lacks a value",
    "contradictory assumptions", "one assumption that cannot be",
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_POLICIES)
def test_bad_policies(case: str) -> None:
    if case in DATA_DEPENDENT:
        assert d.policy(BAD_POLICIES[case][0]).columns
    else:
        with pytest.raises(d.Refused):
            d.policy(BAD_POLICIES[case][0])


@pytest.mark.parametrize(
    "weight",
    ["2", "-0.1", "true", "inf", "nan", '"x"', "[1]", '"1/0"', "1.0000000000000000001"],
)
def test_weights_that_are_none(weight: str) -> None:
    with pytest.raises(d.Refused):
        d.policy(
            '[columns]\n[rules]\nr = "true"\n[secrets]\n"*" = [{formula = "true",'
            f" weight = {weight}}}]"
        )


def test_a_policy_as_written() -> None:
    text = (
        '\ufeffmissing = "error"\n[columns]\nquasi = ["a"]\nsensitive ='
        ' ["b"]\n[types]\nb = ["x", "y"]\n[secrets]\n"*" = "b = x"\n[agents]\neve ='
        ' []\n[rules]\nr = "true"\n[hierarchies]\na = {prefixes = [1]}\n'
    )
    expected = d.Policy(
        ("a",), ("b",), (), None, "error", {"b": ValueType("ordered", ("x", "y"))}, {"a": Builder("prefixes", (1,))},
        {"eve": ()}, {"*": (("b = x", Fraction(1)),)}, {}, {"r": "true"},
    )  # fmt: skip
    assert d.policy(text) == expected


def test_the_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    assert (
        d.sha256(tmp_path / "x")
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    with pytest.raises(d.Refused):
        d.sha256(tmp_path / "y")
    with pytest.raises(d.Refused):
        d.table(tmp_path, ())


# --- originals
# -------------------------------------------------------------------------------------------


@st.composite
def sanitized(
    draw: st.DrawFn,
) -> tuple[list[dict[str, str]], list[dict[str, str]], dict[str, dict[Any, Any]]]:
    """An original, a release of it in any order, and the mappings behind it."""
    count = draw(st.integers(1, 6))
    quasi = st.sampled_from(["1", "2", "3", ""])
    row = st.fixed_dictionaries(
        {"q": quasi, "r": quasi, "g": st.sampled_from(["7", "007", "8", ""])}
    )
    before = [{"who": f"p{k}", **draw(row)} for k in range(count)]
    image = st.sampled_from(["x", "y", "", "1"])
    mapping: dict[str, dict[Any, Any]] = {
        q: {v: draw(image) for v in dict.fromkeys(r[q] for r in before)}
        for q in ("q", "r")
    }
    after = [
        {
            "q": mapping["q"][r["q"]],
            "r": mapping["r"][r["r"]],
            "g": r["g"].removeprefix("00"),
        }
        for r in before
    ]
    after = draw(st.permutations(after)) if draw(st.booleans()) else after
    return (
        before,
        after,
        {q: {v or None: u or None for v, u in m.items()} for q, m in mapping.items()},
    )


WITH_ORIGINAL: dict[str, Any] = {
    "columns": {"quasi": ["q", "r"], "sensitive": ["g"], "identifier": "who"},
    "types": {"g": "integer", "q": "integer"},
    "rules": {"r": "true"},
}


def no_hierarchies(_: Any) -> dict[str, Any]:
    return {}


@cases(300)
@given(sanitized(), st.integers(0, 2**40))
def test_originals(tmp_path_factory: Any, given_: Any, seed: int) -> None:
    (before, after, mapping), folder = given_, tmp_path_factory.getbasetemp()
    (folder / "before.csv").write_text(lines(before))
    (folder / "after.csv").write_text(lines(after))
    policy = of(WITH_ORIGINAL)
    original, release = (
        d.table(folder / f"{which}.csv", policy.columns)
        for which in ("before", "after")
    )
    bound = engine_or_none(WITH_ORIGINAL, folder / "after.csv", folder / "before.csv")
    assert bound is not None and bound.sanitized is not None
    found = {name: dict(images) for name, images in bound.sanitized.mappings.items()}
    in_order = replace(policy, rows="same order")
    if (
        bound.sanitized.same_order and found != mapping
    ):  # another mapping explains the rows in their order
        with pytest.raises(d.Refused, match="row by row"):
            origin(in_order, release, original, mapping, no_hierarchies)
        assert origin(in_order, release, original, found, no_hierarchies)
    data = origin(policy, release, original, mapping, no_hierarchies).data
    assert data.home == tuple(
        (mapping["q"][r["q"] or None], mapping["r"][r["r"] or None]) for r in before
    )
    agree(
        origin(
            policy, release, original, bound.sanitized.mappings, no_hierarchies
        ).data,
        bound,
    )
    for wrong in spoilt(mapping, release, original, random.Random(seed)):
        with pytest.raises(d.Refused):
            origin(policy, *wrong, no_hierarchies)


def spoilt(
    mapping: Any, release: Any, original: Any, rng: random.Random
) -> Iterator[tuple[Any, Any, Any]]:
    """Mappings and tables with one change that must not pass."""
    yield release, original, {"q": mapping["q"]}
    yield release, original, {**mapping, "g": {}}
    yield release, original, {**mapping, "q": {**mapping["q"], "new": "x"}}
    yield release, original, {**mapping, "q": dict(list(mapping["q"].items())[1:])}
    value = rng.choice(list(mapping["q"]))
    yield release, original, {**mapping, "q": {**mapping["q"], value: "z"}}
    yield release, {k: v for k, v in original.items() if k != "g"}, mapping
    yield release, {k: v[:-1] for k, v in original.items()}, mapping
    yield (
        release,
        (
            {**original, "who": ("p", *original["who"][1:-1], "p")}
            if len(original["who"]) > 1
            else {}
        ),
        mapping,
    )
    row = rng.randrange(len(release["g"]))
    yield (
        {**release, "g": (*release["g"][:row], "99", *release["g"][row + 1 :])},
        original,
        mapping,
    )
    yield (
        release,
        {
            **original,
            "who": (*original["who"][:row], None, *original["who"][row + 1 :]),
        },
        mapping,
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"), ("a;x;*\na;x;*\n", "two lines"), ("a;*\nb\n", "has 1 entries"), ('a;"x\n', "no well-formed"),
        ("a;x;*\nb;x;+\n", "lies under '\\*' and '\\+'"),
    ],
)  # fmt: skip
def test_texts_that_are_no_hierarchy(text: str, said: str, tmp_path: Path) -> None:
    """Checker and engine refuse the same ones."""
    with pytest.raises(d.Refused, match=said):
        hierarchy(text, "q.csv")
    (tmp_path / "q.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_hierarchy(tmp_path / "q.csv")


@pytest.mark.parametrize(
    "paths",
    [
        {"a": ("a", "*"), "b": ("b",)}, {"a": ("b", "*")}, {"a": ("a", "x", "*"), "b": ("b", "x", "y")}, {"a": ()},
    ],
)  # fmt: skip
def test_hierarchies_that_are_none(
    paths: dict[str, tuple[str, ...]], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("q,r,f,g\nx,u,a,1\n")
    with pytest.raises(d.Refused):
        d.release_data(of(SMALL_POLICY), d.table(tmp_path / "t.csv", ()), {"f": paths})
