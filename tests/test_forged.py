"""Certificates with one thing forged: what the checker still accepts is true, by
enumeration.

``python tests/test_forged.py SECONDS [SEED]`` runs it for so long and says how many
forgeries there were.
"""

from __future__ import annotations

import csv
import json
import os
import random
import tempfile
import time
from collections import Counter
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support import oracle, search_oracle
from support.bridge import large
from support.certificate_cases import sealed
from support.forged_cases import TREES, ZIPS, Files, forged, tree, verified, write
from support.forged_oracle import OPEN, Row, Truth, Unreadable, texts
from support.search_questions import per_class

import phverify as ph
from phverify.budget import Deadline
from phverify.constraints.proofs import Prover
from phverify.errors import BudgetExceeded
from phverify.spec.certificate import Claims, load
from phverify.spec.command import MALFORMED
from phverify.spec.data import Refused, policy
from phverify.spec.models import Table
from phverify.spec.proofs import examined
from phverify.spec.rules import rule
from phverify.spec.system import System

CASES = 4000 if os.environ.get("HYPOTHESIS_PROFILE") == "fuzz" else 8
FORGERIES = 12
"""Of each certificate."""


def rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return [
            {name: cell or None for name, cell in row.items()}
            for row in csv.DictReader(file)
        ]


def accepted(claimed: dict[str, Any], **files: Path | None) -> bool:
    try:
        return ph.check(claimed, **files).accepted  # type: ignore[arg-type]
    except ph.InputError:  # of another kind, or of none
        return False


def truth(files: Files, text: str, quoted: dict[str, str]) -> Truth:
    return Truth(
        text,
        quoted,
        rows(files.release),
        None if files.original is None else rows(files.original),
    )


def certified(files: Files, told: Counter[str]) -> dict[str, Any] | None:
    """A certificate of a release, as JSON; None where phverify takes the question for
    none.
    """
    text = files.policy.read_text(encoding="utf-8")
    asked = truth(files, text, texts(files.folder, text))
    try:
        report = ph.verify(files.release, files.policy, files.original)
    except ph.InputError:
        told["questions that are none"] += 1
        return None
    try:
        found = ph.certify(report, files.release, files.policy, files.original)
    except (
        ph.InputError,
        ph.Defect,
    ):  # there must be a reason for the checker to refuse
        assert not explained(asked, report) or OPEN in [
            asked.verdict(one.name) for one in report.rules
        ]
        told["refused by the checker, for a reason"] += 1
        return None
    for one in report.rules:
        assert asked.verdict(one.name) == one.verdict, (text, one.name)
    return dict(json.loads(json.dumps(found)))


def explained(asked: Truth, report: ph.Report) -> bool:
    """Whether the mapping that phverify found is one that explains the release."""
    assert report.sanitized is not None
    mappings = report.sanitized.mappings
    return (
        tuple(tuple(mappings[q][row[q]] for q in asked.quasi) for row in asked.before)
        in asked.homes
    )


def recounted(claimed: dict[str, Any], files: Files, bold: bool) -> dict[str, Any]:
    """The certificate with every rule called proved for which there are proofs: an able
    forger.

    A bold one calls all rules proved, and makes up what has no proof.
    """
    try:
        rules = policy(claimed["policy"])
        table = Table(load(claimed, rules, files.release, files.original).data)
        given = Claims(claimed, rules, table).given
        said, proofs = [], dict[str, Any]()
        for name in rules.rules:
            found = list(examined(rule(rules, table.data, name), given, table))
            own = {
                case.digest: proof(case.system) for case in found if case is not None
            }
            if bold or None not in own.values():
                proofs |= {
                    digest: one or {"farkas": [[0, "1"]]} for digest, one in own.items()
                }
                said.append({"name": name, "verdict": "proved"})
    except (Refused, *MALFORMED):
        return claimed
    made = {**claimed, "rules": said, "proofs": proofs, "agreed": {}}
    return sealed(json.loads(json.dumps(made)))


