"""What a policy declares as secret, as a table on a page, and what it assumes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from phverify.report.page import DataTable, PageBlock, Remark, TableColumn
from phverify.verification.result import Report, StatedSecret
from phverify.words import plural

MOST = 50
"""So many secrets are listed."""
CAPTION = "What is secret"
OWN = "some people have secrets of their own: left out in the public form"


def secret_blocks(secrets: Sequence[StatedSecret], public: bool) -> Iterator[PageBlock]:
    """The secrets in words; for everybody those of everybody, without their values."""
    shown = [one for one in secrets if not (public and one.whose)]
    if shown:
        yield _table(shown, public)
    if len(shown) < len(secrets):
        yield Remark("Secrets", OWN, "open")


def _table(secrets: Sequence[StatedSecret], public: bool) -> DataTable:
    weighted = any(one.weight != 1 for one in secrets)
    rows = []
    for one in secrets:
        words = one.public_words if public else one.words
        row = [one.whose or "everybody's", words]
        if weighted:
            row.append(str(one.weight))
        rows.append(tuple(row))
    # without their values two of them may be the same
    each_once = tuple(dict.fromkeys(rows))
    columns = [TableColumn("whose"), TableColumn("nobody may learn that")]
    if weighted:
        columns.append(TableColumn("seriousness", number=True))
    left = len(each_once) - MOST
    more = f"and {plural(left, 'more secret')}" if left > 0 else ""
    return DataTable(CAPTION, tuple(columns), each_once[:MOST], more)


def assumption_texts(report: Report) -> tuple[str, ...]:
    """The assumptions: each by its name and in words, the formula behind them."""
    if len(report.assumed) != len(report.assumptions):
        return report.assumptions
    texts = []
    for text, words in zip(report.assumptions, report.assumed, strict=True):
        name, _, formula = text.partition(": ")
        texts.append(f"{name}: {words} In the policy's language: {formula}")
    return tuple(texts)
