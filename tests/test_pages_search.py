"""The pages of searches: the verdict in a sentence, the space as a picture, what is
released; and what their public form must not have.
"""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.pages import check_page, read_page, said

import phverify as ph
from phverify.cli.main import main
from phverify.generalization.explored import STATES
from phverify.report.pictures import LatticeNode, Strip, lattice_svg, strips_svg
from phverify.report.release_blocks import in_order, roughly, spread_chart
from phverify.report.search_html import entropy
from phverify.report.tuples_html import spread

SECRET = "zq"
"""In every value, hierarchy, path and rule of these tables."""
ZIPS = tuple(f"{SECRET}{number}" for number in range(4))


def frame() -> pd.DataFrame:
    chance = random.Random(3)
    rows = []
    for number in range(24):
        rows.append(
            {
                "job": f"{SECRET}job{chance.randrange(4)}",
                "zip": ZIPS[chance.randrange(4)],
                "ill": f"{SECRET}ill{number % 3}",
                "who": f"{SECRET}who{number}",
            }
        )
    return pd.DataFrame(rows)


def write(folder: Path) -> tuple[str, str]:
    """A table and a policy as files."""
    place = folder / f"{SECRET}-folder"
    place.mkdir(exist_ok=True)
    frame().to_csv(place / "table.csv", index=False)
    for name, values in (("job", [f"{SECRET}job{n}" for n in range(4)]), ("zip", ZIPS)):
        lines = [
            f"{value};{SECRET}{name}half{place // 2};{SECRET}{name}top\n"
            for place, value in enumerate(values)
        ]
        (place / f"{name}.csv").write_text("".join(lines), encoding="utf-8")
    (place / "policy.toml").write_text(
        f"""
[columns]
quasi = ["job", "zip"]
sensitive = ["ill"]
identifier = "who"
[hierarchies]
job = "job.csv"
zip = "zip.csv"
[rules]
{SECRET}large = "k_anonymity(4)"
{SECRET}named = "@'{SECRET}who3' ~[a1] ill = '{SECRET}ill0'"
""",
        encoding="utf-8",
    )
    return str(place / "table.csv"), str(place / "policy.toml")


Found = dict[str, Any]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """A result of each kind, searched once."""
    table, policy = write(tmp_path_factory.mktemp("found"))
    answers: dict[str, Any] = {}
    for space in ("levels", "subtrees"):
        answers[space] = ph.search(table, policy, space=space)
    answers["minimal"] = ph.search(table, policy, all_minimal=True)
    answers["discernibility"] = ph.search(table, policy, objective="discernibility")
    answers["withheld"] = ph.search(table, policy, suppress=Fraction(1, 4))
    answers["tuples"] = ph.anonymize(table, policy=policy, budget=1)
    answers["tradeoff"] = ph.tradeoff(table, policy, k="2..5,30")
    strict = {**PLAIN, "rules": {f"{SECRET}rule": "k_anonymity(99)"}}
    rest = frame().drop(columns="who")
    answers["partitions"] = ph.search(rest, PLAIN, space="partitions")
    answers["infeasible"] = ph.search(rest, strict, space="partitions")
    return answers


PLAIN: dict[str, Any] = {
    "columns": {"quasi": ["job", "zip"], "sensitive": ["ill"]},
    "rules": {f"{SECRET}rule": "k_anonymity(4)"},
}


def test_public_pages_have_nothing_of_the_data(found: Found) -> None:
    for name, result in found.items():
        internal, public = result.to_html(), result.to_html(public=True)
        check_page(internal)
        check_page(public)
        check_page(result._repr_html_(), fragment=True)
        assert SECRET in internal, name
        assert SECRET not in public, name
        assert "Public form" in said(public)
        assert len(internal) < 1_000_000


WORDS = {
    "levels": ("OPTIMAL", "no other that keeps every rule has less"),
    "subtrees": ("OPTIMAL", "a cut through its hierarchy"),
    "tuples": ("OPTIMAL|PROVED", "There is a release that keeps every rule"),
    "tradeoff": ("DECIDED", "Of 5 numbers of k the best release is known for 4"),
    "infeasible": ("INFEASIBLE", "No release of the kind examined keeps every rule"),
}


def test_the_verdict_is_a_sentence_and_comes_first(found: Found) -> None:
    for name, (word, sentence) in WORDS.items():
        shown = said(found[name].to_html())
        assert sentence in shown, name
        first = re.search(word, shown)
        assert first and first.start() < shown.index("covers"), name


def pictures(page: str) -> list[str]:
    """The texts for who sees no pictures."""
    elements = read_page(page)
    return [
        one.attributes["aria-label"] or ""
        for one in elements
        if one.attributes.get("role") == "img"
    ]


