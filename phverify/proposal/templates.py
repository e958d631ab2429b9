"""Rules to begin with, each with its source and what it cannot say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from phverify.logic.printer import column

DIVERSE = 2
"""Different values that keep a confidential one from being certain."""
AGES = {"ranges": [[90]]}
"""Ages of 90 and above are one group (45 CFR 164.514(b)(2)(i)(C))."""


@dataclass(frozen=True)
class PolicyTemplate:
    """What a first policy asks for.

    ``everybody`` are rules about whole records, by name, with a comment each;
    ``limits`` says what the template cannot say.  No class may have a single value of a
    confidential column, whatever the template: that would give it away.
    """

    name: str
    title: str
    source: str
    limits: tuple[str, ...]
    everybody: tuple[tuple[str, str, str], ...]
    alike: int
    """So many rows have to be alike: a table with fewer has no such release."""
    coarser: bool = False
    """Whether hierarchies begin with what Safe Harbor permits."""

    def rules(self, sensitive: Sequence[str]) -> list[tuple[str, str, str]]:
        """Name, formula and comment of each rule of a policy."""
        rules = [*self.everybody]
        for number, name in enumerate(sensitive, start=1):
            formula = f"l_diversity({column(name)}, {DIVERSE})"
            said = f"at least {DIVERSE} different values in each class"
            rules.append((f"diverse{number}", formula, said))
        return rules


def same_for(k: int) -> tuple[str, str, str]:
    """The rule that nobody is singled out among fewer than k people."""
    said = f"nobody can be told from {k - 1} others by what is known of everybody"
    return "anonymous", f"k_anonymity({k})", said


RISK = (
    "risk",
    "forall i: pignistic(i, a1) <= 0.09",
    "nobody is found with a probability above 0.09: 12 alike, as 1/11 is more",
)

TEMPLATES = (
    PolicyTemplate(
        "k5",
        "five alike, and two values in each class",
        "Sweeney, k-anonymity: a model for protecting privacy, 2002;"
        " Machanavajjhala and others, l-diversity, 2007",
        (
            "who knows more of somebody than the quasi-identifiers (see [agents] and"
            " [assumptions])",
            "how likely a confidential value becomes, as long as it is not certain"
            " (see t_closeness, beta_likeness)",
        ),
        (same_for(5),),
        5,
    ),
    PolicyTemplate(
        "hipaa-safe-harbor",
        "the 18 identifiers of Safe Harbor removed, and nobody unique",
        "45 CFR 164.514(b)(2)",
        (
            "that a column is removed, or that the first step of a hierarchy is taken:"
            " leave columns out of the file yourself, and take at least level 1 of"
            " dates, ages and ZIP codes",
            "how many people live where three digits of a ZIP code are shared: below"
            " 20,001 they must become 000",
            "the rules below are our reading of (b)(2)(ii), no actual knowledge that"
            " what is left identifies somebody; the regulation has no numbers",
        ),
        (same_for(2),),
        2,
        coarser=True,
    ),
    PolicyTemplate(
        "hipaa-expert",
        "a very small risk for everybody, for an expert to judge",
        "45 CFR 164.514(b)(1); 11 is the least cell of the Centers for Medicare &"
        " Medicaid Services, the regulation itself has no number",
        (
            "whether the risk is very small: the expert's methods and reasons are to be"
            " documented",
            "which information is reasonably available to the recipient: the roles of"
            " the columns say what is taken to be known",
        ),
        (same_for(11),),
        11,
    ),
    PolicyTemplate(
        "ema-0070",
        "nobody found with a probability above 0.09",
        "European Medicines Agency, Policy 0070, external guidance, 2018, chapter 3",
        (
            "clinical study reports as text: the guidance is about documents, this is"
            " about their tables of patients",
            "the share of patients that attackers try, which the guidance lets count",
        ),
        (RISK,),
        12,
    ),
    PolicyTemplate(
        "cms-11",
        "no group below eleven people",
        "Centers for Medicare & Medicaid Services, cell size suppression policy",
        (
            "cells that follow from totals published elsewhere",
            "percentages and other formulas that would give a small cell away",
        ),
        (same_for(11),),
        11,
    ),
    PolicyTemplate(
        "statistics-office",
        "three alike, and no group that shares a confidential value",
        "Hundepool and others, Statistical Disclosure Control, 2012, chapters 3 and 4",
        (
            "that the file is a sample: somebody unique in it may have doubles among"
            " the people who are not",
            "dominance in tables of amounts (the (n,k) and p% rules)",
        ),
        (same_for(3),),
        3,
    ),
)
DEFAULT = "k5"


def by_name() -> dict[str, PolicyTemplate]:
    """The templates by their names."""
    return {template.name: template for template in TEMPLATES}


def first_step(name: str, kind: str, code: bool) -> dict[str, Any] | None:
    """The hierarchy whose first level is what Safe Harbor permits of such a column."""
    if kind == "date":
        return {"dates": ["year"]}
    if code:
        return {"prefixes": [3]}
    if "age" in name.lower().split("_") and kind == "integer":
        return AGES
    return None
