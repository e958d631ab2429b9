"""``verify --failing``, the summary, and what a report leaves out."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import phverify as ph
from phverify.cli.main import main
from phverify.errors.redaction import hidden
from phverify.report.verify_failing import to_csv

TABLE = {
    "q": ["a", "a", "b", "b", "b", "c"],
    "zip": ["*"] * 6,
    "s": ["x", "x", "x", "y", "z", "y"],
}
RULES = {
    "large": "k_anonymity(2)",
    "diverse": "l_diversity(s, 2)",
    "fine": "k_anonymity(1)",
    "asked": "exists i, j: @i ~[a1] s = x & @j [a1] s = z",
    "known": "never_known(@i1 s = x)",
}
POLICY: dict[str, Any] = {
    "columns": {"quasi": ["q", "zip"], "sensitive": ["s"]},
    "rules": RULES,
}
HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
FILES = [str(HOSPITAL / name) for name in ("release.csv", "policy.toml")]


def report(redact: bool = False, **rules: str) -> ph.Report:
    policy = {**POLICY, "rules": rules or RULES}
    table = pd.DataFrame(TABLE)
    return ph.verify(table, ph.Policy.from_dict(policy), failing=True, redact=redact)


def lines(found: ph.Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(to_csv(found))))


def test_rows_with_their_class_and_rules() -> None:
    found = report(large=RULES["large"], diverse=RULES["diverse"], fine=RULES["fine"])
    assert lines(found) == [
        {"row": row, "class": cls, "breaks": rules, "q": q, "zip": "*", "s": s}
        for row, cls, rules, q, s in (
            ("d1", "1", "diverse", "a", "x"),
            ("d2", "1", "diverse", "a", "x"),
            ("d6", "3", "large; diverse", "c", "y"),
        )
    ]
    assert found.failing_rows is not None
    assert found.failing_rows.extents == {"large": "all", "diverse": "all"}
    data = found.to_dict()["failing_rows"]
    assert [row["row"] for row in data["rows"]] == ["d1", "d2", "d6"]
    assert data["rows"][2]["cells"] == {"q": "c", "zip": "*", "s": "y"}


def test_where_counting_does_not_tell_the_witness_stands_alone() -> None:
    found = report()
    assert found.failing_rows is not None
    extents = found.failing_rows.extents
    assert extents["asked"] == "witness"
    assert extents["known"] == "none"
    (witness,) = [rule.witness for rule in found.rules if rule.name == "asked"]
    assert witness is not None
    (line,) = [one for one in lines(found) if "asked" in one["breaks"]]
    assert line["row"] == witness.world


def test_redacted_rows_have_quasi_identifiers_alone() -> None:
    found = report(redact=True)
    assert set(lines(found)[0]) == {"row", "class", "breaks", "q", "zip"}


def test_columns_of_the_same_name_stay_apart() -> None:
    table = pd.DataFrame({"row": ["a", "b"], "class": ["u", "v"]})
    policy = {"columns": {"quasi": ["row", "class"]}, "rules": {"k": "k_anonymity(2)"}}
    found = ph.verify(table, ph.Policy.from_dict(policy), failing=True)
    head = to_csv(found).splitlines()[0]
    assert head == "row_,class_,breaks,row,class"


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1),
    st.integers(1, 4),
    st.integers(1, 3),
)
def test_the_rows_are_those_that_counting_by_hand_finds(
    rows: list[tuple[str, str]], k: int, l: int
) -> None:
    table = pd.DataFrame(rows, columns=["q", "s"])
    policy = {
        "columns": {"quasi": ["q"], "sensitive": ["s"]},
        "rules": {"k": f"k_anonymity({k})", "l": f"l_diversity(s, {l})"},
    }
    found = ph.verify(table, ph.Policy.from_dict(policy), failing=True)
    expected = []
    for number, (q, _) in enumerate(rows, start=1):
        values = [s for other, s in rows if other == q]
        broken = ["k"] * (len(values) < k) + ["l"] * (len(set(values)) < l)
        if broken:
            expected.append((f"d{number}", "; ".join(broken)))
    assert [(one["row"], one["breaks"]) for one in lines(found)] == expected


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["verify", FILES[0], "--policy", FILES[1], "--failing", "rows.csv"]
    assert main([*command, "--json", "out.json"]) == 1
    out = capsys.readouterr().out
    assert "  the failing rows are written to rows.csv (keep it confidential" in out
    assert "    2 rows in all\n    safe: all rows of the classes that break it\n" in out
    assert Path("rows.csv").read_text(encoding="utf-8") == (
        "row,class,breaks,birth,zip,height,income,health\n"
        "d3,2,safe,03/56,10***,160,100K,0\nd4,2,safe,03/56,10***,165,50K,2\n"
    )
    data = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert data["failing_rows"]["listed"] == {"safe": "all"}
    assert main([*command[:-1], FILES[0]]) == 2
    assert "never overwritten" in capsys.readouterr().err
    assert main([*command, "--json", "rows.csv"]) == 2


def test_the_summary_comes_first() -> None:
    text = str(report())
    summary, _, rest = text.partition("\n\n")[2].partition("\n\n")
    assert summary.splitlines() == [
        "  rule     verdict  classes that fail  rows in them",
        "  large    refuted  1 of 3             1 of 6",
        "  diverse  refuted  2 of 3             3 of 6",
        "  fine     proved   none               none",
        "  asked    refuted  not counted",
        "  known    refuted  not counted",
    ]
    assert rest.startswith("REFUTED  large: k_anonymity(2)")
    assert "classes that fail" not in str(report(large=RULES["large"]))


def test_suppressed_columns_are_named_once() -> None:
    found = report(large=RULES["large"])
    assert found.suppressed == ("zip",)
    text = str(found)
    assert "  suppressed throughout: zip\n" in text
    assert "    class: q = c (1 row)\n" in text
    witness = found.rules[0].witness
    assert witness is not None and witness.cls == {"q": "c", "zip": "*"}
    assert "zip = *" not in found._repr_html_()


def test_long_fractions_are_rounded() -> None:
    whole = pd.DataFrame(
        {"q": ["a"] * 101 + ["b"] * 900, "s": ["x"] * 70 + ["y"] * 931}
    )
    policy = {
        "columns": {"quasi": ["q"], "sensitive": ["s"]},
        "rules": {"t": "t_closeness(s, 1/10)"},
    }
    found = ph.verify(whole, ph.Policy.from_dict(policy))
    assert "the whole table is 9000/14443 (~0.6231) > 1/10" in str(found)
    witness = found.to_dict()["rules"][0]["witness"]
    assert "9000/14443 > 1/10" in witness["statement"]


def test_reprs_are_a_line() -> None:
    reports: list[object] = [
        report(),
        ph.search(HOSPITAL / "original.csv", HOSPITAL / "policy.toml"),
        ph.compare("k_anonymity(3)", "k_anonymity(2)"),
        ph.lint(HOSPITAL / "policy.toml"),
        ph.audit(
            HOSPITAL.parent / "bank" / "accounts.csv",
            HOSPITAL.parent / "bank" / "queries.sql",
            HOSPITAL.parent / "bank" / "audit.toml",
        ),
        ph.reidentify(HOSPITAL / "original.csv", *FILES),
        ph.verify(*FILES),
    ]
    for one in reports:
        shown = repr(one)
        assert shown.startswith(f"{type(one).__name__}(")
        assert len(shown) <= 120 and "\n" not in shown, shown
    assert repr(ph.verify(*FILES)) == "Report(refuted: 2 rules, 1 proved, 1 refuted)"
    survey = ph.mechanism(HOSPITAL.parent / "survey" / "survey.csv")
    assert repr(survey).startswith("MechanismReport(least epsilon ln(7) in [1.9459")


def test_notebooks_align() -> None:
    checked = ph.check(
        ph.certify(ph.verify(*FILES), *FILES), release=FILES[0], policy=FILES[1]
    )
    assert "ACCEPTED" in checked._repr_html_()
    assert repr(checked).startswith("CheckResult(accepted: ")
    html = ph.verify(*FILES)._repr_html_()
    assert "<code>k_anonymity(2)</code>" in html
    assert re.search(r"\.phverify code \{[^}]*monospace; white-space: pre-wrap", html)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "the path of 'a' has 1 entries, that of \"it's\" has 2",
            "the path of (hidden) has 1 entries, that of (hidden) has 2",
        ),
        ("the column's value 'x' isn't here", "the column's value (hidden) isn't here"),
        ("raw 'it's' and 'that's' here", "raw (hidden) here"),
        ("one 'a' and 'open", "one (hidden)open"),
        ("nothing of the kind", "nothing of the kind"),
    ],
)
def test_hidden(text: str, shown: str) -> None:
    assert hidden(text) == shown


@given(st.text(), st.text())
def test_nothing_that_is_quoted_is_left(first: str, second: str) -> None:
    text = hidden(f"the path of {first!r} has 1, that of {second!r} has 2")
    assert text == "the path of (hidden) has 1, that of (hidden) has 2"
