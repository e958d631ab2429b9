"""Certificates: every verdict has one that the checker accepts, and nothing false is
accepted.
"""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.agreement_cases import assumed, questions
from support.certificate_cases import (
    Row,
    accepted,
    certified,
    forged,
    sealed,
    written,
)
from support.examples import EXAMPLES
from support.so_many import so_many

import phverify as ph
from phverify.constraints import agree
from phverify.constraints import proofs as prove
from phverify.spec import enumeration, farkas
from phverify.spec.certificate import check
from phverify.spec.data import Refused
from phverify.spec.published import sha256
from phverify.verification import claims as make

HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"


HEAD = (
    '[columns]\nquasi = ["birth", "zip"]\nsensitive = ["income", "health"]\nneutral ='
    ' ["height"]\n'
)


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


@so_many(55)
@given(questions())
def test_every_verdict_has_a_certificate(question: tuple[list[Row], str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        certified(*written(Path(folder), *question))


@so_many(75)
@given(assumed())
def test_assumptions(question: tuple[list[Row], str, list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        release, policy = written(Path(folder), *question)
        try:
            certified(release, policy)
        except ph.InputError as error:
            assert "contradict" in str(error)


def verdicts(release: Path, policy: Path) -> dict[str, str] | None:
    """What the engine says; None where it takes a value that does not occur for a slip
    of the pen.
    """
    try:
        return {rule.name: rule.verdict for rule in ph.verify(release, policy).rules}
    except ph.InputError as error:
        assert "does not occur" in str(error)
        return None


@so_many(90)
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


@so_many(35)
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


@so_many(60)
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
    from phverify.spec.certificate import Claims, load
    from phverify.spec.data import policy as plain
    from phverify.spec.models import Table
    from phverify.spec.proofs import examined
    from phverify.spec.rules import rule

    rules = plain(policy.read_text(encoding="utf-8"))
    table = Table(load(certificate, rules, release, None).data)
    claims = Claims(certificate, rules, table)
    return list(examined(rule(rules, table.data, "rule"), claims.given, table))


def systems_of(release: Path, policy: Path, certificate: dict[str, Any]) -> list[str]:
    """The digests of the ways to break a rule."""
    return [
        case.digest
        for case in examined_by(release, policy, certificate)
        if case is not None
    ]


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
    # Whoever has no second solver is told so: nothing is wrong with the certificate.
    monkeypatch.setattr(agree, "available", lambda: False)
    unasked = ph.check(certificate, release=release)
    assert unasked.verdict == "undecided"
    assert unasked.verified[0].startswith("the policy is the certificate's own")
    assert "pip install 'phverify[proofs]' brings it" in unasked.problem
    assert ph.check(lie, release=release).verdict != "accepted"


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


@so_many(300, fuzz=2400)
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
