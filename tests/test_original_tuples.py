"""``--original`` where tuples were recoded: as Mondrian, ARX and others release."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from support import original_tuples_oracle as tuples_oracle
from support.certificate_cases import sealed
from support.certificate_more_cases import forged
from support.check_claims_cases import (
    Desk,
    desk,  # noqa: F401
)
from support.original_tuples_oracle import Case, expected
from support.so_many import so_many

import phverify as ph
from phverify.cli import main as cli
from phverify.spec.certificate import check
from phverify.spec.data import Refused
from phverify.spec.published import sha256


@so_many(85)
@given(tuples_oracle.cases())
def test_recodings_by_tuples(tmp_path_factory: Any, case: Case) -> None:
    as_all_models_say(case, tmp_path_factory.getbasetemp())


def as_all_models_say(case: Case, folder: Path) -> None:
    """The verdict of all models; an error where the release is no sanitization, or the
    class of somebody named is open.
    """
    rules = tuples_oracle.bound(case, folder)
    before, after = pd.DataFrame(case.before), pd.DataFrame(case.shown)
    if not case.identified:
        after = after.drop(columns="who")
    answers = expected(case)
    try:
        report = ph.verify(after, rules, before)
    except ph.InputError as error:
        assert answers in (set(), {"open"}), error
        assert ("is open" in str(error)) == (answers == {"open"}), error
        return
    assert answers == {report.verdict}
    assert report.sanitized is not None
    tupled = report.sanitized.tupled
    assert (tupled is None) == tuples_oracle.by_columns(case)
    if tupled is not None:
        images: dict[Any, set[Any]] = {}
        for b, a in zip(case.before, case.after, strict=True):
            images.setdefault((b["q"], b["r"]), set()).add((a["q"], a["r"]))
        assert tupled.before == len(images)
        assert tupled.after == len(set().union(*images.values()))
        assert (tupled.alike is None) == all(
            len(found) == 1 for found in images.values()
        )


MONDRIAN = """age,sex,zip,ill
25~26,Male,53711,flu
25~27,Female,53712,hepatitis
25~26,Male,53711,bronchitis
27~28,Male,53710~53711,broken arm
25~27,Female,53712,measles
27~28,Male,53710~53711,hang nail
"""
PATIENTS = """age,sex,zip,ill
25,Male,53711,flu
25,Female,53712,hepatitis
26,Male,53711,bronchitis
27,Male,53710,broken arm
27,Female,53712,measles
28,Male,53711,hang nail
"""
"""The patients of LeFevre, DeWitt and Ramakrishnan (2006), and a Mondrian release."""
ARX = """age;job;city;ill
[20, 30[;*;8***;flu
[20, 30[;*;8***;cold
[30, 50[;nurse;81***;flu
[30, 50[;nurse;81***;cough
*;*;*;cold
[40, 50[;{cook, nurse};8***;flu
[40, 50[;{cook, nurse};8***;cough
"""
WORKERS = """age;job;city;ill
23;nurse;81675;flu
29;cook;82031;cold
30;nurse;81675;flu
41;nurse;81667;cough
88;smith;90402;cold
44;cook;82031;flu
49;nurse;81675;cough
"""
CITIES = "".join(
    f"{c};{c[:4]}*;{c[:3]}**;{c[:2]}***;{c[:1]}****;*\n"
    for c in ("81667", "81675", "82031", "90402")
).replace("8****", "8***")


def mondrian(desk: Desk, order: str = 'rows = "same order"\n') -> list[Path]:
    """The patients, their release and a policy."""
    rules = (
        f'{order}[columns]\nquasi = ["age", "sex", "zip"]\nsensitive = ["ill"]\n'
        '[rules]\ntwo = "k_anonymity(2)"\nwho = "@i4 l_a1(ill = measles) = 0"\n'
    )
    return [
        desk("release.csv", MONDRIAN),
        desk("policy.toml", rules),
        desk("original.csv", PATIENTS),
    ]


def arx(desk: Desk) -> list[Path]:
    """Workers, recoded as ARX recodes locally, one of them suppressed."""
    desk("city.csv", CITIES)
    rules = (
        'rows = "same order"\n[columns]\nquasi = ["age", "job", "city"]\n'
        'sensitive = ["ill"]\n[types]\nage = "integer"\n[hierarchies]\n'
        'city = "city.csv"\n[rules]\ntwo = "k_anonymity(2)"\n'
        'who = "@i6 l_a1(ill = flu) = 1/2"\n'
    )
    return [
        desk("release.csv", ARX),
        desk("policy.toml", rules),
        desk("original.csv", WORKERS),
    ]


@pytest.mark.parametrize(
    ("example", "tuples", "boxes", "verdicts"),
    [(mondrian, 6, 3, ["proved", "proved"]), (arx, 7, 4, ["refuted", "proved"])],
)
def test_releases_of_mondrian_and_of_arx(
    desk: Desk,
    example: Callable[[Desk], list[Path]],
    tuples: int,
    boxes: int,
    verdicts: list[str],
) -> None:
    files = example(desk)
    report = ph.verify(*files)
    assert [rule.verdict for rule in report.rules] == verdicts
    said = str(report)
    assert "truthful, recoded by tuples, proper; rows in the same order" in said
    assert f"{tuples} tuples of quasi-identifier values -> {boxes}" in said
    assert report.to_dict()["sanitization"]["tuples"] == {
        "before": tuples,
        "after": boxes,
        "function": True,
        "torn": 0,
        "alike": None,
    }
    certificate = ph.certify(report, *files)
    assert certificate["original"]["mapping"] == "tuples"
    release, rules, original = files
    answer = ph.check(certificate, release=release, policy=rules, original=original)
    assert answer.accepted
    assert "recoded by tuples: every cell contains the original one" in str(answer)

    # an attacker who reads the cells finds everybody's own class among the candidates
    risk = ph.reidentify(original, release, rules)
    assert "true records by the order of the rows" in str(risk)


def test_the_command(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    release, rules, original = map(str, mondrian(desk))
    given_files = ["--policy", rules, "--original", original]
    cert = str(desk("cert.json"))
    verifying = ["verify", release, *given_files, "--certificate", cert]
    assert cli.main(verifying) == 0
    assert "recoded by tuples" in capsys.readouterr().out
    assert cli.main(["check", cert, "--release", release, *given_files]) == 0
    assert "ACCEPTED" in capsys.readouterr().out


def test_without_a_pairing_the_order_is_only_a_hint(desk: Desk) -> None:
    release, rules, original = mondrian(desk, order="")
    with pytest.raises(ph.InputError) as caught:
        ph.verify(release, rules, original)
    assert "in the order of its rows it is the original, recoded by tuples" in str(
        caught.value
    )
    desk("release.csv", MONDRIAN.replace("25~26,Male,53711,flu", "24,Male,53711,flu"))
    with pytest.raises(ph.InputError) as caught:
        ph.verify(release, rules, original)
    assert "recoded by tuples" not in str(caught.value)


WRONG = [
    ("25~26,Male,53711,flu", "26~27,Male,53711,flu", "a range that contains it is 25..27"),
    ("27~28,Male,53710~53711,b", "27~28,Male,53711,b", "a number in place of others"),
    ("25~26,Male,53711,flu", '"25,26",Male,53711,flu', "a set is written {25, 26}, a range 25..26"),
    ("25~26,Male,53711,flu", ",Male,53711,flu", "a cell that is suppressed is written *"),
    ("25~27,Female,53712,h", "25~27,F,53712,h", "a set that contains it is written {Female, ..}"),
    ("25~27,Female,53712,h", '25~27,"{F, Male}",53712,h', "'F' is no value of the original"),
    ("25~27,Female,53712,h", "25~27,{Male},53712,h", "the set would be {Male, Female}"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "hint"), WRONG)
def test_cells_that_do_not_contain_the_original(
    desk: Desk,
    right: str,
    wrong: str,
    hint: str,
) -> None:
    files = mondrian(desk)
    certificate = ph.certify(ph.verify(*files), *files)
    release, rules, original = files
    assert right in MONDRIAN
    release.write_text(MONDRIAN.replace(right, wrong), encoding="utf-8")
    with pytest.raises(ph.InputError) as caught:
        ph.verify(release, rules, original)
    problems = caught.value.problems
    assert "is no sanitization of the original" in problems[0].what
    assert "which is no generalization of it" in problems[1].what
    assert hint in problems[1].hint
    number = next(k for k, row in enumerate(MONDRIAN.split("\n")) if right in row)
    assert problems[1].where.endswith(f"row {number}")
    # nor does the checker take a certificate that names this release
    resealed = sealed({**certificate, "release": {"sha256": sha256(release)}})
    refused = ph.check(resealed, release=release, policy=rules, original=original)
    assert not refused.accepted
    assert "which does not surely contain it" in str(refused)


def test_at_most_five_cells_are_named(desk: Desk) -> None:
    release, rules, original = mondrian(desk)
    lines = MONDRIAN.replace("~", "|").replace("Female", "woman")
    release.write_text(lines, encoding="utf-8")
    with pytest.raises(ph.InputError) as caught:
        ph.verify(release, rules, original)
    named = [p for p in caught.value.problems if "no generalization of it" in p.what]
    assert len(named) == 5


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("release.csv", MONDRIAN.replace("flu", "cold"), "'ill' is not as it is"),
        ("release.csv", MONDRIAN.replace("hang nail\n", "hang nail\n*,*,*,x\n"), "adds no rows"),
        ("original.csv", PATIENTS.replace("26,Male", "24,Male"), "does not surely contain it"),
    ],
)  # fmt: skip
def test_forged_releases(desk: Desk, name: str, text: str, message: str) -> None:
    files = mondrian(desk)
    release, rules, original = files
    certificate = ph.certify(ph.verify(*files), *files)
    desk(name, text)
    named = {
        "release": {"sha256": sha256(release)},
        "original": {"sha256": sha256(original), "mapping": "tuples"},
    }
    answer = ph.check(
        sealed({**certificate, **named}),
        release=release,
        policy=rules,
        original=original,
    )
    assert not answer.accepted
    assert message in str(answer)


def test_the_checker_needs_a_pairing(desk: Desk) -> None:
    release, rules, original = mondrian(desk, order="")
    text = rules.read_text(encoding="utf-8")
    with pytest.raises(Refused, match="which rows belong together"):
        forged(release, text, original, mapping="tuples")
    named = text.replace("sensitive", 'identifier = "who"\nsensitive')
    with pytest.raises(Refused, match="which rows belong together"):
        forged(release, named, original, mapping="tuples")


TORN_BEFORE = "age,ill\n20,a\n20,b\n30,a\n30,b\n40,a\n40,b\n50,a\n50,b\n"
TORN_AFTER = "age,ill\n20,a\n20-30,b\n20-30,a\n30-40,b\n30-40,a\n40,b\n*,a\n*,b\n"


def test_relaxed_recodings(desk: Desk) -> None:
    """Alike rows in different classes: who is named must be certain."""
    release = desk("release.csv", TORN_AFTER)
    original = desk("original.csv", TORN_BEFORE)
    head = 'rows = "same order"\n[columns]\nquasi = ["age"]\nsensitive = ["ill"]\n'
    open_rule = '[rules]\nr = "@i3 l_a1(ill = a) <= 1/2"\n'
    certain = '[rules]\nk = "k_anonymity(1)"\nr = "@i7 l_a1(ill = a) <= 1/2"\n'
    rules = desk("policy.toml", head + certain)
    report = ph.verify(release, rules, original)
    assert report.verdict == "proved"
    said = str(report)
    assert "truthful, recoded by tuples, no function" in said
    assert "rows 1 and 2 of the original, 6 rows in all" in said
    certificate = ph.certify(report, release, rules, original)
    answer = ph.check(certificate, release=release, policy=rules, original=original)
    assert answer.accepted
    assert "nobody named is among them" in str(answer)

    desk("policy.toml", head + open_rule)
    with pytest.raises(ph.InputError, match="in which class i3 is, is open"):
        ph.verify(release, rules, original)
    with pytest.raises(Refused, match="not by a function: i3 may be in several"):
        settled(
            forged(
                release,
                head + open_rule,
                original,
                mapping="tuples",
                rows="same order",
            ),
            desk,
        )
    secret = f'{head}[secrets]\ni3 = ["ill = a"]\n[rules]\nr = "logical_safety()"\n'
    desk("policy.toml", secret)
    with pytest.raises(ph.InputError, match=r"secrets\.i3: in which class i3 is"):
        ph.verify(release, rules, original)


def settled(certificate: dict[str, Any], desk: Desk) -> None:
    """Raises what the checker raises."""
    release, original = desk("release.csv"), desk("original.csv")
    list(check(certificate, release, original))


def test_redacted(desk: Desk) -> None:
    """Counts are shown, and no cell."""
    release, rules, original = mondrian(desk)
    said = str(ph.verify(release, rules, original, redact=True))
    assert "6 tuples of quasi-identifier values -> 3" in said
    release.write_text(MONDRIAN.replace("25~26,", "26~27,"), encoding="utf-8")
    with pytest.raises(ph.InputError) as caught:
        ph.verify(release, rules, original)
    hidden = "\n".join(problem.text(redact=True) for problem in caught.value.problems)
    assert "26~27" not in hidden and "'25'" not in hidden


@given(tuples_oracle.cases(most=4))
@so_many(30, fuzz=1000)
def test_certificates_and_a_changed_cell(tmp_path_factory: Any, case: Case) -> None:
    """The checker takes what is so, and no release with a cell that is not."""
    desk = Desk(tmp_path_factory.mktemp("case"))
    if not tuples_oracle.by_tuples(case) or expected(case) == {"open"}:
        return
    release, rules, original = tuples_oracle.files(case, desk.folder)
    report = ph.verify(release, rules, original)
    if report.verdict == "undecided":
        return
    certificate = ph.certify(report, release, rules, original)
    assert ph.check(
        certificate, release=release, policy=rules, original=original
    ).accepted
    # the reading by tuples can be claimed of what the columns explain, too
    before = {**certificate["original"], "mapping": "tuples"}
    claimed = sealed({**certificate, "original": before})
    list(check(claimed, release, original))

    for number, row in enumerate(case.shown):
        for q in tuples_oracle.QUASI:
            person = case.order[number]
            value = case.before[person][q]
            held = case.meaning(q)
            loose = [text for text in held if text and value not in held[text]]
            for text in loose[number::7]:
                rows = list(case.shown)
                rows[number] = {**row, q: text}
                tuples_oracle.write(release, rows, case.identified)
                changed = {**claimed, "release": {"sha256": sha256(release)}}
                with pytest.raises(Refused, match="does not surely contain it"):
                    list(check(sealed(changed), release, original))


COLUMNS = {"age": [["25", "25~26"]], "sex": [], "zip": []}


@pytest.mark.parametrize("mapping", ["tuple", "", {}, COLUMNS, [], None, True])
def test_forged_mappings(desk: Desk, mapping: Any) -> None:
    """What is recoded by tuples is no mapping of columns, and nothing else is told."""
    files = mondrian(desk)
    release, rules, original = files
    certificate = ph.certify(ph.verify(*files), *files)
    before = {**certificate["original"], "mapping": mapping}
    with pytest.raises(Refused):
        list(check(sealed({**certificate, "original": before}), release, original))
    assert not ph.check(
        sealed({**certificate, "original": before}),
        release=release,
        policy=rules,
        original=original,
    ).accepted


def test_another_order_of_a_release_by_tuples_says_what_to_declare(desk: Desk) -> None:
    release, rules, original = mondrian(desk, order="")
    head, *lines = MONDRIAN.splitlines()

    def said(rows: list[str]) -> str:
        desk("release.csv", "\n".join([head, *rows, ""]))
        with pytest.raises(ph.InputError) as caught:
            ph.verify(release, rules, original)
        return str(caught.value)

    text = said(lines[::-1])
    assert "a release by tuples in another order" in text
    assert 'say rows = "same order"' in text and "identifier column" in text
    # No row of the original can have become the first one.
    strange = lines[0].replace("25~26", "40~41")
    assert "by tuples" not in said([*lines[:0:-1], strange])
    # The row with the flu has become no other one.
    ill = lines[0].replace("flu", "measles")
    assert "by tuples" not in said([*lines[:0:-1], ill])
