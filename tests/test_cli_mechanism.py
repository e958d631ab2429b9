"""``phverify mechanism``: the least epsilon against brute force over all pairs and
outputs, and what a user meets.
"""

from __future__ import annotations

import decimal
import json
import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from importlib.resources import files
from itertools import combinations, permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import phverify as ph
from phverify.cli.main import main
from phverify.errors import Defect, InputError
from phverify.exact import ln
from phverify.mechanisms import expsum
from phverify.mechanisms.privacy import PrivacyAnswer
from phverify.verbs import mechanism as verb

F = Fraction
Table = dict[str, dict[str, Fraction]]
ROOT = Path(__file__).parent.parent
SURVEY = Path(str(files("phverify.examples").joinpath("survey")))


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """A few inputs and outputs; zeros, ties and equal rows are frequent."""
    outputs = draw(st.integers(1, 4))
    weights = st.lists(st.integers(0, 4), min_size=outputs, max_size=outputs).filter(
        any
    )
    rows = draw(st.lists(weights, min_size=2, max_size=4))
    return {
        f"x{number}": {f"y{k}": F(weight, sum(row)) for k, weight in enumerate(row)}
        for number, row in enumerate(rows)
    }


def greatest_ratio(table: Table, pairs: list[tuple[str, str]]) -> Fraction | None:
    """The oracle: e^epsilon for the least epsilon; None where it is infinite."""
    greatest = F(1)
    for one, other in pairs:
        for first, second in ((one, other), (other, one)):
            for output, larger in table[first].items():
                smaller = table[second][output]
                if larger and not smaller:
                    return None
                if smaller:
                    greatest = max(greatest, larger / smaller)
    return greatest


def as_csv(table: Table, folder: Path) -> Path:
    outputs = list(next(iter(table.values())))
    lines = [",".join(["input", *outputs])]
    lines += [",".join([x, *map(str, row.values())]) for x, row in table.items()]
    path = folder / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def ln_decimal(value: Fraction) -> Decimal:
    with decimal.localcontext(decimal.Context(prec=60)):
        return Decimal(value.numerator).ln() - Decimal(value.denominator).ln()


def forced(report: ph.MechanismReport, table: Table) -> Fraction:
    """The ratio of the two probabilities that are said to force the least epsilon."""
    least = report.least
    assert least is not None
    return (
        table[str(least.first)][str(least.output)]
        / table[str(least.second)][str(least.output)]
    )


@given(tables(), st.fractions(1, 6, max_denominator=4), st.integers(1, 30))
def test_the_least_epsilon_against_brute_force(
    tmp_path_factory: pytest.TempPathFactory, table: Table, bound: Fraction, digits: int
) -> None:
    path = as_csv(table, tmp_path_factory.mktemp("least"))
    ratio = greatest_ratio(table, list(combinations(table, 2)))
    report = ph.mechanism(path, ln(bound), digits=digits)
    least = report.least
    assert least is not None
    if ratio is None:
        assert not least.finite and report.verdict == "refuted"
        assert table[str(least.first)][str(least.output)] > 0
        assert table[str(least.second)][str(least.output)] == 0
        return
    assert least.exact is not None and least.exact == ln(ratio)
    low, high = map(Decimal, least.decimals())
    assert low <= ln_decimal(ratio) <= high
    assert high - low <= 2 * Decimal(10) ** -digits
    assert report.verdict == ("proved" if ratio <= bound else "refuted")
    assert ph.mechanism(path, least.exact).verdict == "proved"
    if ratio > 1:
        assert forced(report, table) == ratio


