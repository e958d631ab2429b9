"""Random questions to recodings by tuples, as files, with the judge of their answers."""

from __future__ import annotations

import datetime
import json
import random
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from support import oracle
from support.forged_cases import Files, write
from support.search_oracle import ClassTest, Judge, safety
from support.tuples_truth import Column, Label, Row, TupleTruth

ORDER = ("low", "mid", "high", "top")
VALUES: Mapping[str, tuple[str, ...]] = {
    "integer": ("-1", "2", "3", "10", "11", "40"),
    "decimal": ("-0.5", "0.5", "1.25", "2", "10.0"),
    "date": ("2020-01-01", "2020-01-02", "2020-02-01", "2021-01-01"),
    "order": ORDER,
    "text": ("a", "b", "c"),
    "tree": ("a", "b", "c", "d"),
    "both": ORDER,
}
KEYS: Mapping[str, Any] = {
    "integer": int,
    "decimal": Decimal,
    "date": datetime.date.fromisoformat,
    "order": ORDER.index,
    "both": ORDER.index,
}


def asked(folder: Path, chance: random.Random) -> tuple[Files, TupleTruth]:
    """A table and a policy in a folder, and what is true of them."""
    kinds = [
        chance.choice([*VALUES, "tree", "tree"]) for _ in range(chance.randint(1, 3))
    ]
    quasi = [f"q{k}" for k in range(len(kinds))]
    lines = {
        name: hierarchy(chance, VALUES[kind]) for name, kind in zip(quasi, kinds, strict=True)
        if kind in ("tree", "both")
    }  # fmt: skip
    personal = chance.random() < 0.35
    count = chance.choice([1, 2, 3, 4, 4, 5] if personal else [1, 2, 3, 4, 5, 6, 7, 8])
    cells = {}
    for name, kind in zip(quasi, kinds, strict=True):
        few = chance.randint(1, len(VALUES[kind]))
        some: list[Label] = [*chance.sample(VALUES[kind], few)]
        cells[name] = some + ([None] if chance.random() < 0.25 else [])
    pool = [
        {name: chance.choice(cells[name]) for name in quasi}
        for _ in range(chance.randint(1, 5))
    ]
    if chance.random() < 0.25:
        # Two of three are alike in one column less than all: their bound needs a cut.
        pool = corners(chance, cells) or pool
    named = [f"p{k}" for k in range(count)] if chance.random() < 0.4 else []
    hole: list[Label] = [None] if chance.random() < 0.2 else []
    table: list[Row] = []
    for k in range(count):
        who = {"who": named[k]} if named else {}
        own = chance.choice(pool)
        f, g = chance.choice([*"aabc", *hole]), chance.choice("0012")
        table.append({**who, **own, "f": f, "g": g})
    write(folder / "table.csv", table)
    for name, paths in lines.items():
        text = "\n".join(";".join(line) for line in paths.values())
        (folder / f"{name}.csv").write_text(text + "\n", encoding="utf-8")
    people = named or [f"i{k + 1}" for k in range(count)]
    chosen = [about_classes(chance) for _ in range(chance.randint(0, 2))]
    if personal:
        # Few rows: all models are looked at.
        chosen.append(about_people(chance, people, table))
    elif not chosen:
        chosen.append(about_classes(chance))
    g = chance.choice(table)["g"]
    f = chance.choice(table)["f"] or "missing"
    assumed = [f"@{chance.choice(people)} ~(g = {g})"] * (
        personal and chance.random() < 0.25
    )
    secrets = {"*": [f"f = {f}"], chance.choice(people): [f"g = {g}"]}
    safe = personal and chance.random() < 0.3
    if safe:
        chosen.append(("logical_safety()", safety(secrets)))
    same_order = chance.random() < 0.2
    types = {
        name: list(ORDER) if kind in ("order", "both") else kind
        for name, kind in zip(quasi, kinds, strict=True)
        if kind in KEYS
    }
    parts = ['rows = "same order"'] if same_order else []
    parts += ["[columns]", f"quasi = {json.dumps(quasi)}", 'sensitive = ["f", "g"]']
    parts += ['identifier = "who"'] if named else []
    parts += ["[types]", 'g = "integer"']
    parts += [f"{name} = {json.dumps(kind)}" for name, kind in types.items()]
    parts += ["[hierarchies]", *(f'{name} = "{name}.csv"' for name in lines)]
    if safe:
        parts += [
            "[secrets]",
            *(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in secrets.items()),
        ]
    parts += [
        "[assumptions]",
        *(f"a{k} = {json.dumps(v)}" for k, v in enumerate(assumed)),
    ]
    parts += [
        "[rules]",
        *(f"r{k} = {json.dumps(text)}" for k, (text, _) in enumerate(chosen)),
    ]
    (folder / "policy.toml").write_text("\n".join([*parts, ""]), encoding="utf-8")
    truth = TupleTruth(
        Judge(
            [
                {name: cell for name, cell in row.items() if name != "who"}
                for row in table
            ],
            quasi,
            [test for _, test in chosen],
            assumed,
            names=named,
            secretive=[*secrets][1:] if safe else [],
            types={},
        ),
        tuple(
            Column(
                name,
                tuple(dict.fromkeys(row[name] for row in table)),
                lines.get(name),
                KEYS.get(kind),
            )
            for name, kind in zip(quasi, kinds, strict=True)
        ),
        same_order,
    )
    return Files(folder), truth


