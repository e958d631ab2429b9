"""A leak as a story on a page: who, what an observer knows, which rows remain, what
follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from phverify.errors import InputError
from phverify.logic.english import clause, said_there
from phverify.logic.printer import column
from phverify.report.page import Facts, PageBlock, Paragraph, Points
from phverify.report.verify_text import class_text, places_text, record_text
from phverify.rounded import rounded
from phverify.spec import syntax as s
from phverify.spec.parser import parse
from phverify.verification.result import Report, Witness
from phverify.words import plural

LONGEST = 4000
"""Characters of a formula, or of its words, that a page has."""
COMPARED = re.compile(r"(.*\) = \S+) (=|[<>]=?|!=) (\S+)", re.DOTALL)
"""Of ``l_a1(i1) = 1/2 > 1/3`` the first half is the formula."""
TRUTH = re.compile(r"(.*) is (true|false) at (d\d+)", re.DOTALL)
KNOWN = "known: "
ALWAYS = (
    "it is so in every case that fits the release and the assumptions, and so known to"
    " whoever has both"
)
"""What is said of what is known by release and assumptions together."""


def shortened_text(text: str) -> str:
    """A text that nobody reads to its end, without it."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} .. ({len(text) - LONGEST:,} more characters)"


def leak_blocks(witness: Witness, report: Report) -> Iterator[PageBlock]:
    """The steps of a leak, when it happens, and how many classes fail."""
    yield Points(tuple(_steps(witness, report)), ordered=True)
    if witness.assignment:
        yield Paragraph(f"It happens if {places_text(witness.assignment, report)}.")
    if witness.failing:
        counted = witness.failing
        pairs = (
            ("Classes that fail", f"{counted.classes:,}"),
            ("Rows in them", f"{counted.rows:,}"),
            ("Counted", "all of them" if counted.exact else "there may be more"),
        )
        yield Facts(pairs)


def _steps(witness: Witness, report: Report) -> Iterator[str]:
    where = class_text(witness, report.suppressed)
    world = record_text(witness.world, report)
    who = [name for name, row in witness.assignment.items() if row == witness.world]
    person = who[0] if who else "a person of this class"
    yield f"Who: {person}, whose record is {world} in this case."
    yield f"What an observer knows: the quasi-identifiers {where}."
    yield f"What remains: {_remaining(witness, report)}."
    yield from _others(witness, report)
    if witness.statement:
        known = witness.statement.startswith(KNOWN)
        stated = ALWAYS if known else rounded(witness.statement)
        yield f"What follows: {stated}"
    for fact in witness.facts:
        yield f"What follows: {in_words(fact.text)}"
    yield f"So this is not kept: {in_words(witness.instance)}"


def _remaining(witness: Witness, report: Report) -> str:
    """Which rows may be the person's."""
    rows = f"{plural(witness.rows, 'row')} of the release"
    if witness.rows == 1:
        return f"{rows}, which is that person's in this case"
    remaining = f"{rows}, and by the release alone any of them may be that person's"
    if report.assumptions:
        remaining += "; what is assumed beside it may leave fewer"
    return remaining


def _others(witness: Witness, report: Report) -> Iterator[str]:
    """Observers of the rule who know less than all quasi-identifiers: to them more
    rows are alike.
    """
    known = set(witness.cls)
    for agent in _agents(witness.instance):
        columns = report.agents.get(agent)
        if columns is None or known <= set(columns):
            continue
        who = "Whoever has the release alone" if agent == "a0" else agent
        if columns:
            listed = ", ".join(map(column, columns))
            yield f"{who} knows {listed} alone: to {agent} more rows may be alike."
        else:
            yield f"{who} knows nothing of a person: all rows remain."


def _agents(instance: str) -> list[str]:
    """The observers of whom a formula speaks, each once."""
    try:
        formula = parse(instance)
    except InputError:
        return []
    found = []
    for node in s.subformulas(formula):
        if isinstance(node, s.Box | s.Diamond):
            found.append(str(node.agent))
        if isinstance(node, s.Compare):
            both = (*s.likelihoods(node.left), *s.likelihoods(node.right))
            found += [str(one.agent) for one in both]
    return list(dict.fromkeys(found))


def in_words(text: str) -> str:
    """A formula in English, itself behind it; as it is where it is no formula alone."""
    asked = COMPARED.fullmatch(text)
    try:
        words = _worded(text, asked)
    except InputError:
        return rounded(text)
    # A formula is quoted: what is rounded in it would be none of the language.
    own = rounded(text) if asked else text
    return (
        f"{shortened_text(rounded(words))} In the policy's language:"
        f" {shortened_text(own)}"
    )


def _worded(text: str, asked: re.Match[str] | None) -> str:
    """The words of a formula, of a comparison with its numbers, or of what is true at a
    record.  Raises InputError for what is none of them.
    """
    if true := TRUTH.fullmatch(text):
        formula, value, record = true.groups()
        holds = "it is so" if value == "true" else "it is not so"
        return f"At {record} {holds} that {clause(parse(formula))}."
    return said_there(parse(asked[1] if asked else text))
