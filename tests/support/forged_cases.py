"""Random questions with their files, and certificates with one thing forged."""

from __future__ import annotations

import copy
import csv
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.certificate_cases import sealed

Row = dict[str, str | None]
ZIPS = {"11": "1*", "12": "1*", "21": "2*", "22": "2*"}
TREES = {"a": "ab", "b": "ab", "c": "cd", "d": "cd"}


@dataclass(frozen=True)
class Files:
    """A release or a table with its policy, in a folder."""

    folder: Path
    original: Path | None = None

    @property
    def release(self) -> Path:
        return self.folder / "release.csv"

    @property
    def table(self) -> Path:
        return self.folder / "table.csv"

    @property
    def policy(self) -> Path:
        return self.folder / "policy.toml"


def write(path: Path, rows: Sequence[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows(
            [{name: cell or "" for name, cell in row.items()} for row in rows]
        )


def tree(path: Path, parents: Mapping[str, str], chance: random.Random) -> None:
    lines = [f"{value};{parent};*" for value, parent in parents.items()]
    chance.shuffle(lines)
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


# Releases


def verified(folder: Path, chance: random.Random) -> Files:
    """A release, perhaps with its original in another order of the rows."""
    count = chance.randint(2, 5)
    names = [f"p{k}" for k in range(1, count + 1)] if chance.random() < 0.4 else []
    before = [person(chance, names[k : k + 1]) for k in range(count)]
    images = {
        name: mapped(chance, name, {row[name] for row in before}) for name in ("q", "r")
    }
    shown = {"identifier"} if names and chance.random() < 0.4 else set()
    after = [released(row, images, bool(shown)) for row in before]
    original = folder / "original.csv" if chance.random() < 0.65 else None
    shuffled = chance.random() < 0.6
    if shuffled:
        chance.shuffle(after)
    write(folder / "release.csv", after)
    if original:
        write(original, before)
    called = (
        names
        if names and (original or shown)
        else [f"i{k}" for k in range(1, count + 1)]
    )
    lines = [
        *(['rows = "same order"'] if original and not shuffled and chance.random() < 0.4 else []),
        *('[columns]', 'quasi = ["q", "r"]', 'sensitive = ["f", "g"]', *(['identifier = "who"'] if names else [])),
        "[types]",
        chance.choice(['g = "integer"', 'g = ["2", "0", "1"]']),
        *hierarchies(folder, chance, original is not None),
        *rules(chance, called, after),
    ]  # fmt: skip
    (folder / "policy.toml").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return Files(folder, original)


def person(chance: random.Random, name: Sequence[str]) -> Row:
    cells: Row = {"who": name[0]} if name else {}
    q, r = chance.choice([*ZIPS]), chance.choice(["u", "v", "v", None])
    return {
        **cells,
        "q": q,
        "r": r,
        "f": chance.choice("aabcd"),
        "g": chance.choice("012"),
    }


def mapped(
    chance: random.Random, name: str, values: set[str | None]
) -> dict[str | None, str | None]:
    """What each value of a column becomes."""
    if name == "q":
        level = chance.randint(0, 3)
        return {
            v: [v, ZIPS[v or ""], "*", chance.choice([v, "*"])][level] for v in values
        }
    same, join = {v: v for v in values}, chance.choice(["*", "w"])
    return chance.choice(
        [same, dict.fromkeys(values, join), {v: chance.choice("xy") for v in values}]
    )


def released(
    row: Row, images: Mapping[str, Mapping[str | None, str | None]], named: bool
) -> Row:
    return {
        k: images[k][v] if k in images else v
        for k, v in row.items()
        if k != "who" or named
    }


def hierarchies(folder: Path, chance: random.Random, original: bool) -> Iterator[str]:
    tree(folder / "q.csv", ZIPS, chance)
    tree(folder / "f.csv", TREES, chance)
    yield "[hierarchies]"
    yield 'f = "f.csv"'
    if original and chance.random() < 0.8:
        yield chance.choice(['q = "q.csv"', 'q = "q.csv"', "q = {prefixes = [1]}"])
    if original and chance.random() < 0.3:
        yield 'r = {groups = [{x = ["u"], y = ["v"]}]}'


def rules(
    chance: random.Random, people: Sequence[str], rows: Sequence[Row]
) -> Iterator[str]:
    """Rules, what agents know, what is secret, what is assumed."""
    i, j = (chance.choice(people) for _ in "ij")
    f, q, g = (chance.choice([row[name] for row in rows]) for name in "fqg")
    bound = chance.choice(["1/2", "1/3", "2/3", "0.25", "0"])
    written = [
        f"k_anonymity({chance.randint(1, 3)})",
        f"l_diversity(f, {chance.randint(1, 3)})",
        f"t_closeness(f, {bound}, distance=hierarchical)",
        f"t_closeness(f, {bound}, distance=hierarchical)",
        f"t_closeness(g, {bound}, distance=ordered)",
        f"t_closeness(f, {bound}, ordered)",
        f"entropy_l_diversity(f, {chance.choice(['1', '1.5', '2'])})",
        f"@{i} q = '{q}'",
        f"@{i} ~[a1] f = {f}",
        f"~(@{i} f = {f} & @{j} g <= {g})",
        f"@{i} l_half(f in {{{f}, a}}) <= {bound}" if f != "a" else f"@{i} <half> {j}",
        f"@{i} l_a1(f = {f}) <= {bound}",
        f"forall v in f: l_a1(f = v) <= {bound} | k_anonymity(3)",
        f"forall i: @i g >= {g} -> l_a1({j}) < 1",
        f"k_anonymity(2) | @{i} g != {g}",
        "logical_safety()",
        "logical_safety()",
    ]
    chosen = chance.sample(written, chance.randint(1, 3))
    yield from ("[agents]", 'half = ["q"]')
    yield "[secrets]"
    yield f'"*" = ["f = {f}"]'
    if chance.random() < 0.6:
        yield f'{i} = ["g = {g}", "f = {f} & g = {g}"]'
    yield "[assumptions]"
    if chance.random() < 0.25:
        yield f'tip = "@{j} ~(g = {g})"'
    yield "[rules]"
    yield from (f"r{k} = {json.dumps(text)}" for k, text in enumerate(chosen))


# Forgeries


def places(item: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to everything in a certificate, leaves and what holds them."""
    if isinstance(item, dict | list):
        for key, inner in item.items() if isinstance(item, dict) else enumerate(item):
            yield (*path, key)
            yield from places(inner, (*path, key))


def at(item: Any, path: Sequence[Any]) -> Any:
    for key in path:
        item = item[key]
    return item


LIKELY = (
    "policy",
    "hierarchies",
    "original",
    "rules",
    "mapping",
    "released",
    "clauses",
    "choice",
    "cost",
    "bound",
)


def forged(
    certificate: dict[str, Any], chance: random.Random
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The place of the one thing that was changed, and the certificate with a digest
    that fits.
    """
    mutant = copy.deepcopy(certificate)
    if mutant.get("original") and chance.random() < 0.25:
        return (chance.choice([reordered, exchanged])(mutant, chance),), sealed(mutant)
    tops = [
        name
        for name in mutant
        if name != "digest" and mutant[name] not in ({}, [], None)
    ]
    top = chance.choice(
        [name for name in LIKELY if name in tops] if chance.random() < 0.7 else tops
    )
    path = chance.choice([(top,), *places(mutant[top], (top,))])
    parent, key = at(mutant, path[:-1]), path[-1]
    how = chance.randrange(8)
    if how == 0 and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    elif how == 1:
        del parent[key]
    elif how == 2 and isinstance(parent, list):
        other = chance.randrange(len(parent))
        parent[key], parent[other] = parent[other], parent[key]
    elif how == 3:  # what stands elsewhere in the same part
        parent[key] = copy.deepcopy(
            at(mutant, chance.choice(list(places(mutant[top], (top,))) or [(top,)]))
        )
    else:
        parent[key] = changed(parent[key], chance)
    return path, sealed(mutant)


def reordered(mutant: dict[str, Any], chance: random.Random) -> str:
    """What the policy says of the order of the rows, there and in the certificate."""
    line = 'rows = "same order"\n'
    if mutant.pop("rows", None):
        mutant["policy"] = mutant["policy"].removeprefix(line)
    else:
        mutant |= {"rows": "same order", "policy": line + mutant["policy"]}
    return "rows"


def exchanged(mutant: dict[str, Any], chance: random.Random) -> str:
    """The images of a column's values, in another order."""
    pairs = mutant["original"]["mapping"][chance.choice("qr")]
    images = [image for _, image in pairs]
    chance.shuffle(images)
    for pair, image in zip(pairs, images, strict=True):
        pair[1] = image
    return "original"


def changed(item: Any, chance: random.Random) -> Any:
    """Another value of the same type."""
    match item:
        case bool():
            return not item
        case int():
            return item + chance.choice((-1, 1, 3))
        case str():
            return text_changed(item, chance)
        case None:
            return chance.choice(["*", "x", "11"])
        case list():
            return chance.choice(
                [item[:-1], item[1:], item[::-1], [*item, *item[:1]], []]
            )
    return dict(list(item.items())[1:])


WORDS = re.compile(r"\w+\*?|[<>=]+")


def text_changed(text: str, chance: random.Random) -> str:
    """A digit, a word or a line of a text changed, or two of them exchanged."""
    lines = text.splitlines(keepends=True)
    words = list(WORDS.finditer(text))
    how = chance.randrange(5)
    if how == 0 and len(lines) > 1:
        gone = chance.randrange(len(lines))
        return "".join(lines[:gone] + lines[gone + 1 :])
    if how == 1 and len(lines) > 1:
        chance.shuffle(lines)
        return "".join(lines)
    digits = [m.start() for m in re.finditer(r"\d", text)]
    if how == 2 and digits:
        place = chance.choice(digits)
        return f"{text[:place]}{chance.choice('0123')}{text[place + 1 :]}"
    if how > 2 and len(words) > 1:
        one, two = chance.choice(words), chance.choice(words)
        return f"{text[: one.start()]}{two[0]}{text[one.end() :]}"
    return {"proved": "refuted", "refuted": "proved"}.get(
        text, f"{text}{chance.choice('01*x')}"
    )
