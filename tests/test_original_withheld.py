"""``--original`` where the release withholds records: who is released must be clear."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from support import original_tuples_oracle as whole
from support import withheld_oracle as fewer_oracle
from support.certificate_cases import sealed
from support.certificate_more_cases import forged
from support.check_claims_cases import (
    Desk,
    desk,  # noqa: F401
)
from support.so_many import so_many
from support.withheld_oracle import Fewer, expected

import phverify as ph
from phverify.spec.certificate import check
from phverify.spec.data import Refused
from phverify.spec.published import sha256


@so_many(100)
@given(fewer_oracle.fewer())
def test_as_all_explanations_say(tmp_path_factory: Any, fewer: Fewer) -> None:
    folder: Path = tmp_path_factory.getbasetemp()
    if fewer.told != "order" and whole.names_records(whole.parse(fewer.case.rule)):
        return
    whole.bound(fewer.case, folder)
    rules = ph.Policy.from_dict(fewer_oracle.policy(fewer), folder)
    before, after = pd.DataFrame(fewer.case.before), pd.DataFrame(fewer.shown)
    for table in (before, after):
        table["who"] = table["who"].map(lambda name: f"i{whole.NAMES.index(name) + 1}")
    if fewer.told != "identifier":
        before, after = before.drop(columns="who"), after.drop(columns="who")
    answer = expected(fewer)
    try:
        report = ph.verify(after, rules, before)
    except ph.InputError as error:
        said = str(error)
        assert answer in ("none", "open", "withheld", "unfit"), said
        # Of several explanations one may withhold whom another one releases.
        named = "is open" in said or "be withheld" in said or "is withheld" in said
        assert answer == "unfit" or named == (answer in ("open", "withheld")), said
        return
    assert answer == report.verdict
    assert report.sanitized is not None
    assert report.sanitized.tupled is not None
    gone = len(before) - len(after)
    assert report.sanitized.tupled.withheld == gone


@so_many(40, fuzz=1000)
@given(fewer_oracle.fewer(4))
def test_certificates(tmp_path_factory: Any, fewer: Fewer) -> None:
    """The checker finds the same people released, and refuses changed releases."""
    if expected(fewer) not in ("proved", "refuted"):
        return
    if fewer.told != "order" and whole.names_records(whole.parse(fewer.case.rule)):
        return
    desk = Desk(tmp_path_factory.mktemp("case"))
    files = fewer_oracle.files(fewer, desk.folder)
    release, rules, original = files
    report = ph.verify(release, rules, original)
    if report.verdict == "undecided":
        return
    certificate = ph.certify(report, *files)
    answer = ph.check(certificate, release=release, policy=rules, original=original)
    assert answer.accepted, answer
    assert "withheld" in str(answer)
    # A record that is nobody's.
    lines = release.read_text(encoding="utf-8").splitlines()
    forged = [*lines[:-1], lines[-1].rsplit(",", 1)[0] + ",7"]
    release.write_text("\n".join(forged) + "\n", encoding="utf-8")
    changed = {**certificate, "release": {"sha256": sha256(release)}}
    with pytest.raises(Refused):
        list(check(sealed(changed), release, original))


PEOPLE = "who,age,ill\nAnn,20,a\nBob,25,b\nCem,31,a\nDee,38,b\nEve,70,c\n"
SHOWN = "who,age,ill\nDee,30-39,b\nAnn,20-29,a\nBob,20-29,b\nCem,30-39,a\n"
HEAD = '[columns]\nquasi = ["age"]\nsensitive = ["ill"]\n'
TWO = '[rules]\ntwo = "k_anonymity(2)"\n'


def without_names(text: str) -> str:
    """A table without its first column."""
    return "".join(line.split(",", 1)[1] + "\n" for line in text.splitlines())


@pytest.mark.parametrize(
    ("told", "said"),
    [("identifier", "paired by the identifier"), ("nothing", "rows matched whatever")],
)
def test_who_is_released(desk: Desk, told: str, said: str) -> None:
    """Identifiers tell it, or the only function that makes the release."""
    named = told == "identifier"
    head = HEAD.replace("quasi", 'identifier = "who"\nquasi') if named else HEAD
    who = "Bob" if named else "i2"
    release = desk("release.csv", SHOWN if named else without_names(SHOWN))
    original = desk("original.csv", PEOPLE if named else without_names(PEOPLE))
    rules = desk("policy.toml", head + TWO + f'b = "@{who} l_a1(ill = b) = 1/2"\n')
    report = ph.verify(release, rules, original)
    assert report.verdict == "proved"
    assert said in str(report)
    assert "1 record of the original withheld" in str(report)
    # Tuples tell who is withheld; whether they were recoded is another thing.
    assert "truthful, read by tuples" in str(report)
    assert report.to_dict()["sanitization"]["tuples"]["withheld"] == 1
    certificate = ph.certify(report, release, rules, original)
    answer = ph.check(certificate, release=release, policy=rules, original=original)
    assert answer.accepted
    assert "1 record withheld" in str(answer)

    gone = "Eve" if named else "i5"
    desk("policy.toml", head + TWO + f'e = "@{gone} l_a1(ill = b) = 1/2"\n')
    with pytest.raises(ph.InputError, match=rf"{gone}' is withheld: no record"):
        ph.verify(release, rules, original)
    if named:
        desk("policy.toml", head + TWO + 'e = "@i₃ l_a1(ill = b) = 1/2"\n')
        said = "'i₃' could be row 3 of either table: records are withheld"
        with pytest.raises(ph.InputError, match=said) as refused:
            ph.verify(release, rules, original)
        assert "call people by their 'who'" in str(refused.value)
    desk("policy.toml", head + TWO + 'e = "@i9 l_a1(ill = b) = 1/2"\n')
    with pytest.raises(ph.InputError, match="unknown individual"):
        ph.verify(release, rules, original)


UNSURE = r"several ways to withhold them|may be withheld: no record is surely theirs"


def test_several_ways_to_withhold(desk: Desk) -> None:
    """Of two who fit one cell, one is released: nobody knows which."""
    original = desk("original.csv", "age,ill\n20,a\n21,a\n40,b\n41,b\n")
    release = desk("release.csv", "age,ill\n20-29,a\n40-49,b\n40-49,b\n")
    for order in ('rows = "same order"\n', ""):
        rules = desk("policy.toml", order + HEAD + '[rules]\none = "k_anonymity(1)"\n')
        report = ph.verify(release, rules, original)
        assert report.verdict == "proved"
        assert "who is withheld could be told otherwise" in str(report)
        certificate = ph.certify(report, release, rules, original)
        files = {"release": release, "policy": rules, "original": original}
        assert ph.check(certificate, **files).accepted
        named = desk(
            "policy.toml", order + HEAD + '[rules]\nr = "@i3 l_a1(ill = b) = 1"\n'
        )
        assert ph.verify(release, named, original).verdict == "proved"
        desk("policy.toml", order + HEAD + '[rules]\nr = "@i1 l_a1(ill = a) = 1"\n')
        with pytest.raises(ph.InputError, match=UNSURE) as first:
            ph.verify(release, named, original)
        desk("policy.toml", order + HEAD + '[rules]\nr = "@i2 l_a1(ill = a) = 1"\n')
        with pytest.raises(ph.InputError, match=UNSURE) as second:
            ph.verify(release, named, original)
        # What the policy says already is no advice.
        for told in (str(first.value), str(second.value)):
            assert not (order and "say rows" in told)


def test_some_of_those_who_are_alike(desk: Desk) -> None:
    """Whoever knows their quasi-identifiers alone cannot tell who of them is there."""
    original = desk("original.csv", "who,age,ill\nAnn,20,a\nBob,20,b\nCem,30,a\n")
    release = desk("release.csv", "who,age,ill\nAnn,*,a\nCem,*,a\n")
    head = HEAD.replace("quasi", 'identifier = "who"\nquasi')
    rules = desk("policy.toml", head + TWO)
    report = ph.verify(release, rules, original)
    assert report.verdict == "proved"
    assert "no function" in str(report)
    assert "alike and released or not, or differently: rows 1 and 2" in str(report)
    desk("policy.toml", head + '[rules]\nr = "@Ann l_a1(ill = a) = 1"\n')
    with pytest.raises(
        ph.InputError, match=r"class 'Ann' is, is open.* some are withheld"
    ):
        ph.verify(release, rules, original)


@pytest.mark.parametrize(
    ("order", "shown", "said"),
    [
        ('rows = "same order"\n', "age,ill\n40-49,b\n20-29,a\n", "row 2 of the release"),
        ("", "age,ill\n20-29,a\n20-29,b\n", "no function on tuples"),
        ("", "age,ill\n20-29,a\n20-29,c\n", "more often in the release"),
        ("", "age,ill\n20-29,a\n" * 1 + "20-29,a\n40,b\n41,b\n*,c\n", "a sanitization keeps"),
    ],
)  # fmt: skip
def test_what_nothing_explains(desk: Desk, order: str, shown: str, said: str) -> None:
    original = desk("original.csv", "age,ill\n20,a\n21,a\n40,b\n41,b\n")
    release = desk("release.csv", shown)
    rules = desk("policy.toml", order + HEAD + TWO)
    with pytest.raises(ph.InputError, match=said):
        ph.verify(release, rules, original)


def test_hierarchies_that_a_policy_lacks_are_named(desk: Desk) -> None:
    """Whoever released along hierarchies may ask with a policy without them."""
    original = desk(
        "original.csv", "age,zip,ill\n20,1,a\n21,1,a\n40,2,b\n41,2,b\n9,9,a\n"
    )
    release = desk(
        "release.csv", "age,zip,ill\nold,2,b\nyoung,1,a\nold,2,b\nyoung,1,a\n"
    )
    desk("age.csv", "9;child\n20;young\n21;young\n40;old\n41;old\n")
    roles = '[columns]\nquasi = ["age", "zip"]\nsensitive = ["ill"]\n'
    lacking = desk("policy.toml", roles + TWO)
    with pytest.raises(ph.InputError) as refused:
        ph.verify(release, lacking, original)
    whole, age = refused.value.problems
    assert whole.what.startswith("has 4 of the original's 5 rows: some cells contain")
    assert age.where == "quasi-identifier age"
    what = (
        "'old' in the release contains no value of the original, nor does 1 other label"
    )
    assert age.what == what
    line = 'age = "HIERARCHY.csv" under [hierarchies]'
    assert age.hint.endswith(line)
    # The hint is right: with that line the release is explained.
    given = '[hierarchies]\nage = "age.csv"\n'
    better = desk("policy.toml", roles + given + TWO)
    assert ph.verify(release, better, original).verdict == "proved"
    # With a hierarchy, the release may be misspelt, or the hierarchy another one.
    desk("age.csv", "9;child\n20;young\n21;young\n40;aged\n41;aged\n")
    with pytest.raises(ph.InputError) as refused:
        ph.verify(release, desk("policy.toml", roles + given + TWO), original)
    (_, age) = refused.value.problems
    assert age.what == "'old' in the release contains no value of the original"
    assert "is the hierarchy of 'age' the one" in age.hint


def test_too_many_tuples_to_look_for_a_function(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("phverify.spec.withheld.PAIRS", 3)
    original = desk("original.csv", without_names(PEOPLE))
    release = desk("release.csv", without_names(SHOWN))
    rules = desk("policy.toml", HEAD + TWO)
    with pytest.raises(ph.InputError, match=r"too large.*add the identifier column"):
        ph.verify(release, rules, original)


def test_what_counts_are_the_boxes_that_a_tuple_may_be_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 60 tuples and 12 boxes each tuple is in one box, and the last ones in none."""
    for room in ("mappings", "withheld"):
        monkeypatch.setattr(f"phverify.spec.{room}.PAIRS", 80)
    numbers = range(60)
    original = pd.DataFrame({"q": map(str, numbers), "f": [n % 7 for n in numbers]})
    shown = [f"{n // 5 * 5}-{n // 5 * 5 + 4}" for n in numbers]
    release = original.assign(q=shown)[:58]
    columns = {"quasi": ["q"], "sensitive": ["f"]}
    given: dict[str, Any] = {
        "columns": columns,
        "types": {"q": "integer"},
        "rules": {"k": "k_anonymity(3)"},
    }
    shuffled = release.sample(frac=1, random_state=0)
    report = ph.verify(shuffled, ph.Policy.from_dict(given), original)
    assert report.verdict == "proved"
    assert report.sanitized is not None
    assert report.sanitized.tupled is not None
    assert report.sanitized.tupled.withheld == 2


