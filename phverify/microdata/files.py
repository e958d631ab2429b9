"""The bytes of a table: those of a file, packed or plain, of a pipe, of standard input.

Whatever is wrong with them is said here: a file that is not there, another encoding
than UTF-8, a workbook or a picture that is called .csv.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import shlex
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from phverify.errors import NAMELESS, InputError, Problem, nearest, refusal
from phverify.microdata.formats import NO_CSV, is_pattern
from phverify.microdata.signatures import HEAD, MARKS, other_kind
from phverify.spec.separated import find_separator
from phverify.spec.source import Refused

STANDARD_INPUT = "-"
TO_PANDAS = ("to_pandas", "toPandas", "df", "to_frame")
"""How tables of polars, Arrow, Spark and DuckDB become a DataFrame of pandas, and a
single column of pandas, too.
"""


@dataclass(frozen=True, eq=False)
class TableFile:
    """What a table is read from.

    ``content`` is what came through a pipe, which can be read only once; None where
    ``name`` is the path of a file.
    """

    name: str
    content: bytes | None = None

    @property
    def suffix(self) -> str:
        """The ending of the file's name, in small letters; "" for what was piped."""
        if self.content is not None:
            return ""
        return Path(self.name).suffix.lower()

    def load(self) -> BinaryIO:
        """The bytes, unpacked.  Raises OSError, and what unpacking raises."""
        if self.content is not None:
            return io.BytesIO(self.content)
        unpack = UNPACK.get(self.suffix)
        path = Path(self.name)
        return path.open("rb") if unpack is None else unpack(path)


def _unzipped(path: Path) -> BinaryIO:
    """The one file in an archive.  Raises InputError where there is not just one."""
    with zipfile.ZipFile(path) as archive:
        names = [one.filename for one in archive.infolist() if not one.is_dir()]
        if len(names) != 1:
            what = f"the archive holds {len(names)} files, and a table is one"
            raise refusal(str(path), what, "unpack it, and name the table")
        # The open file keeps the archive open for as long as it is read.
        return cast(BinaryIO, archive.open(names[0]))


