"""Writes the encodings of a few rules over the hospital release as SMT-LIB files with their expected status.

Run ``python encodings/generate.py``; ``tests/test_encodings.py`` fails when a file is stale.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import phverify as ph
from phverify.decide.full import full_question
from phverify.decide.instances import instances
from phverify.decide.question import ask
from phverify.policy.bind import bind
from phverify.smt.solver import Deadline
from phverify.tables.read import read

HERE = Path(__file__).parent / "verify"
HOSPITAL = files("phverify.examples").joinpath("hospital")
RULES = {
    "not_both": ("~[a1](@i3 health = 2 & @i4 health = 2)", "unsat"),
    "someone_is_ill": ("~(@i3 health = 2 | @i4 health = 2)", "sat"),
    "two_diverse": ("forall c in clauses(health, 1): ~[a1] c", "unsat"),
    "three_diverse": ("forall c in clauses(health, 2): ~[a1] c", "sat"),
    "joint_share": ("l_a1(i3 & health = 2) <= 1/2", "unsat"),
}


def texts() -> Iterator[tuple[str, str]]:
    """File names and contents: each rule by the quotient and by the full encoding."""
    for name, (rule, status) in RULES.items():
        for encoding, text in zip(("quotient", "full"), queries(rule), strict=True):
            note = f"; {rule}\n; over the hospital release, {encoding} encoding: {status} means the rule is "
            verdict = "proved" if status == "unsat" else "refuted"
            yield f"{name}.{encoding}.smt2", f"{note}{verdict}\n(set-info :status {status})\n{text}"


def queries(rule: str) -> tuple[str, str]:
    columns = {"quasi": ["birth", "zip"], "sensitive": ["income", "health"], "neutral": ["height"]}
    policy = ph.Policy.from_dict({"columns": columns, "rules": {"rule": rule}})
    bound = bind(policy, read(str(HOSPITAL.joinpath("release.csv")), policy.columns), None)
    formula, deadline = bound.rules[0].expanded, Deadline()
    (instance,) = instances(formula, bound.release.signature)
    quotient = ask(instance, (), bound.release, deadline).text(f"the negation of: {rule}")
    return quotient, full_question(formula, (), bound.release, deadline).text


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for file, content in texts():
        (HERE / file).write_text(content, encoding="utf-8")
        print(HERE / file)
