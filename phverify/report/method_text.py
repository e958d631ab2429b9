"""The verdict on a linkage method as lines of plain text: a pure function."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction

from phverify.errors import printable
from phverify.linkage.methods.record_names import RecordNames
from phverify.linkage.methods.soundness import Judgement
from phverify.linkage.methods.unsound import (
    Excluded,
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
REASONS: dict[type[Witness], str] = {
    Outweighed: "more is given to another record than to the one from which it comes",
    Excluded: "nothing is given to a record from which it may come",
    Overpriced: "records together are given more than a sound answer can give them",
    Overbelieved: "a set of records is believed more than it is probable",
}
"""Why answers are unsound, without a name."""
BY = {"order": ", by the order of the rows", "identifier": ", by the identifier"}
"""How that is known."""


def method_lines(judged: Judgement, result: Reidentification) -> list[str]:
    """Which answers are unsound and why, then the verdict."""
    lines = list(_head(judged, result))
    # only there the truth is computed from mappings that nobody declared
    if result.truth == "possible":
        remarks = undeclared(result.inferred)
        lines += [f"  {remark}" for remark in remarks]
    lines.append("")
    if judged.unsound:
        # redacted, no record is named
        if result.redact:
            lines += _counted(judged)
        else:
            lines += _listed(judged, result)
        lines += why_lines(judged)
    lines += _tail(judged)
    if judged.matches:
        lines += match_lines(judged.matches)

    return list(map(printable, lines))


def _head(judged: Judgement, result: Reidentification) -> Iterator[str]:
    kind = "belief functions" if judged.sets else "probabilities"
    records = plural(judged.judged, "released record")
    yield f"{judged.source}: {kind} for {records}"
    truth = TRUTHS[result.truth]
    how = ""
    if result.truth == "record":
        how = BY.get(result.by, "")
    yield f"  truth: {truth}{how}"
    if judged.silent:
        silent = plural(judged.silent, "released record")
        yield f"  {silent} without an answer: not judged"

    for line in reading_lines(judged):
        yield f"  {line}"


def reading_lines(judged: Judgement) -> Iterator[str]:
    """How the numbers of the links were read."""
    how = judged.reading
    if judged.normalized:
        yield (
            f"normalized: the numbers of {plural(judged.normalized, 'record')} did not"
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

    if judged.unmatched:
        yield (
            f"no match: {plural(judged.unmatched, 'record')} linked to nobody, which"
            " says nothing and is sound"
        )


def _listed(judged: Judgement, result: Reidentification) -> Iterator[str]:
    """The first unsound answers, by the names of their records."""
    unsound = judged.unsound
    first = unsound[:MOST]
    for item in first:
        name = result.released.say(item.record)
        reason = said(item.witness, result.original)
        yield f"UNSOUND  {name}: {reason}"
    more = len(unsound) - MOST
    if more > 0:
        yield f"  and {more:,} more"


def _counted(judged: Judgement) -> Iterator[str]:
    """How many answers are unsound for which reason, without a name."""
    witnesses = (type(item.witness) for item in judged.unsound)
    kinds = Counter(witnesses)
    for kind, reason in REASONS.items():
        count = kinds[kind]
        if count:
            answers = plural(count, "answer")
            yield f"UNSOUND  {answers}: {reason}"


def why_lines(judged: Judgement) -> Iterator[str]:
    """What a sound answer is."""
    if judged.sets:
        yield (
            "  A belief in a set of records is no more than the probability of the set"
            " (Definition 7)."
        )
        yield ""
        return
    yield (
        "  No belief compatible with the truth has such an answer as its pignistic"
        " distribution (Definition 14)."
    )
    if judged.reading.pairwise or judged.reading.match_threshold is not None:
        yield (
            "  What is on none of them may be anywhere: an answer is unsound only where"
            " it is so wherever that is."
        )

    yield ""


def _tail(judged: Judgement) -> Iterator[str]:
    """The verdict, and the expected numbers of correct links."""
    yield verdict_line(judged)
    drawn = expected_links(judged.correct, judged.judged)
    first = expected_links(judged.first, judged.judged)
    yield (
        f"  Expected correct links: {drawn} when drawn by the answers, {first} when the"
        " likeliest is taken."
    )


def verdict_line(judged: Judgement) -> str:
    """The verdict in a line."""
    answers = plural(judged.judged, "answer")
    unsound = f"UNSOUND: {len(judged.unsound):,} of {answers}"
    if judged.undecided:
        undecided = plural(len(judged.undecided), "answer")
        left = f"{judged.stopped} for {undecided}"
        if judged.unsound:
            return f"{unsound}; {left}"
        some_left = len(judged.undecided) < judged.judged
        rest = ", the others are sound" if some_left else ""
        return f"UNDECIDED: {left}{rest}"
    if judged.unsound:
        return unsound
    # who says nothing is sound, which should not pass for a merit
    silent = judged.unmatched
    nothing = f" ({silent:,} of them say nothing)" if silent else ""
    return f"SOUND: {answers}{nothing}"


def expected_links(expected: Fraction, answers: int) -> str:
    """An expected number of links, and its share of the answers."""
    links = amount(expected)
    share = percent(expected / answers)
    return f"{links} ({share})"


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
            origin = "none of them true"
            if probability:
                origin = f"from which it comes with probability {short(probability)}"
            return f"believes {members} with {short(belief)}, {origin}"
        case Overpriced():
            return _priced(witness, names)


def _priced(witness: Overpriced, names: RecordNames) -> str:
    """The sum of prices that no sound answer reaches, like records in one term."""
    groups: dict[Fraction, list[str]] = defaultdict(list)
    for record, price in witness.prices.items():
        groups[price].append(names.say(record))

    # the highest prices first: the answer gives too much to these records
    terms = [_term(price, groups[price]) for price in sorted(groups, reverse=True)]
    first, *others = terms[:NAMED]
    text = "".join(first) + "".join(
        f" {sign or '+'} {amount_}" for sign, amount_ in others
    )
    text += " .." if len(groups) > NAMED else ""
    return (
        f"gives {text} = {short(witness.claimed)}, and no sound answer more than"
        f" {short(witness.most)}"
    )


def _term(price: Fraction, records: Sequence[str]) -> tuple[str, str]:
    """The sign of a price, "" or "-", and what it is the price of."""
    sign = "-" if price < 0 else ""
    factor = "" if abs(price) == 1 else f"{abs(price)} "
    return sign, factor + listed(records, "P(", ")")


def listed(names: Sequence[str], opening: str = "{", closing: str = "}") -> str:
    """A set of records, shortened."""
    first = names[:NAMED]
    shown = ", ".join(first)
    left = len(names) - NAMED
    if left > 0:
        shown += f" and {left:,} more"
    return f"{opening}{shown}{closing}"
