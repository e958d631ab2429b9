"""Certificates of recodings by tuples with one thing forged: what the checker still
accepts is true, by looking at every partition of the tuples.

``python tests/test_forged_tuples.py SECONDS [SEED]`` runs it for so long and says how
many forgeries there were.
"""

from __future__ import annotations

import copy
import csv
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.certificate_cases import sealed
from support.forged_cases import Files, at, changed, places
from support.tuples_cases import asked, options
from support.tuples_truth import Row, TupleTruth

import phverify as ph
import phverify.recoding.run as search

CASES = 2000 if os.environ.get("HYPOTHESIS_PROFILE") == "fuzz" else 8
SAID = ("one tuple", "too few records", "every split breaks a rule", "not decided")
"""Why a class cannot be split."""
FORGERIES = 60
"""Of each certificate."""
SECONDS = 3.0
"""For a search, most of which the search keeps for deciding its release."""
Claimed = dict[str, Any]


def rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return [
            {name: cell or None for name, cell in row.items()}
            for row in csv.DictReader(file)
        ]


def accepted(claimed: Claimed, files: Files, release: Path | None) -> bool:
    try:
        return ph.check(
            claimed, table=files.table, policy=files.policy, release=release
        ).accepted
    except ph.InputError:  # of another kind, or of none
        return False


def certified(
    files: Files, truth: TupleTruth, chance: random.Random, told: Counter[str]
) -> Claimed | None:
    """A certificate of a release, as JSON, if there is one; the answer is judged."""
    asked_for = options(chance, truth)
    try:
        found = ph.anonymize(
            files.table, policy=files.policy, budget=SECONDS, **asked_for
        )
    except ph.InputError:
        told["questions that are none"] += 1
        return None
    told[found.verdict] += 1
    budget = int(Fraction(asked_for["suppress"]) * len(truth.judge.rows))
    if found.verdict == "infeasible":
        share = Fraction(asked_for["cells"]) * len(truth.columns)
        for classes in truth.releases(budget):
            released = [number for one in classes for number in one]
            few = truth.stars(classes) <= share * truth.records(released)
            assert not (few and truth.possible(classes)), asked_for
    if found.release is None or found.certificate is None:
        return None
    found.release.to_csv(files.release, index=False)
    return dict(json.loads(json.dumps(found.certificate)))


# Forgeries


def forged(
    certificate: Claimed, truth: TupleTruth, chance: random.Random
) -> tuple[str, Claimed]:
    """What was changed, and the certificate with all that follows from it."""
    mutant = copy.deepcopy(certificate)
    how = chance.choice(FORGERS)
    how(mutant, chance)
    try:
        if chance.random() < 0.8:
            added_up(mutant, truth)
    except (ArithmeticError, LookupError, TypeError, ValueError, AssertionError):
        pass  # It is no certificate any more, which the checker must see.
    return how.__name__, sealed(mutant)


def added_up(mutant: Claimed, truth: TupleTruth) -> None:
    """The cost of the classes, and the value of the prices, as an able forger has
    them.
    """
    classes = tuple(map(tuple, mutant["classes"]))
    weights = {name: Fraction(text) for name, text in mutant["weights"].items()}
    meant = truth.with_ranges(mutant["ranges"])
    mutant["cost"] = str(meant.cost(classes, weights, mutant["objective"]))
    bound = mutant["bound"]
    units = sum(bound["prices"]) - sum(cut[3] for cut in bound.get("cuts", []))
    budget = int(Fraction(mutant["suppress"]) * len(truth.judge.rows))
    if budget:
        units -= bound["relief"] * budget
    whole = bound["unit"] * len(truth.judge.rows)
    bound["value"] = str(Fraction(units, whole))


def anything(mutant: Claimed, chance: random.Random) -> None:
    """One thing somewhere is another, is doubled, or is missing."""
    top = chance.choice([name for name in mutant if name != "digest"])
    path = chance.choice([(top,), *places(mutant[top], (top,))])
    parent, key = at(mutant, path[:-1]), path[-1]
    how = chance.randrange(5)
    if how == 0 and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    elif how == 1:
        del parent[key]
    elif how == 2 and isinstance(parent, list):
        other = chance.randrange(len(parent))
        parent[key], parent[other] = parent[other], parent[key]
    else:
        parent[key] = changed(parent[key], chance)


def a_number(mutant: Claimed, chance: random.Random) -> None:
    """A number is one more or less, 0, or of the other sign."""
    paths = [p for p in places(mutant) if type(at(mutant, p)) is int]
    path = chance.choice(paths)
    parent, key = at(mutant, path[:-1]), path[-1]
    value = parent[key]
    parent[key] = chance.choice([value + 1, value - 1, 0, -value, 2 * value + 1])


