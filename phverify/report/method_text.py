"""The verdict on a linkage method as lines of plain text: a pure function."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction

from phverify.errors import printable
from phverify.linkage.methods.record_names import RecordNames
from phverify.linkage.methods.soundness import (
    Excluded,
    Judgement,
    Outweighed,
    Overbelieved,
    Overpriced,
    Witness,
)
from phverify.linkage.result import Reidentification
from phverify.report.matches_text import match_lines
from phverify.report.risk_text import amount, percent, short, undeclared
from phverify.words import plural

MOST = 10
"""Unsound answers that are listed."""
NAMED = 5
"""Records that a line names."""
TRUTHS = {
    "record": "where each released record comes from is known for certain",
    "possible": (
        "the masking and all columns of both tables are known, not who is where"
        " (Definition 6, Example 8)"
    ),
}
"""What the true probability knows, by what ``--truth`` is called."""
BY = {"order": ", by the order of the rows", "identifier": ", by the identifier"}
"""How that is known."""


def method_lines(judged: Judgement, found: Reidentification) -> list[str]:
    """Which answers are unsound and why, then the verdict."""
    mapped = undeclared(found.inferred) if found.truth == "possible" else ()
    head = *_head(judged, found), *(f"  {line}" for line in mapped), ""
    unsound = () if found.redact else _unsound(judged, found)
    links = match_lines(judged.matches) if judged.matches else ()
    return list(map(printable, (*head, *unsound, *_tail(judged), *links)))


def _head(judged: Judgement, found: Reidentification) -> Iterator[str]:
    kind = "belief functions" if judged.sets else "probabilities"
    yield f"{judged.source}: {kind} for {plural(judged.judged, 'released record')}"
    how = BY.get(found.by, "") if found.truth == "record" else ""
    yield f"  truth: {TRUTHS[found.truth]}{how}"
    if judged.silent:
        yield (
            f"  {plural(judged.silent, 'released record')} without an answer: not"
            " judged"
        )
    yield from (f"  {line}" for line in _reading(judged))


def _reading(found: Judgement) -> Iterator[str]:
    """How the numbers of the links were read."""
    how = found.reading
    if found.normalized:
        yield (
            f"normalized: the numbers of {plural(found.normalized, 'record')} did not"
            " sum to 1"
        )
        yield (
            "  (--pairwise is for match probabilities of pairs: an unlikely pair is no"
            " sure link then)"
        )
    if how.pairwise:
        yield (
            "pairwise: each number is the probability that this pair is a match; the"
            " rest is on none of them"
        )
    if how.match_threshold is not None:
        bound = short(how.match_threshold)
        yield (
            f"match threshold: links below {bound} are none (figures of links have"
            " other thresholds, too)"
        )
    if found.unmatched:
        yield (
            f"no match: {plural(found.unmatched, 'record')} linked to nobody, which"
            " says nothing and is sound"
        )


def _unsound(judged: Judgement, found: Reidentification) -> Iterator[str]:
    for item in judged.unsound[:MOST]:
        yield (
            f"UNSOUND  {found.released.say(item.record)}:"
            f" {said(item.witness, found.original)}"
        )
    if len(judged.unsound) > MOST:
        yield f"  and {len(judged.unsound) - MOST:,} more"
    if not judged.unsound:
        return
    if judged.sets:
        yield (
            "  A belief in a set of records is no more than the probability of the set"
            " (Definition 7)."
        )
    else:
        lost = (
            "What is on none of them may be anywhere: an answer is unsound only where"
            " it is so wherever that is."
        )
        yield (
            "  No belief compatible with the truth has such an answer as its pignistic"
            " distribution (Definition 14)."
        )
        if judged.reading.pairwise or judged.reading.match_threshold is not None:
            yield f"  {lost}"
    yield ""


def _tail(found: Judgement) -> Iterator[str]:
    many = f"{len(found.unsound):,} of {plural(found.judged, 'answer')}"
    if found.undecided:
        left = f"{found.stopped} for {plural(len(found.undecided), 'answer')}"
        rest = ", the others are sound" if len(found.undecided) < found.judged else ""
        yield (
            f"UNSOUND: {many}; {left}" if found.unsound else f"UNDECIDED: {left}{rest}"
        )
    else:
        nothing = (
            f" ({found.unmatched:,} of them say nothing)" if found.unmatched else ""
        )
        yield (
            f"UNSOUND: {many}"
            if found.unsound
            else f"SOUND: {plural(found.judged, 'answer')}{nothing}"
        )
    drawn, first = (
        f"{amount(value)} ({percent(value / found.judged)})"
        for value in (found.correct, found.first)
    )
    yield (
        f"  Expected correct links: {drawn} when drawn by the answers, {first} when the"
        " likeliest is taken."
    )


def said(witness: Witness, names: RecordNames) -> str:
    """Why an answer is unsound, in words."""
    match witness:
        case Outweighed(true, given, other, more, rest):
            own = short(given) if given else "nothing"
            none = f", {short(rest)} to none of them" if rest else ""
            return (
                f"gives {own} to {names.say(true)}, from which it comes{none}, and"
                f" {short(more)} to {names.say(other)}"
            )
        case Excluded(record, truth):
            return (
                f"gives nothing to {names.say(record)}, from which it comes with"
                f" probability {short(truth)}"
            )
        case Overbelieved(records, probability, belief):
            members = listed([names.say(k) for k in records])
            origin = (
                f"from which it comes with probability {short(probability)}"
                if probability
                else "none of them true"
            )
            return f"believes {members} with {short(belief)}, {origin}"
        case Overpriced():
            return _priced(witness, names)


def _priced(witness: Overpriced, names: RecordNames) -> str:
    """The sum of prices that no sound answer reaches, like records in one term."""
    groups: dict[Fraction, list[str]] = defaultdict(list)
    for record, price in witness.prices.items():
        groups[price].append(names.say(record))
    text = ""
    for price, called in sorted(groups.items(), reverse=True)[:NAMED]:
        sign = "-" if price < 0 else "+" if text else ""
        factor = "" if abs(price) == 1 else f"{abs(price)} "
        text += f"{f' {sign} ' if text else sign}{factor}{listed(called, 'P(', ')')}"
    text += " .." if len(groups) > NAMED else ""
    return (
        f"gives {text} = {short(witness.claimed)}, and no sound answer more than"
        f" {short(witness.most)}"
    )


def listed(some: Sequence[str], opening: str = "{", closing: str = "}") -> str:
    """A set of records, shortened."""
    more = f" and {len(some) - NAMED:,} more" if len(some) > NAMED else ""
    return f"{opening}{', '.join(some[:NAMED])}{more}{closing}"
