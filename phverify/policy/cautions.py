"""What a steward should know before publishing, whatever the verdict.

Values that look alike, missing cells, columns without a role, assumptions that change
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from phverify.errors import Problem, Problems
from phverify.microdata.lookalikes import lookalikes, unmistakable
from phverify.microdata.table import Coded, CodedTable
from phverify.policy.model import Policy
from phverify.spec import syntax as s
from phverify.words import are_missing, plural

GROUPS = 3
"""Groups of look-alike values that are shown of one column."""
VALUES = 4
"""Values that are shown of one group."""
MISSING = "a missing cell is a value of its own, alike only to other missing cells"
"""What a missing quasi-identifier means in a release."""
NO_INDEX = "reset_index(drop=True) leaves it out, reset_index() makes columns of it"


def mistakable(policy: Policy, columns: Coded, redact: bool) -> Iterator[str]:
    """A warning for each column with values that look alike; ``redact`` quotes none.

    Whatever is compared with a quasi-identifier or a sensitive value takes them apart.
    """
    for name in (*policy.quasi, *policy.sensitive):
        groups = lookalikes(columns[name].labels)
        if not groups:
            continue
        said = f"values of {name!r} look alike and count as different values"
        if redact:
            count = plural(len(groups), "group")
            yield f"{said} ({count})"
            continue
        shown = "; ".join(map(_listed, groups[:GROUPS]))
        more = len(groups) - GROUPS
        if more > 0:
            further = plural(more, "more group")
            shown = f"{shown}; and {further}"
        yield f"{said}: {shown}"


def _listed(group: tuple[str, ...]) -> str:
    few = group[:VALUES]
    shown = ", ".join(map(unmistakable, few))
    more = len(group) - VALUES
    if more > 0:
        return f"{shown} and {more} more"
    return shown


def missing_quasi(
    policy: Policy, columns: Coded, means: Callable[[str], str]
) -> Iterator[str]:
    """A warning for each quasi-identifier with missing cells.

    ``means`` says by column what they are.
    """
    for name in policy.quasi:
        count = columns[name].missing()
        if count:
            are = "is" if count == 1 else "are"
            cells = plural(count, "cell")
            where = f"{cells} of the quasi-identifier {name!r}"
            meaning = means(name)
            yield f"{where} {are} missing: {meaning}"


def identified(policy: Policy, table: CodedTable) -> str:
    """The identifier column, where the release still carries it; else ""."""
    name = policy.identifier
    levels = [level.name for level in table.index]
    if name and (name in table.columns or name in levels):
        return name
    return ""


def unclear_index(policy: Policy, table: CodedTable) -> Problems:
    """What is wrong with the index of a DataFrame that is a release: it has the name of
    a column with a role, or texts that may name people.
    """
    problems: Problems = []
    for level in table.index:
        if level.name in policy.columns:
            what = f"its index has the name {level.name!r}, which is that of a column"
            problems.append(Problem(table.source, what, NO_INDEX))
        nameless = level.name is None and not level.numbers
        if nameless and policy.identifier and not identified(policy, table):
            what = "its index has no name, and may be the identifier"
            problems.append(
                Problem(table.source, f"{what} {policy.identifier!r}", NO_INDEX)
            )
    return problems


def _beside(policy: Policy, table: CodedTable) -> Iterator[str]:
    """A warning for an index that is neither the identifier nor refused."""
    levels = [level.name for level in table.index]
    others = [name for name in levels if name is None or name != policy.identifier]
    if not others:
        return
    names = ", ".join(repr(name) for name in others if name is not None)
    named = f" ({names})" if names else ""
    yield f"the index is published, but outside every verdict{named}: {NO_INDEX}"


def exposed(policy: Policy, table: CodedTable, columns: Coded) -> Iterator[str]:
    """What a release publishes that no verdict is about, and what missing cells are."""
    if identified(policy, table):
        yield (
            f"the release still carries the identifier column {policy.identifier!r}:"
            " remove it before publishing"
        )
    known = (*policy.columns, policy.identifier)
    loose = [name for name in table.columns if name not in known]
    if loose:
        listed = ", ".join(map(repr, loose))
        yield f"no role for {listed}: published, but outside every verdict"
    yield from _beside(policy, table)
    for name in (*policy.sensitive, *policy.neutral):
        if columns[name].missing():
            missing = are_missing(columns[name].missing(), name)
            yield f"{missing}: a missing cell counts as a value of its own"


def unreached(
    rules: Mapping[str, s.Formula], assumptions: Mapping[str, s.Formula]
) -> Iterator[str]:
    """Assumptions say who can be where; what agents know and how likely it is, they do
    not change (Definition 7).
    """
    if not assumptions:
        return
    asking = []
    for name, formula in rules.items():
        if any(map(_asks_agents, s.subformulas(formula))):
            asking.append(name)
    if asking:
        yield (
            f"{', '.join(asking)}: [a] and l_a speak of what the release alone tells,"
            " whatever is assumed; never_known() asks whether a secret follows from"
            " the release and the assumptions together"
        )


def _asks_agents(node: s.Formula) -> bool:
    if isinstance(node, s.Box | s.Diamond | s.Compare):
        return True
    if not isinstance(node, s.Criterion):
        return False
    return node.name in ("logical_safety", "weighted_safety")
