"""``phverify check`` believes nothing of a certificate: hierarchies, mappings, values,
policies, files.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import builders_oracle
from test_agreement import cases
from test_certificate import sealed
from test_certificate_more import forged
from test_hierarchies import built

import phverify as ph
from phverify import budget
from phverify.budget import OutOfTime, within
from phverify.cli.main import main
from phverify.errors import InputError
from phverify.microdata.hierarchy import Hierarchy
from phverify.spec import builders
from phverify.spec.data import Refused
from phverify.spec.mappings import Puzzle, elsewhere


class Desk:
    """A folder with the files of a question."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, name: str, text: str = "") -> Path:
        path = self.folder / name
        if text:
            path.write_text(text, encoding="utf-8")
        return path

    def certificate(self, content: Any) -> Path:
        return self("cert.json", json.dumps(content))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


TREE = "a;1;*\nb;1;*\nc;2;*\ne;2;*\n"
FLAT = "".join(f"{value};*;*\n" for value in "abce")
CLOSE = """[columns]
quasi = ["q"]
sensitive = ["d"]
[hierarchies]
d = "d.csv"
[rules]
close = "t_closeness(d, 0.3, distance=hierarchical)"
"""


def flat(desk: Desk) -> dict[str, Any]:
    """A certificate that is true of another hierarchy than the policy's, which is put
    back.
    """
    release, policy = (
        desk("release.csv", "q,d\nx,a\nx,b\ny,c\ny,e\n"),
        desk("policy.toml", CLOSE),
    )
    desk("d.csv", FLAT)
    certificate = ph.certify(ph.verify(release, policy), release, policy)
    desk("d.csv", TREE)
    assert ph.verify(release, policy).verdict == "refuted"
    return certificate


# Hierarchies


def test_a_forged_hierarchy_is_compared_with_the_file(desk: Desk) -> None:
    certificate = flat(desk)
    found = ph.check(
        certificate, release=desk("release.csv"), policy=desk("policy.toml")
    )
    assert (
        not found.accepted and "is not that of the policy's file d.csv" in found.problem
    )


def test_a_hierarchy_without_a_policy_is_shown_as_a_claim(desk: Desk) -> None:
    found = ph.check(flat(desk), release=desk("release.csv"))
    digest = hashlib.sha256(FLAT.encode()).hexdigest()
    assert found.accepted, "true of what it quotes"
    assert found.verified[0].startswith("the policy is the certificate's own")
    assert (
        "the hierarchy of 'd' is the certificate's own: 4 values, 2 levels, SHA-256"
        f" {digest}" in found.verified
    )


def test_the_lines_of_a_hierarchy_are_its_order(desk: Desk) -> None:
    desk("d.csv", "a;*\nb;*\nc;*\n")
    release = desk("release.csv", "q,d\nx,a\nx,c\ny,a\ny,b\n")
    policy = desk(
        "policy.toml",
        CLOSE.replace("0.3, distance=hierarchical", "1/5, distance=ordered"),
    )
    certificate = ph.certify(ph.verify(release, policy), release, policy)
    assert ph.check(certificate, release=release, policy=policy).accepted
    desk("d.csv", "b;*\na;*\nc;*\n")
    assert not ph.check(certificate, release=release, policy=policy).accepted


@pytest.mark.parametrize(
    "reading",
    [
        {},
        {"x": TREE},
        {"d": "a;1\na;2\n"},
        {"d": "a;1;*\nb;1;+\n"},
        {"d": 3},
        {"d": ""},
    ],
)
def test_quoted_hierarchies_that_are_none(reading: dict[str, Any], desk: Desk) -> None:
    assert not ph.check(
        sealed({**flat(desk), "hierarchies": reading}), release=desk("release.csv")
    ).accepted


