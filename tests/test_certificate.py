"""Certificates: every verdict has one that the checker accepts, and nothing false is
accepted.
"""

from __future__ import annotations

import copy
import csv
import json
import random
import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.bridge import large
from support.examples import EXAMPLES
from support.strategies import AGENTS, QUASI
from test_agreement import assumed, cases, questions

import phverify as ph
from phverify.constraints import agree
from phverify.constraints import proofs as prove
from phverify.spec import enumeration, farkas
from phverify.spec.certificate import check, digest
from phverify.spec.command import MALFORMED
from phverify.spec.data import Refused, sha256
from phverify.verification import claims as make

Row = Mapping[str, str | None]
HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
HEAD = (
    '[columns]\nquasi = ["birth", "zip"]\nsensitive = ["income", "health"]\nneutral ='
    ' ["height"]\n'
)


def written(
    folder: Path, rows: Sequence[Row], rule: str, assumptions: Sequence[str] = ()
) -> tuple[Path, Path]:
    """A release and a policy as files."""
    release, policy = folder / "release.csv", folder / "policy.toml"
    with release.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows(
            [{name: cell or "" for name, cell in row.items()} for row in rows]
        )
    lines = [
        f"[columns]\nquasi = {json.dumps(list(QUASI))}",
        'sensitive = ["f", "g"]',
        '[types]\ng = "integer"',
        "[agents]",
    ]
    lines += [
        f"{name} = {json.dumps(list(known))}"
        for name, known in AGENTS.items()
        if name not in ("a0", "a1")
    ]
    lines += [
        "[assumptions]",
        *(f"a{k} = {json.dumps(text)}" for k, text in enumerate(assumptions)),
    ]
    policy.write_text(
        "\n".join([*lines, "[rules]", f"rule = {json.dumps(rule)}", ""]),
        encoding="utf-8",
    )
    return release, policy


def sealed(certificate: Mapping[str, Any]) -> dict[str, Any]:
    """A forged certificate with a digest that fits."""
    return {**certificate, "digest": digest(certificate)}


def accepted(certificate: Mapping[str, Any], release: Path) -> bool:
    """What ``phverify check`` says, without solvers, of a table that is small or, as it
    seems, is not.
    """
    for size in (nullcontext(), large()):
        try:
            with size:
                list(check(certificate, release))
                return True
        except (Refused, *MALFORMED):
            continue
    return False


def certified(release: Path, policy: Path) -> tuple[ph.Report, dict[str, Any]]:
    """A report with its certificate, as of a table that is not small: it has proofs."""
    report = ph.verify(release, policy)
    for size in (nullcontext(), large()):
        with size:
            certificate = json.loads(json.dumps(ph.certify(report, release, policy)))
            list(check(certificate, release))
        assert [r["verdict"] for r in certificate["rules"]] == [
            r.verdict for r in report.rules
        ], certificate["rules"]
        assert not certificate["agreed"]
    return report, certificate