@given(tables(), st.data())
def test_declared_pairs_against_brute_force(table: Table, data: st.DataObject) -> None:
    """ln(ratio) / distance <= ln(bound) is ratio <= bound^distance."""
    every = list(combinations(table, 2))
    pairs = data.draw(st.lists(st.sampled_from(every), min_size=1, unique=True))
    distances = {pair: data.draw(st.integers(0, 3)) for pair in pairs}
    bound = data.draw(st.fractions(1, 4, max_denominator=3))
    holds = True
    for pair, distance in distances.items():
        ratio = greatest_ratio(table, [pair])
        holds = holds and ratio is not None and ratio <= bound**distance
    declared = [
        [*data.draw(st.permutations(pair)), distance]
        for pair, distance in distances.items()
    ]
    report = ph.mechanism(table, ln(bound), adjacent=declared)
    assert report.verdict == ("proved" if holds else "refuted")
    least = report.least
    assert least is not None
    if least.finite and least.first is not None:
        assert report.distance == distances.get(
            (str(least.first), str(least.second))
        ) or (report.distance == distances[str(least.second), str(least.first)])
        assert least.exact == ln(forced(report, table)).times(1 / report.distance)


@given(st.permutations(range(3)))
def test_the_order_of_rows_does_not_matter(order: list[int]) -> None:
    rows = [("a", "7/10", "3/10"), ("b", "1/2", "1/2"), ("c", "1/5", "4/5")]
    table = {rows[k][0]: {"x": rows[k][1], "y": rows[k][2]} for k in order}
    least = ph.mechanism(table).least
    assert least is not None and least.exact == ln(F(7, 2))
    assert (least.first, least.second, least.output) == ("a", "c", "x")


