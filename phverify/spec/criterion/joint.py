"""Criteria over all sensitive columns, which stand for several over single ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from phverify.spec import syntax as s
from phverify.spec.criterion.base import Param
from phverify.spec.criterion.registry import Criteria, Unfit, arguments


class JointCriterion(ABC):
    """A criterion over all sensitive columns, as a conjunction over single ones."""

    name: ClassVar[str]
    source: ClassVar[str]
    params: ClassVar[tuple[Param, ...]]

    @abstractmethod
    def parts(self, sensitive: Sequence[str]) -> tuple[s.Criterion, ...]:
        """The conjuncts."""


JOINT = Criteria(JointCriterion)  # type: ignore[type-abstract]
"""Criteria that stand for several, over all sensitive columns."""


def joint_parts(node: s.Criterion, sensitive: Sequence[str]) -> tuple[s.Criterion, ...]:
    """The conjuncts of a criterion over all sensitive columns.  Raises Unfit."""
    values = arguments(node, ())
    if not sensitive:
        raise Unfit(
            f"{node.name} is about the sensitive columns, and there are none",
            "name them under [columns]",
        )
    criterion = JOINT[node.name](**values)
    parts = criterion.parts(sensitive)
    # Errors in a part point at what the user wrote.
    return tuple(replace(part, span=node.span) for part in parts)