def proof(question: System) -> dict[str, Any] | None:
    """A proof that a system has no solution, if it has none."""
    try:
        return Prover(question, Deadline(5)).proof()
    except (BudgetExceeded, ph.Defect):
        return None


def judged(claimed: dict[str, Any], files: Files, told: Counter[str]) -> None:
    """Whatever is accepted must be true: with the policy at hand of that one, otherwise
    of the certificate's own.
    """
    text = files.policy.read_text(encoding="utf-8")
    for own in (files.policy, None):
        told["checked"] += 1
        if not accepted(
            claimed, release=files.release, original=files.original, policy=own
        ):
            continue
        told["accepted"] += 1
        quoted = texts(files.folder, text) if own else claimed["hierarchies"]
        asked = truth(files, text if own else claimed["policy"], quoted)
        said = {
            one["name"]: one["verdict"]
            for one in claimed["rules"]
            if one["verdict"] != "undecided"
        }
        assert said == {name: asked.verdict(name) for name in said}, (own, claimed)


def one_verdict(seed: int, folder: Path, told: Counter[str]) -> None:
    with large() if seed % 2 else nullcontext():
        _one_verdict(seed, folder, told)


def _one_verdict(seed: int, folder: Path, told: Counter[str]) -> None:
    chance = random.Random(seed)
    files = verified(folder, chance)
    certificate = certified(files, told)
    if certificate is None:
        return
    told["certificates"] += 1
    judged(certificate, files, told)
    judged(recounted(certificate, files, bold=True), files, told)
    for _ in range(FORGERIES):
        path, mutant = forged(certificate, chance)
        told["forged"] += 1
        judged(mutant, files, told)
        if path[0] in ("policy", "hierarchies", "original", "rows"):
            judged(recounted(mutant, files, chance.random() < 0.5), files, told)


# Searches


def one_search(seed: int, folder: Path, told: Counter[str]) -> None:
    chance = random.Random(seed)
    files = asked_of_search(folder, chance)
    options: dict[str, Any] = {
        "space": chance.choice(["levels", "subtrees"]),
        "objective": chance.choice(["loss", "height", "precision"]),
        "suppress": chance.choice(["0", "0", "1/4"]),
        "weights": chance.choice([{}, {"q": "2"}]),
    }
    options["all_minimal"] = options["space"] == "levels" and chance.random() < 0.2
    try:
        found = ph.search(files.table, files.policy, **options)
    except ph.InputError:
        told["questions that are none"] += 1
        return
    if found.certificate is None or found.release is None:
        return
    found.release.to_csv(files.release, index=False)
    certificate = json.loads(json.dumps(found.certificate))
    told["certificates"] += 1
    for k in range(FORGERIES + 1):
        mutant = forged(certificate, chance)[1] if k else certificate
        told["forged"] += bool(k)
        told["checked"] += 1
        if accepted(
            mutant, table=files.table, policy=files.policy, release=files.release
        ):
            told["accepted"] += 1
            assert least(mutant, files), mutant
        else:
            assert k, "what phverify wrote is accepted"


def asked_of_search(folder: Path, chance: random.Random) -> Files:
    """A table, its hierarchies and a policy."""
    names = [f"p{k}" for k in range(1, 7)]
    table: list[Row] = [
        {
            "who": name,
            "q": chance.choice([*ZIPS]),
            "r": chance.choice("uv"),
            "f": chance.choice("aabcd"),
            "g": "0",
        }
        for name in names[: chance.randint(2, 6)]
    ]
    named = chance.random() < 0.5
    write(
        folder / "table.csv",
        [{k: v for k, v in row.items() if named or k != "who"} for row in table],
    )
    tree(folder / "q.csv", ZIPS, chance)
    tree(folder / "f.csv", TREES, chance)
    (folder / "r.csv").write_text("u;*\nv;*\n", encoding="utf-8")
    person = chance.choice(
        [row["who"] if named else f"i{k}" for k, row in enumerate(table, 1)]
    )
    value, share = chance.choice(table)["f"], chance.choice(["1/2", "2/3", "1/3"])
    found = [
        f"k_anonymity({chance.randint(1, 3)})", "~k_anonymity(4)", f"@{person} ~[a1] f = {value}",
        f"@{person} l_a1(f = {value}) <= {share}", f"forall v in f: l_a1(f = v) <= {share}",
        f"t_closeness(f, {share}, hierarchical)", f"k_anonymity(2) | @{person} f != {value}",
    ]  # fmt: skip
    chosen = chance.sample(found, chance.randint(1, 2))
    lines = [
        '[columns]\nquasi = ["q", "r"]\nsensitive = ["f", "g"]', *(['identifier = "who"'] if named else []),
        '[hierarchies]\nf = "f.csv"\nr = "r.csv"', chance.choice(['q = "q.csv"', "q = {prefixes = [1]}"]),
        "[rules]", *(f"r{k} = {json.dumps(text)}" for k, text in enumerate(chosen)),
    ]  # fmt: skip
    (folder / "policy.toml").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return Files(folder)