UNPACK: Mapping[str, Callable[[Path], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zip": _unzipped,
}
"""By the ending of a file's name, how it is unpacked."""
UNPACKING = {
    ".gz": "gzip -dc",
    ".bz2": "bzip2 -dc",
    ".xz": "xz -dc",
    ".zip": "unzip -p",
}
"""By the ending of a file's name, the command that writes what is packed there."""
BROKEN = (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError)
"""What unpacking raises for a file that is cut off, damaged or locked."""


PIECE = 1 << 16
"""So many bytes of standard input are read at a time."""


def table_file(source: Any, where: str) -> TableFile:
    """What a table is read from: a path, or ``-`` for standard input.

    Pipes are read at once.  Raises InputError for what is not there.
    """
    if isinstance(source, TableFile):
        return source
    if isinstance(source, str | PathLike) and str(source) == STANDARD_INPUT:
        return TableFile("standard input", _standard_input())
    path = existing_file(source, where)
    if path.is_file():
        return TableFile(str(path))
    try:
        return TableFile(str(path), path.read_bytes())
    except OSError as error:
        raise refusal(str(path), f"cannot be read: {error.strerror}") from None


def _standard_input() -> bytes:
    stream = getattr(sys.stdin, "buffer", None)
    parts: list[bytes] = []
    # Piece by piece: Ctrl-C is heard between two of them.
    while stream is not None:
        piece: bytes = stream.read1(PIECE)
        if not piece:
            break
        parts.append(piece)
    content = b"".join(parts)
    if not content:
        what = "there is nothing to read, or nothing more"
        hint = "one table can come from there: two cannot both be -"
        raise refusal("standard input", what, hint)
    return content


def piped(source: Any) -> Any:
    """What can be read only once, as it was read; any other source as it is."""
    if not isinstance(source, str | PathLike):
        return source
    if str(source) == STANDARD_INPUT:
        return table_file(source, "")
    path = Path(source)
    # What is there, and neither a file nor a folder: a pipe, a terminal, a device.
    once = path.exists() and not path.is_file() and not path.is_dir()
    return table_file(source, "") if once else source


def plain_csv(source: Any) -> bool:
    """Whether a source is one file on the disk, not packed, and CSV by its name.

    That is what the checker reads by itself, and can read again.
    """
    if not isinstance(source, str | PathLike) or str(source) == STANDARD_INPUT:
        return False
    path = Path(source)
    other = path.suffix.lower() in (*NO_CSV, *UNPACK) or is_pattern(path)
    return not other and (path.is_file() or not path.exists())


def existing_file(
    source: Any, where: str, wanted: str = "a path or a DataFrame"
) -> Path:
    """The path of a file that is there.

    Raises InputError for a directory or a missing file, and for what is no path:
    ``wanted`` says what is taken here.
    """
    # To Path that would be the current folder.
    if isinstance(source, str) and not source:
        raise refusal(where, NAMELESS)
    try:
        path = Path(source)
    except TypeError:
        what = f"expected {wanted}, not {_type_name(source)}"
        # Found by its methods: the library need not be loaded to name the way out.
        convert = [name for name in TO_PANDAS if hasattr(source, name)]
        hint = f"pass its .{convert[0]}()" if convert else ""
        raise refusal(where, what, hint) from None
    try:
        if path.is_dir():
            raise refusal(str(path), "this is a directory, not a file")
        if not path.exists():
            raise refusal(str(path), "there is no such file", _neighbours(path))
    except OSError as error:
        raise refusal(str(path), f"cannot be read: {error.strerror}") from None
    return path


def _type_name(source: object) -> str:
    """A type with the library that it is from: there are many kinds of DataFrame."""
    kind = type(source)
    if kind.__module__ == "builtins":
        return kind.__name__
    return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"


def lasting_file(source: Any, where: str) -> Path:
    """The path of a file that can be read more than once.

    Raises InputError for pipes and standard input, too.
    """
    once = piped(source)
    if isinstance(once, TableFile):
        what = "what is checked is read more than once, and a pipe only once"
        raise refusal(once.name, what, "save it as a file first")
    return existing_file(source, where)


def checked_file(source: Any, where: str) -> Path:
    """The path of a table that the checker reads by itself, as it is.

    Raises InputError for what is no text, too: its SHA-256 is that of no CSV.
    """
    path = lasting_file(source, where)
    try:
        with path.open("rb") as raw:
            kind = other_kind(raw.read(HEAD))
    except OSError as error:
        raise refusal(str(path), f"cannot be read: {error.strerror or error}") from None
    if kind is None:
        return path
    what, _ = kind
    hint = "the checker reads CSV files: give the one that the certificate is about"
    raise refusal(str(path), f"is no CSV: it seems to be {what}", hint)


def _neighbours(path: Path) -> str:
    """A hint: the files of the same folder that are called almost like this one."""
    folder = path.parent
    if not folder.is_dir():
        return ""
    names = sorted(other.name for other in folder.iterdir() if other.is_file())
    return nearest(path.name, names, "files there") if names else ""


@contextmanager
def text_of(file: TableFile) -> Iterator[TextIO]:
    """A text in UTF-8, its byte order mark left out.

    What goes wrong in it becomes an InputError that names the line.
    """
    try:
        with file.load() as raw:
            _refuse_other_kinds(raw, file)
            yield io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
    except OSError as error:
        raise refusal(file.name, f"cannot be read: {error.strerror or error}") from None
    except BROKEN as error:
        raise refusal(file.name, f"cannot be unpacked: {error}") from None
    except UnicodeDecodeError:
        raise InputError(_encoding_problem(file)) from None
    except csv.Error as error:
        raise InputError(_malformed(file, error)) from None
    except Refused as error:
        raise refusal(file.name, str(error)) from None


def _refuse_other_kinds(raw: BinaryIO, file: TableFile) -> None:
    """Raises InputError for what is no text in UTF-8, by its first bytes."""
    head = raw.read(HEAD)
    # Whoever reads the text begins at its first byte.
    raw.seek(0)
    for mark, encoding in MARKS:
        if head.startswith(mark):
            what = f"is text in {encoding}, and tables are read in UTF-8"
            raise refusal(file.name, what, _conversion(file, encoding.lower()))
    kind = other_kind(head)
    if kind is not None:
        what, hint = kind
        if hint.startswith("."):
            hint = _as_named(file, hint)
        raise refusal(file.name, f"is no CSV: it seems to be {what}", hint)


def converted(path: Path) -> str:
    """A hint: the command that makes UTF-8 of a text in another encoding."""
    name = shlex.quote(str(path))
    return (
        f"convert it, for example: iconv -f latin1 -t utf-8 {name} > utf8{path.suffix}"
    )


def _conversion(file: TableFile, encoding: str) -> str:
    """A hint: the command that makes UTF-8 of a text, wherever it comes from."""
    command = f"iconv -f {encoding} -t utf-8"
    if file.content is not None:
        return f"convert it on its way here, for example: .. | {command} | phverify .."
    name = shlex.quote(file.name)
    unpack = UNPACKING.get(file.suffix)
    if unpack is None:
        return f"convert it, for example: {command} {name} > utf8.csv"
    return f"convert it, for example: {unpack} {name} | {command} > utf8.csv"


def _as_named(file: TableFile, ending: str) -> str:
    """A hint: how to give what would be read under a name with this ending."""
    unpack = UNPACKING.get(file.suffix)
    if unpack is not None:
        return f"unpack it: {unpack} {shlex.quote(file.name)} > table{ending}"
    if file.content is None:
        return f"give its name the ending {ending}, by which it is read"
    on_the_way = UNPACKING.get(Path(ending).suffix)
    if on_the_way is None or "-dc" not in on_the_way:
        return f"save it as a file whose name ends in {ending}, by which it is read"
    return f"unpack it on its way here: .. | {on_the_way} | phverify .."


def _encoding_problem(file: TableFile) -> Problem:
    """The first line that is not UTF-8, and its byte."""
    with file.load() as raw:
        content = raw.read()
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # Lines are counted from 1.
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        what = f"line {line} is not UTF-8 (byte 0x{byte:02x})"
        return Problem(file.name, what, _conversion(file, "latin1"))
    return Problem(file.name, "is not UTF-8")


def _malformed(file: TableFile, error: csv.Error) -> Problem:
    """Why a text is no CSV, and the line where the row begins of which that is so."""
    most = csv.field_size_limit()
    line = _line_of_first_flaw(file, most)
    what = f"is no well-formed CSV: {error}, in the row that begins in line {line}"
    hint = 'a quote inside a cell is written twice: "5"" pipe"'
    if "field limit" in str(error):
        what = f"line {line} begins a cell of more than {most:,} characters"
    if "field limit" in str(error) or "end of data" in str(error):
        hint = (
            "a quote that is opened and never closed makes one cell of all that follows"
        )
    return Problem(file.name, what, hint)


def _line_of_first_flaw(file: TableFile, most: int) -> int:
    """The line where the row begins that is no CSV."""
    with file.load() as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
        separator = find_separator(text.readline(most))
        text.seek(0)
        reader = csv.reader(text, delimiter=separator, strict=True)
        line = 1
        try:
            for _ in reader:
                # A row may have several lines: the next one begins after its last.
                line = reader.line_num + 1
        except csv.Error:
            pass
    return line
