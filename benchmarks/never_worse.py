"""Is more freedom ever worse?  Searches of Adult with little time, side by side: a
weaker policy, a richer space and a longer budget must lose no more.

    python benchmarks/never_worse.py [--quick] [--json FILE] [--only NAME ..]

Needs ``pip install -e '.[bench]'``; ``--quick`` leaves out the richer spaces and a
budget, and then writes no JSON unless asked.  ``--only`` asks some families of policies
alone.  Losses are compared as exact fractions; what a richer space counts otherwise
(columns by intervals or partitions have the occurring values as leaves) is summed again
from the released mapping, and the sum must be the cost that is told.

A question that is decided is not asked again with more time.  Seconds are those that
the processor works for the search, and so are budgets here: other processes take none
of them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import microdata
from harness import RESULTS as FOLDER
from harness import Bench, parser, save, show

import phverify
from phverify import Policy
from phverify.generalization.result import SearchResult

RESULTS = FOLDER / "never_worse.json"
ADULT = microdata.ADULT
BUDGETS = (1, 2, 5)
SHARES = ("0", "0.05", "0.1", "0.2")
SELECTED = ((0, "0.05"), (0, "0.1"), (0, "0.2"), (1, "0"), (1, "0.1"))
"""The places of numbers, and shares, that are asked in the richer spaces."""
OVER = 1.0
"""Seconds that a search may take beyond its budget: of one below two seconds part of
the last second, in which something to show is looked for, comes late.
"""
RICHER = {
    "levels": ("subtrees", "intervals", "partitions"),
    "subtrees": ("partitions",),
    "intervals": (),
}
"""The richer spaces of each space.  Intervals are none of the partitions that are tried:
age has more values than those may have.
"""
Key = tuple[str, int, str, str, int]
"""A family, the place of its number, a share, a space and a budget."""


@dataclass(frozen=True)
class Family:
    """Policies that differ in one number, from the least strict on."""

    name: str
    rule: str
    numbers: tuple[str, ...]
    sensitive: str = "occupation"
    richer: bool = False
    """Whether it is asked in the richer spaces, too."""

    def policy(self, place: int) -> Policy:
        """The policy with one of the numbers."""
        quasi = [name for name in microdata.QUASI if name != self.sensitive]
        neutral = [name for name in ("occupation",) if name != self.sensitive]
        used = {*quasi, self.sensitive}
        files = {name: hierarchy(name) for name in sorted(used)}
        rule = self.rule.format(self.numbers[place])
        rules = {"k": "k_anonymity(5)", "rule": rule}
        return Policy.from_dict(
            {
                "columns": {
                    "quasi": quasi,
                    "sensitive": [self.sensitive],
                    "neutral": neutral,
                },
                "types": {"age": "integer"},
                "hierarchies": files,
                "rules": rules,
            }
        )


FAMILIES = (
    Family("k", "k_anonymity({})", ("5", "10"), richer=True),
    Family("l", "l_diversity(occupation, {})", ("3", "5"), richer=True),
    Family("entropy", "entropy_l_diversity(occupation, {})", ("3", "5")),
    Family("recursive", "recursive_l_diversity(occupation, {}, 3)", ("4", "2")),
    Family("equal", "t_closeness(occupation, {})", ("0.3", "0.2"), richer=True),
    Family("hierarchical", "t_closeness(occupation, {}, hierarchical)", ("0.3", "0.2")),
    Family("ordered", "t_closeness(age, {}, ordered)", ("0.2", "0.1"), "age"),
    Family("delta", "delta_disclosure(occupation, {})", ("2", "1.5"), richer=True),
    Family("beta", "beta_likeness(occupation, {})", ("4", "2"), richer=True),
    Family(
        "equal, original",
        "t_closeness(occupation, {}, reference=original)",
        ("0.3", "0.2"),
        richer=True,
    ),
    Family(
        "delta, original",
        "delta_disclosure(occupation, {}, reference=original)",
        ("2", "1.5"),
    ),
    Family(
        "beta, original",
        "beta_likeness(occupation, {}, reference=original)",
        ("4", "2"),
    ),
)


@dataclass(frozen=True)
class Answer:
    """What a search said."""

    verdict: str
    loss: Fraction | None
    bound: Fraction | None
    seconds: float
    result: SearchResult
    again: bool = False
    """Whether it is the answer of a shorter budget, which had decided the question."""


def hierarchy(name: str) -> str:
    """The file of a column's hierarchy."""
    return str(ADULT / f"adult_hierarchy_{name}.csv")