def test_the_pictures_are_told_in_words(found: Found) -> None:
    lattice, *cuts, curve = pictures(found["levels"].to_html())
    levels = found["levels"].levels
    assert lattice.startswith("The lattice of 9 level vectors.")
    assert f"job {levels['job']}, zip {levels['zip']}" in lattice
    assert len(cuts) == 2 and "4 values of job are released as" in cuts[0]
    assert f"came to {float(found['levels'].cost):.6f}" in curve
    assert len(pictures(found["subtrees"].to_html())) == 3
    assert len(pictures(found["partitions"].to_html())) == 3
    assert any("The boxes of" in one for one in pictures(found["tuples"].to_html()))
    assert "The best release for k = 2" in pictures(found["tradeoff"].to_html())[0]
    # of the public one neither hierarchies nor boxes
    assert len(pictures(found["levels"].to_html(public=True))) == 2
    assert len(pictures(found["tuples"].to_html(public=True))) == 1


@pytest.mark.parametrize("objective", ["loss", "discernibility"])
def test_the_lattice_says_what_is_so(objective: str) -> None:
    """Each vector is decided anew: what is ruled out breaks the rule."""
    table = frame().drop(columns=["who", "ill"])
    trees = {name: tree(table[name]) for name in table.columns}
    rule = {"columns": {"quasi": list(trees)}, "rules": {"k": "k_anonymity(4)"}}
    given = {name: ph_hierarchy(lines) for name, lines in trees.items()}
    result = ph.search(table, rule, given, objective=objective)
    assert result.explored is not None and result.levels is not None
    lattice = result.explored.lattice()
    assert lattice is not None
    names = list(trees)
    seen = Counter()
    for levels in itertools.product(range(3), repeat=2):
        state = STATES[int(lattice.states[levels])]
        seen[state] += 1
        shown = Counter(
            tuple(
                trees[name][value][level]
                for name, value, level in zip(names, row, levels, strict=True)
            )
            for row in table.itertuples(index=False)
        )
        kept = min(shown.values()) >= 4
        if state == "broken":
            assert not kept
        if state in ("best", "satisfies"):
            assert kept
        assert state != "open"
        assert (state == "best") == (levels == tuple(result.levels.values()))
    assert seen["best"] == 1 and seen["broken"]
    counted = lattice.counted()
    assert [height for height, _ in counted] == list(range(5))
    assert sum(sum(counts) for _, counts in counted) == 9


def tree(values: Any) -> dict[str, tuple[str, str, str]]:
    ordered = sorted(set(values))
    return {
        value: (value, f"half{place // 2}", "*") for place, value in enumerate(ordered)
    }


def ph_hierarchy(lines: dict[str, tuple[str, str, str]]) -> Any:
    from phverify.microdata.hierarchy import validated

    return validated("tree", [*lines.values()])


def test_history_goes_from_bound_to_cost(found: Found) -> None:
    for name in ("levels", "subtrees", "withheld", "minimal"):
        result = found[name]
        last = result.history[-1]
        assert last.cost == last.bound == result.cost
        bounds = [one.bound for one in result.history]
        costs = [one.cost for one in result.history if one.cost is not None]
        assert bounds == sorted(bounds) and costs == sorted(costs, reverse=True)
        assert max(bounds) <= result.cost, name
        times = [one.seconds for one in result.history]
        assert times == sorted(times)
    assert found["discernibility"].history == ()


def test_columns_before_and_after_add_up(found: Found) -> None:
    for name in ("levels", "subtrees", "withheld"):
        result = found[name]
        for column in result.explored.columns():
            assert sum(column.before) == result.rows
            assert sum(column.after) == result.rows - result.suppressed
            assert sum(column.spread) == sum(column.after)
            images = dict(zip(column.scheme.values, column.images, strict=True))
            assert images == result.mapping[column.scheme.name]
        assert sum(result.explored.sizes()) == result.rows - result.suppressed
        assert result.explored.costs()["loss"] == result.cost
    shown = found["tuples"].shown
    for k in range(2):
        told = spread(shown.recoding, k)
        assert sum(before for _, before, _ in told) == 24
        assert sum(after for _, _, after in told) == 24 - found["tuples"].suppressed
    squares = found["discernibility"]
    assert squares.explored.costs()["discernibility"] == squares.cost


def test_bits_that_are_open() -> None:
    """Of a, a, b, c as one: a has 1 bit, b and c have 2."""
    table = pd.DataFrame({"q": list("aabc"), "r": list("xxxx")})
    rule = {"columns": {"quasi": ["q", "r"]}, "rules": {"k": "k_anonymity(4)"}}
    result = ph.search(table, rule, space="partitions")
    assert entropy(result.explored.columns()) == (1 + 1 + 2 + 2) / 8  # type: ignore[union-attr]
    by_tuples = ph.anonymize(table, policy=rule, budget=0.5)
    assert by_tuples.measures is not None
    assert float(by_tuples.measures.entropy) == pytest.approx(6 / 8)
    shown = said(result.to_html())
    assert "0.7500 bits a cell" in shown


