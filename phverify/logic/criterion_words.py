"""What each criterion promises, in a sentence for readers who know no statistics."""

from __future__ import annotations

from collections.abc import Mapping

from phverify.logic.printer import column, quoted
from phverify.spec.criterion.registry import params

ALIKE = "people with the same quasi-identifiers"
TABLE = {
    "release": "in the whole release",
    "original": "in the whole table before sanitization",
}
DISTANCES = {
    "variational": "",
    "ordered": ", measured along the order of the values",
    "hierarchical": ", measured along the hierarchy of the values",
}
WORDS = {
    "k_anonymity": "every person is hidden among at least {k} people with the same"
    " quasi-identifiers",
    "l_diversity": f"among {ALIKE} there are at least {{l}} different values of {{f}}",
    "entropy_l_diversity": f"among {ALIKE} the values of {{f}} are at least as mixed"
    " as {l} equally frequent values (by their entropy)",
    "recursive_l_diversity": f"among {ALIKE} the most frequent value of {{f}} occurs"
    " less than {c} times as often as all values from the rank {l} on together",
    "alpha_k_anonymity": "every person is hidden among at least {k} people with the"
    " same quasi-identifiers, of whom at most the share {alpha} has any one value of"
    " {f}",
    "p_sensitive_k_anonymity": "every person is hidden among at least {k} people with"
    " the same quasi-identifiers, who have at least {p} different values in every"
    " sensitive column",
    "t_closeness": f"among {ALIKE} the distribution of {{f}} is within the distance"
    " {t} of that {table}{distance}",
    "beta_likeness": f"for {ALIKE} no value of {{f}} is likelier than {{table}} by more"
    " than the factor 1 + {beta}",
    "enhanced_beta_likeness": f"for {ALIKE} no value of {{f}} is likelier than"
    " {table} by more than the factor 1 + {beta}, nor by more than 1 - ln p where its"
    " share there is p",
    "delta_disclosure": f"for {ALIKE} every value of {{f}} is less than 2^{{delta}}"
    " times as likely, and less than 2^{delta} times as unlikely, as {table}{absent}",
    "average_benefit": f"for {ALIKE} no value of {{f}} is likelier than {{table}} by"
    " more than {b} (as a difference of probabilities)",
    "guarded": f"among {ALIKE} at most the share {{share}} has a value of {{f}} at or"
    " below {node} in its hierarchy",
    "em_anonymity": f"around each value of {{f}}, at most one in {{m}} {ALIKE} has a"
    " value within {e} of it",
    "logical_safety": "whoever knows the quasi-identifiers cannot be certain of"
    " any secret of a person",
    "weighted_safety": "whoever knows the quasi-identifiers expects, of each person,"
    " secrets with a seriousness of at most {b} in all",
    "never_known": "that a person has one of the secrets never follows from the release"
    " and the assumptions",
}
"""The promise of each criterion, with its parameters in braces."""
ABSENT = {
    "violates": "; each of them must occur",
    "ignored": "; values that do not occur there are not looked at",
}
HIDDEN_NODE = "a certain node"


def criterion_words(
    name: str,
    args: tuple[str, ...],
    named: Mapping[str, str],
    hidden: bool = False,
) -> str:
    """What a criterion promises with these arguments, as they are written.

    With ``hidden`` no value of the data is among the words.
    """
    if name not in WORDS:
        given_args = "" if hidden else f" ({', '.join(args)})"
        return f"the criterion {name}{given_args} holds of {ALIKE}"
    known = params(name)
    defaults = {one.name: one.default or "" for one in known}
    in_order = [one.name for one in known]
    given = defaults | dict(zip(in_order, args, strict=False)) | dict(named)
    if "node" in given:
        given["node"] = HIDDEN_NODE if hidden else quoted(given["node"])
    if "f" in given:
        given["f"] = column(given["f"])
    given["table"] = TABLE[given.get("reference", "release")]
    given["distance"] = DISTANCES[given.get("distance", "variational")]
    given["absent"] = ABSENT[given.get("absent", "violates")]
    words = WORDS[name]
    if given.get("k") == "1":
        words = words.replace("{k} people", "{k} person")
    return words.format_map(given)
