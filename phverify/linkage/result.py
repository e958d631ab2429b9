"""What ``reidentify`` answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from phverify.linkage.methods.record_names import RecordNames
from phverify.linkage.methods.soundness import Judgement
from phverify.linkage.risk.assess import RiskReport
from phverify.result import Result


@dataclass(frozen=True, eq=False)
class Reidentification(Result):
    """The answer to one ``reidentify``: a risk report, or the verdict on a method;
    ``truth`` is what that assumed, ``by`` how the true records are known: "order",
    "identifier" or "matching", and ``inferred`` names the columns whose masking nobody
    declared.
    """

    verb = "reidentify"
    drawn = True

    released: RecordNames
    original: RecordNames
    risk: RiskReport | None = None
    method: Judgement | None = None
    truth: str = ""
    redact: bool = False
    by: str = ""
    inferred: tuple[str, ...] = ()

    @property
    def verdict(self) -> Literal["assessed", "sound", "unsound", "undecided"]:
        """Of the method; a risk report promises nothing."""
        if self.method is None:
            return "assessed"
        return self.method.verdict
