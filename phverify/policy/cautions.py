"""What a steward should know of cells before publishing, whatever the verdict.

Values that look alike, and quasi-identifiers with missing cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from phverify.microdata.lookalikes import lookalikes, unmistakable
from phverify.microdata.table import Coded
from phverify.policy.model import Policy
from phverify.words import plural

GROUPS = 3
"""Groups of look-alike values that are shown of one column."""
VALUES = 4
"""Values that are shown of one group."""


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
