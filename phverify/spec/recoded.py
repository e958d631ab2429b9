"""``check``: a certificate of a recoding by tuples read again, without any engine.

What is done here, in order: the classes are a partition of the table's tuples, and each
has its own least box; the released table is made again, row by row, and each rule is
seen to hold in it, as for the certificate of a verdict; the cost is added up; the
prices of the bound are held against every box; and the classes that could be two are
tried.  What has no proof is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any

from phverify.spec.certificate import Claims, stage
from phverify.spec.class_rules import ClassRules, demands
from phverify.spec.counted import counting_bound
from phverify.spec.cuts import Cut
from phverify.spec.data import Data, Refused
from phverify.spec.models import Table
from phverify.spec.neighbours import Neighbours
from phverify.spec.prices import require_feasible, require_relief
from phverify.spec.published import (
    all_proved,
    exact,
    intact,
    same_files,
    same_rules,
    same_sample,
)
from phverify.spec.recoded_form import shaped
from phverify.spec.recoded_rows import released_data, shown_columns, splitting
from phverify.spec.recoding import (
    TupleRecoding,
    TupleSpace,
    by_median,
    sides,
    tuple_space,
)
from phverify.spec.released import Given
from phverify.spec.sides import COUNTED, OBJECTIVES, BoxSide, HierarchySide
from phverify.spec.source import Columns
from phverify.spec.splits import Splits
from phverify.spec.wording import called, many

Claim = Mapping[str, Any]
BOXES, NEIGHBOURS, COUNTING = "boxes", "neighbours", "counting"
"""What a bound rests on."""
WHY = {
    BOXES: "no box is paid too much",
    NEIGHBOURS: "no tuple is paid more than the neighbours cost that a class needs",
}


def check(claimed: Claim, given: Given) -> Iterator[str]:
    """Verify claim after claim; yields what was verified.

    Raises Refused at the first that does not hold.
    """
    yield from intact(claimed, given.files, shaped)
    same_sample(claimed, given)
    yield from RecodedTable(claimed, given).verified()


@dataclass(eq=False)
class RecodedTable:
    """The claims of one certificate over the table before sanitization."""

    claimed: Claim
    given: Given
    leaves: dict[str, int] = field(default_factory=dict)

    def verified(self) -> Iterator[str]:
        """What holds, a line for each claim.  Raises Refused."""
        claimed, given = self.claimed, self.given
        same_rules(claimed["rules"], given)
        yield self.question()
        yield from same_files(claimed["files"], given)
        yield from stage(given.policy)
        yield from given.told
        yield from map(described, self.space.sides)

        yield self.function()
        yield from self.satisfies()
        rows = [row for row, _ in self.recoding.rows()]
        if "release" in given.files:
            from phverify.spec.released_file import same_released

            yield from same_released(given, self.shown, rows)
        yield self.price()
        yield from self.bound()
        yield from self.locally_minimal()
        if set(self.leaves) != set(claimed["proofs"]):
            raise Refused("the certificate holds proofs of systems that nothing needs")

    def question(self) -> str:
        """What the release is called good for."""
        claimed = self.claimed
        heavy = [
            f"{called(name)} {weight}"
            for name, weight in self.weights.items()
            if weight != 1
        ]
        said = f"the question: little {claimed['objective']}, recoded by tuples"
        if claimed["disjoint"]:
            said += ", boxes disjoint"
        if heavy:
            said += f"; weights: {', '.join(heavy)}, others 1"
        if self.budget:
            said += f"; at most {many(self.budget, 'record')} withheld"
        if self.cells < 1:
            said += f"; at most {self.cells} of the cells are *"
        return said

    # The function

    @cached_property
    def space(self) -> TupleSpace:
        """The tuples of the table, with the nodes of each attribute."""
        objective = self.claimed["objective"]
        if objective not in (*OBJECTIVES, *COUNTED):
            raise Refused(f"there is no objective {objective!r}")
        data = self.given.data
        ranged = tuple(self.claimed["ranges"])
        policy = self.given.policy
        found = sides(policy, data.domains, self.given.hierarchies, ranged)
        medians = by_median(policy, found, self.claimed["publish"])
        return tuple_space(found, data.columns, self.weights, objective, medians)

    @cached_property
    def weights(self) -> dict[str, Fraction]:
        """The weight of each quasi-identifier.  Raises Refused."""
        said = self.claimed["weights"]
        weights = {name: exact(text) for name, text in said.items()}
        complete = set(weights) == set(self.given.data.quasi)
        if not complete or min(weights.values()) < 0 or not any(weights.values()):
            raise Refused("the weights are not those of the policy's quasi-identifiers")
        return weights

    @cached_property
    def recoding(self) -> TupleRecoding:
        """The function that the certificate is about."""
        classes = tuple(tuple(one) for one in self.claimed["classes"])
        if any(list(one) != sorted(set(one)) for one in classes):
            raise Refused("a class does not list its tuples once, in ascending order")
        return TupleRecoding(self.space, classes)

    @cached_property
    def share(self) -> Fraction:
        """The share of the records that may be withheld.  Raises Refused."""
        return _share("suppress", self.claimed["suppress"], below=True)

    @cached_property
    def cells(self) -> Fraction:
        """The share of the released cells that may be ``*``.  Raises Refused."""
        return _share("cells", self.claimed["cells"], below=False)

    @property
    def budget(self) -> int:
        """How many records may be withheld."""
        rows = self.given.data.rows
        return int(self.share * rows)

    def function(self) -> str:
        """That the classes are a function within what was allowed.  Raises Refused."""
        recoding = self.recoding
        recoding.require_function()
        self.given.nameable(self.budget)
        withheld = self.space.records(recoding.withheld)
        if withheld > self.budget:
            raise Refused(
                f"{many(withheld, 'record')} are withheld, and {self.budget} may be"
            )
        # A formula about somebody who is not released would be about nobody.
        people = {self.space.row_tuple[k] for k in self.rules.demands.named}
        if people & set(recoding.withheld):
            raise Refused("somebody whom the policy names is withheld")
        cells = (self.space.rows - withheld) * len(self.space.sides)
        if recoding.stars() > self.cells * cells:
            raise Refused(f"more than {self.cells} of the cells are *")
        apart = ""
        if self.claimed["disjoint"]:
            # A median may lie in a box of another class: nothing seen is disjoint.
            if self.space.medians:
                raise Refused("boxes are called disjoint, and medians are shown")
            if recoding.overlap() is not None:
                raise Refused("a box holds a tuple of another class")
            apart = ", no box holds a tuple of another class"
        tuples = many(len(self.space.tuples), "tuple")
        classes = many(len(recoding.classes), "class", "classes")
        return f"{tuples} in {classes}, each in its least box{apart}{self.medians()}"

    def medians(self) -> str:
        """What is shown in place of ranges, in words."""
        if not self.space.medians:
            return ""
        names = ", ".join(map(called, self.space.medians))
        seen = many(len(self.recoding.sizes), "class", "classes")
        return f"; shown are medians of {names}, which leaves {seen} in the release"

    # What is released

    @cached_property
    def shown(self) -> Columns:
        """The released columns."""
        return shown_columns(self.given, self.recoding)

    def data(self) -> Data:
        """What is released, with everybody's name; individuals keep theirs."""
        return released_data(self.given, self.recoding)

    def judged(self, data: Data) -> Claims:
        """The checker of verdicts, with the proofs of the certificate."""
        # What rests on two solvers would need them here: nothing is taken as agreed.
        proofs = {"proofs": self.claimed["proofs"], "agreed": {}}
        said = {**self.claimed["released"], **proofs}
        return Claims(said, self.given.policy, Table(data), leaves=self.leaves)

    def satisfies(self) -> Iterator[str]:
        """That the released table satisfies the policy.  Raises Refused."""
        judged = self.judged(self.data())
        yield from judged.assumptions()
        lines = all_proved(judged, self.claimed["released"], self.given)
        yield "the released table satisfies the policy"
        yield from lines

    # What it costs

    def price(self) -> str:
        """The cost of the release.  Raises Refused."""
        cost = self.recoding.cost
        # Compared as texts: there is one way to write a fraction.
        if str(cost) != self.claimed["cost"]:
            raise Refused(f"the cost is {cost}, not {self.claimed['cost']}")
        return f"{self.claimed['objective']} is {cost}"

    @cached_property
    def rules(self) -> ClassRules:
        """What the policy asks of single classes."""
        asked = demands(self.given.policy, self.given.data, self.share)
        return ClassRules(self.given.data, self.space, asked)

    def bound(self) -> Iterator[str]:
        """That no recoding by tuples costs less than the bound.  Raises Refused."""
        said = self.claimed["bound"]
        if self.space.objective in COUNTED:
            yield from self.counted(said)
            return
        if said["unit"] < 1:
            raise Refused(f"prices are not counted in units of 1/{said['unit']}")
        value = bound_value(self.space, said, self.budget)
        if str(value) != said["value"]:
            raise Refused(f"the prices add up to {value}, not to {said['value']}")
        # Without a budget nothing is withheld: a relief would have nothing to pay.
        relief = said["relief"] if self.budget else None
        by = said["by"]
        cuts = said.get("cuts", [])
        require_bound(self.rules, said["prices"], relief, said["unit"], by, cuts)
        needed = self.rules.necessary
        yield f"for the bound: {needed.said()}"
        beside = f", {many(len(cuts), 'cut')} paid" if cuts else ""
        yield f"no recoding by tuples costs less than {value}: {WHY[by]}{beside}"
        if self.space.medians:
            # The bound is about classes that satisfy the rules as boxes, too.
            if self.recoding.cost < value:
                raise Refused("a class of one box has fewer records than rules ask for")
            yield "medians change nothing of it: cost and bound are those of the boxes"

    def counted(self, said: Claim) -> Iterator[str]:
        """That no recoding by tuples is below what counting says.  Raises Refused."""
        needed = self.rules.necessary
        values = {column: self.rules.by_tuple(column) for column in needed.distinct}
        value = counting_bound(
            self.space.objective, self.space.counts, needed, values, self.budget
        )
        nothing = {"by": COUNTING, "unit": 1, "prices": [], "relief": 0}
        if said != {**nothing, "value": str(value)}:
            raise Refused(f"the bound is {value} by counting, without prices")
        yield f"for the bound: {needed.said()}"
        yield f"no recoding by tuples costs less than {value}: by counting"

    def locally_minimal(self) -> Iterator[str]:
        """That no class can be split.  Raises Refused."""
        said = self.claimed["splits"]
        if said is None:
            return
        if self.space.medians:
            raise Refused("where medians are shown, classes are not those of the boxes")
        rules = None if self.share else self.rules
        looked = splitting(self.given, self.recoding, rules, self.claimed["disjoint"])
        answers = looked.decided()
        for place, answer in enumerate(answers):
            if not isinstance(answer, str):
                raise Refused(f"class {place} can be split: {answer[0]}, {answer[1]}")
        if answers != said:
            raise Refused("of some class it is another reason why it cannot be split")
        yield split_line(Splits(tuple(said)))


