"""The space of a search as pictures and tables: its lattice, and its
hierarchies with their cuts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from phverify.generalization.explored import (
    LARGEST,
    STATES,
    ColumnSpread,
    Explored,
    LevelLattice,
)
from phverify.generalization.result import SearchResult
from phverify.report.page import (
    DataTable,
    Drawing,
    PageBlock,
    Paragraph,
    Points,
    TableColumn,
)
from phverify.report.pictures import (
    LOOKS,
    LatticeNode,
    Strip,
    lattice_svg,
    strips_svg,
)
from phverify.report.release_blocks import in_order
from phverify.spec.along import Along
from phverify.words import cell, plural

DRAWN = 150
"""So many level vectors are drawn."""
JOINED = 80
"""So many are drawn with lines between neighbours."""
VALUES = 64
"""So many values, or groups of them, stand in the picture of a hierarchy."""
MEANT = {
    "best": "the best release found",
    "broken": "breaks a rule",
    "satisfies": "keeps every rule, and is more general than another that does",
    "dear": "costs no less than the best: need not be examined",
    "open": "not decided",
}
"""What is known of a level vector."""
TITLES = {
    "best": "best",
    "broken": "break a rule",
    "satisfies": "keep every rule",
    "dear": "cost no less",
    "open": "not decided",
}
"""The same above a column of numbers."""


LEFT_OUT = (
    "How many different values the columns have is left out in the public form: one"
    " more may be one person's."
)


def space_blocks(
    result: SearchResult, explored: Explored, hidden: bool, public: bool = False
) -> Iterator[PageBlock]:
    """The lattice of levels, and each column's hierarchy; ``hidden``: no value, and
    where ``public`` not how many there are.
    """
    if result.space == "levels":
        yield from _lattice(explored)
    columns = explored.columns()
    if not columns:
        yield Paragraph("No release was found whose columns could be shown.")
        return
    yield _columns(result, columns, public)
    if public:
        yield Paragraph(LEFT_OUT)
    if hidden:
        yield Paragraph(
            "Pictures of the hierarchies quote values: they are left out in this form."
        )
        return
    for column in columns:
        yield from _cut(column)


# The lattice of levels


def _lattice(explored: Explored) -> Iterator[PageBlock]:
    count = explored.vectors()
    lattice = explored.lattice()
    names = ", ".join(scheme.name for scheme in explored.search.space.schemes)
    yield Paragraph(
        f"A release is a vector of levels, one for each of {names}: there are"
        f" {count:,}. Those further up are more general."
    )
    if lattice is None:
        yield Paragraph(
            f"They are not shown: up to {LARGEST:,} are gone through one by one."
        )
        return
    if count <= DRAWN:
        yield _drawn(lattice)
        yield Points(tuple(_legend(lattice)))
    else:
        yield Paragraph(
            f"They are counted by their height, which is the sum of their levels; a"
            f" picture has up to {DRAWN}, and which vectors these are is left out."
        )
    yield _by_height(lattice)


def _drawn(lattice: LevelLattice) -> Drawing:
    nodes = []
    # States are an array with one axis for each column: its places are the vectors.
    for levels in np.ndindex(lattice.states.shape):
        state = STATES[int(lattice.states[levels])]
        nodes.append(LatticeNode(levels, state))
    totals = _totals(lattice)
    known = [f"{MEANT[name]}: {totals[name]:,}" for name in STATES if totals[name]]
    # The picture is hidden from screen readers: what it says is said in words.
    best = [node.levels for node in nodes if node.state == "best"]
    said = f"The lattice of {len(nodes)} level vectors. {'; '.join(known)}."
    for levels in best:
        pairs = zip(lattice.names, levels, strict=True)
        listed = ", ".join(f"{name} {level}" for name, level in pairs)
        said += f" The best one has the levels {listed}."
    caption = f"The lattice of levels ({', '.join(lattice.names)})"
    return Drawing(caption, said, lattice_svg(nodes, len(nodes) <= JOINED))


def _legend(lattice: LevelLattice) -> Iterator[str]:
    totals = _totals(lattice)
    for state in STATES:
        if totals[state]:
            yield f"{LOOKS[state].mark} {MEANT[state]}: {totals[state]:,}"


def _totals(lattice: LevelLattice) -> dict[str, int]:
    counts = np.bincount(lattice.states.reshape(-1), minlength=len(STATES))
    return dict(zip(STATES, counts.tolist(), strict=True))


def _by_height(lattice: LevelLattice) -> DataTable:
    totals = _totals(lattice)
    # A column of zeros says nothing.
    present = [state for state in STATES if totals[state]]
    rows = []
    for height, counts in lattice.counted():
        numbers = dict(zip(STATES, counts, strict=True))
        row = [f"{height:,}", f"{sum(counts):,}"]
        row += [f"{numbers[state]:,}" for state in present]
        rows.append(tuple(row))
    titles = [TableColumn("height", number=True), TableColumn("vectors", number=True)]
    titles += [TableColumn(TITLES[state], number=True) for state in present]
    return DataTable("Level vectors by height", tuple(titles), tuple(rows))


# Columns and their cuts


def _columns(
    result: SearchResult, columns: Sequence[ColumnSpread], public: bool
) -> DataTable:
    """What becomes of each column, without any value."""
    rows = []
    for column in columns:
        scheme = column.scheme
        kind = scheme.kind
        if result.levels and isinstance(scheme, Along):
            kind = f"level {result.levels[scheme.name]} of {scheme.tree.depth}"
        cells = [scheme.name, kind]
        if not public:
            kept = len(set(column.blocks))
            cells += [f"{len(scheme.values):,}", f"{kept:,}"]
        rows.append(tuple(cells))
    titles = [TableColumn("column"), TableColumn("how")]
    if not public:
        titles.append(TableColumn("values", number=True))
        titles.append(TableColumn("released values", number=True))
    return DataTable("What becomes of the columns", tuple(titles), tuple(rows))


def _cut(column: ColumnSpread) -> Iterator[PageBlock]:
    """A column's hierarchy with what is released of it."""
    scheme = column.scheme
    blocks = list(dict.fromkeys(column.blocks))
    released = len(blocks)
    values = len(scheme.values)
    if released > VALUES:
        yield Paragraph(
            f"{scheme.name} has no picture: {released:,} values are released, and a"
            f" picture has up to {VALUES}."
        )
        return
    rows = _along(column) if isinstance(scheme, Along) else _together(column)
    said = (
        f"{plural(values, 'value')} of {scheme.name} are released as {released:,}:"
        f" {_few(column)}."
    )
    caption = f"{scheme.name}: what is released (green) of its hierarchy"
    yield Drawing(caption, said, strips_svg(rows))
    if values > VALUES:
        yield Paragraph(
            f"What is below is left out of the picture: there are {values:,} values."
        )