def test_redacted_pages_have_no_mapping(tmp_path: Path) -> None:
    table, policy = write(tmp_path)
    for result in (
        ph.search(table, policy, redact=True),
        ph.anonymize(table, policy=policy, redact=True, budget=1),
    ):
        page = result.to_html()
        check_page(page)
        for value in (*ZIPS, f"{SECRET}job1", f"{SECRET}ill"):
            assert value not in page, value


def test_the_command_writes_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, policy = write(tmp_path)
    page = tmp_path / "page.html"
    for space in (("levels",), ("tuples", "--budget", "1")):
        command = ["search", table, "--policy", policy, "--html", str(page), "--space"]
        assert main([*command, *space]) == 0
        assert "the page is written to" in capsys.readouterr().out
        assert page.stat().st_mode & 0o777 == 0o600
        check_page(page.read_text(encoding="utf-8"))
        assert main([*command, *space, "--public"]) == 0
        assert SECRET not in page.read_text(encoding="utf-8")


# Pictures


EVIL = '<script>"&\u202e'


def test_texts_in_pictures_are_texts() -> None:
    svg = strips_svg([[Strip(0, 3, EVIL * 3, "cut")], [Strip(0, 3, "b" * 99, "below")]])
    assert "<script" not in svg and "\u202e" not in svg
    assert "&lt;script&gt;" in svg and "\u2026</text>" in svg
    page = ph.search(
        pd.DataFrame({"q": [EVIL, EVIL, "b", "b", "c"]}),
        {"columns": {"quasi": ["q"]}, "rules": {"k": "k_anonymity(2)"}},
        space="partitions",
    ).to_html()
    check_page(page)
    assert "<script" not in page and "\u202e" not in page


def test_neighbours_of_a_lattice_are_joined() -> None:
    nodes = [
        LatticeNode(levels, "open") for levels in itertools.product((0, 1), (0, 1, 2))
    ]
    assert lattice_svg(nodes, True).count("<line") == 7
    assert lattice_svg(nodes, False).count("<line") == 0
    assert lattice_svg(nodes, False).count("<rect") == 6


def test_large_spaces_are_counted_and_that_is_said() -> None:
    chance = [(7 * number) % 32 for number in range(200)]
    table = pd.DataFrame(
        {f"q{k}": [f"{v * (k + 1) % 32:05b}" for v in chance] for k in range(3)}
    )
    heights = {name: {"prefixes": [4, 3, 2, 1]} for name in table.columns}
    rule = {
        "columns": {"quasi": list(table.columns)},
        "hierarchies": heights,
        "rules": {"k": "k_anonymity(3)"},
    }
    result = ph.search(table, rule)
    page = said(result.to_html())
    assert "there are 216" in page
    assert "a picture has up to 150" in page
    assert "The lattice of levels" not in page


def test_values_stand_in_the_order_of_people() -> None:
    labels = ["10", None, "9", "b", "a", "1/2"]
    assert [labels[place] for place in in_order(labels)] == [
        "1/2",
        "9",
        "10",
        "a",
        "b",
        None,
    ]


def test_many_values_are_not_all_shown() -> None:
    many = [(str(number), number, Fraction(number)) for number in range(50)]
    chart: Any = spread_chart("q", many)
    assert len(chart.pairs) == 40
    # the rarest are left out: 0 to 9
    assert (
        chart.more == "The most frequent values; 10 values of 45 records are left out."
    )
    assert [pair.label for pair in chart.pairs] == [str(n) for n in range(10, 50)]


def test_small_numbers_are_not_told() -> None:
    told = [roughly(count, True) for count in (0, 1, 4, 5, 9, 1004)]
    assert told == [
        "none",
        "fewer than 5",
        "fewer than 5",
        "5 or more",
        "5 or more",
        "1,000 or more",
    ]
    assert roughly(3, False) == "3"


def test_single_releases_that_were_ruled_out_are_named() -> None:
    """Each with the records that would have to be withheld there, counted again."""
    table = pd.DataFrame({"zip": ["111", "112", "113", "121", "122", "211"] * 2})
    table["age"] = [str(20 + 3 * k) for k in range(12)]
    policy = {
        "columns": {"quasi": ["zip", "age"]},
        "hierarchies": {"zip": {"prefixes": [2, 1]}, "age": {"prefixes": [1]}},
        "rules": {"k": "k_anonymity(3)"},
    }
    result = ph.search(table, policy, suppress=Fraction(1, 12))
    pattern = r"with zip at level (\d), age at level (\d) breaks k unless (\d+) records"
    named = re.findall(pattern, said(result.to_html()))
    assert named
    for zip_level, age_level, records in named:
        kept = {"zip": 3 - int(zip_level), "age": 2 - int(age_level)}
        cut = table.apply(lambda column, kept=kept: column.str[: kept[column.name]])
        sizes = cut.value_counts()
        assert sizes[sizes < 3].sum() == int(records) > 1
    assert "Each of these reasons is about one release:" in said(result.to_html())
    assert "released so" not in said(result.to_html())
