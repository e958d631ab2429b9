"""A file that has its name once it is whole: whatever happens before, nothing that is
half written is left under it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from phverify.errors import InputError, refusal

PRIVATE = 0o600
"""The permissions of a file that quotes a policy, names records or holds rows."""


@dataclass(frozen=True)
class PartFile:
    """A file that is written beside its ``target``, under another name."""

    target: Path
    path: Path

    @classmethod
    def beside(cls, target: Path) -> PartFile:
        """An empty one; where the target is a link, beside what it leads to.

        Raises InputError where there can be none.
        """
        if target.is_symlink():
            target = Path(os.path.realpath(target))
        try:
            # Only within one file system is it renamed at once.
            handle, name = tempfile.mkstemp(dir=target.parent)
        except OSError as error:
            raise unwritten(target, error) from None
        os.close(handle)
        return cls(target, Path(name))

    def finish(self, confidential: bool = False) -> None:
        """Give it its name; what is confidential only the owner can read.

        Raises InputError.
        """
        try:
            # Before it has its name: not for a moment is it open to others.
            self.path.chmod(PRIVATE if confidential else _usual_mode())
            self.path.replace(self.target)
        except OSError as error:
            self.discard()
            raise unwritten(self.target, error) from None

    def discard(self) -> None:
        """Leave nothing behind; what has its name already stays."""
        self.path.unlink(missing_ok=True)


@contextmanager
def part_file(target: Path, confidential: bool = False) -> Iterator[PartFile]:
    """A file that has its name where nothing goes wrong.

    Raises InputError with the name and the reason where it cannot be written.
    """
    part = PartFile.beside(target)
    try:
        yield part
        part.finish(confidential)
    except BaseException as error:  # Ctrl-C, too, leaves nothing half written behind
        part.discard()
        if isinstance(error, OSError):
            raise unwritten(target, error) from None
        raise


def unwritten(target: Path, error: OSError) -> InputError:
    """The error that a file cannot be written, and why."""
    return refusal(str(target), f"cannot be written: {error.strerror or error}")


def _usual_mode() -> int:
    """The permissions of a new file, less those that the user withholds."""
    withheld = os.umask(0o077)  # there is no way to read it but to set it
    os.umask(withheld)
    return 0o666 & ~withheld
