"""The table before sanitization that a certificate names, and whom it puts where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from phverify.spec import rules as language
from phverify.spec.hierarchies import hierarchies
from phverify.spec.policy import PlainPolicy
from phverify.spec.separated import table
from phverify.spec.shape import BY_TUPLES
from phverify.spec.source import Columns, File, Paths, Plain, Refused

if TYPE_CHECKING:
    from phverify.spec.certificate import Claims
    from phverify.spec.origin import Origin
    from phverify.spec.tuples import TupleOrigin


def explained(
    claimed: Plain,
    rules: PlainPolicy,
    columns: Columns,
    original: File | None,
) -> Origin | TupleOrigin:
    """The release with the individuals of its original table.

    Raises Refused when the file is another one, or it does not become the release.
    """
    if original is None:
        raise Refused(
            "the certificate names an original table: give it with --original"
        )
    before = claimed["original"]
    columns_before = table(original, rules.named, before["sha256"])

    def along(values: Columns) -> Mapping[str, Paths]:
        # Those over the original's values: release labels are no leaves.
        quoted = claimed["hierarchies"]
        return hierarchies(rules, quoted, values, sanitized=False)

    if before["mapping"] == BY_TUPLES:
        from phverify.spec.tuples import tuple_origin

        return tuple_origin(rules, columns, columns_before, along)
    from phverify.spec.origin import origin

    # The mapping is claimed: the release is made again under it.
    mapping = {
        name: dict(map(tuple, pairs)) for name, pairs in before["mapping"].items()
    }
    return origin(rules, columns, columns_before, mapping, along)


def settled(origin: Origin | TupleOrigin, claims: Claims) -> str:
    """That the classes of all who are named are certain.  Raises Refused."""
    formulas = list(claims.given)
    for said in claims.claimed["rules"]:
        # Of undecided rules nothing is claimed that a mapping could change.
        if said["verdict"] != "undecided":
            data = claims.table.data
            formulas.append(language.rule(claims.policy, data, said["name"]))
    return origin.settled(formulas)
