"""Is a linkage method sound?  Its answers, judged by what the truth knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from phverify.budget import Deadline, Tell
from phverify.errors import Problems, nearest, refusal
from phverify.linkage.candidates.pairs import linkage_of
from phverify.linkage.candidates.sets import Candidates, Linkage
from phverify.linkage.candidates.truth import OPEN
from phverify.linkage.methods.answers import LinkReading
from phverify.linkage.methods.links import read_links
from phverify.linkage.methods.soundness import TrueShares, certain, judge, possible
from phverify.linkage.result import Reidentification
from phverify.linkage.risk.assess import table_of
from phverify.microdata.pairing import by_identifier
from phverify.microdata.table import CodedTable
from phverify.policy.model import Policy, PolicySource, beside
from phverify.verbs.linked_input import names, refuse_useless, usable

TRUTHS = ("record", "possible")


@dataclass(frozen=True)
class MethodQuestion:
    """What is asked of the answers of a linkage method."""

    source: PolicySource
    policy: Policy
    problems: Problems
    truth: str | None
    columns: Mapping[str, str] | None
    how: Callable[[], LinkReading]
    """How the numbers are read, once all else is known to be right."""
    of_risk: Mapping[str, object]
    """What is given, and plays no part."""
    redact: bool
    progress: Tell

    def answer(
        self, original: Any, release: Any, method: Any, deadline: Deadline
    ) -> Reidentification:
        """Each answer judged.  Raises InputError with all problems of the input."""
        before = table_of(original, self.policy, "original")
        after = table_of(release, self.policy, "release")
        # Two tables without rules are enough here: see ``usable``.
        problems = beside(self.source, self.problems, before.columns)
        usable(self.policy, before, problems)
        released = names(after, self.policy, "d")
        origin = names(before, self.policy, "i")
        unused = "a method is judged by the truth alone: no {} plays a part"
        refuse_useless(self.of_risk, unused)
        how = self.how()
        links = read_links(method, released, origin, columns=self.columns, how=how)
        known = _knowledge(self.truth, before, after, self.policy, self.progress)

        answers = len(links.said)

        def report(done: int) -> None:
            self.progress(f"answer {done + 1:,} of {answers:,}")

        judged = judge(links, known.truth, known.true, deadline, report)
        return Reidentification(
            released,
            origin,
            None,
            judged,
            known.name,
            self.redact,
            known.by,
            known.inferred,
        )


class _Knowledge(NamedTuple):
    """What the true probability knows, by the name of ``--truth``.

    ``true`` are the original records of the released ones where they are known (``by``:
    how), ``inferred`` the columns whose masking nobody declared.
    """

    name: str
    truth: TrueShares
    true: Sequence[int | None]
    by: str
    inferred: tuple[str, ...] = ()


def _knowledge(
    asked: str | None,
    before: CodedTable,
    after: CodedTable,
    policy: Policy,
    progress: Tell,
) -> _Knowledge:
    """What is known of the true records.

    Raises InputError for an unknown choice, and where it cannot be known.
    """
    if asked is not None and asked not in TRUTHS:
        what = f"is {' or '.join(TRUTHS)}, not {asked!r}"
        raise refusal("--truth", what, nearest(asked, TRUTHS, "truths"))
    # who has the identifiers knows where records come from, and needs no masking
    if asked == "record" or not (asked or _random(before, after, policy)):
        identified = by_identifier(before, after, policy.identifier)
        if identified is not None:
            rows = identified.tolist()
            return _Knowledge("record", certain(rows), rows, "identifier")
    progress("relating values")
    linkage = linkage_of(before, after, policy, certain=True)
    name = _named_truth(asked, linkage)
    rows = linkage.truth.rows.tolist()
    if name == "record":
        truth = certain(rows)
    else:
        # Over all columns that both tables have: what is possible is what no cell
        # excludes.
        truth = possible(Candidates(linkage, tuple(linkage.relations)))
    # one of several origins that fit is no knowledge
    true = rows if linkage.truth.known else [None] * len(rows)
    return _Knowledge(name, truth, true, linkage.truth.by, linkage.inferred)


def _random(before: CodedTable, after: CodedTable, policy: Policy) -> bool:
    """Whether chance plays a part in the masking of a column that both tables have."""
    both = set(before.columns) & set(after.columns)
    for column, masking in policy.masking.items():
        if column in both and masking.random:
            return True
    return False


def _named_truth(asked: str | None, linkage: Linkage) -> str:
    """The name of what the true probability knows.

    Raises InputError where it cannot know what is asked for.
    """
    settled = linkage.truth.known
    if asked == "record" and not settled:
        what = (
            "nothing says that the rows are in the order of the original: which record"
            " comes from which is not known"
        )
        raise refusal("--truth", what, "take 'possible', or: " + OPEN[1])
    if asked:
        return asked

    if settled and not linkage.random:
        return "record"
    return "possible"