def test_a_cell_of_another_column_contains_nothing() -> None:
    """5 is in 5-6, but that is a cell of q."""
    original = pd.DataFrame({"p": [5, 5, 9], "q": [5, 6, 9], "f": ["a", "a", "b"]})
    release = pd.DataFrame({"p": ["1-2"] * 2, "q": ["5-6"] * 2, "f": ["a", "a"]})
    given: dict[str, Any] = {
        "columns": {"quasi": ["p", "q"], "sensitive": ["f"]},
        "types": {"p": "integer", "q": "integer"},
        "rules": {"k": "k_anonymity(2)"},
    }
    rules = ph.Policy.from_dict(given)
    with pytest.raises(ph.InputError, match="p: '1-2' in the release contains no"):
        ph.verify(release, rules, original)
    assert ph.verify(release.assign(p="5-6"), rules, original).verdict == "proved"


def test_linkage_in_the_same_order(desk: Desk) -> None:
    """Which records are linked is known where one way alone leaves rows out."""
    original = desk("original.csv", without_names(PEOPLE))
    release = desk("release.csv", "age,ill\n20-29,a\n25-29,b\n30-39,a\n")
    rules = desk("policy.toml", 'rows = "same order"\n' + HEAD)
    said = str(ph.reidentify(original, release, rules))
    assert "true records by the order of the rows" in said
    desk("original.csv", without_names(PEOPLE).replace("70,c", "39,a"))
    with pytest.raises(ph.InputError, match="record 3 of the release may be one of"):
        ph.reidentify(original, release, rules)
    desk("release.csv", "age,ill\n30-39,a\n20-29,a\n")
    with pytest.raises(ph.InputError, match=r"record 2.*behind the one before"):
        ph.reidentify(original, release, rules)
    desk("policy.toml", HEAD)
    with pytest.raises(ph.InputError, match='say rows = "same order"'):
        ph.reidentify(original, release, rules)


