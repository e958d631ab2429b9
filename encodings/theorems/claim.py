"""What is claimed, by which questions, and who settled them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

BOTH = ("Z3", "cvc5")


@dataclass(frozen=True)
class Query:
    """One question: a file under this folder, its script, and the answer it must have.

    ``about`` are lines for the header.  ``settled`` and ``heavy`` come from
    ``records``: which solvers give that answer, and whether it takes long, so that it
    is asked only when ``HYPOTHESIS_PROFILE=fuzz`` is set.
    """

    file: str
    lines: tuple[str, ...]
    logic: str
    about: tuple[str, ...] = ()
    status: str = "unsat"
    settled: tuple[str, ...] = BOTH
    heavy: bool = False
    tactics: bool = False
    """Z3's other solver, which has a decision procedure for products and quantifiers of
    reals.
    """


@dataclass(frozen=True)
class Claim:
    """A statement of a paper (or of ours), how it is put to solvers, and how far it is
    settled.

    ``status`` is proved (all questions are unsatisfiable), refuted (a model contradicts
    it), or open; ``tried`` says for an open claim, or for bounds that were not reached,
    what was tried.  ``unknowns`` and ``why`` go into the header of each file.
    """

    name: str
    statement: str
    source: str
    unknowns: str
    why: str
    bound: str
    queries: tuple[Query, ...] = ()
    status: str = "proved"
    tried: str = ""

    def texts(self) -> Iterable[tuple[str, str]]:
        """Each file's path and content."""
        for query in self.queries:
            yield query.file, self.text(query)

    def text(self, query: Query) -> str:
        head = [*commented("Claim", self.statement), *commented("Source", self.source)]
        head += [line for line in query.about for line in commented("Here", line)]
        head += [
            *commented("Unknowns", self.unknowns),
            *commented("Why", self.why),
            *commented("Bound", self.bound),
        ]
        info = [
            "(set-info :smt-lib-version 2.6)",
            f"(set-logic {query.logic})",
            f"(set-info :status {query.status})",
        ]
        return "\n".join([*head, *info, *query.lines, "(check-sat)", ""])


def commented(label: str, text: str) -> list[str]:
    """A paragraph as comments."""
    return [
        f"; {line}"
        for line in textwrap.wrap(f"{label}: {text}", 116, subsequent_indent="  ")
    ]


def wrong(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Asserts that in some case the first holds and the second does not; each side is
    defined by name.
    """
    lines = []
    for k, (left, right) in enumerate(pairs):
        lines += [
            f"(define-fun left_{k} () Bool {left})",
            f"(define-fun right_{k} () Bool {right})",
        ]
    cases = [f"(and left_{k} (not right_{k}))" for k in range(len(pairs))]
    return [
        *lines,
        f"(assert {cases[0] if len(cases) == 1 else '(or ' + ' '.join(cases) + ')'})",
    ]
