"""What a statement of the log says, once it is understood."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from phverify.disclosure.worlds.constraints import Effect
from phverify.disclosure.worlds.database import (
    Rows,
)

ANSWERED = "answered"
BOUNDED = "bounded"


@dataclass(frozen=True, eq=False)
class Understood:
    """What a statement says.

    ``status`` is ``answered`` where ``effect`` holds in exactly the worlds with this
    ``answer``, and ``bounded`` where it may rule out some of them, too.
    ``seen`` is what it sees of each row of the table beside the sensitive cells;
    ``asked`` are the statements, with their answers, that hold in all worlds of
    ``effect``; ``says`` is what a statement that is bounded was taken for.
    """

    answer: tuple[Any, ...]
    effect: Effect
    seen: Sequence[Hashable]
    asked: Sequence[tuple[str, Rows]]
    status: str = ANSWERED
    says: str = ""
