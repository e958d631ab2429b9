"""Random questions for ``ph.search``: small tables, hierarchies, policies, spaces and
objectives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
from hypothesis import strategies as st

import phverify as ph
from phverify.logic.printer import to_text
from phverify.microdata.hierarchy import Hierarchy
from phverify.spec.types import ValueType
from support import oracle
from support.oracle import Row
from support.search_oracle import (
    WHOLE,
    ClassTest,
    Domain,
    Judge,
    Question,
    safety,
    weighted,
)
from support.strategies import SCHEMAS, SMALL, fit

TREE = {"a": ("a", "ab", "*"), "b": ("b", "ab", "*"), "c": ("c", "c", "*")}
GRADES = ("low", "mid", "high")
NAMES = ("ann", "bob", "eve", "ida", "max", "noa", "ole", "pia", "ron")
VALUES: Mapping[str, tuple[str, ...]] = {
    "q": ("x", "y", "z"),
    "r": ("u", "v"),
    "n": ("1", "2", "3", "10"),
    "day": ("1999-12-31", "2000-01-01", "2010-01-01"),
    "grade": GRADES,
}
KINDS = {
    "n": ValueType("integer"),
    "day": ValueType("date"),
    "grade": ValueType("ordered", GRADES),
    "g": ValueType("integer"),
    "f": ValueType("ordered", ("a", "b", "c")),
}
KEYS: Mapping[str, Callable[[str], Any]] = {
    "n": int,
    "day": date.fromisoformat,
    "grade": GRADES.index,
}
COLUMNS = {
    "levels": (("q", "r"), ("q", "r", "n"), ("grade", "r"), ("n",)),
    "subtrees": (("q", "r"), ("n", "r"), ("q", "grade"), ("n",)),
    "intervals": (("n", "q"), ("grade", "n"), ("r", "day", "grade"), ("n",)),
    "partitions": (("q", "n"), ("n", "r"), ("q", "r", "grade"), ("n",)),
}
OBJECTIVES = {
    "levels": ("height", "precision", "loss", "entropy", *WHOLE),
    "subtrees": ("height", "precision", "loss", "entropy"),
    "intervals": ("loss",),
    "partitions": ("loss",),
}


@dataclass(frozen=True)
class Case:
    """A question to the oracle, and what is given to ``ph.search`` for it."""

    question: Question
    policy: ph.Policy
    frame: pd.DataFrame
    hierarchies: Mapping[str, Hierarchy]

    def ask(self, **more: Any) -> Any:
        q = self.question
        given = {
            "space": q.space,
            "objective": q.objective,
            "suppress": q.suppress,
            "weights": q.weights or None,
        }
        return ph.search(self.frame, self.policy, self.hierarchies, **(given | more))  # type: ignore[attr-defined]


# Hierarchies


@st.composite
def hierarchies(
    draw: st.DrawFn, values: Sequence[str], top: int
) -> dict[str, tuple[str, ...]]:
    """Lines for the values, for some that do not occur, and for the missing cell or
    not; one root or several.
    """
    extra = draw(
        st.lists(st.sampled_from(("other", "more", "")), max_size=2, unique=True)
    )
    paths: dict[str, tuple[str, ...]] = {v: (v,) for v in [*values, *extra]}
    height = draw(st.integers(1, top))
    for level in range(1, height + 1):
        nodes = list(dict.fromkeys(path[-1] for path in paths.values()))
        rooted = level == height and draw(st.integers(0, 7)) > 0
        up = dict.fromkeys(nodes, "*") if rooted else draw(parents(nodes, level))
        paths = {v: (*path, up[path[-1]]) for v, path in paths.items()}
    return paths


@st.composite
def parents(draw: st.DrawFn, nodes: Sequence[str], level: int) -> dict[str, str]:
    """A parent for each node; one with a single child may have its name."""
    up = {node: f"{level}{'abc'[draw(st.integers(0, 2))]}" for node in nodes}
    alone = [node for node in nodes if node and list(up.values()).count(up[node]) == 1]
    return up | {node: node for node in alone if draw(st.booleans())}


# Criteria with their definitions


def per_class(test: oracle.Test, f: str = "f") -> ClassTest:
    return lambda members, rows: test(
        Counter(row[f] for row in members), Counter(row[f] for row in rows)
    )


SHARES = st.sampled_from(
    [Fraction(x) for x in ("0", "1/5", "1/4", "1/3", "1/2", "2/3", "3/4", "1")]
)
DELTAS = st.sampled_from([Fraction(x) for x in ("1/2", "1", "3/2", "2")])


@st.composite
def criteria(draw: st.DrawFn) -> tuple[str, ClassTest]:
    k, l, share, d = (
        draw(st.integers(1, 3)),
        draw(st.integers(1, 3)),
        draw(SHARES),
        draw(DELTAS),
    )
    c, gain = (
        draw(
            st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2)])
        ),
        draw(SHARES) * 3,
    )
    found: list[tuple[str, oracle.Test]] = [
        (f"k_anonymity({k + 1})", oracle.k_anonymous(k + 1)),
        (f"alpha_k_anonymity(f, {share}, {k})", oracle.alpha_k(share, k)),
        (f"l_diversity(f, {l})", oracle.distinct(l)),
        (f"recursive_l_diversity(f, {c}, {l})", oracle.recursive(c, l)),
        (f"entropy_l_diversity(f, {c + 1})", oracle.entropy(c + 1)),
        (f"t_closeness(f, {share})", oracle.variational(share)),
        (f"t_closeness(f, {share}, ordered)", oracle.ordered(share, ("a", "b", "c"))),
        (f"t_closeness(f, {share}, hierarchical)", oracle.hierarchical(share, TREE)),
        (f"delta_disclosure(f, {d})", oracle.delta(d)),
        (f"delta_disclosure(f, {d}, absent=ignored)", oracle.delta(d, True)),
        (f"beta_likeness(f, {gain})", oracle.beta(gain)),
        (f"enhanced_beta_likeness(f, {gain})", oracle.enhanced(gain)),
        (f"average_benefit(f, {share})", oracle.benefit(share)),
        (f"guarded(f, ab, {share})", oracle.guard("ab", share, TREE)),
    ]
    others: list[tuple[str, ClassTest]] = [
        (f"em_anonymity(g, {d}, {l})", per_class(oracle.close(d, l), "g")),
        (f"p_sensitive_k_anonymity({l}, {k})", oracle.p_sensitive(l, k, ("f", "g"))),
    ]
    return draw(
        st.sampled_from([*((text, per_class(test)) for text, test in found), *others])
    )


@st.composite
def class_rules(draw: st.DrawFn) -> tuple[str, ClassTest]:
    """A criterion, a negated one, or two joined by a connective."""
    (left, one), (right, two) = draw(criteria()), draw(criteria())
    k = draw(st.integers(2, 4))
    few = per_class(oracle.k_anonymous(k))
    choices: list[tuple[str, ClassTest]] = [
        (left, one),
        (left, one),
        (f"~k_anonymity({k})", lambda e, u: not few(e, u)),
        (f"{left} | {right}", lambda e, u: one(e, u) or two(e, u)),
        (f"{left} -> {right}", lambda e, u: not one(e, u) or two(e, u)),
        (f"k_anonymity({k}) | {left}", lambda e, u: few(e, u) or one(e, u)),
        (f"{left} & ~k_anonymity({k + 1})", lambda e, u: one(e, u) and len(e) < k + 1),
    ]
    return draw(st.sampled_from(choices))


@st.composite
def beside_the_release(draw: st.DrawFn) -> tuple[str, ClassTest]:
    """A criterion that compares classes with what is released, alone or with a size."""
    share, d = draw(SHARES), draw(DELTAS)
    found: list[tuple[str, oracle.Test]] = [
        (f"t_closeness(f, {share})", oracle.variational(share)),
        (f"t_closeness(f, {share}, ordered)", oracle.ordered(share, ("a", "b", "c"))),
        (f"delta_disclosure(f, {d}, absent=ignored)", oracle.delta(d, True)),
        (f"beta_likeness(f, {share})", oracle.beta(share)),
        (f"average_benefit(f, {share})", oracle.benefit(share)),
    ]
    text, plain = draw(st.sampled_from(found))
    test, k = per_class(plain), draw(st.integers(1, 3))
    large = per_class(oracle.k_anonymous(k))
    return f"{text} & k_anonymity({k})", lambda e, u: test(e, u) and large(e, u)


# Formulas about individuals


@st.composite
def personal_rules(draw: st.DrawFn, people: Sequence[str], rows: Sequence[Row]) -> str:
    """Rules about named individuals, about two at once, about what other agents
    learn.
    """
    one, two = draw(st.sampled_from(people)), draw(st.sampled_from(people))
    v = draw(st.sampled_from(sorted({row["f"] or "missing" for row in rows})))
    w = draw(st.sampled_from(sorted({row["g"] or "" for row in rows})))
    share, agent = draw(SHARES), draw(st.sampled_from(("a0", "a1", "half")))
    simple = [
        f"@{one} ~[{agent}] f = {v}",
        f"@{one} l_{agent}(f = {v}) <= {share}",
        f"@{one} l_{agent}(f = {v} | g >= {w}) <= {share}",
        f"~(@{one} f = {v} & @{two} g = {w})",
        f"@{one} f = {v} -> @{two} ~[a1] g = {w}",
        f"l_a1({one}) <= {share}",
        f"@{one} <a1> {two} | k_anonymity(2)",
        f"@{one} (k_anonymity(2) & ~k_anonymity(3))",
        f"~[a1] ({one} & f = {v})",
        f"@{one} l_a1({two} & f = {v}) <= {share}",
        f"forall i, v in f: @i l_a1(f = v) <= {share}",
        "forall i, v in f: @i l_a1(f = v) <= 2 l_half(f = v)",
        f"forall i: @i l_a1(g = {w}) <= {share} | @i f = {v}",
        "forall c in clauses(f, 1): l_a1(c) < 1",
        f"@{one} l_a1(f = {v}) - l_a0(f = {v}) <= {share}",
    ]
    text = draw(st.sampled_from(simple))
    other = draw(
        st.sampled_from(
            ("", "", "k_anonymity(2)", "l_diversity(f, 2)", "~k_anonymity(3)")
        )
    )
    return (
        text
        if not other or text.startswith("forall")
        else f"({text}) {draw(st.sampled_from('&|'))} {other}"
    )


@st.composite
def assumptions(
    draw: st.DrawFn, people: Sequence[str], rows: Sequence[Row]
) -> list[str]:
    one, two = draw(st.sampled_from(people)), draw(st.sampled_from(people))
    row = draw(st.sampled_from(rows))
    f, g = row["f"] or "missing", row["g"]
    known = [
        f"@{one} ~(f = {f})",
        f"@{one} g = {g}",
        f"@{one} f = {f} -> @{two} g = {g}",
        f"~(@{one} g = {g})",
    ]
    return draw(
        st.lists(
            st.sampled_from(known), max_size=1 + draw(st.integers(0, 1)), unique=True
        )
    )


# Questions


@st.composite
def tables(
    draw: st.DrawFn, quasi: Sequence[str], least: int, most: int, missing: bool
) -> list[dict[str, str | None]]:
    """Rows; quasi-identifiers may be missing, f only where ``missing`` says so."""
    hole = {q: draw(st.booleans()) for q in quasi}
    cells = {
        q: st.sampled_from((*VALUES[q], *([None] if hole[q] else []))) for q in quasi
    }
    f = st.sampled_from(("a", "b", "c", None) if missing else ("a", "a", "b", "c"))
    row = st.fixed_dictionaries(
        {**cells, "f": f, "g": st.sampled_from(("0", "1", "2"))}
    )
    return draw(st.lists(row, min_size=least, max_size=most))


@dataclass(frozen=True)
class Setting:
    """Everything of a question but the policy."""

    rows: list[dict[str, str | None]]
    quasi: tuple[str, ...]
    space: str
    objective: str
    suppress: Fraction
    weights: Mapping[str, Fraction]
    paths: Mapping[str, dict[str, tuple[str, ...]]]
    names: tuple[str, ...]

    @property
    def people(self) -> list[str]:
        return [*self.names] or [f"i{k + 1}" for k in range(len(self.rows))]

    def domains(self) -> dict[str, Domain]:
        return {
            q: Domain(
                frozenset(row[q] for row in self.rows), self.paths.get(q), KEYS.get(q)
            )
            for q in self.quasi
        }

    def question(self, judge: Judge) -> Question:
        return Question(
            judge,
            self.domains(),
            self.space,
            self.objective,
            self.suppress,
            self.weights,
        )

    def frame(self) -> pd.DataFrame:
        frame = pd.DataFrame(self.rows, dtype=object)
        if self.names:
            frame.insert(1, "id", self.names)
        return frame

    def policy(
        self, tree: Path, rules: Mapping[str, str], **sections: Any
    ) -> ph.Policy:
        kinds = {f: kind for f, kind in KINDS.items() if f in (*self.quasi, "f", "g")}
        types = {
            f: list(kind.order) if kind.order else kind.name
            for f, kind in kinds.items()
        }
        columns: dict[str, Any] = {"quasi": list(self.quasi), "sensitive": ["f", "g"]}
        if self.names:
            columns["identifier"] = "id"
        known = {
            "types": types,
            "hierarchies": {"f": str(tree)},
            "agents": {"half": [self.quasi[0]]},
        }
        return ph.Policy.from_dict(
            {"columns": columns, "rules": rules, **known, **sections}
        )

    def case(self, judge: Judge, policy: ph.Policy) -> Case:
        found = {f: Hierarchy(f, paths) for f, paths in self.paths.items()}
        return Case(self.question(judge), policy, self.frame(), found)


@st.composite
def settings(
    draw: st.DrawFn, least: int, most: int, missing: bool = False, space: str = ""
) -> Setting:
    space = space or draw(st.sampled_from(tuple(COLUMNS)))
    quasi = draw(st.sampled_from(COLUMNS[space]))
    rows = draw(tables(quasi, least, most, missing))
    suppress = Fraction(draw(st.sampled_from(("0", "1/4", "1/2"))))
    objective = draw(st.sampled_from(OBJECTIVES[space]))
    weights = draw(
        st.dictionaries(
            st.sampled_from(quasi),
            st.sampled_from([Fraction(2), Fraction(1, 3)]),
            max_size=2,
        )
    )
    if objective in WHOLE:  # which take no weights, and are listed where all is kept
        suppress, weights = Fraction(0), {}
    graded = [
        q
        for q in quasi
        if space in ("levels", "subtrees") or (space == "intervals" and q not in KEYS)
    ]
    paths = {
        q: draw(hierarchies(VALUES[q], 3 if space == "levels" else 2)) for q in graded
    }
    names = NAMES[: len(rows)] if draw(st.integers(0, 3)) == 0 else ()
    return Setting(rows, quasi, space, objective, suppress, weights, paths, names)


def drawn_about_classes(
    draw: Callable[[Any], Any], tree: Path, setting: Setting
) -> Case:
    """Rules that are combinations of criteria, decided by the criteria's
    definitions.
    """
    rules = draw(st.lists(class_rules(), min_size=1, max_size=2))
    judge = Judge(
        setting.rows, setting.quasi, [test for _, test in rules], names=setting.names
    )
    policy = setting.policy(tree, {f"r{k}": text for k, (text, _) in enumerate(rules)})
    return setting.case(judge, policy)


def drawn_beside_the_release(
    draw: Callable[[Any], Any], tree: Path, setting: Setting
) -> Case:
    """Records may be withheld, and rules compare classes with what is released: which
    classes go is a choice.
    """
    share = draw(st.sampled_from((Fraction(1, 4), Fraction(1, 2))))
    # What charges the withheld lists no minimal ones.
    objective = "loss" if setting.objective in WHOLE else setting.objective
    freed = replace(setting, suppress=share, objective=objective)
    rules = draw(st.lists(beside_the_release(), min_size=1, max_size=2))
    tests = [test for _, test in rules]
    judge = Judge(freed.rows, freed.quasi, tests, names=freed.names)
    texts = {f"r{k}": text for k, (text, _) in enumerate(rules)}
    return freed.case(judge, freed.policy(tree, texts))


def drawn_about_people(
    draw: Callable[[Any], Any], tree: Path, setting: Setting
) -> Case:
    """Rules, secrets and assumptions about individuals, decided in all models."""
    people, rows = setting.people, setting.rows
    written = [
        draw(personal_rules(people, rows)) for _ in range(draw(st.integers(0, 1)))
    ]
    given = draw(assumptions(people, rows)) if draw(st.integers(0, 2)) == 0 else []
    f = sorted({row["f"] or "missing" for row in rows})[-1]
    secrets = {"*": [f"f = {f}"], draw(st.sampled_from(people)): ["g = 0 | g > 1"]}
    bound = draw(SHARES)
    kind = 0 if not written else draw(st.integers(0, 6))
    safe = [
        ("logical_safety()", safety(secrets)),
        (f"weighted_safety({bound})", weighted(secrets, Fraction(1), bound)),
    ]
    chosen = [(text, text) for text in written] + (
        [safe[draw(st.integers(0, 1))]] if kind < 2 else []
    )
    judge = judge_of(
        setting, [text for _, text in chosen], given, [*secrets][1:] if kind < 2 else []
    )
    rules = {f"r{k}": text for k, (text, _) in enumerate(chosen)}
    sections = {"secrets": secrets} if kind < 2 else {}
    return setting.case(
        judge, setting.policy(tree, rules, assumptions=_numbered(given), **sections)
    )


def drawn_at_random(draw: Callable[[Any], Any], tree: Path, setting: Setting) -> Case:
    """Formulas of the whole language, nothing withheld."""
    text = to_text(fit(draw(st.one_of(SMALL, SCHEMAS)), setting.rows))
    bare = Setting(**{**vars(setting), "names": (), "suppress": Fraction(0)})
    return bare.case(judge_of(bare, [text], [], []), bare.policy(tree, {"rule": text}))


def judge_of(
    setting: Setting,
    rules: Sequence[str],
    given: Sequence[str],
    secretive: Sequence[str],
) -> Judge:
    agents = {"half": setting.quasi[:1]}
    return Judge(
        setting.rows,
        setting.quasi,
        rules,
        given,
        agents,
        KINDS,
        setting.names,
        secretive,
    )


def _numbered(texts: Sequence[str]) -> dict[str, str]:
    return {f"a{k}": text for k, text in enumerate(texts)}
