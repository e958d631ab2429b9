"""Which classes of a release by tuples can be split: against all ways to cut them."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.certificate_cases import sealed
from support.so_many import sampled
from support.tuples_cases import asked
from support.tuples_truth import TupleTruth

import phverify as ph
from phverify.spec.data import Refused
from phverify.spec.halves import ClassHalves, Work, greatest_runs, smaller_boxes
from phverify.spec.recoded_rows import splitting
from phverify.spec.recoding import TupleRecoding, one_box_each, sides, tuple_space
from phverify.spec.released import Given, from_files
from phverify.spec.sides import RangeSide
from phverify.spec.splits import Splitting

NAMES = ("age", "size", "shoe")
TRIED = "every split breaks a rule"


def space_of(given: Given) -> Any:
    found = sides(given.policy, given.data.domains, given.hierarchies)
    columns = {name: given.data.columns[name] for name in given.policy.quasi}
    weights = dict.fromkeys(given.policy.quasi, Fraction(1))
    return tuple_space(found, columns, weights, "loss")


def looked_at(given: Given, classes: Any, disjoint: bool) -> Splitting:
    recoding = TupleRecoding(space_of(given), tuple(map(tuple, classes)))
    return splitting(given, recoding, None, disjoint)


@pytest.mark.parametrize("seed", sampled(range(90), 3))
def test_what_is_decided_is_true(seed: int, tmp_path: Path) -> None:
    """By the definitions, for random policies on small tables: rules about classes,
    people and the whole table, withheld records, disjoint boxes.
    """
    chance = random.Random(seed)
    files, truth = asked(tmp_path, chance)
    try:
        given = from_files({"table": files.table, "policy": files.policy})
        space = space_of(given)
    except Refused:
        return
    for _ in range(16):
        classes = some_release(chance, truth, space)
        disjoint = chance.random() < 0.3 and truth.disjoint(classes)
        if not classes or not truth.satisfied(classes):
            continue
        answers = looked_at(given, classes, disjoint).decided()
        for place, answer in enumerate(answers):
            possible = [
                split
                for split in truth.splits(classes, place, classes[place])
                if truth.satisfied(split) and (not disjoint or truth.disjoint(split))
            ]
            assert answer != "not decided" or len(classes[place]) > 1
            if answer == "not decided":
                continue
            assert isinstance(answer, str) == (not possible), (classes, place, answer)


def some_release(chance: random.Random, truth: TupleTruth, space: Any) -> Any:
    """Classes with boxes of their own, some tuples withheld."""
    numbers = list(range(len(truth.tuples)))
    loose = [number for number in numbers if number not in truth.named]
    gone = {number for number in loose if chance.random() < 0.15}
    groups = chance.choice([1, 2, 3])
    classes: dict[int, list[int]] = {}
    for number in numbers:
        if number not in gone:
            classes.setdefault(chance.randrange(groups), []).append(number)
    return one_box_each(space, classes.values()).classes


def table_of(chance: random.Random, tuples: int) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    known = set()
    while len(known) < tuples:
        cells = tuple(chance.randrange(5) for _ in NAMES)
        if cells not in known:
            known.add(cells)
            for _ in range(chance.choice([1, 1, 2, 3])):
                ill = chance.choice("aaaabc")
                rows.append({**dict(zip(NAMES, cells, strict=True)), "ill": ill})
    return pd.DataFrame(rows)


def policy_text(rules: dict[str, str]) -> str:
    lines = ["[columns]", f"quasi = {json.dumps(NAMES)}", 'sensitive = ["ill"]']
    lines += ["[types]", *(f'{name} = "integer"' for name in NAMES), "[rules]"]
    lines += [f'{name} = "{text}"' for name, text in rules.items()]
    return "\n".join([*lines, ""])


RULES: list[tuple[dict[str, str], Any]] = [
    ({"k": "k_anonymity(5)"}, lambda inside, whole: inside.total() >= 5),
    (
        {"k": "k_anonymity(4)", "l": "l_diversity(ill, 2)"},
        lambda inside, whole: inside.total() >= 4 and len(inside) >= 2,
    ),
    ({"l": "l_diversity(ill, 3)"}, lambda inside, whole: len(inside) >= 3),
    (
        {"t": "t_closeness(ill, 1/8)"},
        lambda inside, whole: distance(inside, whole) <= Fraction(1, 8),
    ),
]


def distance(inside: Counter[str], whole: Counter[str]) -> Fraction:
    far = Fraction(0)
    for value, count in whole.items():
        own = Fraction(inside[value], inside.total())
        far += abs(own - Fraction(count, whole.total()))
    return far / 2


@pytest.mark.parametrize("seed", sampled(range(80), 3))
def test_large_classes_are_decided(seed: int, tmp_path: Path) -> None:
    """A class of which all ways to cut it can still be listed, and the other tuples."""
    chance = random.Random(seed)
    rules, holds = RULES[seed % len(RULES)]
    frame = table_of(chance, 16)
    frame.to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "policy.toml").write_text(policy_text(rules))
    paths = {"table": tmp_path / "table.csv", "policy": tmp_path / "policy.toml"}
    given = from_files({name: str(path) for name, path in paths.items()})
    cells = [tuple(row) for row in frame[list(NAMES)].to_numpy().tolist()]
    known = list(dict.fromkeys(cells))
    rows = list(zip(cells, frame["ill"], strict=True))
    whole = Counter(frame["ill"])
    for _ in range(4):
        chosen = sorted(chance.sample(range(16), chance.choice([3, 5, 7, 9])))
        classes = [chosen, sorted(set(range(16)).difference(chosen))]
        parts = [[known[number] for number in one] for one in classes]
        if not all(holds(confidential(rows, part), whole) for part in parts):
            continue
        answer = looked_at(given, classes, False).decided()[0]
        assert answer != "not decided"
        possible = any(
            box(half) != box(other)
            and holds(confidential(rows, half), whole)
            and holds(confidential(rows, other), whole)
            for half, other in halves_of(parts[0])
        )
        assert isinstance(answer, str) == (not possible)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", sampled(range(40), 3))
def test_all_halves_are_looked_at_where_rules_say_more(
    seed: int, whole: bool, tmp_path: Path
) -> None:
    """Where boxes shall be disjoint, or a rule is about the whole table."""
    chance = random.Random(seed)
    size = 6 if whole else 8
    frame = table_of(chance, size)
    frame.to_csv(tmp_path / "table.csv", index=False)
    rules = {"k": f"k_anonymity({chance.choice([2, 3, 5])})"}
    cells = [tuple(row) for row in frame[list(NAMES)].to_numpy().tolist()]
    known = list(dict.fromkeys(cells))
    pair = known[0], known[-1]
    if whole:
        rules["alike"] = f"@i1 <a1> i{len(cells)}"
    (tmp_path / "policy.toml").write_text(policy_text(rules))
    paths = {"table": tmp_path / "table.csv", "policy": tmp_path / "policy.toml"}
    given = from_files({name: str(path) for name, path in paths.items()})
    answer = looked_at(given, [range(size)], not whole).decided()[0]
    assert answer != "not decided"
    least = int(rules["k"][12:-1])
    possible = False
    for halves in halves_of(known):
        if box(halves[0]) == box(halves[1]):
            continue
        fine = min(sum(cell in half for cell in cells) for half in halves) >= least
        if whole:
            fine = fine and (pair[0] in halves[0]) == (pair[1] in halves[0])
        else:
            fine = fine and not held(halves[0], halves[1])
            fine = fine and not held(halves[1], halves[0])
        possible = possible or fine
    assert isinstance(answer, str) == (not possible)


def held(part: Any, others: Any) -> bool:
    """Whether the box of a part holds one of the others."""
    sides = box(part)
    return any(
        all(low <= value <= high for value, (low, high) in zip(one, sides, strict=True))
        for one in others
    )


@pytest.mark.parametrize("seed", sampled(range(60), 3))
def test_halves_in_one_box_are_found(seed: int, tmp_path: Path) -> None:
    """Of all sets of tuples inside a box that may be a half, one that is as good."""
    chance = random.Random(seed)
    rules, holds = RULES[seed % len(RULES)]
    frame = table_of(chance, 12)
    frame.to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "policy.toml").write_text(policy_text(rules))
    paths = {"table": tmp_path / "table.csv", "policy": tmp_path / "policy.toml"}
    given = from_files({name: str(path) for name, path in paths.items()})
    cells = [tuple(row) for row in frame[list(NAMES)].to_numpy().tolist()]
    known = list(dict.fromkeys(cells))
    rows = list(zip(cells, frame["ill"], strict=True))
    whole = Counter(frame["ill"])
    for _ in range(12):
        numbers = tuple(sorted(chance.sample(range(12), chance.choice([4, 6, 8]))))
        looking = looked_at(given, [numbers], False)
        halves = ClassHalves(looking.rules, numbers, Work())
        found = [set(half) for half in halves.one_of_each()]
        for inside, _ in smaller_boxes(looking.recoding.space, numbers):
            wanted = set()
            for size in range(1, len(inside) + 1):
                for half in itertools.combinations(inside, size):
                    parts = [half, set(numbers).difference(half)]
                    told = [
                        confidential(rows, [known[number] for number in part])
                        for part in parts
                    ]
                    if all(holds(counts, whole) for counts in told):
                        wanted.add(kind(told[0], "t" in rules))
            own = [half for half in found if half <= set(inside)]
            met = {
                kind(confidential(rows, [known[n] for n in half]), "t" in rules)
                for half in own
            }
            assert wanted <= met


def kind(counts: Counter[str], by_values: bool) -> Any:
    """What a half is known by: its records, or those of each value."""
    return frozenset(counts.items()) if by_values else counts.total()


def confidential(rows: Any, part: Any) -> Counter[str]:
    return Counter(ill for cells, ill in rows if cells in part)


def box(part: Any) -> list[tuple[int, int]]:
    return [(min(column), max(column)) for column in zip(*part, strict=True)]


def halves_of(known: list[Any]) -> Any:
    for half in subsets(known):
        yield half, [one for one in known if one not in half]


def subsets(known: list[Any]) -> Any:
    for size in range(1, len(known)):
        for others in itertools.combinations(known[1:], size - 1):
            yield [known[0], *others]


def test_the_greatest_runs_below_a_node() -> None:
    side = RangeSide("age", ("1", "2", "5", "9", None))
    assert list(greatest_runs(side, [0, 2, 3])) == [(0, 2), (2, 3)]
    # A missing cell is in no range with others but everything.
    assert list(greatest_runs(side, [0, 3, 4])) == [(0, 3), (4, 4)]
    assert list(greatest_runs(side, [2])) == []


FRAME = pd.DataFrame({"age": [1, 2, 8, 9, 20, 21], "ill": ["a", "b"] * 3})


def certificate_of(**more: Any) -> Any:
    found = ph.anonymize(FRAME, quasi=["age"], sensitive=["ill"], budget=1, **more)
    return json.loads(json.dumps(found.certificate))


def test_splits_are_said_with_withheld_records() -> None:
    rules = ["t_closeness(ill, 1/4)"]
    claimed = certificate_of(k=2, rules=rules, suppress="1/3")
    assert claimed["splits"] is not None
    assert set(claimed["splits"]) <= {"one tuple", "too few records", TRIED}


def policy_of(claimed: Any) -> ph.Policy:
    return ph.Policy.from_dict(
        {
            "columns": {"quasi": ["age"], "sensitive": ["ill"]},
            "types": {"age": "integer"},
            "rules": claimed["rules"],
        }
    )


@pytest.mark.parametrize("reasons", [[TRIED] * 3, ["too few records"] * 2, ["x"] * 3])
def test_other_reasons_are_refused(reasons: list[str]) -> None:
    claimed = certificate_of(k=2)
    forged = sealed({**claimed, "splits": reasons})
    answer = ph.check(forged, table=FRAME, policy=policy_of(claimed))
    assert answer.verdict == "refused"
    assert "another reason why it cannot be split" in str(answer)


def test_a_class_that_can_be_split_is_refused() -> None:
    """Two classes made one: its cost is right, and that it cannot be split is not."""
    claimed = certificate_of(k=2)
    assert claimed["classes"] == [[0, 1], [2, 3], [4, 5]]
    policy = policy_of(claimed)
    cost = Fraction(4 * 3 + 2 * 1, 5 * 6)
    files = {**claimed["files"], "release": None}
    forged = {
        **claimed,
        "classes": [[0, 1, 2, 3], [4, 5]],
        "cost": str(cost),
        "splits": [TRIED, "too few records"],
        "files": files,
    }
    answer = ph.check(sealed(forged), table=FRAME, policy=policy)
    assert answer.verdict == "refused"
    assert "class 0 can be split" in str(answer)


def test_rules_of_the_whole_table_say_what_may_be_split() -> None:
    """Of all that classes allow, every way is judged on the released table."""
    policy = ph.Policy.from_dict(
        {
            "columns": {"quasi": ["age"], "sensitive": ["ill"]},
            "types": {"age": "integer"},
            "rules": {"alike": "@i1 <a1> i2"},
        }
    )
    found = ph.anonymize(FRAME, policy=policy, budget=1)
    assert found.splits is not None
    assert found.splits.reasons == (TRIED, *["one tuple"] * 4)
    again = ph.check(found.certificate, table=FRAME, policy=policy)
    assert again.accepted