def a_fraction(mutant: Claimed, chance: random.Random) -> None:
    """Cost or value are another fraction."""
    parent, key = chance.choice([(mutant, "cost"), (mutant["bound"], "value")])
    value = Fraction(parent[key])
    nearby = [value + Fraction(1, 10**9), value - Fraction(1, 10**9), value + 1]
    parent[key] = str(chance.choice([*nearby, value * 2, -value, Fraction(0)]))


def classes(mutant: Claimed, chance: random.Random) -> None:
    """A tuple moves, two classes are one, one is two, or is withheld."""
    listed = [list(one) for one in mutant["classes"]]
    one = listed.pop(chance.randrange(len(listed)))
    how = chance.randrange(4)
    if how == 0 and listed:
        chance.choice(listed).extend(one)
    elif how == 1 and len(one) > 1:
        chance.shuffle(one)
        cut = chance.randint(1, len(one) - 1)
        listed += [one[:cut], one[cut:]]
    elif how == 2 and listed:
        number = one.pop(chance.randrange(len(one)))
        chance.choice(listed).append(number)
        listed += [one] if one else []
    mutant["classes"] = sorted(sorted(part) for part in listed)
    if chance.random() < 0.7:
        mutant["splits"] = None


def overlapping(mutant: Claimed, chance: random.Random) -> None:
    """All tuples are in two classes, of which it is said that they are disjoint."""
    numbers = [number for one in mutant["classes"] for number in one]
    chance.shuffle(numbers)
    cut = chance.randint(0, len(numbers) - 1)
    halves = [sorted(numbers[:cut]), sorted(numbers[cut:])]
    mutant["classes"] = sorted(half for half in halves if half)
    mutant |= {"disjoint": True, "splits": None, "cells": "1"}


def withheld(mutant: Claimed, chance: random.Random) -> None:
    """One class more is withheld, or a tuple of one."""
    listed = [list(one) for one in mutant["classes"]]
    one = min(listed, key=len)
    if chance.random() < 0.5:
        one = chance.choice(listed)
    one.pop(chance.randrange(len(one)))
    if chance.random() < 0.5:
        one.clear()
    mutant["classes"] = [one for one in listed if one]
    mutant["splits"] = None