AT_CUTS = st.sampled_from(["-3", "17", "18", "19", "29", "30", "31", "64", "65", "66"])
SPECS: list[tuple[dict[str, Any], st.SearchStrategy[list[str]]]] = [
    (
        {"intervals": ["5", "10", "20"], "start": "3"},
        st.lists(st.integers(-30, 99).map(str), min_size=1),
    ),
    (
        {"intervals": ["0.5", "1"]},
        st.lists(st.decimals(-9, 9, places=2).map(str), min_size=1),
    ),
    (
        {"ranges": [["18", "30", "65"], ["18", "65"]]},
        st.lists(AT_CUTS, min_size=1),
    ),
    (
        {"prefixes": [3, 1]},
        st.lists(st.text("abÄ 1", max_size=5).filter(bool), min_size=1),
    ),
    (
        {"masking": "right"},
        st.lists(st.text("abÄ*", max_size=5).filter(bool), min_size=1),
    ),
    (
        {"masking": "left"},
        st.lists(st.text("abÄ*", max_size=5).filter(bool), min_size=1),
    ),
    (
        {"dates": ["month", "quarter", "year", "decade"]},
        st.lists(st.dates().map(str), min_size=1),
    ),
    (
        {"groups": [{"low": ["A", "B"], "high": ["C"]}, {"all": ["low", "high"]}]},
        st.lists(st.sampled_from("ABC")),
    ),
    (
        {"groups": [{"low": ["A", "B"], "high": ["C"]}, {"*": ["low", "high"]}]},
        st.lists(st.sampled_from("ABC")),
    ),
]
ODD = st.lists(
    st.sampled_from(
        [
            "07",
            "7",
            "1e1",
            "-0.50",
            "x",
            "1/0",
            "2024-02-29",
            "2023-02-29",
            "A",
            "a" * 65,
        ]
    )
)
"""What fits some builder, or none."""


@cases(300)
@given(st.sampled_from(SPECS), st.data())
def test_builders_by_three_roads(
    spec: tuple[dict[str, Any], st.SearchStrategy[list[str]]], data: st.DataObject
) -> None:
    """Paths and their order are those of the oracle, as checker and engine read the
    policy; or all refuse.
    """
    kind, values = spec[0], data.draw(st.one_of(spec[1], ODD))
    try:
        expected = builders_oracle.lines(kind, values)
    except builders_oracle.Unbuilt:
        expected = []
    try:
        read = list(built(kind, values).paths.values())
    except InputError:
        read = []
    try:
        found = list(builders.built(builders.builder(kind), values, "q").values())
    except Refused:
        found = []
    assert found == read == expected


def test_builders_that_are_none() -> None:
    for spec in (
        {}, {"start": 1}, {"prefixes": [1], "masking": "left"}, {"prefixes": [0]}, {"masking": "up"}, {"prefixes": []},
        {"intervals": ["x"]}, {"intervals": [0]}, {"ranges": [[3, 1]]}, {"groups": [{"a": "b"}]}, {"ranges": [[]]},
        {"groups": [{"low": ["1"], "high": ["1"]}]}, {"prefixes": [1], "start": 1}, {"intervals": True},
        {"dates": ["week"]},
    ):  # fmt: skip
        with pytest.raises((Refused, ValueError)):
            builders.built(builders.builder(spec), ["1", "12"], "q")
    with pytest.raises(ValueError, match="two groups"):
        builders.builder({"groups": [{"low": ["1"], "high": ["1"]}]})


# Mappings


PREFIX = """[columns]
quasi = ["zip"]
sensitive = ["f"]
identifier = "who"
[hierarchies]
zip = "zip.csv"
[rules]
rule = "@i1 zip = 1* & k_anonymity(1)"
"""


def test_a_forged_mapping_is_compared_with_the_hierarchy(desk: Desk) -> None:
    zips = desk("zip.csv", "11;1*;*\n12;1*;*\n21;2*;*\n22;2*;*\n").read_text()
    original = desk("original.csv", "zip,f\n11,a\n12,b\n21,a\n22,b\n")
    release = desk("release.csv", "zip,f\n1*,b\n2*,a\n1*,a\n2*,b\n")
    policy = desk("policy.toml", PREFIX)
    certificate = ph.certify(
        ph.verify(release, policy, original), release, policy, original
    )
    assert ph.check(
        certificate, release=release, policy=policy, original=original
    ).accepted
    crossed = [["11", "2*"], ["12", "2*"], ["21", "1*"], ["22", "1*"]]
    for rules in (PREFIX, PREFIX.replace("@i1 zip = 1*", "@i1 zip = 2*")):
        with pytest.raises(Refused, match="not above it in the hierarchy of 'zip'"):
            forged(
                release,
                rules,
                original,
                mapping={"zip": crossed},
                hierarchies={"zip": zips},
            )