# Asking


def answers(bench: Bench, families: Sequence[Family], quick: bool) -> dict[Key, Answer]:
    """All questions, in the order of their freedom."""
    table = phverify.read(ADULT / "adult.csv")
    # Lemmas of criteria, which are about no table, are proved once in a process.
    phverify.search(table, FAMILIES[0].policy(0), budget=5)
    found: dict[Key, Answer] = {}
    # All clocks of the search are those of budgets.
    time.monotonic = time.process_time
    for family in families:
        spaces = ["levels"]
        if family.richer and not quick:
            spaces += RICHER["levels"]
        for space in spaces:
            for place, share in asked(family, space):
                policy = family.policy(place)
                last: Answer | None = None
                for budget in BUDGETS[:2] if quick else BUDGETS:
                    last = _answer(table, policy, share, space, budget, last)
                    found[family.name, place, share, space, budget] = last
                    bench.console.print(
                        f"[dim]{_line(family, place, share, space, budget, last)}[/dim]",
                        highlight=False,
                    )
    return found


def asked(family: Family, space: str) -> Iterator[tuple[int, str]]:
    """The numbers and shares that a family is asked with in a space."""
    for place in range(len(family.numbers)):
        for share in SHARES:
            # Richer spaces take their time: they are asked less.
            asked_there = (place, share) in SELECTED
            if space == "levels" or asked_there:
                yield place, share


def _answer(
    table: Any,
    policy: Policy,
    share: str,
    space: str,
    budget: int,
    before: Answer | None,
) -> Answer:
    if before is not None and before.verdict != "undecided":
        return Answer(**{**vars(before), "again": True})
    start = time.process_time()
    result = phverify.search(table, policy, suppress=share, space=space, budget=budget)
    seconds = time.process_time() - start
    if result.cost is not None:
        assert summed(result, result) == result.cost, (policy.rules, share, space)
    return Answer(result.verdict, result.cost, result.bound, seconds, result)


def _line(
    family: Family, place: int, share: str, space: str, budget: int, said: Answer
) -> str:
    number = family.numbers[place]
    asked = f"{family.name} {number}, {share} withheld, {space}, {budget} s"
    loss, bound = _shown(said.loss), _shown(said.bound)
    rows = said.result.suppressed
    again = " (as before)" if said.again else ""
    return f"{asked}: {said.verdict} {loss} >= {bound}, {rows} rows, {said.seconds:.2f} s{again}"


def _shown(number: Fraction | None) -> str:
    return "-" if number is None else f"{float(number):.6f}"


# Losses


@cache
def lines(name: str) -> list[list[str]]:
    """The lines of a hierarchy."""
    return microdata.lines(ADULT / f"adult_hierarchy_{name}.csv")


@cache
def occurrences(name: str) -> Mapping[str, int]:
    """How many records have each value of a column."""
    column = microdata.adult().raw[name]
    return {str(value): int(rows) for value, rows in column.value_counts().items()}


def summed(found: SearchResult, counted: SearchResult) -> Fraction | None:
    """What a release loses as the space of another answer counts."""
    if found.cost is None:
        return None
    total = Fraction(0)
    for name, images in found.mapping.items():
        kind = counted.schemes[name]
        total += _loss(name, images, kind in ("intervals", "partitions"))
    return total / len(found.mapping)


def _loss(name: str, images: Mapping[Any, Any], occurring: bool) -> Fraction:
    """The mean of (leaves together with a value - 1) / (leaves - 1)."""
    rows = occurrences(name)
    leaves = [*rows] if occurring else [line[0] for line in lines(name)]
    paths = {line[0]: line for line in lines(name)}
    lost = 0
    for value, many in rows.items():
        image = images[value]
        if occurring:
            inside = sum(1 for leaf in leaves if images[leaf] == image)
        else:
            inside = sum(1 for leaf in leaves if _below(leaf, image, paths))
        lost += many * (inside - 1)
    return Fraction(lost, sum(rows.values()) * max(len(leaves) - 1, 1))


