"""What a file is, by its first bytes."""

from __future__ import annotations

import re

HEAD = 4096
"""So many bytes at the beginning say what a file is."""
MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
"""Byte order marks of what is text, and not in UTF-8; the longer ones first."""
SAVE_AS = "save it as CSV in UTF-8 and give that file"
SIGNATURES = (
    (b"\xd0\xcf\x11\xe0", "an Excel workbook (.xls)", SAVE_AS),
    (b"PAR1", "a Parquet file", ".parquet"),
    (b"ARROW1", "an Arrow file", ".arrow"),
    (b"\x1f\x8b", "a file packed by gzip", ".csv.gz"),
    (b"BZh91AY&SY", "a file packed by bzip2", ".csv.bz2"),
    (b"\xfd7zXZ", "a file packed by xz", ".csv.xz"),
    (b"\x28\xb5\x2f\xfd", "a file packed by zstd", "unpack it first"),
    (b"SQLite format 3", "an SQLite database", ".sqlite"),
    (b"%PDF-", "a PDF document", "give the table itself, as CSV in UTF-8"),
    (b"\x89PNG", "a picture (PNG)", "give the table itself, as CSV in UTF-8"),
    (b"\xff\xd8\xff", "a picture (JPEG)", "give the table itself, as CSV in UTF-8"),
    (b"GIF8", "a picture (GIF)", "give the table itself, as CSV in UTF-8"),
)
"""How other files begin, what they are, and what to do then: the ending of a name by
which it is read, where that is all.
"""
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
"""Bytes that no text has, in whatever encoding of Latin letters."""


def other_kind(head: bytes) -> tuple[str, str] | None:
    """What the first bytes of a file that is no text are those of, and what to do."""
    if head.startswith(b"PK\x03\x04"):
        return _archive(head)
    # A column may be called PAR1: what is text all through is no signature.
    if _is_text(head):
        return None
    for signature, what, hint in SIGNATURES:
        if head.startswith(signature):
            return what, hint
    header, _, _ = head.partition(b"\n")
    # A zero byte in a cell is told later, with its line; in the header there is no
    # table.
    if b"\0" in header or (CONTROLS.search(head) and not _decodes(head)):
        return "a binary file, or text in UTF-16", SAVE_AS
    return None


def _archive(head: bytes) -> tuple[str, str]:
    """The kinds of files that are zip archives inside."""
    if b"opendocument" in head:
        return "a spreadsheet (.ods)", SAVE_AS
    if b"xl/" in head or b"[Content_Types].xml" in head:
        return "an Excel workbook (.xlsx)", ".xlsx"
    return "a zip archive", ".csv.zip"


def _is_text(head: bytes) -> bool:
    """Whether these bytes could be the beginning of a text in UTF-8."""
    return b"\0" not in head and _decodes(head)


def _decodes(head: bytes) -> bool:
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        # The last character may be cut off by the end of the head.
        return len(head) == HEAD and error.start > len(head) - 4
    return True