def split_line(found: Splits) -> str:
    """Why no class can be split, in words."""
    parts = [
        f"{many(found.small, 'class', 'classes')} too small to be two",
        f"{many(found.tried, 'class', 'classes')} of which every split breaks a rule",
    ]
    if found.left:
        parts.append(f"{many(found.left, 'class', 'classes')} not decided")
    return f"splitting: {', '.join(parts)}"


def described(one: BoxSide) -> str:
    """What the cells of a column may become."""
    if isinstance(one, HierarchySide):
        return f"{called(one.name)} goes along a hierarchy of {one.tree.depth} levels"
    return f"{called(one.name)} is released in ranges of {len(one.values)} values"


def require_bound(
    rules: ClassRules,
    prices: Sequence[int],
    relief: int | None,
    unit: int,
    by: str,
    cuts: Sequence[Cut] = (),
) -> None:
    """Raises Refused unless prices in parts of ``unit``, and cuts, prove a lower bound.

    ``relief`` is the price of withholding a record, None where none is withheld.  They
    are held against all boxes, or each against the neighbours of its tuple.
    """
    if by not in WHY:
        raise Refused(f"prices are held against boxes or neighbours, not {by!r}")
    if by == NEIGHBOURS:
        # Cuts are paid by classes in boxes: here nothing would hold them.
        if cuts:
            raise Refused("there are cuts, and prices are held against neighbours")
        Neighbours(rules, unit).require(prices)
        if relief is not None:
            require_relief(prices, rules.space.counts, relief)
        return
    space, needed = rules.space, rules.necessary
    distinct = []
    for column, least in needed.distinct.items():
        values = list(map(set, rules.by_tuple(column)))
        distinct.append((values, least))
    layers = unit_layers(space, unit)
    counts, codes = space.counts, space.codes
    least = needed.records
    # Rounded down, less is left to the relief, and what is proved is no less true.
    own = [floor(space.unchanged([t]) * unit) for t in range(len(counts))]
    require_feasible(prices, counts, codes, layers, least, relief, distinct, cuts, own)


def bound_value(space: TupleSpace, said: Claim, budget: int) -> Fraction:
    """What the prices of a bound add up to; what is paid for cuts, and for the records
    that may be withheld, is taken off, and what records cost as they are.
    """
    units = sum(said["prices"]) - sum(cut[-1] for cut in said.get("cuts", []))
    if budget:
        units -= said["relief"] * budget
    paid = Fraction(units, said["unit"] * space.rows)
    return space.no_less(paid - space.constant)


def unit_layers(
    space: TupleSpace, unit: int
) -> list[list[tuple[tuple[int, ...], list[int]]]]:
    """For each attribute its layers: the group of each rank, the price of each group in
    units, rounded down.
    """
    layers = []
    for one, share in zip(space.sides, space.shares, strict=True):
        own = []
        for layer in one.layers(space.priced):
            prices = [floor(price * share * unit) for price in layer.price]
            own.append((layer.group, prices))
        layers.append(own)
    return layers


def _share(what: str, text: str, below: bool) -> Fraction:
    share = exact(text)
    if not 0 <= share <= 1 or (below and share == 1):
        raise Refused(f"{what} is a share, not {share}")
    return share
