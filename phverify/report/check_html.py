"""What ``check`` found as a page: claim by claim, which files, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from phverify.report.page import (
    Banner,
    DataTable,
    Facts,
    Page,
    PageBlock,
    PageSection,
    Paragraph,
    Points,
    Remark,
    TableColumn,
)
from phverify.spec.command import shown
from phverify.verbs.check_result import CheckResult
from phverify.words import plural

SENTENCES = {
    "accepted": "What the certificate claims is so.",
    "refused": "The certificate shows nothing: what it claims could not be verified.",
    "undecided": "It is not known whether what the certificate claims is so.",
    "unmet": "What the certificate claims is so, and it is not what is required.",
}
"""What a lawyer reads first."""
NO_PROOF = "no proof"
"""What a line says of a claim on which solvers agree."""
MEANING = (
    "That a certificate is accepted says that its claims are so. A claim may be that a"
    " rule is broken: what is claimed stands below, rule by rule."
)
KINDS = {
    "phverify certificate of a verdict": "A certificate of a verdict on a release",
    "phverify certificate of minimality": "A certificate that nothing costs less",
    "phverify certificate of a recoding by tuples": "A certificate of a recoding by"
    " tuples",
}
"""What certificates call themselves; any other text is the certificate's own."""
RESTS = (
    "A checker of a few thousand lines of plain Python counted all rows again; the"
    " engine that found the verdict played no part.",
    "CSV files, policies and hierarchies the checker read by itself; tables of other"
    " kinds were read for it.",
    "Numbers are compared as whole numbers and fractions: nothing is rounded.",
)
SOLVERS = {
    True: "Where a line says so there is no proof to be checked: two solvers, asked"
    " again, agree.",
    False: "No claim rests on a solver: each was counted, looked at case by case, or"
    " has a proof that was checked.",
}
"""By whether some claim rests on solvers."""
UNCOVERED = (
    "whether the files are those that are published, and whether the data in them are"
    " true",
    "whether the policy says what it should: compare the rules below with yours",
)


def to_page(result: CheckResult, public: bool = False) -> Page:
    """The page of a check; claims quote the policy and the data, so that a public one
    says only how many there are.
    """
    sections = [PageSection("The claims", tuple(_claims(result, public)))]
    sections.append(PageSection("The files", tuple(_files(result, public))))
    rests = tuple(_rests(result))
    sections.append(PageSection("What this check rests on", rests))
    return Page(
        title="Is it so, what the certificate claims?",
        subject=KINDS.get(result.kind, "A certificate of another kind"),
        verdict=_verdict(result),
        sections=tuple(sections),
        public=public,
    )


def _verdict(result: CheckResult) -> Banner:
    """The verdict on the certificate, and on what was required of it."""
    if result.unmet:
        return Banner("UNMET", SENTENCES["unmet"], "bad")
    sentence = f"{SENTENCES[result.verdict]} ({result.counted()})"
    tones = {"accepted": "good", "refused": "bad"}
    tone = tones.get(result.verdict, "open")
    return Banner(result.verdict.upper(), sentence, tone)  # type: ignore[arg-type]


def _claims(result: CheckResult, public: bool) -> Iterator[PageBlock]:
    """Each claim with what became of it."""
    yield Paragraph(MEANING)
    if public:
        verified = f"{plural(len(result.verified), 'claim')} verified"
        rest = "" if result.accepted else ", the next one was not"
        yield Remark("Left out", f"{verified}{rest}: claims quote the policy", "open")
        return
    rows = []
    for number, line in enumerate(result.verified, start=1):
        # Lines quote the certificate, whose author may have put anything there.
        rows.append((str(number), "verified", shown(line.strip())))
    if result.problem:
        # It ends at the first claim that does not hold.
        number = len(result.verified) + 1
        rows.append((str(number), result.verdict.upper(), shown(result.problem)))
    columns = [TableColumn("number", number=True), TableColumn("what became of it")]
    columns.append(TableColumn("claim"))
    yield DataTable("Claim by claim, in their order", tuple(columns), tuple(rows))
    for text in result.unmet:
        yield Remark("Required, and not so", shown(text), "bad")


def _files(result: CheckResult, public: bool) -> Iterator[PageBlock]:
    """Which files were given; hashes of small secrets can be guessed from."""
    if public:
        pairs = []
        for one in result.files:
            # Everybody has the released file, and can compare it.
            if one.role == "release":
                pairs.append(("SHA-256 of the released file", one.sha256))
        if pairs:
            yield Facts(tuple(pairs))
        others = "no other file is named: who guesses what is in it could compare"
        yield Remark("Left out", others)
        return
    if not result.files:
        yield Paragraph("Everything was given in memory: there is no file to name.")
        return
    rows = []
    for one in result.files:
        rows.append((one.role, one.name, f"{one.size:,}", one.sha256))
    columns = [TableColumn("given as"), TableColumn("file")]
    columns += [TableColumn("bytes", number=True), TableColumn("SHA-256")]
    caption = "The files as they were when the check began"
    yield DataTable(caption, tuple(columns), tuple(rows))


def _rests(result: CheckResult) -> Iterator[PageBlock]:
    """Why one may rely on it, and what it does not speak of."""
    if result.accepted:
        # The checker says it claim by claim.
        by_solvers = any(NO_PROOF in line for line in result.verified)
        yield Points((*RESTS, SOLVERS[by_solvers]))
    else:
        yield Points(RESTS)
        yield Paragraph("After the first claim that is not verified nothing is.")
    yield Paragraph("The check says nothing about:")
    yield Points(UNCOVERED)
