"""Every published criterion by its formula: proved on one release, refuted with the
next parameter.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from pages.common import Example, File, Rule, both, hospital, settled, small
from phverify.logic.printer import to_text
from phverify.spec import syntax as s

FOLDER = "criteria"
PAIRS = small(["aabb", "abbc"])
ORDERED = small(["lmh", "llh"], types={"s": ["l", "m", "h"]})
ENTROPY = small(["aabb"])
NUMBERS = small(["1355", "1133"], types={"s": "integer"})
MASKED = Example(
    "a release with one class of C1, C2, D1",
    pd.DataFrame({"q": ["x"] * 3, "s": ["C1", "C2", "D1"]}),
    {
        "columns": {"quasi": ["q"], "sensitive": ["s"]},
        "hierarchies": {"s": {"masking": "right"}},
    },
)
SPLIT = small(["aab", "abc"])

CASES: list[tuple[str, Example, str, str, str, str]] = [
    (
        "k_anonymity",
        hospital(),
        "k_anonymity(2)",
        "k_anonymity(3)",
        "Classes of 2 rows.",
        "Theorem 1",
    ),
    (
        "alpha_k_anonymity",
        hospital(),
        "alpha_k_anonymity(health, 1/2, 2)",
        "alpha_k_anonymity(health, 1/3, 2)",
        "The largest share of a value in a class is 1/2.",
        "Wong et al.",
    ),
    (
        "l_diversity",
        hospital(),
        "l_diversity(health, 2)",
        "l_diversity(health, 3)",
        "2 values a class.",
        "Theorem 3",
    ),
    (
        "recursive_l_diversity",
        hospital(),
        "recursive_l_diversity(health, 3/2, 2)",
        "recursive_l_diversity(health, 1, 2)",
        "1 < 3/2 * 1, and 1 < 1 * 1 fails: the bound is strict.",
        "Theorem 4",
    ),
    (
        "entropy_l_diversity",
        ENTROPY,
        "entropy_l_diversity(s, 2)",
        "entropy_l_diversity(s, 3)",
        "A tie.",
        "entropy",
    ),
    (
        "t_closeness",
        hospital(),
        "t_closeness(health, 1/4)",
        "t_closeness(health, 1/5)",
        (
            "The table has shares 1/2, 1/4, 1/4 and a class 1/2, 1/2, 0 in some order:"
            " they are 1/4 apart."
        ),
        "Theorem 5",
    ),
    (
        "t_closeness_ordered",
        ORDERED,
        "t_closeness(s, 1/6, distance=ordered)",
        "t_closeness(s, 1/20, distance=ordered)",
        "1/(m - 1) times the sum of the cumulative gaps.",
        "Theorem 5, ordered distance",
    ),
    (
        "delta_disclosure",
        PAIRS,
        "delta_disclosure(s, 3, absent=ignored)",
        "delta_disclosure(s, 3)",
        "c does not occur in the first class: ignored, or a violation.",
        "Theorem 6",
    ),
    (
        "beta_likeness",
        SPLIT,
        "beta_likeness(s, 1)",
        "beta_likeness(s, 1/2)",
        "c: from 1/6 to 1/3.",
        "beta-likeness",
    ),
    (
        "enhanced_beta_likeness",
        SPLIT,
        "enhanced_beta_likeness(s, 1)",
        "enhanced_beta_likeness(s, 1/2)",
        "As before, and the gain must stay below -ln p as well.",
        "enhanced beta-likeness",
    ),
    (
        "average_benefit",
        SPLIT,
        "average_benefit(s, 1/6)",
        "average_benefit(s, 1/7)",
        "1/3 - 1/6.",
        "average benefit",
    ),
    (
        "em_anonymity",
        NUMBERS,
        "em_anonymity(s, 1, 2)",
        "em_anonymity(s, 2, 2)",
        "1, 3, 5, 5: of 4 values 3 are within 2 of the 3 in the middle, and of the 5.",
        "Li, Tao, Xiao",
    ),
    (
        "guarded",
        MASKED,
        "guarded(s, 'C*', 2/3)",
        "guarded(s, 'C*', 1/2)",
        "2 of 3 rows are below C*, though C1 and C2 have the share 1/3 each.",
        "guarding nodes",
    ),
    (
        "p_sensitive_k_anonymity",
        SPLIT,
        "p_sensitive_k_anonymity(2, 3)",
        "p_sensitive_k_anonymity(3, 3)",
        "It stands for k_anonymity(2) and l_diversity of every sensitive column.",
        "Truta and Vinay",
    ),
]
SECRET = {"*": ["health = 2"]}
DISJUNCTIVE = {"*": ["income = '100K' or health = 2"]}
SAFETY = [
    Rule(
        "logical_safety.holds",
        "logical_safety()",
        "proved",
        "Theorem 2.",
        hospital(secrets=SECRET),
    ),
    Rule(
        "logical_safety.fails",
        "logical_safety()",
        "refuted",
        "Example 3.",
        hospital(secrets=DISJUNCTIVE),
    ),
    Rule(
        "weighted_safety.holds",
        "weighted_safety(1/2)",
        "proved",
        "The ill share is 1/2.",
        hospital(secrets=SECRET),
    ),
    Rule(
        "weighted_safety.fails",
        "weighted_safety(1/3)",
        "refuted",
        "It is above 1/3.",
        hospital(secrets=SECRET),
    ),
]


def files() -> Iterator[File]:
    for name, example, good, bad, why, source in CASES:
        for suffix, text, verdict in (
            ("holds", good, "proved"),
            ("fails", bad, "refuted"),
        ):
            rule = Rule(f"{name}.{suffix}", text, verdict, f"{why} ({source})", example)
            yield from (
                file for file in both(FOLDER, rule) if file.path.endswith(".full.smt2")
            )
            yield from _quotient(rule)
    for rule in SAFETY:
        yield from both(FOLDER, rule)


def _quotient(rule: Rule) -> list[File]:
    """The criterion's formula by the quotient encoding; where all that matters is
    ground, what counting leaves.
    """
    formula = formula_of(rule)
    written = Rule(
        rule.name,
        to_text(formula),
        rule.verdict,
        f"The formula of {rule.text}. {rule.why}",
        rule.example,
    )
    asked = [file for file in both(FOLDER, written) if ".quotient" in file.path]
    wanted = "sat" if rule.verdict == "refuted" else "unsat"
    if any(file.status == wanted for file in asked):
        return asked
    return [file for file in settled(FOLDER, written) if file.status == wanted][:1]


def formula_of(rule: Rule) -> s.Formula:
    """The theorem's formulas of the criteria that a rule is."""
    bound = rule.example.bound(rule.text)

    def written(node: s.Formula) -> s.Formula:
        if isinstance(node, s.Criterion):
            return bound.release.criteria[node].formula(bound.release.signature)
        return s.rebuild(node, written)

    return written(bound.rules[0].expanded)