def test_the_checker_refuses_names_that_are_open(desk: Desk) -> None:
    original = desk("original.csv", "who,age,ill\nAnn,20,a\nBob,20,b\nCem,30,a\n")
    release = desk("release.csv", "who,age,ill\nAnn,*,a\nCem,*,a\n")
    head = HEAD.replace("quasi", 'identifier = "who"\nquasi') + "[rules]\n"
    for who, said in (
        ("Ann", "may be in several classes.*or withheld"),
        ("Bob", "unknown individual"),
        # Cem is the second who is released, and no number of the release is read.
        ("i2", "unknown individual"),
    ):
        text = f'{head}r = "@{who} l_a1(ill = a) = 1"\n'
        with pytest.raises(Refused, match=said):
            list(
                check(
                    forged(release, text, original, mapping="tuples"), release, original
                )
            )
    text = f'{head}r = "@Cem l_a1(ill = a) = 1"\n'
    list(check(forged(release, text, original, mapping="tuples"), release, original))


def test_a_value_of_withheld_records_hints_at_the_original() -> None:
    before = pd.DataFrame({"age": ["30", "30", "40"], "ill": ["flu", "flu", "hiv"]})
    after = before[:2]
    asked = {
        "columns": {"quasi": ["age"], "sensitive": ["ill"]},
        "rules": {"no": "forall i: @i ~[a1] ill = hiv"},
    }
    with pytest.raises(ph.InputError) as error:
        ph.verify(after, asked)
    text = str(error.value)
    assert "the value 'hiv' does not occur in 'ill'" in text
    assert "if all records with it were withheld, --original tells of them" in text
    assert ph.verify(after, asked, original=before).verdict == "proved"
    with pytest.raises(ph.InputError) as error:
        ph.search(after, asked)
    assert "--original" not in str(error.value)
