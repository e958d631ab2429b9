"""What the tests of certificate reading have in common."""

from __future__ import annotations

import csv
import io
import random
import re
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import phverify
from phverify.errors import InputError
from phverify.microdata.read import read
from phverify.policy.bind import bind
from phverify.policy.model import Policy
from phverify.spec import data as d
from phverify.spec import rules as f
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import SAFETY, Unfit
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.schemas import apart
from phverify.spec.signature import Signature
from support.bad_input_cases import FORMULAS as BAD_FORMULAS
from support.bad_input_cases import HUGE
from support.bridge import told
from support.examples import EXAMPLES


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


def of(section: Mapping[str, Any]) -> d.PlainPolicy:
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
    """Every formula text that the test suite, the documentation and the demo's policy hold."""
    policy = (
        files("phverify.examples.hospital")
        .joinpath("policy.toml")
        .read_text(encoding="utf-8")
    )
    root = Path(phverify.__file__).parents[1]
    written = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    there = filter(Path.exists, written)
    sources = [policy, *(page.read_text(encoding="utf-8") for page in there)]
    quoted = [m for source in sources for m in re.findall(r'"([^"\n]+)"', source)]
    ticked = [m for source in sources for m in re.findall(r"`([^`\n]+)`", source)]
    found = [*(text for text, _ in EXAMPLES), *quoted, *ticked, *BAD_FORMULAS, *HUGE]
    return [
        text for text in found if "never_known" not in text
    ]  # which the checker does not cover


TEXTS = list(dict.fromkeys([*MORE, *written_texts()]))


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