def test_the_readme(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command of its section, on the files of the package."""
    readme = ROOT / "docs" / "reference" / "mechanism.md"
    if not readme.exists():
        pytest.skip("installed without docs")
    monkeypatch.chdir(SURVEY)
    blocks = readme.read_text(encoding="utf-8").split("```")[1::2]
    shown = [b.strip() for b in blocks if b.startswith("\n$ phverify mechanism")]
    assert len(shown) == 2
    for block in shown:
        command, _, output = block.partition("\n")
        main(command.split()[2:])
        assert capsys.readouterr().out.strip() == output
    assert (SURVEY / "survey.csv").read_text(encoding="utf-8") in "".join(blocks)


def test_the_documented_python() -> None:
    page = ROOT / "docs" / "mechanisms.md"
    if not page.exists():
        pytest.skip("installed without its docs")
    [code] = re.findall("```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    names: dict[str, object] = {}
    exec(code, names)
    for expression, value in re.findall(r"^(\S.*?)  # ([\"(].*)$", code, re.M):
        if "=" not in expression:
            assert eval(expression, names) == eval(value), expression


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    """As the README shows it."""
    assert main(["mechanism", "--demo", "--epsilon", "1.2"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "survey.toml: 3 inputs, 3 outputs",
        "  2 declared pairs of inputs compared; of other pairs nothing is claimed",
        "  least epsilon: ln(7/2), between 1.2527629684 and 1.2527629685",
        "  forced by: output never has probability 7/10 for input never, 1/5 for input once",
        "",
        "REFUTED  epsilon 6/5 is not enough for 2 declared pairs of inputs",
        "  Pr[M(never) = never] = 7/10 > e^(6/5) * 1/5, where 1/5 = Pr[M(once) = never]",
    ]


LONG_TABLE = """input,yes,no
yes,0.7345678901234,0.2654321098766
no,0.1234567890123,0.8765432109877
"""
LONG_NOISE = """[mechanism.laplace]
inputs = [0, "1.234567890123", 2]
grid = [0, 1, 2, 3]
scale = "3.14159265358979"
"""
CLOSE_TABLE = """input,yes,no
yes,0.7345678901234,0.2654321098766
no,0.7345678901233,0.2654321098767
"""


@pytest.mark.parametrize(
    ("name", "text", "bound"),
    [
        ("table.csv", LONG_TABLE, "1.23456789012345"),
        ("table.csv", LONG_TABLE, "0.1 + 1/2 ln(1.2345678901234)"),
        ("noise.toml", LONG_NOISE, "0.23456789012345"),
        ("close.csv", CLOSE_TABLE, "0"),
    ],
)
def test_no_sentence_has_a_long_fraction(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    text: str,
    bound: str,
) -> None:
    """What is decided stays exact: the level is the one that was asked for."""
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    page = tmp_path / "page.html"
    asked = ["mechanism", str(file), "--epsilon", bound]
    assert main([*asked, "--html", str(page)]) == 1
    told = capsys.readouterr().out
    for shown in (told, page.read_text(encoding="utf-8")):
        assert not re.search(r"\d{6,}/\d+|\d+/\d{6,}", shown)
    [level] = re.findall(r"REFUTED  epsilon (.*) is not enough", told)
    assert ph.mechanism(file, level).bound == ph.mechanism(file, bound).bound
    # Two numbers that differ are not shown equal.
    breach = r" = (\S+) > e\^\(.*\) \* (\S+), where \2 ="
    [(larger, smaller)] = re.findall(breach, told)
    assert Fraction(larger.rstrip(".")) > Fraction(smaller.rstrip("."))


@pytest.mark.parametrize(
    ("name", "bound", "code"),
    [
        ("survey.csv", None, 0),
        ("survey.csv", "ln(7)", 0),
        ("survey.csv", "ln(6.999999999999)", 1),
        ("survey.csv", "19/10", 1),
        ("survey.toml", "ln(7/2)", 0),
        ("survey.toml", "ln(2) + ln(1.75)", 0),
        ("survey.toml", "1.25", 1),
    ],
)
def test_exit_codes(name: str, bound: str | None, code: int) -> None:
    asked = [] if bound is None else ["--epsilon", bound]
    assert main(["mechanism", str(SURVEY / name), *asked]) == code


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = tmp_path / "out.json"
    assert main(["mechanism", str(SURVEY / "survey.toml"), "--json", str(written)]) == 0
    data = json.loads(written.read_text(encoding="utf-8"))
    assert data["least_epsilon"] == {
        "finite": True,
        "exact": "ln(7/2)",
        "low": "1.2527629684",
        "high": "1.2527629685",
    }
    assert data["pairs"] == [["never", "once", "1"], ["once", "often", "1"]]
    assert data["forced_by"] == {
        "inputs": ["never", "once"],
        "output": "never",
        "probabilities": ["7/10", "1/5"],
        "distance": "1",
    }
    assert data["epsilon"] is None and data["verdict"] is None
    assert "least epsilon: ln(7/2)" in capsys.readouterr().out


def test_never_against_sometimes_is_infinite(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.csv"
    path.write_text("input,x,y\na,0,1\nb,0.5,1/2\n", encoding="utf-8")
    assert main(["mechanism", str(path)]) == 1
    said = capsys.readouterr().out
    assert "least epsilon: infinite, no finite epsilon is enough" in said
    assert "output x has probability 1/2 for input b, 0 for input a" in said
    assert main(["mechanism", str(path), "--epsilon", "1000000"]) == 1
    assert "1/2 > e^(1000000) * 0" in capsys.readouterr().out


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_an_output_that_nobody_gives_and_blank_lines(
    tmp_path: Path, separator: str
) -> None:
    path = tmp_path / "table.csv"
    lines = ["input,x,y,never", "a,25%,0.75,0", "", "b,3/4,1/4,0"]
    path.write_text("\n".join(lines).replace(",", separator), encoding="utf-8")
    least = ph.mechanism(path).least
    assert least is not None and least.exact == ln(3)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("input,x,y\na,1/2,1/2\nb,1/3,1/3\n", "line 3: the probabilities of input 'b' sum to 2/3, not 1"),
        ("input,x,y\na,1/2,1/2\nb,0.333,0.666\n", "1/3, not 0.333"),
        ("input,x,y\na,3/2,-1/2\nb,0,1\n", "line 2, output 'y': the probability -1/2 is negative"),
        ("input,x,y\na,1/2,1/2\n\n\nb,1\n", "line 5: has 2 fields where the header has 3"),
        ("input,x,y\na,1/2,1/2\nb,one,0\n", "line 3, output 'x': 'one' is no number"),
        ("input,x,y\na,1/2,1/2\nb,,1\n", "line 3, output 'x': '' is no number"),
        ("input,x,y\na,1/2,1/2\na,0,1\n", "line 3: the input 'a' occurs twice"),
        ("input,x,y\na,1/2,1/2\n ,0,1\n", "line 3: the input has no name"),
        ("input,x,x\na,1/2,1/2\nb,0,1\n", "line 1: the output 'x' occurs twice"),
        ("input,x,\na,1/2,1/2\nb,0,1\n", "line 1: an output has no name"),
        ("input\na\n", "line 1: the header names no outputs"),
        ("", "table.csv: the file is empty"),
        ("\n\n", "table.csv: the file is empty"),
        ("input;x;y\na;0,5;0,5\nb;0;1\n", "write 0.5: decimals begin with a point"),
        ("input,x\n", "there are no rows"),
        ("input,x\na,1\n", "there is only one input"),
        (f"input,x,y\na,1/2,1/2\nb,1/{'9' * 2000},1\n", "longer than 1000 characters"),
    ],
)  # fmt: skip
def test_bad_tables(
    tmp_path: Path, content: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(content, encoding="utf-8")
    assert main(["mechanism", str(path)]) == 2
    assert said in capsys.readouterr().err


ROWS = 'rows = {a = {x = "1/2", y = "1/2"}, b = {x = "1/4", y = "3/4"}}\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[mechanism]\n" + ROWS + 'adjacent = [["a", "c"]]', "pair 1: there is no input 'c'"),
        ("[mechanism]\n" + ROWS + 'adjacent = [["a", "a"]]', "a is paired with itself"),
        ("[mechanism]\n" + ROWS + 'adjacent = [["a", "b", -1]]', "the distance -1 is no number"),
        ("[mechanism]\n" + ROWS + 'adjacent = [["a", "b"], ["b", "a"]]', "pair 2: is declared twice"),
        ("[mechanism]\n" + ROWS + 'adjacent = ["a"]', "pair 1: 'a' is no pair of inputs"),
        ("[mechanism]\n" + ROWS + 'adjacent = "all"', "expected a list of pairs, not 'all'"),
        ("[mechanism]\n" + ROWS + "adjacent = []", "adjacent: names no pair"),
        ("[mechanism]\n" + ROWS + 'adjacent = "difference"', "the input a is no number"),
        ("[mechanism]\nrow = 1", "did you mean 'rows'?"),
        ("[mechanism]\n", "expected one of table, rows"),
        ("[mechanism]\nrows = {a = {x = 1}, b = 1}", "the row of input 'b' is no table"),
        ("[mechanism]\nrows = 1", "expected a table of rows"),
        ('[mechanism]\ntable = "missing.csv"', "there is no such file"),
        ("[mechanism]\nrandomized_response = {values = [1, 2]}", "truth is missing"),
        ('[mechanism]\nrandomized_response = {values = "ab", truth = 0.5}', "expected a list"),
        ("[mechanism]\nlaplace = {inputs = [0, 1], grid = [0, 1], scale = 0}", "the scale is 0"),
        ('[mechanism]\ngauss = {inputs = ["u", 1], grid = [0], variance = 1}', "'u' is no number"),
        ("[mechanism.exponential]\nrate = 1\nutilities = {a = {x = 1}, b = {y = 1}}", "there is none for output 'y'"),
        ("[rules]\n", "expected a section [mechanism]"),
        ("mechanism", "is no TOML"),
    ],
)  # fmt: skip
def test_bad_descriptions(
    tmp_path: Path, content: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mechanism.toml"
    path.write_text(content, encoding="utf-8")
    assert main(["mechanism", str(path)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "exact"),
    [
        ("randomized_response = {values = [1, 2, 3], truth = 0.8}", "ln(8)"),
        # the nearest integer grid, renormalised alike at both ends
        ("laplace = {inputs = [0, 3], grid = [0, 3], scale = 2}", "3/2"),
        ('exponential = {rate = "1/2", utilities = {a = {x = 1, y = 0}, b = {x = 0, y = 1}}}', "1/2"),
        ('laplace = {inputs = [0, 3], grid = [0, 3], scale = 2}\nadjacent = "difference"', "1/2"),
        ("gauss = {inputs = [0, 2], grid = [0, 2], variance = 1}", "2"),
        (ROWS + 'adjacent = [["b", "a", 2]]', "1/2 ln(2)"),
    ],
)  # fmt: skip
def test_descriptions(tmp_path: Path, content: str, exact: str) -> None:
    path = tmp_path / "mechanism.toml"
    path.write_text(f"[mechanism]\n{content}\n", encoding="utf-8")
    report = ph.mechanism(path, exact)
    assert report.least is not None and str(report.least.exact) == exact
    assert report.verdict == "proved"


@pytest.mark.parametrize("wrong", ["", "-1", "e", "1e5", "9" * 2000, "ln(0)"])
def test_bad_epsilon(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mechanism", "--demo", f"--epsilon={wrong}"]) == 2
    assert capsys.readouterr().err.startswith("phverify: ")


@pytest.mark.parametrize("wrong", ["0", "-1", "1001", "99999", "x"])
def test_bad_digits(wrong: str) -> None:
    assert main(["mechanism", "--demo", f"--digits={wrong}"]) == 2


def test_python_takes_no_floats() -> None:
    halves: Mapping[str, Mapping[str, object]] = {x: {"x": 0.5, "y": 0.5} for x in "ab"}
    with pytest.raises(InputError, match=r"0\.5 is a float, which is no exact number"):
        ph.mechanism(halves)
    with pytest.raises(InputError, match="write it as text"):
        ph.mechanism(SURVEY / "survey.csv", 0.5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="digits"):
        ph.mechanism(SURVEY / "survey.csv", digits="5")  # type: ignore[arg-type]


def test_names_cannot_pass_for_a_verdict() -> None:
    """A name with a line end stays on its line."""
    table = {"a\nPROVED": {"x": 1, "y": 0}, "b": {"x": "1/2", "y": "1/2"}}
    lines = ph.mechanism(table).lines()
    assert not any(line.startswith("PROVED") for line in lines)
    assert "a\\nPROVED" in lines[-1]


def test_undecided_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With few digits the bound of an irrational mechanism is not told from its least
    epsilon.
    """
    path = tmp_path / "laplace.toml"
    path.write_text(
        "[mechanism]\nlaplace = {inputs = [0, 1, 3], grid = [0, 1, 3], scale = 2}\n",
        encoding="utf-8",
    )
    report = ph.mechanism(path, digits=60)
    assert report.least is not None and report.least.exact is None
    near, _ = report.least.decimals()
    monkeypatch.setattr(expsum, "LIMIT", 40)
    assert main(["mechanism", str(path), "--epsilon", near]) == 3
    said = capsys.readouterr().out
    assert f"UNDECIDED  epsilon {near}: inputs 3 and 0, output" in said
    monkeypatch.undo()
    assert main(["mechanism", str(path), "--epsilon", near]) == 1


def test_two_roads_must_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The definition is asked apart from the least epsilon: what they contradict each
    other in is a defect, not a verdict.
    """
    monkeypatch.setattr(verb, "local_privacy", lambda *_: PrivacyAnswer("proved"))
    with pytest.raises(Defect):
        ph.mechanism(SURVEY / "survey.csv", 1)


def test_every_order_of_pairs_is_asked() -> None:
    """A pair is asked in both directions, however it is written down."""
    table = {"a": {"x": "1/2", "y": "1/2"}, "b": {"x": "1/8", "y": "7/8"}}
    for pair in permutations("ab"):
        least = ph.mechanism(table, adjacent=[pair]).least
        assert least is not None and least.exact == ln(4)
