"""The verdict on a linkage method as lines of plain text: a pure function."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from phverify.linkage.methods.links import Names
from phverify.linkage.methods.soundness import Excluded, Judgement, Outweighed, Overbelieved, Overpriced, Witness
from phverify.report.matches_text import match_lines
from phverify.report.risk_text import amount, percent, short, undeclared
from phverify.words import plural, printable

MOST = 10
"""Unsound answers that are listed."""
NAMED = 5
"""Records that a line names."""
TRUTHS = {
    "record": "where each released record comes from is known for certain",
    "possible": "the masking and all columns of both tables are known, not who is where (Definition 6, Example 8)",
}
"""What the true probability knows, by what ``--truth`` is called."""
BY = {"order": ", by the order of the rows", "identifier": ", by the identifier"}
"""How that is known."""


def method_lines(
    found: Judgement,
    truth: str,
    released: Names,
    original: Names,
    redact: bool = False,
    by: str = "",
    inferred: Sequence[str] = (),
) -> list[str]:
    """Which answers are unsound and why, then the verdict.

    ``by`` is how the true records are known, ``inferred`` are the columns whose masking nobody declared.
    """
    mapped = [f"  {line}" for line in undeclared(inferred)] if truth == "possible" else []
    lines = [*_head(found, truth, by), *mapped, "", *_unsound(found, released, original, redact), *_tail(found)]
    lines += match_lines(found.matches) if found.matches else []
    return [printable(line) for line in lines]


def _head(found: Judgement, truth: str, by: str) -> Iterator[str]:
    kind = "belief functions" if found.sets else "probabilities"
    yield f"{found.source}: {kind} for {plural(found.judged, 'released record')}"
    yield f"  truth: {TRUTHS[truth]}{BY.get(by, '') if truth == 'record' else ''}"
    if found.silent:
        yield f"  {plural(found.silent, 'released record')} without an answer: not judged"
    yield from (f"  {line}" for line in _reading(found))


def _reading(found: Judgement) -> Iterator[str]:
    """How the numbers of the links were read."""
    how = found.reading
    if found.normalized:
        yield f"normalized: the numbers of {plural(found.normalized, 'record')} did not sum to 1"
        yield "  (--pairwise is for match probabilities of pairs: an unlikely pair is no sure link then)"
    if how.pairwise:
        yield "pairwise: each number is the probability that this pair is a match; the rest is on none of them"
    if how.match_threshold is not None:
        bound = short(how.match_threshold)
        yield f"match threshold: links below {bound} are none (figures of links have other thresholds, too)"
    if found.unmatched:
        yield f"no match: {plural(found.unmatched, 'record')} linked to nobody, which says nothing and is sound"


def _unsound(found: Judgement, released: Names, original: Names, redact: bool) -> Iterator[str]:
    for item in () if redact else found.unsound[:MOST]:
        yield f"UNSOUND  {released.say(item.record)}: {said(item.witness, original)}"
    if len(found.unsound) > MOST and not redact:
        yield f"  and {len(found.unsound) - MOST:,} more"
    if found.unsound and not redact:
        yield from (f"  {line}" for line in _why(found))
        yield ""


def _why(found: Judgement) -> Iterator[str]:
    if found.sets:
        yield "A belief in a set of records is no more than the probability of the set (Definition 7)."
        return
    yield "No belief compatible with the truth has such an answer as its pignistic distribution (Definition 14)."
    if found.reading.pairwise or found.reading.match_threshold is not None:
        yield "What is on none of them may be anywhere: an answer is unsound only where it is so wherever that is."


def _tail(found: Judgement) -> Iterator[str]:
    many = f"{len(found.unsound):,} of {plural(found.judged, 'answer')}"
    if found.undecided:
        left = f"{found.stopped} for {plural(len(found.undecided), 'answer')}"
        rest = ", the others are sound" if len(found.undecided) < found.judged else ""
        yield f"UNSOUND: {many}; {left}" if found.unsound else f"UNDECIDED: {left}{rest}"
    else:
        nothing = f" ({found.unmatched:,} of them say nothing)" if found.unmatched else ""
        yield f"UNSOUND: {many}" if found.unsound else f"SOUND: {plural(found.judged, 'answer')}{nothing}"
    drawn, first = (f"{amount(value)} ({percent(value / found.judged)})" for value in (found.correct, found.first))
    yield f"  Expected correct links: {drawn} when drawn by the answers, {first} when the likeliest is taken."


def said(witness: Witness, names: Names) -> str:
    """Why an answer is unsound, in words."""
    match witness:
        case Outweighed(true, given, other, more, rest):
            own = short(given) if given else "nothing"
            none = f", {short(rest)} to none of them" if rest else ""
            return (
                f"gives {own} to {names.say(true)}, from which it comes{none}, and {short(more)} to {names.say(other)}"
            )
        case Excluded(record, truth):
            return f"gives nothing to {names.say(record)}, from which it comes with probability {short(truth)}"
        case Overbelieved(records, probability, belief):
            members = listed([names.say(k) for k in records])
            origin = (
                f"from which it comes with probability {short(probability)}" if probability else "none of them true"
            )
            return f"believes {members} with {short(belief)}, {origin}"
        case Overpriced():
            return _priced(witness, names)


def _priced(witness: Overpriced, names: Names) -> str:
    """The sum of prices that no sound answer reaches, like records in one term."""
    groups: dict[Fraction, list[str]] = defaultdict(list)
    for record, price in witness.prices.items():
        groups[price].append(names.say(record))
    terms = [_term(price, called) for price, called in sorted(groups.items(), reverse=True)]
    text = "".join(terms[:NAMED]).removeprefix(" + ") + (" .." if len(terms) > NAMED else "")
    text = f"-{text.removeprefix(' - ')}" if text.startswith(" - ") else text
    return f"gives {text} = {short(witness.claimed)}, and no sound answer more than {short(witness.most)}"


def _term(price: Fraction, called: list[str]) -> str:
    shares = listed(called, "P(", ")")
    factor = "" if abs(price) == 1 else f"{abs(price)} "
    return f"{' - ' if price < 0 else ' + '}{factor}{shares}"


def listed(called: Iterable[str], opening: str = "{", closing: str = "}") -> str:
    """A set of records, shortened."""
    some = list(called)
    more = f" and {len(some) - NAMED:,} more" if len(some) > NAMED else ""
    return f"{opening}{', '.join(some[:NAMED])}{more}{closing}"