def least(claimed: dict[str, Any], files: Files) -> bool:
    """Whether a certificate of minimality is true, by looking at all candidates."""
    text = files.policy.read_text(encoding="utf-8")
    table = [
        {name: cell for name, cell in row.items() if name != "who"}
        for row in rows(files.table)
    ]
    asked = Truth(text, texts(files.folder, text), rows(files.table))
    names = [row["who"] or "" for row in rows(files.table)] if asked.identifier else []
    written = [asked.policy["rules"][name] for name in asked.policy["rules"]]
    tests = [
        close(one, asked) if one.startswith("t_closeness") else one for one in written
    ]
    judge = search_oracle.Judge(table, ["q", "r"], tests, names=names)
    domains = {
        q: search_oracle.Domain(frozenset(row[q] for row in table), asked.paths[q])
        for q in ("q", "r")
    }
    weights = {name: Fraction(weight) for name, weight in claimed["weights"].items()}
    share = Fraction(claimed["suppress"])
    question = search_oracle.Question(
        judge, domains, claimed["space"], claimed["objective"], share, weights
    )
    mapping = {
        name: dict(map(tuple, pairs)) for name, pairs in claimed["mapping"].items()
    }
    out = {tuple(labels) for labels in claimed["withheld_classes"]}
    kept = tuple(
        k
        for k, row in enumerate(table)
        if tuple(mapping[q][row[q]] for q in ("q", "r")) not in out
    )
    candidates = question.matching(mapping)
    fits = [c for c in candidates if str(question.cost(c)) == claimed["cost"]]
    good = [c for c in fits if judge.proved(c.released(table), kept)]
    few = len(table) - len(kept) <= question.budget
    if claimed["minimal"]:
        heights = [domain.height for domain in domains.values()]
        levels = {vector(one["choice"], heights) for one in claimed["minimal"]}
        if levels != question.minimal():
            return False
    return bool(good) and few and str(question.least()) == claimed["cost"]


def vector(choice: list[int], heights: list[int]) -> tuple[int, ...]:
    """The levels of a candidate of the space of levels."""
    first, second = heights
    return sum(u < first for u in choice), sum(
        first <= u < first + second for u in choice
    )


def close(text: str, asked: Truth) -> search_oracle.ClassTest:
    """t-closeness to the released table, by the tree."""

    bound = Fraction(text.split(",")[1].strip())
    found: search_oracle.ClassTest = per_class(
        oracle.hierarchical(bound, asked.paths["f"])
    )
    return found


KINDS = {"verify": one_verdict, "search": one_search}


def run(
    kind: str, seeds: range, told: Counter[str], seconds: float = float("inf")
) -> None:
    end = time.monotonic() + seconds
    for seed in seeds:
        if time.monotonic() > end:
            return
        with tempfile.TemporaryDirectory() as folder:
            try:
                KINDS[kind](seed, Path(folder), told)
            except (AssertionError, Unreadable) as error:
                raise AssertionError(f"{kind}, seed {seed}: {error!r}") from error


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_accepted_is_true(kind: str) -> None:
    told = Counter[str]()
    run(kind, range(CASES), told)
    assert told["forged"] > 3 * CASES and 0 < told["accepted"] < told["checked"]