def _few(column: ColumnSpread) -> str:
    """The first released values."""
    images = list(dict.fromkeys(column.images))
    shown = ", ".join(map(cell, images[:8]))
    if len(images) <= 8:
        return shown
    return f"{shown} and {len(images) - 8:,} more"


def _along(column: ColumnSpread) -> list[list[Strip]]:
    """The levels of a tree from its root; without values where there are too many."""
    scheme = column.scheme
    assert isinstance(scheme, Along)
    tree = scheme.tree
    order = _tree_order(tree.paths, in_order(scheme.values))
    whole = len(order) <= VALUES
    # Of many values one for each released one: the picture ends at the cut.
    units = order if whole else _first_of_blocks(column, order)
    rows = []
    for level in range(tree.depth, -1, -1):
        strips: list[Strip] = []
        previous = -1
        for place, value in enumerate(units):
            node = tree.paths[value][level]
            cut, _ = tree.places[column.blocks[value]]
            if not whole and level < cut:
                # what is below the cut is not drawn
                previous = -1
                continue
            if node == previous:
                strips[-1] = _longer(strips[-1])
            else:
                look = _look(level, cut)
                strips.append(Strip(place, 1, cell(scheme.label(node)), look))
            previous = node
        if strips:
            rows.append(strips)
    return rows


def _tree_order(paths: Sequence[Sequence[int]], values: Sequence[int]) -> list[int]:
    """Values so that those below a node stand together, the first ones first."""
    first: dict[int, int] = {}
    for rank, value in enumerate(values):
        for node in paths[value]:
            # A node stands where the first of its values does.
            first.setdefault(node, rank)

    def from_root(value: int) -> list[int]:
        return [first[node] for node in reversed(paths[value])]

    return sorted(values, key=from_root)


def _look(level: int, cut: int) -> str:
    if level == cut:
        return "cut"
    return "above" if level > cut else "below"


def _longer(strip: Strip) -> Strip:
    return Strip(strip.start, strip.length + 1, strip.text, strip.look)


def _first_of_blocks(column: ColumnSpread, order: Sequence[int]) -> list[int]:
    """One value for each block, in the order of the tree."""
    firsts: dict[int, int] = {}
    for value in order:
        firsts.setdefault(column.blocks[value], value)
    return list(firsts.values())


def _together(column: ColumnSpread) -> list[list[Strip]]:
    """Groups of values above the values themselves."""
    scheme = column.scheme
    members: dict[int, list[int]] = {}
    for value in in_order(scheme.values):
        members.setdefault(column.blocks[value], []).append(value)
    whole = len(scheme.values) <= VALUES
    groups: list[Strip] = []
    values: list[Strip] = []
    place = 0
    for inside in members.values():
        # Without the values below it a group is as wide as any other.
        length = len(inside) if whole else 1
        image = cell(column.images[inside[0]])
        groups.append(Strip(place, length, image, "cut"))
        for offset, value in enumerate(inside):
            text = cell(scheme.values[value])
            values.append(Strip(place + offset, 1, text, "below"))
        place += length
    return [groups, values] if whole else [groups]