def test_the_order_of_the_rows_is_no_mapping(desk: Desk) -> None:
    """In the order given 1951 became the 1970s: no hierarchy says so, whatever the
    order.
    """
    original = desk("original.csv", "birth,f\n1951-09-07,a\n1972-01-01,a\n")
    release = desk("release.csv", "birth,f\n1970s,a\n1950s,a\n")
    rules = (
        '[columns]\nquasi = ["birth"]\nsensitive = ["f"]\n[hierarchies]\nbirth = {dates'
        ' = ["decade"]}\n'
    )
    for line in ("", 'rows = "same order"\n'):
        text = f'{line}{rules}[rules]\nrule = "k_anonymity(1)"\n'
        mapping = {"birth": [["1951-09-07", "1970s"], ["1972-01-01", "1950s"]]}
        more = {"rows": "same order"} if line else {}
        with pytest.raises(Refused, match="'1951-09-07' became '1970s'"):
            forged(release, text, original, mapping=mapping, **more)
    right = {"birth": [["1951-09-07", "1950s"], ["1972-01-01", "1970s"]]}
    said = forged(
        release,
        f'{rules}[rules]\nrule = "@i1 birth = 1950s"\n',
        original,
        mapping=right,
    )
    assert ph.check(said, release=release, original=original).accepted
    with pytest.raises(Refused, match="row by row"):
        forged(release, text, original, mapping=right, rows="same order")


def test_identifiers_say_who_is_who(desk: Desk) -> None:
    original = desk("original.csv", "who,zip,f\nAnn,1,a\nBob,2,a\n")
    release = desk("release.csv", "who,zip,f\nBob,x,a\nAnn,y,a\n")
    rules = PREFIX.replace('[hierarchies]\nzip = "zip.csv"\n', "").replace(
        "@i1 zip = 1*", "@Ann zip = {}"
    )
    wrong, right = ({"zip": [["1", one], ["2", two]]} for one, two in ("xy", "yx"))
    with pytest.raises(Refused, match="no sanitization"):
        forged(release, rules.format("x"), original, mapping=wrong)
    said = forged(release, rules.format("y"), original, mapping=right)
    assert ph.check(said, release=release, original=original).accepted


def explaining(
    before: Counter[Any], after: Counter[Any], images: dict[Any, Any]
) -> Iterator[dict[Any, Any]]:
    """All mappings that explain a release, one after the other."""
    for chosen in itertools.product(
        *(sorted(allowed, key=repr) for allowed in images.values())
    ):
        mapping = dict(zip(images, chosen, strict=True))
        found: Counter[Any] = Counter()
        for (values, rest), count in before.items():
            found[tuple(mapping[key] for key in enumerate(values)), rest] += count
        if found == after:
            yield mapping


@cases(400)
@given(st.integers(0, 2**40))
def test_other_mappings_by_enumeration(seed: int) -> None:
    rng = random.Random(seed)
    columns, values, labels = (
        rng.choice((1, 1, 2)),
        "abcd"[: rng.randint(1, 4)],
        ["x", "y", None][: rng.randint(1, 3)],
    )
    rows = [
        (tuple(rng.choices(values, k=columns)), rng.choice("rst"))
        for _ in range(rng.randint(1, 6))
    ]
    mapping = {(c, v): rng.choice(labels) for c in range(columns) for v in values}
    after = Counter(
        (tuple(mapping[key] for key in enumerate(cells)), rest) for cells, rest in rows
    )
    released = [{cells[c] for cells, _ in after} for c in range(columns)]
    images: dict[Any, Any] = {}
    for key in (key for cells, _ in rows for key in enumerate(cells)):
        free = frozenset(released[key[0]])
        images[key] = rng.choice(
            (free, free, frozenset([mapping[key], rng.choice(sorted(free, key=repr))]))
        )
    people = [cells for cells, _ in rng.sample(rows, rng.randint(1, len(rows)))]
    own = [{v: mapping[c, v] for v in values} for c in range(columns)]
    others = list(explaining(Counter(rows), after, images))
    moved = [
        any(other[key] != mapping[key] for other in others for key in enumerate(cells))
        for cells in people
    ]
    found = elsewhere(Puzzle(Counter(rows), after), images, own, people)
    assert found == (moved.index(True) + 1 if any(moved) else 0)


# Values