@pytest.mark.parametrize(("text", "verdict"), EXAMPLES)
def test_worked_examples(text: str, verdict: str, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(
        f'{HEAD}identifier = "person"\n[rules]\nrule ='
        f" {json.dumps(text, ensure_ascii=False)}\n",
        encoding="utf-8",
    )
    release = HOSPITAL / "release.csv"
    if "'i3'" in text:
        lines = (HOSPITAL / "release.csv").read_text(encoding="utf-8").splitlines()
        named = [
            "person," + lines[0],
            *(f"i{k + 1},{line}" for k, line in enumerate(lines[1:])),
        ]
        release = tmp_path / "release.csv"
        release.write_text("\n".join(named) + "\n", encoding="utf-8")
    report, _ = certified(release, policy)
    assert report.verdict == verdict


@cases(200)
@given(questions())
def test_every_verdict_has_a_certificate(question: tuple[list[Row], str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        certified(*written(Path(folder), *question))


@cases(150)
@given(assumed())
def test_assumptions(question: tuple[list[Row], str, list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        release, policy = written(Path(folder), *question)
        try:
            certified(release, policy)
        except ph.InputError as error:
            assert "contradict" in str(error)


# Forgeries


def verdicts(release: Path, policy: Path) -> dict[str, str] | None:
    """What the engine says; None where it takes a value that does not occur for a slip
    of the pen.
    """
    try:
        return {rule.name: rule.verdict for rule in ph.verify(release, policy).rules}
    except ph.InputError as error:
        assert "does not occur" in str(error)
        return None


def numbers(text: str, rng: random.Random) -> str:
    """The text with one digit of it changed."""
    digits = [m.start() for m in re.finditer(r"\d", text)]
    at = rng.choice(digits)
    return text[:at] + rng.choice("0123456789".replace(text[at], "")) + text[at + 1 :]


def places(item: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all leaves of a JSON value."""
    if isinstance(item, dict):
        return [
            found
            for key, value in item.items()
            for found in places(value, (*path, key))
        ] or [path]
    if isinstance(item, list):
        return [
            found
            for key, value in enumerate(item)
            for found in places(value, (*path, key))
        ] or [path]
    return [path]


def changed(item: Any, rng: random.Random) -> Any:
    """Another value of the same type."""
    match item:
        case bool():
            return not item
        case int():
            return item + rng.choice((-1, 1))
        case str():
            return (
                numbers(item, rng)
                if re.search(r"\d", item)
                else {"proved": "refuted"}.get(item, item + "x")
            )
        case None:
            return "x"
    return [1] if isinstance(item, list) else {"x": 1}


def forged(certificate: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The certificate with one leaf changed, dropped or repeated."""
    mutant = copy.deepcopy(certificate)
    path = rng.choice(
        [p for p in places(mutant) if p[0] not in ("version", "solvers", "digest")]
    )
    parent = mutant
    for key in path[:-1]:
        parent = parent[key]
    how = rng.randrange(4)
    if how == 0 and isinstance(parent, list):
        parent.append(copy.deepcopy(parent[path[-1]]))
    elif how == 1:
        del parent[path[-1]]
    else:
        parent[path[-1]] = changed(parent[path[-1]], rng)
    return mutant


@cases(350)
@given(questions(), st.integers(0, 2**32))
def test_forgeries_are_refused(question: tuple[list[Row], str], seed: int) -> None:
    """A changed certificate is refused for its digest; with a new digest, unless what
    it says is true.
    """
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        release, policy = written(Path(folder), *question)
        _, certificate = certified(release, policy)
        for _ in range(3):
            mutant = forged(certificate, rng)
            if mutant != certificate:
                assert not accepted(mutant, release)
            if accepted(sealed(mutant), release):
                policy.write_text(mutant["policy"], encoding="utf-8")
                found = verdicts(release, policy)
                said = {
                    r["name"]: r["verdict"]
                    for r in mutant["rules"]
                    if r["verdict"] != "undecided"
                }
                assert found is None or said.items() <= found.items()


@cases(120)
@given(questions(), st.integers(0, 2**32))
def test_another_table_is_refused(question: tuple[list[Row], str], seed: int) -> None:
    """One cell changed: refused for the file's SHA-256; with a new one, unless the
    verdict is the same there.
    """
    rng = random.Random(seed)
    rows, text = question
    with tempfile.TemporaryDirectory() as folder:
        release, policy = written(Path(folder), rows, text)
        report, certificate = certified(release, policy)
        other = [dict(row) for row in rows]
        column = rng.choice(list(other[0]))
        row = rng.choice(other)
        row[column] = rng.choice(
            [
                v
                for v in ("x", "0", "1", None)
                if v != row[column] and (column != "g" or v != "x")
            ]
        )
        if column == "q" and row["q"] is None and row["r"] is None:
            return
        written(Path(folder), other, text)
        assert not accepted(certificate, release)
        renamed = sealed({**certificate, "release": {"sha256": sha256(release)}})
        if accepted(renamed, release):
            assert verdicts(release, policy) in (None, {"rule": report.verdict})


@cases(120)
@given(questions(), st.integers(0, 2**32))
def test_a_verdict_is_not_turned_round(
    question: tuple[list[Row], str], seed: int
) -> None:
    """A refuted rule has no proof, and a proved one no witness, whatever is claimed."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        release, policy = written(Path(folder), *question)
        report, certificate = certified(release, policy)
        (rule,) = certificate["rules"]
        count = len(question[0])
        if report.verdict == "proved":
            place = [
                [k + 1, row + 1]
                for k, row in enumerate(rng.sample(range(count), count))
            ]
            witness = {
                "world": rng.randint(1, count),
                "assignment": rng.choice(([], place)),
                "path": [],
            }
            lie = {"name": rule["name"], "verdict": "refuted", "witness": witness}
            assert not accepted(
                sealed({**certificate, "rules": [lie], "proofs": {}}), release
            )
        else:
            asked = systems_of(release, policy, certificate)
            proofs = {name: {"farkas": [[0, "1"]]} for name in asked}
            lie = {"name": rule["name"], "verdict": "proved"}
            assert not accepted(
                sealed({**certificate, "rules": [lie], "proofs": proofs}), release
            )


def examined_by(release: Path, policy: Path, certificate: dict[str, Any]) -> list[Any]:
    from phverify.spec.certificate import Claims, opened
    from phverify.spec.data import policy as plain
    from phverify.spec.models import Table
    from phverify.spec.proofs import examined
    from phverify.spec.rules import rule

    rules = plain(policy.read_text(encoding="utf-8"))
    table = Table(opened(certificate, rules, release, None).data)
    claims = Claims(certificate, rules, table)
    return list(examined(rule(rules, table.data, "rule"), claims.given, table))


def systems_of(release: Path, policy: Path, certificate: dict[str, Any]) -> list[str]:
    """The digests of the ways to break a rule."""
    return [
        case.digest
        for case in examined_by(release, policy, certificate)
        if case is not None
    ]


# Where a proof would be too long


def pigeons(folder: Path) -> tuple[Path, Path]:
    """Six people in a class of six rows, and a rule whose proof needs a split."""
    rows: list[Row] = [{"q": "x", "r": "u", "f": value, "g": "0"} for value in "aabbcc"]
    people = [f"@i{k} f = a" for k in range(1, 7)]
    some = " | ".join(
        f"({a} & {b})" for k, a in enumerate(people) for b in people[k + 1 :]
    )
    return written(folder, rows, some)


def test_a_proof_may_split(tmp_path: Path) -> None:
    _, certificate = certified(*pigeons(tmp_path))
    assert any("split" in proof for proof in certificate["proofs"].values())


def test_long_proofs_rest_on_two_solvers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, policy = pigeons(tmp_path)
    report = ph.verify(release, policy)
    monkeypatch.setattr(prove, "NODES", 1)
    monkeypatch.setattr(enumeration, "ROWS", 0)
    certificate = ph.certify(report, release, policy)
    assert certificate["agreed"] and not certificate["proofs"]
    assert not accepted(certificate, release), (
        "no solver, no proof: the plain checker believes nobody"
    )
    found = ph.check(certificate, release=release)
    assert found.accepted and "two solvers agree: no proof" in str(found)
    lie = sealed(
        {**certificate, "policy": certificate["policy"].replace("f = a", "f = b", 1)}
    )
    assert not ph.check(lie, release=release).accepted


def test_without_a_second_solver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, policy = pigeons(tmp_path)
    report = ph.verify(release, policy)
    monkeypatch.setattr(prove, "NODES", 1)
    monkeypatch.setattr(agree, "available", lambda: False)
    monkeypatch.setattr(enumeration, "ROWS", 0)
    certificate = ph.certify(report, release, policy)
    (rule,) = certificate["rules"]
    with pytest.raises(Refused, match="claims nothing"):
        list(check(certificate, release))
    assert rule["verdict"] == "undecided" and "pip install" in rule["reason"]


# Farkas


def system(*constraints: tuple[tuple[tuple[int, int], ...], int]) -> Any:
    from phverify.spec.system import System

    return System(constraints, ("", "", ""))


HALF = system((((2, 0),), -1), (((-2, 0),), 1))  # x = 1/2
SPLIT = {"split": 0, "zero": {"farkas": [[0, "1"]]}, "one": {"farkas": [[1, "1"]]}}


def test_proofs_of_farkas() -> None:
    assert farkas.refute(HALF, SPLIT) == 2
    for wrong in (
        {"farkas": [[0, "1"], [1, "1"]]},
        {**SPLIT, "zero": SPLIT["one"]},
        {**SPLIT, "split": 1},
        {"split": 0, "zero": SPLIT, "one": SPLIT["one"]},
        {**SPLIT, "zero": {"farkas": [[0, "-1"]]}},
        {**SPLIT, "zero": {"farkas": [[0, "2/4"]]}},
        {**SPLIT, "zero": {"farkas": [[7, "1"]]}},
        {**SPLIT, "zero": {"farkas": [[0, "1"], [0, "1"]]}},
        {"farkas": []},
        {"farkas": [[False, "1"]]},
        None,
        {},
    ):
        with pytest.raises(Refused):
            farkas.refute(HALF, wrong)


constraints = st.tuples(
    st.lists(
        st.tuples(st.sampled_from([-3, -2, -1, 1, 2, 3]), st.integers(0, 2)),
        max_size=3,
        unique_by=lambda p: p[1],
    ).map(tuple),
    st.integers(-4, 3),
)


@settings(max_examples=600)
@given(st.lists(constraints, min_size=1, max_size=5))
def test_a_proof_is_found_iff_there_is_no_solution(listed: list[Any]) -> None:
    question = system(*listed)
    points = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    solvable = any(
        all(k + sum(c * p[v] for c, v in parts) >= 0 for parts, k in listed)
        for p in points
    )
    try:
        proof = prove.Prover(question, make.Deadline(20)).proof()
    except ph.Defect:
        assert solvable
    else:
        assert not solvable and farkas.refute(question, proof) >= 1
