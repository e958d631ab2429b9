"""The certificate of minimality: the candidate, every clause with the violation behind it, and the bound.

Anyone can check it without the search (``phverify check``): every violation by counting, and that nothing which
meets all clauses is cheaper by a solver.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.exact import Bools
from phverify.logic.printer import to_text
from phverify.search.parts import ClassPart
from phverify.search.refute import Reason
from phverify.search.result import SearchResult
from phverify.spaces.space import Space
from phverify.tables.table import Label

if TYPE_CHECKING:
    from phverify.search.hunt import Found, Hunt
    from phverify.search.options import Options

KIND, FORMAT = "phverify certificate of minimality", 1


def certificate(
    result: SearchResult, hunt: Hunt, options: Options, found: Found, minimal: Sequence[Found]
) -> dict[str, Any]:
    """The certificate as plain data, with a digest of everything else in it."""
    content = {
        "kind": KIND,
        "format": FORMAT,
        "space": result.space,
        "schemes": dict(result.schemes),
        "objective": result.objective,
        "weights": {name: str(weight) for name, weight in options.weights.items()},
        "suppress": str(options.share),
        "rows": result.rows,
        "cost": str(result.cost),
        "withheld": result.suppressed,
        "choice": choice(found.candidate),
        "withheld_classes": _withheld(found),
        "mapping": {name: [list(pair) for pair in images.items()] for name, images in result.mapping.items()},
        "minimal": [{"choice": choice(m.candidate), "withheld_classes": _withheld(m)} for m in minimal],
        "clauses": [clause(reason, hunt.space) for reason in hunt.reasons],
        "closures": [closure(part) for part in hunt.critic.judge.parts.classes],
    }
    return {**content, "digest": digest(content)}


def _withheld(found: Found) -> list[list[Label]]:
    """The classes that are withheld, by what the release would have shown of them."""
    view = found.finding.view
    assert view is not None
    return [list(view.quotient.class_values(k).values()) for k in found.finding.withheld.tolist()]


def choice(candidate: Bools) -> list[int]:
    """A candidate as the numbers of its true unknowns."""
    return [int(u) for u in np.flatnonzero(candidate)]


def clause(reason: Reason, space: Space) -> dict[str, Any]:
    """A clause by the violation behind it; its literals follow from that."""
    said: dict[str, Any] = {"kind": reason.kind, "rule": reason.rule}
    if reason.candidate is not None:
        return said | {"choice": choice(reason.candidate), "rows": reason.rows}
    labels = [scheme.label(block) for scheme, block in zip(space.schemes, reason.box, strict=True)]
    said |= {"part": reason.part, "blocks": list(reason.box), "labels": labels, "rows": reason.rows}
    return said if reason.person is None else said | {"person": reason.person}


def closure(part: ClassPart) -> dict[str, Any]:
    """What was proved about a part of a rule."""
    return {
        "rule": part.rule,
        "formula": to_text(part.source),
        "merge_closed": part.closure.merge,
        "upward_closed": part.closure.upward,
        "how": part.closure.how,
        "queries": list(part.closure.queries),
    }


def digest(content: Mapping[str, Any]) -> str:
    """SHA-256 of the content as JSON with sorted keys."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