@pytest.mark.parametrize(
    "value", ["HIV\u00a0positive", "HIV  positive", "HIV pоsitive", "HIV positive "]
)
def test_values_that_do_not_occur_are_refused(value: str, desk: Desk) -> None:
    release = desk("release.csv", "q,f\nx,HIV positive\nx,HIV positive\n")
    text = '[columns]\nquasi = ["q"]\nsensitive = ["f"]\n[rules]\n'
    honest = forged(release, f"{text}rule = \"f   =\\n  'HIV positive'\"\n")
    assert (
        "PROVED   rule = f = 'HIV positive': by counting"
        in ph.check(honest, release=release).verified
    )
    with pytest.raises(Refused, match="does not occur in 'f'"):
        forged(release, f"{text}rule = \"~(f = '{value}')\"\n")


def test_nothing_inside_quotes_is_rewritten(desk: Desk) -> None:
    release = desk("release.csv", "q,f\nx,a  b\nx,a\u00a0b\n")
    text = '[columns]\nquasi = ["q"]\nsensitive = ["f"]\n[rules]\n'
    rule = "f  in {'a  b',   \\\"a\u00a0b\\\"}"
    found = ph.check(forged(release, f'{text}rule = "{rule}"\n'), release=release)
    assert "PROVED   rule = f in {'a  b', \"a\\xa0b\"}: by counting" in found.verified


# What is required


TWO = """[columns]
quasi = ["q"]
sensitive = ["f"]
[types]
f = ["a", "b", "c"]
[secrets]
"*" = ["f = a"]
i1 = ["f = b"]
i2 = ["f = b"]
i3 = ["f = b"]
i4 = ["f = b"]
[rules]
good = "k_anonymity(2)"
bad = "k_anonymity(3)"
"""


@pytest.fixture
def two(desk: Desk) -> Desk:
    release, policy = (
        desk("release.csv", "q,f\nx,a\nx,b\ny,a\ny,b\n"),
        desk("policy.toml", TWO),
    )
    desk.certificate(ph.certify(ph.verify(release, policy), release, policy))
    return desk


def run(
    desk: Desk,
    capsys: pytest.CaptureFixture[str],
    *more: str,
    release: str = "release.csv",
) -> tuple[int, str]:
    code = main(
        ["check", str(desk("cert.json")), "--release", str(desk(release)), *more]
    )
    shown = capsys.readouterr()
    return code, shown.out + shown.err


