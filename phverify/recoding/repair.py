"""Classes joined, or split: for a release that breaks a rule, or could be finer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from phverify.spec.class_rules import ClassRules
from phverify.spec.recoded_rows import splitting
from phverify.spec.recoding import Class, TupleRecoding, one_box_each
from phverify.spec.released import Given
from phverify.spec.splits import Halves, Splits, Splitting, WholeJudge

Allowed = Callable[[Class], bool]


def joined(
    recoding: TupleRecoding, place: int, allowed: Allowed
) -> TupleRecoding | None:
    """A class made one with another, the one of least extra cost of those allowed.

    None where no other class may be joined.
    """
    space = recoding.space
    own = recoding.classes[place]
    order = sorted(
        (_extra(recoding, place, other), other)
        for other in range(len(recoding.classes))
        if other != place
    )
    # The cheapest partner first; a dearer one where the rules refuse it.
    for _, other in order:
        union = tuple(sorted((*own, *recoding.classes[other])))
        if allowed(union):
            rest = _without(recoding, {place, other})
            return one_box_each(space, [*rest, union])
    return None


def _extra(recoding: TupleRecoding, place: int, other: int) -> Fraction:
    """What joining two classes costs."""
    space = recoding.space
    classes, boxes = recoding.classes, recoding.boxes
    both = tuple(
        side.node(min(one[0], two[0]), max(one[1], two[1]))
        for side, one, two in zip(space.sides, boxes[place], boxes[other], strict=True)
    )
    records = [space.records(classes[k]) for k in (place, other)]
    before = records[0] * space.price(boxes[place])
    before += records[1] * space.price(boxes[other])
    return sum(records) * space.price(both) - before


def _without(recoding: TupleRecoding, places: set[int]) -> list[Class]:
    """The other classes."""
    numbered = enumerate(recoding.classes)
    return [one for place, one in numbered if place not in places]


def satisfying(recoding: TupleRecoding, rules: ClassRules) -> TupleRecoding | None:
    """The recoding with every class that breaks a class rule joined to others.

    None where a class is left that cannot be mended so.
    """
    while True:
        broken = [
            place
            for place, numbers in enumerate(recoding.classes)
            if not rules.satisfied(numbers)
        ]
        if not broken:
            return recoding
        mended = joined(recoding, broken[0], rules.satisfied)
        if mended is None:
            # No single partner helps: the nearest, and try again with more.
            mended = joined(recoding, broken[0], lambda union: True)
        if mended is None:
            return None
        recoding = mended


def apart(recoding: TupleRecoding, rules: ClassRules) -> TupleRecoding | None:
    """The recoding with boxes that hold no tuple of another class.

    A tuple in two boxes belongs to one class: either it moves, where both classes may
    be so and its own box shrinks, or the classes are joined.  None where joining breaks
    a rule that cannot be mended.
    """
    while (found := recoding.overlap()) is not None:
        place, number = found
        own = next(k for k, one in enumerate(recoding.classes) if number in one)
        moved = _moved(recoding, number, own, place, rules)
        if moved is None:
            # Joining always mends the overlap: it costs more than moving one tuple.
            union = (*recoding.classes[place], *recoding.classes[own])
            rest = _without(recoding, {place, own})
            moved = one_box_each(recoding.space, [*rest, union])
        mended = satisfying(moved, rules)
        if mended is None:
            return None
        recoding = mended
    return recoding


def _moved(
    recoding: TupleRecoding, number: int, own: int, place: int, rules: ClassRules
) -> TupleRecoding | None:
    """A tuple moved into the class whose box holds it; None where it may not."""
    space = recoding.space
    left = tuple(one for one in recoding.classes[own] if one != number)
    if not left:
        return None
    # The rest of its class may still reach around it.
    holds_still = space.inside(space.box(left)) >> number & 1
    entered = tuple(sorted((*recoding.classes[place], number)))
    if holds_still or not rules.satisfied(left) or not rules.satisfied(entered):
        return None
    rest = _without(recoding, {own, place})
    return one_box_each(space, [*rest, left, entered])


def split_all(
    given: Given,
    recoding: TupleRecoding,
    rules: ClassRules | None,
    disjoint: bool,
    judge: WholeJudge | None = None,
) -> tuple[TupleRecoding, Splits]:
    """The recoding with every class split that can be; what is known of the rest.

    ``rules`` are None where records may be withheld: they are those of the release.
    ``judge`` decides rules about the whole table; without one, the reference semantics.
    """
    while True:
        looking = splitting(given, recoding, rules, disjoint, judge)
        # Whoever is withheld stays so: the rules are the same after a split.
        rules = looking.rules
        split: dict[int, Halves] = {}
        reasons = []
        for place, decided in enumerate(looking.decided()):
            if isinstance(decided, str):
                reasons.append(decided)
            else:
                split[place] = decided
        if not split:
            return recoding, Splits(tuple(reasons))
        recoding = _all_split(looking, split)


def _all_split(looking: Splitting, split: Mapping[int, Halves]) -> TupleRecoding:
    """The recoding with all these classes split, or the first where they disagree."""
    recoding, rules = looking.recoding, looking.rules
    rest = _without(recoding, set(split))
    halves = [half for pair in split.values() for half in pair]
    together = one_box_each(recoding.space, [*rest, *halves])
    # Split one by one each was allowed; together they may share a box, or break a rule.
    allowed = not rules.open and all(map(rules.satisfied, together.classes))
    cheaper = allowed and together.cost < recoding.cost
    if cheaper and (not looking.disjoint or together.overlap() is None):
        return together
    first = min(split)
    rest = _without(recoding, {first})
    return one_box_each(recoding.space, [*rest, *split[first]])