def prices(mutant: Claimed, chance: random.Random) -> None:
    """Some tuples are paid more, or what others are paid; or all are."""
    bound = mutant["bound"]
    unit, own = bound["unit"], bound["prices"]
    number = chance.randrange(len(own))
    step = chance.choice([1, 2, max(unit // 100, 1), unit])
    how = chance.randrange(5)
    if how == 0:
        bound["prices"] = [price + step for price in own]
    elif how == 1:
        other = chance.randrange(len(own))
        taken = min(step, own[other])
        own[other] -= taken
        own[number] += taken + chance.choice([0, 1])
    elif how == 2:
        bound["prices"] = [2 * price for price in own]
    else:
        own[number] += step
    if chance.random() < 0.3:
        bound["relief"] += chance.choice([1, step, unit, -1])


def the_cuts(mutant: Claimed, chance: random.Random) -> None:
    """A cut more, or another one, and its tuples are paid for it; or one is missing."""
    bound = mutant["bound"]
    own, cuts = bound["prices"], bound.setdefault("cuts", [])
    if cuts and chance.random() < 0.2:
        cuts.pop(chance.randrange(len(cuts)))
        return
    if cuts and chance.random() < 0.3:
        cut = chance.choice(cuts)
        cut[chance.randrange(4)] += chance.choice([1, -1, bound["unit"] // 10])
        return
    # Of fewer than three tuples there is no cut, nor one with a tuple twice.
    triple = sorted(chance.choices(range(len(own)), k=3))
    if len(own) > 2 and chance.random() < 0.9:
        triple = sorted(chance.sample(range(len(own)), 3))
    # Two of three are paid it once: with half of it each, a pair is paid no more.
    step = chance.choice([2, 2 * max(own), bound["unit"] // 3, bound["unit"]])
    known = [cut for cut in cuts if cut[:3] != triple]
    bound["cuts"] = sorted([*known, [*triple, step]])
    paid = chance.choice([0, step // 3, step // 2, step // 2, 2 * step // 3, step])
    for number in triple:
        own[number] += paid


def the_unit(mutant: Claimed, chance: random.Random) -> None:
    """Prices are counted in other units."""
    bound = mutant["bound"]
    bound["unit"] = chance.choice([-1, 0, 1, 2, -bound["unit"], bound["unit"] // 2])
    if chance.random() < 0.5:
        bound["prices"] = [0] * len(bound["prices"])
        bound["relief"] = chance.choice([0, 1, 5])


def the_relief(mutant: Claimed, chance: random.Random) -> None:
    """Withheld records are paid more, or less."""
    bound = mutant["bound"]
    relief = bound["relief"]
    bound["relief"] = chance.choice(
        [0, -1, relief - 1, relief // 2, -relief, 2 * relief]
    )


def the_question(mutant: Claimed, chance: random.Random) -> None:
    """Another question is said to be answered."""
    names = [*mutant["weights"]]
    weight = chance.choice(["0", "1", "2", "1/2", "-1"])
    other = {
        "suppress": chance.choice(["0", "1/4", "1/2", "3/4", "99/100", "1", "-1/4"]),
        "cells": chance.choice(["0", "1/4", "1/2", "1", "2"]),
        "disjoint": not mutant["disjoint"],
        "objective": chance.choice(["loss", "precision"]),
        "weights": mutant["weights"] | {chance.choice(names): weight},
        "ranges": chance.choice([[], names[:1], names]),
    }
    name = chance.choice([*other])
    mutant[name] = other[name]
    if chance.random() < 0.5:
        mutant["splits"] = None


def the_splits(mutant: Claimed, chance: random.Random) -> None:
    """Of some classes it is said, for another reason, that they cannot be split."""
    sizes = [len(one) for one in mutant["classes"]]
    said = mutant["splits"] or [chance.choice(SAID) for _ in sizes]
    place = chance.randrange(len(said))
    said[place] = chance.choice(SAID)
    mutant["splits"] = said


def not_split(mutant: Claimed, chance: random.Random) -> None:
    """Two classes are one, of which it is said that it cannot be split."""
    listed = [list(one) for one in mutant["classes"]]
    if len(listed) > 1:
        one, other = chance.sample(listed, 2)
        listed.remove(other)
        one += other
    mutant["classes"] = sorted(sorted(one) for one in listed)
    small, tried = SAID[1:3]
    several = chance.choice([small, tried, tried])
    alone = [SAID[0] if len(one) == 1 else several for one in mutant["classes"]]
    mutant["splits"] = alone


FORGERS = (
    anything,
    a_number,
    a_fraction,
    classes,
    classes,
    overlapping,
    withheld,
    prices,
    prices,
    the_cuts,
    the_cuts,
    the_unit,
    the_relief,
    the_question,
    the_question,
    the_splits,
    not_split,
)


def another_release(files: Files, chance: random.Random) -> None:
    """A cell of the released file is another's, or a row is missing."""
    lines = files.release.read_text(encoding="utf-8").splitlines()
    table = list(csv.reader(lines))
    place = chance.randrange(1, len(table))
    other = chance.randrange(1, len(table))
    column = chance.randrange(len(table[0]))
    if chance.random() < 0.3 and len(table) > 2:
        del table[place]
    else:
        table[place][column] = table[other][column]
    with files.release.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(table)


def judged(
    claimed: Claimed, files: Files, truth: TupleTruth, what: str, told: Counter[str]
) -> bool:
    """Whether it is accepted: then all that it claims must be true.

    With the released file at hand, and without: an able forger forges that one too.
    """
    alone = accepted(claimed, files, None)
    beside = accepted(claimed, files, files.release)
    told["checked"] += 2
    told["accepted"] += alone + beside
    told[f"accepted: {what}"] += alone
    if alone or beside:
        false = list(truth.false(claimed, rows(files.release) if beside else None))
        assert not false, (what, false, claimed)
    return beside


def one_case(seed: int, folder: Path, told: Counter[str]) -> None:
    chance = random.Random(seed)
    files, truth = asked(folder, chance)
    certificate = certified(files, truth, chance, told)
    if certificate is None:
        return
    told["certificates"] += 1
    assert judged(certificate, files, truth, "as it was written", told)
    for _ in range(FORGERIES):
        told["forged"] += 1
        how, mutant = forged(certificate, truth, chance)
        judged(mutant, files, truth, how, told)
    mutant = sealed({**certificate, "files": {**certificate["files"], "release": None}})
    another_release(files, chance)
    judged(mutant, files, truth, "another release", told)


def run(seeds: range, told: Counter[str], seconds: float = float("inf")) -> None:
    end = time.monotonic() + seconds
    for seed in seeds:
        if time.monotonic() > end:
            return
        with tempfile.TemporaryDirectory() as folder:
            try:
                one_case(seed, Path(folder), told)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}: {error!r}") from error


def test_what_is_accepted_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    # So few tuples take no second.
    monkeypatch.setattr(search, "SLICE", 0.02)
    told = Counter[str]()
    run(range(CASES), told)
    assert told["forged"] > 10 * CASES and 0 < told["accepted"] < told["checked"]


if __name__ == "__main__":
    counts = Counter[str]()
    search.SLICE = 0.02
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    run(range(first, 10**9), counts, float(sys.argv[1]))
    print(dict(counts))