def test_every_rule_of_the_policy_must_be_proved(
    two: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    own, policy = ["--policy", str(two("policy.toml"))], ["--require", "proved"]
    assert run(two, capsys)[0] == run(two, capsys, *own)[0] == 0
    code, shown = run(two, capsys, *own, *policy)
    assert (
        code == 1
        and shown.splitlines()[-1].startswith("UNMET: ")
        and "bad is refuted" in shown
    )
    code, shown = run(two, capsys, *policy)
    assert code == 2 and "its author's" in shown
    release = two("release.csv")
    half = ph.certify(
        ph.verify(release, two("policy.toml"), rules=["good"]),
        release,
        two("policy.toml"),
    )
    two.certificate(half)
    code, shown = run(two, capsys, *own, *policy)
    assert code == 1 and "bad is not spoken of" in shown
    alone = two("policy.toml", TWO.replace('bad = "k_anonymity(3)"\n', ""))
    two.certificate(ph.certify(ph.verify(release, alone), release, alone))
    code, shown = run(two, capsys, *own, *policy)
    assert code == 0 and shown.splitlines()[-1] == "ACCEPTED"
    two("policy.toml", TWO)
    assert run(two, capsys, *own, *policy)[0] == 1, (
        "its author dropped the rule that fails"
    )


def test_whose_policy_it_is_and_all_of_it(
    two: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    _, shown = run(two, capsys, "--policy", str(two("policy.toml")))
    assert (
        shown.splitlines()[0]
        == f"  ok  the policy is {str(two('policy.toml'))!r}, given with --policy"
    )
    _, shown = run(two, capsys)
    assert shown.splitlines()[0].startswith("  ok  the policy is the certificate's own")
    assert "  ok  type of f: a < b < c" in shown.splitlines()
    assert [line for line in shown.splitlines() if "secret of i" in line] == [
        f"  ok  secret of i{k}: f = b" for k in (1, 2, 3, 4)
    ]


# Time and size


def test_one_deadline_for_everything(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"x,{value}\n" for value in "abcdefghijklmnopqrst")
    release = desk("release.csv", f"q,f\n{rows}")
    nested = "".join(f"forall v{k} in f: " for k in range(9))
    body = " | ".join(f"f = v{k}" for k in range(9))
    text = (
        f'[columns]\nquasi = ["q"]\nsensitive = ["f"]\n[rules]\nrule = "{nested}({body}'
        ' | true)"\n'
    )
    plain = text.replace(nested, "").replace(f"{body} | ", "")
    desk.certificate(sealed({**forged(release, plain), "policy": text}))
    code, shown = run(desk, capsys, "--budget", "0.5")
    assert (code, shown.splitlines()[-1]) == (
        3,
        "UNDECIDED: the budget of 0.5 s ran out",
    )
    desk.certificate(
        sealed({**forged(release, plain), "policy": text.replace("forall", "exists")})
    )
    code, shown = run(desk, capsys)
    assert code == 1 and "too many instances" in shown


def test_time_that_is_over_ends_any_loop() -> None:
    def forever() -> None:
        while True:
            with suppress(Exception):
                sum(range(1000))

    with pytest.raises(OutOfTime), within(0.05):
        forever()
    with within(1e9):
        assert sum(range(1000)) == 499500
    with within(None):
        pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_time_that_is_over_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python ignores whatever is raised inside a finalizer."""
    monkeypatch.setattr(budget, "AGAIN", 0.05)
    lost = []

    class Slow:
        def __del__(self) -> None:
            end = time.monotonic() + 5
            while time.monotonic() < end:
                lost.append(None)

    with pytest.raises(OutOfTime), within(0.05):
        thing: Slow | None = Slow()
        thing = None
        while thing is None:
            sum(range(1000))
    assert lost


@pytest.mark.parametrize("bad", [0, -3])
def test_budgets_that_are_none(bad: float, desk: Desk) -> None:
    with pytest.raises(InputError, match="above 0"):
        ph.check(
            {"kind": "phverify certificate of a verdict"},
            release=desk("r.csv"),
            budget=bad,
        )


@pytest.mark.parametrize(
    "rule",
    [
        "l_a1(f = a) < {}",
        "k_anonymity({})",
        "l_a1(f = a) < 1/{}",
        "l_a1(f = a) < 1e{}",
        "f = a | {}",
    ],
)
def test_long_numbers_are_refused_and_not_echoed(rule: str, desk: Desk) -> None:
    release = desk("release.csv", "q,f\nx,a\nx,a\n")
    text = (
        '[columns]\nquasi = ["q"]\nsensitive = ["f"]\n[rules]\nrule ='
        ' "k_anonymity(2)"\n'
    )
    for digits in ("9" * 3000, "9" * 9000, "9999"):
        other = text.replace("k_anonymity(2)", rule.format(digits))
        if len(digits) > 4 or "1e" in rule:
            found = ph.check(
                sealed({**forged(release, text), "policy": other}), release=release
            )
            assert not found.accepted and len(str(found)) < 2000


@pytest.mark.parametrize(
    "path", [("release", "sha256"), ("version",), ("rules", 0, "name"), ("rows",)]
)
def test_long_texts_of_digits_are_not_echoed(path: tuple[Any, ...], desk: Desk) -> None:
    release = desk("release.csv", "q,f\nx,a\nx,a\n")
    text = (
        '[columns]\nquasi = ["q"]\nsensitive = ["f"]\n[rules]\nrule ='
        ' "k_anonymity(2)"\n'
    )
    certificate = forged(release, text)
    place: Any = certificate
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = "9" * 5000
    assert len(str(ph.check(sealed(certificate), release=release))) < 2000


# The files of a search


SEARCHED = """[columns]
quasi = ["age", "zip"]
sensitive = ["f"]
neutral = ["note"]
identifier = "who"
[types]
age = "integer"
[hierarchies]
age = {intervals = [10, 20]}
zip = "zip.csv"
[rules]
anonymous = "k_anonymity(2)"
"""


@pytest.fixture
def searched(desk: Desk) -> Desk:
    desk("zip.csv", "11;1*;*\n12;1*;*\n21;2*;*\n22;2*;*\n")
    desk(
        "table.csv",
        "who,age,zip,f,note\nA,21,11,a,p\nB,25,12,b,q\nC,31,21,a,r\nD,38,22,b,s\nE,39,22,c,t\n",
    )
    desk("policy.toml", SEARCHED)
    files = [str(desk("table.csv")), "--policy", str(desk("policy.toml"))]
    made = [
        "--output",
        str(desk("release.csv")),
        "--certificate",
        str(desk("cert.json")),
        "--shuffle",
        "3",
    ]
    assert main(["search", *files, *made]) == 0
    return desk


def checked(
    desk: Desk, *more: str, capsys: pytest.CaptureFixture[str]
) -> tuple[int, list[str]]:
    capsys.readouterr()
    files = ["--table", str(desk("table.csv")), "--policy", str(desk("policy.toml"))]
    code = main(["check", str(desk("cert.json")), *files, *more])
    return code, capsys.readouterr().out.splitlines()


def test_a_search_names_its_files(
    searched: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    said = json.loads(searched("cert.json").read_text())["files"]
    assert said == {
        name: hashlib.sha256(searched(file).read_bytes()).hexdigest()
        for name, file in (
            ("table", "table.csv"),
            ("policy", "policy.toml"),
            ("release", "release.csv"),
        )
    }
    code, lines = checked(searched, "--require", "proved", capsys=capsys)
    assert (
        code == 0
        and f"  ok  the released file has SHA-256 {said['release']}: with --release FILE it is compared"
        in lines
    )
    assert (
        lines[0]
        == f"  ok  the policy is {str(searched('policy.toml'))!r}, given with --policy"
    )
    assert "  ok  built again as the policy says: the hierarchies of 'age'" in lines
    code, lines = checked(
        searched, "--release", str(searched("release.csv")), capsys=capsys
    )
    assert (
        code == 0
        and "  ok  the released file holds these 5 records, in whatever order" in lines
    )
    assert "  ok  the files are those named by SHA-256: table, policy, release" in lines


def test_a_release_of_a_table_in_memory(tmp_path: Path) -> None:
    """Columns of the policy are compared; of others phverify alone knows."""
    frame = pd.DataFrame(
        {
            "q": [1, 2, 3, 4],
            "f": list("wxyz"),
            "day": pd.to_datetime(["2020-01-01"] * 4),
        }
    )
    tree = {
        "q": Hierarchy(
            "q",
            {str(k): (str(k), "low" if k < 3 else "high", "*") for k in (1, 2, 3, 4)},
        )
    }
    policy = ph.Policy.from_dict(
        {
            "columns": {"quasi": ["q"], "sensitive": ["f"], "neutral": ["day"]},
            "rules": {"k": "k_anonymity(2)"},
        }
    )
    found = ph.search(frame, policy, tree)
    assert found.release is not None and found.certificate is not None
    file = tmp_path / "release.csv"
    found.release.to_csv(file, index=False)
    checked = ph.check(found.certificate, frame, policy, tree, release=file)
    assert (
        "the released file holds these 4 records, in whatever order; compared were"
        " 'q', 'f', 'day'" in checked.verified
    )
    found.release[["q", "day"]].to_csv(file, index=False)
    assert not ph.check(found.certificate, frame, policy, tree, release=file).accepted


@pytest.mark.parametrize("file", ["table.csv", "policy.toml", "release.csv", "zip.csv"])
def test_other_files_are_refused(
    file: str, searched: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    text = searched(file).read_text()
    searched(
        file,
        {
            "policy.toml": f"# mine\n{text}",
            "zip.csv": text.replace("12;1*", "12;2*"),
        }.get(file, f"{text}\n"),
    )
    code, lines = checked(
        searched, "--release", str(searched("release.csv")), capsys=capsys
    )
    assert code == 1 and lines[-1].startswith("REFUSED")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1*,a,p", "1*,b,p"),
        ("1*,a,p", "11,a,p"),
        ("note", "notes"),
        ("a,p\n", "a,p\n20-29,1*,a,p\n"),
        ("age,", "who,"),
    ],
)
def test_other_rows_are_refused(
    old: str, new: str, searched: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where the certificate names the file that was given: its rows are compared
    with those of the candidate.
    """
    text = searched("release.csv").read_text()
    assert old in text
    other = searched("other.csv", text.replace(old, new))
    certificate = json.loads(searched("cert.json").read_text())
    certificate["files"]["release"] = hashlib.sha256(other.read_bytes()).hexdigest()
    searched.certificate(sealed(certificate))
    code, lines = checked(searched, "--release", str(other), capsys=capsys)
    assert code == 1 and "released file" in lines[-1]
