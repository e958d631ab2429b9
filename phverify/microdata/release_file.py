"""A release as a file: whole, or not there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phverify.errors import NAMELESS, refusal
from phverify.microdata.dataframes import is_pandas
from phverify.microdata.files import TableFile
from phverify.microdata.formats import FEATHER, PARQUET, NamedTable
from phverify.microdata.frames import framed
from phverify.microdata.part_file import PartFile, part_file, unwritten
from phverify.microdata.read_once import ReadTable
from phverify.microdata.spill import SpillFolder
from phverify.microdata.write import (
    Form,
    form_of_table,
    packed_csv,
    require_written,
    write_typed,
)
from phverify.result import Result
from phverify.spec.source import File, Names

if TYPE_CHECKING:
    from phverify.microdata.rewriting import Rewriting


@dataclass(frozen=True, eq=False)
class WritableRelease(Result):
    """Base of answers with a released table.

    ``make_release`` makes it in memory; told True, as a table of Arrow where a file or
    frame of Arrow's is to be written with its types.  ``rewriting`` is how it is
    written where the rows of the table stay where they are, None where they are in
    memory.  ``given`` is the table as the caller gave it, and ``columns_wanted`` decide
    the separator of a CSV.
    """

    make_release: Callable[[bool], Any] | None = field(
        default=None, repr=False, kw_only=True
    )
    rewriting: Rewriting | None = field(default=None, repr=False, kw_only=True)
    given: Any = field(default=None, repr=False, kw_only=True)
    columns_wanted: Names = field(default=(), repr=False, kw_only=True)

    @cached_property
    def release(self) -> Any:
        """The released table, made when it is looked at; None when there is none."""
        if self.make_release is None:
            return None
        return self.make_release(False)

    def write(self, path: File) -> None:
        """Write the released table: Parquet or Arrow by the ending of its name, or CSV.

        The file has its name once it is whole.  A table whose rows stay where they are
        is never read into memory for it.  Raises InputError where there is no release,
        for an ending that says something else, and where the file cannot be written.
        """
        if not isinstance(path, str | PathLike):
            raise refusal("path", f"is the name of a file, not {path!r}")
        if path == "":
            raise refusal("path", NAMELESS)
        target = Path(path)
        if self.make_release is None:
            raise refusal(str(target), "is not written: there is no release")
        require_written(target)
        with part_file(target) as part:
            self._write(part)

    @contextmanager
    def kept(self) -> Iterator[Any]:
        """The release as it is read again: a file that is there meanwhile where the
        rows of the table stay where they are, else a frame.
        """
        folder = None
        if self.rewriting is not None:
            # Where there is no folder for it, the release is made in memory.
            with suppress(OSError):
                folder = SpillFolder()
        if folder is None:
            yield self.release
            return
        try:
            path = Path(folder.path) / "release.parquet"
            self.write(path)
            yield path
        finally:
            folder.remove()

    def begun(self, target: Path) -> PartFile:
        """The released table in a file that has not got its name yet.

        Raises InputError.
        """
        part = PartFile.beside(target)
        try:
            self._write(part)
        except BaseException as error:
            part.discard()
            if isinstance(error, OSError):
                raise unwritten(target, error) from None
            raise
        return part

    def _write(self, part: PartFile) -> None:
        form = self._form()
        if self.rewriting is not None:
            from phverify.microdata.written_parts import (
                writable_in_parts,
                write_in_parts,
            )

            if writable_in_parts(self.rewriting, part.target):
                write_in_parts(self.rewriting, part.path, part.target, form)
                return
        assert self.make_release is not None
        if part.target.suffix.lower() in (*PARQUET, *FEATHER):
            write_typed(self.make_release(True), part.path, part.target)
            return
        release = self.release
        if not is_pandas(release):
            release = framed(release, "release").to_pandas()
        part.path.write_bytes(packed_csv(release, part.target, form))

    def _form(self) -> Form:
        """How a CSV is written: like the one that the table came from."""
        given = self.given
        if isinstance(given, ReadTable):
            given = given.header
        if isinstance(given, str | PathLike | TableFile | NamedTable):
            return form_of_table(given, self.columns_wanted)
        return Form()
