"""``phverify reidentify`` judging a method: sound, unsound, undecided; bad input, README."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from support.cli_reidentify_cases import (
    PEOPLE,
    POLICY,
    SHOWN,
    TOWN,
    Run,
    run,  # noqa: F401
)

import phverify as ph
from phverify.errors import BudgetExceeded, InputError
from phverify.linkage.methods import soundness as methods
from phverify.report.risk_text import decimal, percent, short

EVEN = "record,original,probability\nd1,Ann,1/3\nd1,Bob Lee,1/3\nd1,Cem,1/3\n6,i6,1\n"


def test_sound(run: Run) -> None:
    code, out, _ = run(TOWN, links=EVEN)
    assert code == 0
    assert out.splitlines() == [
        "links.csv: probabilities for 2 released records",
        (
            "  truth: where each released record comes from is known for certain, by"
            " the order of the rows"
        ),
        "  4 released records without an answer: not judged",
        "",
        "SOUND: 2 answers",
        (
            "  Expected correct links: 1.33 (66.7%) when drawn by the answers, 1.33"
            " (66.7%) when the likeliest is taken."
        ),
        "",
        (
            "Links by their numbers, all of them, and one to one (every record once at"
            " most):"
        ),
        (
            "  number  links  correct  precision  recall  one to one  correct "
            " precision  recall"
        ),
        (
            "  all         4        2        50%   33.3%           1        1      "
            " 100%   16.7%"
        ),
        (
            "  >= 0.5      1        1       100%   16.7%           1        1      "
            " 100%   16.7%"
        ),
        (
            "Calibration: what the links with such numbers are given on average, and"
            " the share of them that is correct:"
        ),
        "  number      links  given  correct",
        "  0.3 to 0.4      3  33.3%    33.3%",
        "  0.9 to 1        1   100%     100%",
    ]


def test_unsound(run: Run) -> None:
    code, out, _ = run(
        TOWN, links=EVEN + "d2,Bob Lee,0.1\nd2,Dan,0.3\nd2,Eve,0.6\nd3,Ann,1\n"
    )
    assert code == 1
    assert (
        "UNSOUND  d2: gives 1/10 to Bob Lee, from which it comes, and 3/5 to Eve\n"
        in out
    )
    assert (
        "UNSOUND  d3: gives nothing to Cem, from which it comes, and 1 to Ann\n" in out
    )
    assert (
        "No belief compatible with the truth has such an answer as its pignistic"
        " distribution" in out
    )
    assert "UNSOUND: 2 of 4 answers" in out


def test_what_is_possible_for_the_masking(run: Run) -> None:
    """A lucky guess is unsound where the masking leaves two originals (Proposition
    16).
    """
    lucky = "record,original,probability\nd1,Ann,1\nd3,Cem,1\n"
    assert run(TOWN, links=lucky)[0] == 0
    code, out, _ = run(TOWN, "--truth", "possible", links=lucky)
    assert code == 1
    assert (
        "UNSOUND  d1: gives nothing to Bob Lee, from which it comes with probability"
        " 1/2\n" in out
    )
    assert "UNSOUND: 1 of 2 answers" in out


def test_beliefs(run: Run) -> None:
    """Definition 7, for answers that are sets."""
    links = (
        "record,set,mass\nd1,{Ann;Bob Lee},0.5\nd1,{Ann;Bob Lee;Cem;Dan},0.5\nd2,{Ann"
        " Cem},0.25\nd2,Bob Lee,3/4\n"
    )
    code, out, _ = run(TOWN, links=links)
    assert code == 1
    assert "links.csv: belief functions for 2 released records" in out
    assert "UNSOUND  d2: believes {Ann, Cem} with 1/4, none of them true\n" in out
    assert "no more than the probability of the set (Definition 7)" in out


def test_prices(run: Run) -> None:
    """Neither excluded nor outweighed: a third record has too much (beyond Proposition
    19).
    """
    links = "record,original,probability\nd1,Ann,1/12\nd1,Bob Lee,1/12\nd1,Cem,10/12\n"
    code, out, _ = run(TOWN, "--truth", "possible", links=links)
    assert code == 1
    line = next(line for line in out.splitlines() if line.startswith("UNSOUND  d1"))
    assert "P(Cem)" in line
    assert "and no sound answer more than" in line
    found = json.loads(run(TOWN, "--truth", "possible", "--json", "-", links=links)[1])[
        "unsound"
    ][0]
    assert (found["why"], found["record"]) == ("overpriced", "d1")
    worth = {
        "Ann": Fraction(1, 12),
        "Bob Lee": Fraction(1, 12),
        "Cem": Fraction(10, 12),
    }
    claimed = sum(
        Fraction(price) * worth[name] for name, price in found["prices"].items()
    )
    assert claimed == Fraction(found["claimed"]) > Fraction(found["most"])


def test_normalizing(run: Run) -> None:
    links = (
        "unique_id_l,unique_id_r,match_probability\n1,Ann,0.8\n1,Bob Lee,0.8\n2,Bob"
        " Lee,1\n"
    )
    code, _, err = run(TOWN, links=links)
    assert code == 2
    assert "the numbers of 'd1' sum to 8/5, not to 1" in err
    code, out, _ = run(TOWN, "--normalize", links=links)
    assert code == 0
    assert "  normalized: the numbers of 1 record did not sum to 1\n" in out


@pytest.mark.parametrize(
    "columns", ["a,b,c", "record=a,original=b,probability=c", "a, b ,probability=c"]
)
def test_columns(run: Run, columns: str) -> None:
    links = "a,b,c\nd1,Ann,1\n"
    assert run(TOWN, "--columns", columns, links=links)[0] == 0
    sets = "a,b,c\nd1,{Ann},1\n"
    assert run(TOWN, "--columns", "a,set=b,c", links=sets)[0] == 0


def test_a_random_masking(run: Run) -> None:
    """The truth is Bayes' rule over the table (Example 21 has such a masking): 3/4 of
    those who say baker are.
    """
    masking = (
        '[masking.job.table]\nbaker = {baker = "3/4", nurse = "1/4"}\nnurse = {nurse ='
        " 1}\n"
    )
    Path("town.toml").write_text(POLICY.replace('quasi = ["age", "zip"]\nneutral = ["job"]', 'quasi = ["job"]')
                                 .replace('landlord = ["zip"]\ncolleague = ["age", "zip"]', "")
                                 .replace('zip = {prefixes = [3]}', "") + masking, encoding="utf-8")  # fmt: skip
    shown = PEOPLE.replace("Eve,42,10431,baker", "Eve,42,10431,nurse")
    Path("shown.csv").write_text(
        "\n".join(line.split(",", 1)[1] for line in shown.splitlines()),
        encoding="utf-8",
    )
    code, out, _ = run(TOWN)
    assert code == 0
    assert "random masking of job" in out
    # nurse comes from Cem and Dan with 1, from Ann, Bob Lee and Eve with 1/4: 4/11 and
    # 1/11
    links = "record,original,probability\n" + "".join(
        f"d5,{name},{share}\n" for name, share in
        (("Ann", "1/11"), ("Bob Lee", "1/11"), ("Cem", "4/11"), ("Dan", "4/11"), ("Eve", "1/11"))
    )  # fmt: skip
    code, out, _ = run(TOWN, links=links)
    assert code == 0, out
    assert "not who is where" in out
    assert run(TOWN, "--truth", "record", links=links)[0] == 1


def test_redacted_verdicts_name_nobody(run: Run) -> None:
    code, out, _ = run(TOWN, "--redact", links=EVEN + "d3,Ann,1\n")
    assert code == 1
    assert "UNSOUND: 1 of 3 answers" in out
    assert not any(name in out for name in ("Ann", "Cem", "d3"))
    assert (
        run(TOWN, "--redact", links="record,original,probability\nd1,Annn,1\n")[
            2
        ].count("Ann")
        == 0
    )


def test_undecided_is_no_verdict(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def tired(*_: object) -> None:
        raise BudgetExceeded("the budget ran out")

    monkeypatch.setattr(methods, "sound", tired)
    links = "record,original,probability\nd1,Ann,1/2\nd1,Bob Lee,1/2\nd6,Fay,1\n"
    code, out, _ = run(TOWN, "--truth", "possible", links=links)
    assert code == 3
    assert "UNDECIDED: the budget ran out for 1 answer, the others are sound" in out
    code, out, _ = run(TOWN, "--truth", "possible", links=links + "d2,Ann,1\n")
    assert code == 1
    assert "UNSOUND: 1 of 3 answers; the budget ran out for 1 answer" in out


@pytest.mark.parametrize(
    ("arguments", "links", "said"),
    [
        (["--demo"], "", "takes no files and no attackers"),
        (["--attacker", "zipp"], "", "did you mean 'zip'"),
        (["--threshold", "high"], "", "is a probability, not 'high'"),
        (["--threshold", "2"], "", "is a probability from 0 to 1, not 2"),
        (["--normalize"], "", "belongs to a method: give its links, too"),
        (["--truth", "record"], "", "belongs to a method: give its links, too"),
        (["--truth", "recrod"], EVEN, "is record or possible, not 'recrod'"),
        (["--columns", "a,b,c,d"], EVEN, "names one column for each"),
        (["--columns", "a,b,c"], EVEN, "there is no column 'a'"),
        (["--attacker", "zip"], EVEN, "no attacker plays a part"),
        (["--budget", "soon"], EVEN, "is a number of seconds"),
        (["--json", "links.csv"], EVEN, "is an input, which is never overwritten"),
        (["--method", "nothing.csv"], "", "there is no such file"),
        (
            [],
            "record,original,probability\nd1,Ann,0.5\n",
            "the numbers of 'd1' sum to 1/2, not to 1",
        ),
        ([], "record,original,probability\nd1,Anne,1\n", "did you mean 'Ann'?"),
        (
            [],
            "record,original,probability\nd9,Ann,1\n",
            "there is no released record 'd9'",
        ),
        ([], "record,original,probability\n", "the table has a header and no rows"),
    ],
)
def test_bad_input(run: Run, arguments: list[str], links: str, said: str) -> None:
    code, out, err = run(TOWN, *arguments, links=links)
    assert (code, out) == (2, "")
    assert said in err


def test_a_release_that_is_no_masking(run: Run) -> None:
    """The record that fits no original is named."""
    Path("shown.csv").write_text(
        SHOWN.replace(">=40,*,pilot", "20-29,*,pilot"), encoding="utf-8"
    )
    code, _, err = run(TOWN)
    assert code == 2
    assert "the release is no masking of the original" in err
    assert "record 6, age" in err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [("Bob Lee", "Ann", "some occur twice"), ("Ann", "", "1 are missing")],
)
def test_identifiers_must_tell_records_apart(
    run: Run, old: str, new: str, said: str
) -> None:
    Path("people.csv").write_text(PEOPLE.replace(old, new), encoding="utf-8")
    code, _, err = run(TOWN)
    assert code == 2
    assert said in err


def test_the_readme_shows_real_outputs(run: Run) -> None:
    """Block by block, "..": lines left out."""
    readme = Path(ph.__file__).parents[1] / "docs" / "reference" / "reidentify.md"
    if not readme.exists():
        pytest.skip("installed without docs")
    Path("town.toml").write_text(
        POLICY.replace('colleague = ["age", "zip"]\n', ""), encoding="utf-8"
    )
    more = "d2,Bob Lee,0.1\nd2,Dan,0.3\nd2,Eve,0.6\nd3,Ann,1\n"
    for links, command in (
        ("", "policy.toml\n"),
        (EVEN.replace("6,i6,1\n", "") + more, "policy.toml --method links.csv\n"),
    ):
        out = run(TOWN, links=links)[1].replace("shown.csv", "release.csv")
        text = readme.read_text(encoding="utf-8")
        shown = text.split(
            "$ phverify reidentify people.csv release.csv --policy " + command
        )[1].split("```")[0]
        for part in shown.split("\n..\n"):
            assert part.strip("\n") in out


def test_what_is_missing(run: Run) -> None:
    code, _, err = run(["people.csv"])
    assert code == 2
    assert "needs release and --policy" in err


def test_the_demo(run: Run) -> None:
    code, out, _ = run(["--demo"])
    assert code == 0
    assert "can expect to link 4 of 8 records correctly" in out
    assert "UNSOUND  d3: gives 1/4 to i3, from which it comes, and 3/4 to i4\n" in out
    assert "UNSOUND: 1 of 4 answers" in out


def test_python(run: Run) -> None:
    people, shown = pd.read_csv("people.csv"), pd.read_csv("shown.csv")
    found = ph.reidentify(people, shown, "town.toml", ["age,zip", "landlord"])
    assert found.verdict == "assessed"
    assert found.risk is not None
    assert found.risk.attacker("landlord").outcomes.smallest == 5
    assert "Whoever knows age, zip" in str(found)
    assert "Whoever knows age, zip of everybody" in found._repr_html_()
    links = pd.DataFrame(
        {"record": [1, 1], "original": ["Ann", "Bob Lee"], "probability": [0.25, 0.75]}
    )
    judged = ph.reidentify(people, shown, "town.toml", method=links)
    assert judged.verdict == "unsound"
    assert judged.method is not None
    assert judged.method.unsound[0].witness == methods.Outweighed(
        0, Fraction(1, 4), 1, Fraction(3, 4)
    )
    with pytest.raises(InputError, match="belongs to a method"):
        ph.reidentify(people, shown, "town.toml", normalize=True)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("0", "0%"),
        ("1", "100%"),
        ("1/9999", "<0.1%"),
        ("9999/10000", ">99.9%"),
        ("1/3", "33.3%"),
    ],
)
def test_percent(value: str, shown: str) -> None:
    assert percent(Fraction(value)) == shown


def test_numbers() -> None:
    assert [decimal(Fraction(x), 2) for x in ("12345.678", "-1/3", "2", "0.999")] == [
        "12,345.68",
        "-0.33",
        "2",
        "1",
    ]
    assert [short(Fraction(x)) for x in ("1/3", "123/45678")] == ["1/3", "~0.0027"]
