"""A proposed policy as plain data for JSON."""

from __future__ import annotations

from typing import Any

from phverify.proposal.result import PolicyProposal


def to_json(proposal: PolicyProposal) -> dict[str, Any]:
    """The columns with their reasons, and the policy as its file would hold it."""
    template = proposal.template
    return {
        "table": proposal.table,
        "rows": proposal.rows,
        "template": {
            "name": template.name,
            "title": template.title,
            "source": template.source,
            "limits": list(template.limits),
        },
        "columns": [dict(vars(column)) for column in proposal.columns],
        "policy": proposal.plain(),
        "notes": list(proposal.notes),
    }
