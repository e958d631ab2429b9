"""``phverify check`` and mappings: what was sanitized, by identifier and by order."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.certificate_cases import sealed
from support.certificate_more_cases import forged
from support.check_claims_cases import (
    Desk,
    desk,  # noqa: F401
)
from support.so_many import so_many

import phverify as ph
from phverify.spec.certificate import check
from phverify.spec.data import Refused
from phverify.spec.mappings import Puzzle, elsewhere

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


@pytest.mark.parametrize(
    ("verdicts", "says"),
    [
        (("proved", "proved"), "several mappings explain the release"),
        (("undecided", "proved"), "nobody is named"),
        (("proved", "undecided"), "several mappings explain the release"),
    ],
)
def test_whose_class_is_open_is_named_in_nothing_claimed(
    verdicts: tuple[str, str], says: str, desk: Desk
) -> None:
    """x may have become 1 or 2, so that nothing is known of who is where."""
    original = desk("original.csv", "q,f\nx,a\ny,a\n")
    release = desk("release.csv", "q,f\n1,a\n2,a\n")
    text = (
        '[columns]\nquasi = ["q"]\nsensitive = ["f"]\n[rules]\n'
        'named = "@i1 f = a"\nof_all = "k_anonymity(1)"\n'
    )
    mapping = {"q": [["x", "1"], ["y", "2"]]}
    claimed = forged(release, text, original, mapping=mapping)
    claimed["rules"] = [
        {"name": name, "verdict": verdict}
        | ({"reason": "none"} if verdict == "undecided" else {})
        for name, verdict in zip(("named", "of_all"), verdicts, strict=True)
    ]
    lines = check(sealed(claimed), release, original)
    if says.startswith("several"):
        with pytest.raises(Refused, match=f"{says}, and they put i1"):
            list(lines)
    else:
        assert any(says in line for line in lines)


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


@so_many(200)
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
