"""The form of a certificate: exactly these fields, exactly these types.  What is not
understood is refused.
"""

from __future__ import annotations

import re
from typing import Any

from phverify.spec.source import Refused

KIND, FORMAT = "phverify certificate of a verdict", 5
LABEL = (str, type(None))
ASSIGNMENT = [[int, int]]
WITNESS = {"world": int, "assignment": ASSIGNMENT, "path": list}
PROVED = {"name": str, "verdict": "proved"}
RULE = (
    PROVED,
    {**PROVED, "verdict": "refuted", "witness": WITNESS},
    {**PROVED, "verdict": "undecided", "reason": str},
)
"""What is said about a rule."""
BY_TUPLES = "tuples"
MAPPING = ({...: [[LABEL, LABEL]]}, BY_TUPLES)
"""For each column what its values became; or that tuples were recoded."""
FIELDS = {
    "kind": str,
    "format": int,
    "version": str,
    "solvers": list,
    "policy": str,
    "release": {"sha256": str},
    "original": ({"sha256": str, "mapping": MAPPING}, type(None)),
    "hierarchies": {...: str},
    "assumptions": ASSIGNMENT,
    "rules": [RULE],
    "proofs": dict,
    "agreed": dict,
    "digest": str,
}


def shaped(claimed: Any) -> None:
    """Raises Refused when something is not as a certificate has it."""
    told(claimed, KIND, FORMAT)
    # The one field that may be absent: it stands where the policy says so.
    order = {"rows": "same order"} if "rows" in claimed else {}
    fits(claimed, {**FIELDS, **order}, "the certificate")
    original = claimed["original"]
    mapping = original["mapping"] if original else {}
    if mapping != BY_TUPLES:
        for pairs in mapping.values():
            values = [value for value, _ in pairs]
            once(values, "a value of a mapping")
    rules = [said["name"] for said in claimed["rules"]]
    once(rules, "a rule")
    once(
        [*claimed["proofs"], *claimed["agreed"]],
        "a system with a proof, or on which solvers agree,",
    )


def once(names: list[Any], what: str) -> None:
    """Raises Refused when a name occurs twice."""
    if len(set(names)) < len(names):
        raise Refused(f"{what} is named twice")


def told(claimed: Any, kind: str, number: int) -> None:
    """Raises Refused for a certificate of another kind or format than this one."""
    if (
        type(claimed) is not dict
        or type(claimed.get("kind")) is not str
        or type(claimed.get("format")) is not int
    ):
        raise Refused("the certificate does not say of what kind and format it is")
    # Told apart from a forgery: an old certificate can be written again.
    if claimed["kind"] == kind and claimed["format"] < number:
        raise Refused(
            f"the certificate is in format {claimed['format']}, which an earlier"
            f" phverify wrote; this one checks format {number}: let it certify the same"
            " files again"
        )
    if claimed["kind"] != kind or claimed["format"] != number:
        raise Refused(
            f"this is {claimed['kind']!r} in format {claimed['format']}, not {kind!r}"
            f" in format {number}"
        )


def fits(item: Any, form: Any, where: str) -> None:
    """Raises Refused unless something has a form.

    A form is a type; a text, or a pattern of texts; [that of each item], or [those of
    the items, if there are several]; {name: that of each field}, or {...: that of every
    field}, whatever the names; or a tuple of forms, of which one is enough.
    """
    match form:
        case tuple():
            if not any(has(item, one, where) for one in form):
                raise Refused(
                    f"{where} has none of the forms that it may have: {str(item)[:80]}"
                )
        case type():
            if type(item) is not form:  # a bool is an int, and fits no int here
                raise Refused(f"{where} is no {form.__name__}")
        case str() | re.Pattern():
            if type(item) is not str or not re.fullmatch(form, item):
                pattern = getattr(form, "pattern", form)
                raise Refused(f"{where} is not written as {pattern!r}")
        case list():
            _items_fit(item, form, where)
        case _:
            _fields_fit(item, form, where)


def _items_fit(item: Any, form: list[Any], where: str) -> None:
    fits(item, list, where)
    if len(form) not in (1, len(item)):
        raise Refused(f"{where} has not {len(form)} items")
    # A form by itself is that of each item.
    forms = form if len(form) > 1 else form * len(item)
    for one, its in zip(item, forms, strict=True):
        fits(one, its, f"an item of {where}")


def _fields_fit(item: Any, form: Any, where: str) -> None:
    fits(item, dict, where)
    # With ``...`` the names are free: all fields have the one form.
    fields = dict.fromkeys(item, form[...]) if ... in form else form
    # A field too many may be a claim that nobody checked.
    if set(item) != set(fields):
        raise Refused(f"{where} has not exactly the fields {', '.join(fields)}")
    for name, field in fields.items():
        fits(item[name], field, f"{name} of {where}")


def has(item: Any, form: Any, where: str) -> bool:
    """Whether something has a form."""
    try:
        fits(item, form, where)
    except Refused:
        return False
    return True
