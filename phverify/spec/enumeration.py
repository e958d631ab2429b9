"""A rule over a small table, decided word by word.

In every model of the release (Definition 7), at every row.  Only whom a formula names
matters: however they stand on rows of their classes, the others fill the rows that are
left.  No other lemma is used here.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from phverify.spec import syntax as s
from phverify.spec.data import Refused
from phverify.spec.models import Table, models, placements
from phverify.spec.nominals import numbered
from phverify.spec.schemas import expand, size
from phverify.spec.signature import Signature

LONGEST = 20_000
"""So many formulas in one another, at most, has a rule that is written out."""
ROWS = 20_000
"""So many rows are examined, in all models together."""


def models_examined(
    rule: s.Formula, given: tuple[s.Formula, ...], table: Table
) -> int | None:
    """In how many models a rule was examined, each of its conjuncts by itself.

    None when there are too many; 0 where nobody is named: then all models say the same.
    Raises Refused when the rule is false in a model that meets the assumptions
    ``given``.
    """
    signature = table.data.signature
    if sum(length(f, signature) for f in (rule, *given)) > LONGEST:
        return None
    assumptions = [expand(f, signature) for f in given]
    # Where they are decides which models count.
    assumed_people, _ = numbered(assumptions)
    named: list[tuple[s.Formula, list[int]]] = []
    for conjunct in conjuncts(expand(rule, signature)):
        # One conjunct names few; all whom the rule names would multiply the models.
        own_people, _ = numbered([conjunct])
        named.append((conjunct, sorted({*assumed_people, *own_people})))

    many = sum(placements(table, people) for _, people in named)
    if many * table.data.rows > ROWS:
        return None
    for conjunct, people in named:
        for model in models(table, people):
            # What the adversary knows excludes the other models.
            if all(map(model.valid, assumptions)) and not model.valid(conjunct):
                from phverify.spec.witness import placed

                raise Refused(f"it is false in a model{placed(model)}")
    # Without anybody named there is one model to examine, and it stands for all.
    somebody = any(people for _, people in named)
    return many if somebody else 0


def length(f: s.Formula, signature: Signature) -> int:
    """How many formulas stand in one another once schemas are written out."""
    lengths = [length(child, signature) for child in s.children(f)]
    inside = sum(lengths)
    if isinstance(f, s.Quantified):
        # Each instance holds the body once.
        inside *= prod(size(binder, signature) for binder in f.binders)
    return 1 + inside


def conjuncts(f: s.Formula) -> Iterator[s.Formula]:
    """What must hold all together."""
    if isinstance(f, s.And):
        for part in f.parts:
            yield from conjuncts(part)
    else:
        yield f