def _below(leaf: str, image: str, paths: Mapping[str, Sequence[str]]) -> bool:
    return image in paths[leaf]


# Comparing


@dataclass(frozen=True)
class Worse:
    """Two answers of which the freer one loses more."""

    freer: str
    """What it may do more: a policy, a space or a budget."""
    question: str
    other: str
    loss: str
    less: str


def comparisons(
    families: Sequence[Family], found: Mapping[Key, Answer]
) -> Iterator[tuple[str, Key, Key]]:
    """What is freer, the key of the freer answer, and the other one's."""
    for key in found:
        name, place, share, space, budget = key
        own = next(family for family in families if family.name == name)
        for stricter in range(place + 1, len(own.numbers)):
            yield "policy", key, (name, stricter, share, space, budget)
        for fewer in SHARES[: SHARES.index(share)]:
            yield "policy", key, (name, place, fewer, space, budget)
        for shorter in BUDGETS[: BUDGETS.index(budget)]:
            yield "budget", key, (name, place, share, space, shorter)
        for poorer, richer in RICHER.items():
            if space in richer:
                yield "space", key, (name, place, share, poorer, budget)


def worse(
    families: Sequence[Family], found: Mapping[Key, Answer]
) -> tuple[int, list[Worse]]:
    """How many pairs were compared, and those where more freedom loses more."""
    compared = 0
    listed = []
    for freer, key, other in comparisons(families, found):
        if other not in found:
            continue
        compared += 1
        own, less = found[key].loss, found[other].loss
        if freer == "space":
            less = summed(found[other].result, found[key].result)
        if less is not None and (own is None or own > less):
            said = _question(families, key), _question(families, other)
            listed.append(Worse(freer, *said, _shown(own), _shown(less)))
    return compared, listed


def _question(families: Sequence[Family], key: Key) -> str:
    name, place, share, space, budget = key
    own = next(family for family in families if family.name == name)
    return f"{name} {own.numbers[place]}, {share} withheld, {space}, {budget} s"


def report(
    bench: Bench, families: Sequence[Family], found: Mapping[Key, Answer]
) -> None:
    """The rows of the table, and the facts."""
    compared, listed = worse(families, found)
    for one in listed:
        bench.console.print(
            f"worse: {one.question}: {one.loss}; {one.other}: {one.less}",
            highlight=False,
        )
    for freer in ("policy", "space", "budget"):
        many = [one for one in listed if one.freer == freer]
        said = f"of {compared} pairs those where the freer {freer} loses more"
        bench.add(f"worse.{freer}", said, len(many), "", 0)
    late = 0.0
    for (*_, budget), answer in found.items():
        if not answer.again:
            late = max(late, answer.seconds - budget)
    bench.add("late", "the latest answer after its budget", max(late, 0.0), "s", OVER)
    facts = []
    for key, answer in found.items():
        if answer.again:
            continue
        row = {"question": _question(families, key), "verdict": answer.verdict}
        row |= {"loss": _shown(answer.loss), "bound": _shown(answer.bound)}
        facts.append({**row, "seconds": round(answer.seconds, 2)})
    bench.facts["answers"] = facts
    bench.facts["worse"] = [asdict(one) for one in listed]


def main() -> None:
    options = parser(RESULTS, "without the richer spaces and the longest budget")
    options.add_argument("--only", nargs="+", help="families of policies")
    chosen = options.parse_args()
    bench = Bench(1)
    if not ADULT.exists():
        bench.console.print("Adult is not beside the repository: nothing is asked")
        return
    families = [one for one in FAMILIES if not chosen.only or one.name in chosen.only]
    found = answers(bench, families, chosen.quick)
    report(bench, families, found)
    show(bench, "never_worse.py")
    whole = not (chosen.quick or chosen.only)
    target = chosen.json or (RESULTS if whole else None)
    if target:
        save(bench, target)


if __name__ == "__main__":
    main()
