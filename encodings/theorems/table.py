"""The page of the folder: a table of all claims, written from what they say of
themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

from theorems.claim import BOTH, Claim, Query

INTRODUCTION = """# The papers' theorems, as questions to solvers

Each file here is one SMT-LIB 2.6 script whose header says what is claimed, by which paper, what is unknown, why the
answer proves it, and up to which bound. `(set-info :status ..)` is the answer it must have. `unsat` proves the claim
for everything within the bound: counts, shares, masses and thresholds are unknowns, not samples.

Two roads lead to each theorem. The criterion is written from its definition (`definitions.py`); the formula is walked
over a symbolic class by Definition 4 (`walk.py`), in the paper's own words (`literal.py`) and, where it is shorter, as
`phverify.spec.criteria` has it. `tests/test_theorems.py` asks both solvers for every status, compares both roads with
`phverify.spec.criteria` on random histograms, and checks that wrong theorems (`<=` for `<`, `k - 1` for `k` ..) are
found.

`python encodings/theorems/generate.py` writes the files and this page; a test fails when one is stale.
"""
NOTES = """## How to read the table

*how* names the logics of the files; what is unknown and why the answer counts is below the table, claim by claim.
*questions* is the number of files. A solver's column says how many of them it settles with the stated status, within
20 s each on one core, and 120 s for those called slow, which the tests ask only with `HYPOTHESIS_PROFILE=fuzz`.
A claim is checked by two solvers only where both columns say all.
*refuted* claims are statements that are false as worded, each with its counterexample in the header of its file.
"""

SLIPS = """## Where the papers slip, and how it is read here

- Theorem 4 with fewer than l values in the class: the sum from rank l on is empty, and the criterion fails.
- Theorem 6 at a value that does not occur in the table would say 0 < 0: V_f is the active domain. At a value that the
  class lacks, log 0 violates the criterion, as the formula does.
- Lemma 13 leaves out an empty C0, to which no assignment may give mass.
- Lemma 17 and Proposition 18 are false as worded, Proposition 26 is for a negative transfer: see the refuted claims.
- Proposition 19 asks for |X| >= 3; what it needs is a record outside A.
- Example 23 prints 0.15384617 for a probability that is 7/26. In the proof of Proposition 26 Bel and Bel' have changed
  places in the first line. Formula (4), the entropy, lacks its minus sign.
- Lemma 1 of the paper on DLTTS expands one of two shapes; the lemma is true of both.
"""


def page(claims: Sequence[Claim]) -> str:
    """README.md."""
    rows = [
        "| claim | source | how | bound | questions | Z3 | cvc5 | status |",
        "|---|---|---|---|---|---|---|---|",
    ]
    rows += [_row(claim) for claim in claims]
    parts = [
        INTRODUCTION,
        "\n".join(rows) + "\n",
        NOTES,
        _tried(claims),
        SLIPS,
        _statements(claims),
    ]
    return "\n".join(parts)


def _row(claim: Claim) -> str:
    many, slow = len(claim.queries), sum(q.heavy for q in claim.queries)
    shown = f"{many} ({slow} slow)" if slow else str(many)
    settled = [_settled(claim.queries, solver) for solver in BOTH]
    how = ", ".join(sorted({q.logic for q in claim.queries})) or "-"
    cells = [claim.name, claim.source, how, claim.bound, shown, *settled, claim.status]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _settled(queries: Sequence[Query], solver: str) -> str:
    if not queries:
        return "-"
    done = sum(solver in q.settled for q in queries)
    return "all" if done == len(queries) else f"{done} of {len(queries)}"


def _statements(claims: Sequence[Claim]) -> str:
    lines = ["## What is claimed", ""]
    for claim in claims:
        lines += [f"**{claim.name}** ({claim.status}). {claim.statement}", ""]
        lines += [f"Unknowns: {claim.unknowns}.", ""] if claim.queries else []
        lines += [f"Why: {claim.why}", ""] if claim.queries else []
    return "\n".join(lines)


def _tried(claims: Sequence[Claim]) -> str:
    lines = ["## Open, and what was tried", ""]
    for claim in claims:
        if claim.tried:
            lines.append(f"- {claim.name} ({claim.status}): {claim.tried}.")
        for query in claim.queries:
            if absent := [solver for solver in BOTH if solver not in query.settled]:
                lines.append(
                    f"- `{query.file}`: {' and '.join(absent)} gave no answer in the"
                    " time; not checked by two."
                )
    return "\n".join([*lines, ""])