def corners(chance: random.Random, cells: Mapping[str, list[Label]]) -> list[Row]:
    """Tuples that differ from a common one in one column each, if there are three."""
    common: Row = {name: own[0] for name, own in cells.items()}
    others: list[Row] = []
    for name, own in cells.items():
        if len(own) > 1:
            others.append(common | {name: chance.choice(own[1:])})
    return others if len(others) > 2 else []


def hierarchy(
    chance: random.Random, known: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    """Lines for the values and perhaps others, with chains, and groups called like a
    member.
    """
    values = [*known, *chance.sample(["e", "f", ""], chance.randint(0, 3))]
    paths: dict[str, tuple[str, ...]] = {value: (value,) for value in values}
    for level in range(1, chance.randint(1, 3)):
        nodes = list(dict.fromkeys(path[-1] for path in paths.values()))
        groups = [f"{level}{letter}" for letter in "xyz"]
        up = {node: chance.choice(groups) for node in nodes}
        for group in {*up.values()}:
            members = [node for node in nodes if up[node] == group and node]
            if members and chance.random() < 0.4:
                # Called like one of its members: for a single one, a chain.
                name = chance.choice(members)
                if name not in up.values():
                    up |= {node: name for node in nodes if up[node] == group}
        paths = {value: (*path, up[path[-1]]) for value, path in paths.items()}
    return {value: (*path, "*") for value, path in paths.items()}


def about_classes(chance: random.Random) -> tuple[str, ClassTest]:
    """A rule about every class with its definition."""
    k, l = chance.choice([1, 2, 2, 3]), chance.choice([1, 2, 2, 3])
    share = Fraction(chance.choice(["0", "1/4", "1/3", "1/2", "2/3", "3/4"]))
    single: list[tuple[str, oracle.Test]] = [
        (f"k_anonymity({k})", oracle.k_anonymous(k)),
        (f"k_anonymity({k + 1})", oracle.k_anonymous(k + 1)),
        (f"l_diversity(f, {l})", oracle.distinct(l)),
        (f"entropy_l_diversity(f, {share + 1})", oracle.entropy(share + 1)),
        (f"recursive_l_diversity(f, {share + 1}, {l})", oracle.recursive(share + 1, l)),
        (f"alpha_k_anonymity(f, {share}, {k})", oracle.alpha_k(share, k)),
        (f"t_closeness(f, {share})", oracle.variational(share)),
        (f"beta_likeness(f, {3 * share})", oracle.beta(3 * share)),
        (f"average_benefit(f, {share})", oracle.benefit(share)),
        (f"delta_disclosure(f, {share + 1})", oracle.delta(share + 1)),
    ]
    text, test = chance.choice(single)
    found = of(test)
    odd = chance.randrange(12)
    if odd == 0:
        return f"~k_anonymity({k + 2})", lambda e, u: len(e) < k + 2
    if odd == 1:
        return f"{text} | k_anonymity(3)", lambda e, u: found(e, u) or len(e) > 2
    if odd == 2:
        return f"{text} & ~k_anonymity(4)", lambda e, u: found(e, u) and len(e) < 4
    return text, found


def of(test: oracle.Test) -> ClassTest:
    def found(members: Any, rows: Any) -> bool:
        return test(
            Counter(row["f"] for row in members), Counter(row["f"] for row in rows)
        )

    return found


def about_people(
    chance: random.Random, people: list[str], table: list[Row]
) -> tuple[str, str]:
    """A rule about named people."""
    one, two = chance.choice(people), chance.choice(people)
    v = chance.choice(table)["f"] or "missing"
    g = chance.choice(table)["g"]
    share = chance.choice(["1/2", "1/3", "2/3", "0"])
    text = chance.choice(
        [
            f"@{one} ~[a1] f = {v}",
            f"@{one} l_a1(f = {v}) <= {share}",
            f"~(@{one} f = {v} & @{two} g = {g})",
            f"l_a1({one}) <= {share}",
            f"@{one} <a1> {two} | k_anonymity(2)",
            f"@{one} (k_anonymity(2) & ~k_anonymity(3))",
            f"forall i, v in f: @i l_a1(f = v) <= {share}",
            f"forall v in f: l_a1(f = v) <= {share} | k_anonymity(3)",
        ]
    )
    return text, text


def options(chance: random.Random, truth: TupleTruth) -> dict[str, Any]:
    """How a release is asked for."""
    names = [column.name for column in truth.columns]
    weights: dict[str, str] = {}
    if chance.random() < 0.4:
        weights = {name: chance.choice(["0", "1", "2", "1/3"]) for name in names}
        if not any(map(Fraction, weights.values())):
            weights[names[0]] = "1"
    both = [column.name for column in truth.columns if column.key and column.lines]
    ranges = [name for name in both if chance.random() < 0.5]
    hierarchical = all(
        column.lines or not column.key
        for column in truth.columns
        if column.name not in ranges
    )
    suppress = chance.choice(["0", "0", "1/4", "1/2"])
    objective = "loss"
    if hierarchical and not ranges and chance.random() < 0.4:
        objective = "precision"
    elif suppress == "0" and chance.random() < 0.4:
        objective = "entropy"
    return {
        "ranges": ranges,
        "objective": objective,
        "weights": weights or None,
        "suppress": suppress,
        "cells": chance.choice(["1", "1", "1", "1/2", "0"]),
        "disjoint": chance.random() < 0.25,
        "blind": chance.choice([0] * 7 + [2]),
    }
