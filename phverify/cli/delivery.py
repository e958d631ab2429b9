"""What is asked for beside an answer: made, then written, or it is said why not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phverify.cli.terminal import Content, write
from phverify.errors import InputError, Problem, Problems

NO_MEMORY = "there is not enough memory to make it"


class Unmade(Exception):
    """Why there is nothing to write, which belongs to the answer; "" where the answer
    says it.
    """


@dataclass(frozen=True)
class Output:
    """Something to be written: ``make`` gives it (or raises Unmade), ``save`` writes it
    and says so.

    What is not ``needed`` leaves the answer complete where it cannot be made in time:
    then that is said, no more.
    """

    what: str
    target: Path
    make: Callable[[], Any]
    save: Callable[[Any], str]
    needed: bool = True


@dataclass(eq=False)
class Delivery:
    """What became of the outputs: lines on what was ``written`` and what is
    ``missing``, problems that ``failed``.
    """

    written: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    failed: Problems = field(default_factory=list)

    def make(self, outputs: Sequence[Output]) -> list[tuple[Output, Any]]:
        """What is to be written; after Ctrl-C nothing further is made."""
        made: list[tuple[Output, Any]] = []
        left = list(outputs)
        try:
            while left:
                try:
                    made.append((left[0], left[0].make()))
                except Unmade as error:
                    self.absent(left[0], str(error))
                except InputError as error:
                    self.failed += error.problems
                    if not left[0].needed:
                        self.absent(left[0], "the error says why")
                except MemoryError:
                    self.leave(left[0], NO_MEMORY)
                # only once it is done: Ctrl-C leaves what was being made
                left.pop(0)
        except KeyboardInterrupt:
            for output in left:
                self.leave(output, "interrupted")
        return made

    def save(self, made: Sequence[tuple[Output, Any]]) -> None:
        """Write what has been made; Ctrl-C ends that."""
        left = list(made)
        try:
            while left:
                output, content = left[0]
                try:
                    self.written += filter(None, [output.save(content)])
                except InputError as error:
                    self.failed += error.problems
                except MemoryError:
                    self.leave(output, NO_MEMORY)
                left.pop(0)
        except KeyboardInterrupt:
            self.failed += [
                Problem(str(output.target), "is not written: interrupted")
                for output, _ in left
            ]

    def leave(self, output: Output, why: str) -> None:
        """An output that could not be made in time."""
        if output.needed:
            self.failed.append(Problem(str(output.target), f"is not written: {why}"))
        else:
            self.absent(output, why)

    def absent(self, output: Output, why: str) -> None:
        """An output that the answer is complete without."""
        reason = f": {why}" if why else ""
        missing = (
            f"  {output.what} is missing: nothing is written to {output.target}{reason}"
        )
        # an earlier file could be taken for one of this answer
        if output.target.is_file():
            missing += " (the file that is there is an earlier one)"
        self.missing.append(missing)


def delivered(outputs: Sequence[Output]) -> Delivery:
    """Make all outputs, then write them: a defect in making one writes none.

    The file of ``--json`` is made as it is written.
    """
    delivery = Delivery()
    made = delivery.make(outputs)
    delivery.save(made)
    return delivery


def saved(target: Path, said: str, content: Content, confidential: bool = False) -> str:
    """Write a file, which others cannot read if it is confidential; what is said then.

    Raises InputError.
    """
    write(target, content, confidential)
    return said
