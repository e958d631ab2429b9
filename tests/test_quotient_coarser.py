"""A quotient of a quotient is that of the mapped rows, in whatever way keys are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.so_many import so_many

from phverify.errors import Defect
from phverify.exact import Ints
from phverify.microdata import coarser as counting
from phverify.microdata import keys as packing
from phverify.microdata.coarser import coarser
from phverify.microdata.quotient import Quotient, quotient
from phverify.microdata.table import CodedColumn

SIZES = {"a": 2, "b": 3, "c": 5, "d": 2, "f": 3, "g": 2}
QUASI = ("a", "b", "c", "d")
Rows = dict[str, Ints]


def labels(many: int) -> tuple[str, ...]:
    return tuple(map(str, range(many)))


def random_rows(seed: int, many: int) -> Rows:
    random = np.random.default_rng(seed)
    return {name: random.integers(0, size, many) for name, size in SIZES.items()}


def columns(rows: Rows) -> dict[str, CodedColumn]:
    return {name: CodedColumn(rows[name], labels(SIZES[name])) for name in SIZES}


def some_maps(
    seed: int, sizes: dict[str, int], names: Collection[str] = QUASI
) -> dict[str, CodedColumn]:
    """Each value of these columns has an image, and every image is some value's; in
    other columns each is its own.
    """
    random = np.random.default_rng(seed)
    maps = {}
    for name in QUASI:
        drawn = random.integers(0, sizes[name], sizes[name])
        if name not in names:
            drawn = np.arange(sizes[name])
        images, codes = np.unique(drawn, return_inverse=True)
        maps[name] = CodedColumn(codes, labels(len(images)))
    return maps


def some_of(
    maps: dict[str, CodedColumn], names: Collection[str]
) -> dict[str, CodedColumn]:
    return {name: maps[name] for name in names}


def mapped(rows: Rows, maps: dict[str, CodedColumn]) -> Rows:
    return rows | {name: maps[name].codes[rows[name]] for name in QUASI}


def held(rows: Rows, others: tuple[str, ...]) -> Counter[tuple[int, ...]]:
    named = [rows[name].tolist() for name in (*QUASI, *others)]
    return Counter(zip(*named, strict=True))


def require_count(q: Quotient, rows: Rows, others: tuple[str, ...]) -> None:
    """The cells are the distinct rows in order, and the classes are cut between them."""
    codes = [q.codes[name].tolist() for name in (*QUASI, *others)]
    cells = list(zip(*codes, strict=True))
    assert dict(zip(cells, q.counts.tolist(), strict=True)) == held(rows, others)
    assert cells == sorted(cells)
    classes = sorted(held(rows, ()))
    for index, values in enumerate(classes):
        assert tuple(q.codes_of_class(index).values()) == values
        assert cells[q.starts[index]][: len(QUASI)] == values
    assert q.classes == len(classes)
    sizes = held(rows, ())
    assert q.sizes.tolist() == [sizes[values] for values in classes]
    for name in QUASI:
        by_label = np.bincount(rows[name], minlength=len(q.labels[name]))
        assert q.occurrences[name].tolist() == by_label.tolist()


@so_many(60)
@given(
    st.integers(0, 10_000),
    st.integers(1, 200),
    st.sampled_from([(), ("f",), ("f", "g")]),
    st.sampled_from([2**62, 2**12, 20]),
    st.lists(st.sets(st.sampled_from(QUASI)), min_size=2, max_size=2),
)
@example(1, 150, ("f",), 2**62, [{"c"}, {"b"}])
@example(2, 150, (), 2**62, [{"d"}, {"a"}])
# Keys that were packed by ranks need none any more.
@example(1, 15, (), 50, [{"c"}, {"b", "d"}])
@example(3, 12, ("f",), 50, [{"b", "c"}, {"c"}])
def test_mapped_twice(
    seed: int,
    many: int,
    others: tuple[str, ...],
    limit: int,
    mapped_columns: list[set[str]],
) -> None:
    """By groups of columns, by ranks where keys would be too large, and by an order
    where keys with their counts would be.
    """
    rows = random_rows(seed, many)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "LIMIT", limit)
        patch.setattr(packing, "LIMIT", limit)
        fine = quotient(columns(rows), QUASI, others, many)
        require_count(fine, rows, others)
        first = some_maps(seed + 1, SIZES, mapped_columns[0])
        once, into = coarser(fine, some_of(first, mapped_columns[0]))
        rows = mapped(rows, first)
        require_count(once, rows, others)
        sizes = {name: len(first[name].labels) for name in QUASI}
        second = some_maps(seed + 2, sizes, mapped_columns[1])
        twice, further = coarser(once, some_of(second, mapped_columns[1]))
        require_count(twice, mapped(rows, second), others)
    for index, home in enumerate(further[into].tolist()):
        values = fine.codes_of_class(index)
        images = [second[n].codes[first[n].codes[values[n]]] for n in QUASI]
        assert [*twice.codes_of_class(home).values()] == images


def test_columns_share_a_table_where_it_is_small() -> None:
    rows = random_rows(1, 2000)
    fine = quotient(columns(rows), QUASI, (), 2000)
    groups, numbers = fine.neighbours
    assert fine.classes == 60 and groups == [("a", "b"), ("c", "d")]
    a, b = fine.class_codes["a"], fine.class_codes["b"]
    assert numbers[0].tolist() == (3 * a + b).tolist()


def test_every_value_needs_an_image() -> None:
    rows = random_rows(1, 20)
    maps = some_maps(1, SIZES)
    short = CodedColumn(maps["b"].codes[:-1], maps["b"].labels)
    with pytest.raises(Defect, match="'b'"):
        coarser(quotient(columns(rows), QUASI, (), 20), maps | {"b": short})
