"""A proposed policy as lines of plain text."""

from __future__ import annotations

from phverify.errors import printable
from phverify.proposal.result import ROLES, PolicyProposal
from phverify.words import plural


def to_lines(proposal: PolicyProposal) -> list[str]:
    """Each column with its role and the reason, then the rules."""
    rows = plural(proposal.rows, "row")
    lines = [f"PROPOSED  a policy for {proposal.table}: {rows}"]
    for role, meaning in ROLES.items():
        columns = [one for one in proposal.columns if one.role == role]
        if columns:
            lines += ["", f"  {meaning}"]
        for column in columns:
            told = f"    {column.name}: {column.described}; {column.reason}"
            if column.alone:
                told += "; stands for somebody by itself: leave it out, or it becomes *"
            lines.append(told)
            if role == "quasi" and not column.alone:
                lines.append(f"      {_steps(column.hierarchy)}")
    template = proposal.template
    lines += ["", f"  template {template.name}: {template.title}"]
    for name, formula, said in template.rules(proposal.of("sensitive")):
        lines.append(f"    {name}: {formula}  ({said})")
    lines.append("  what it cannot say:")
    lines += [f"    {limit}" for limit in template.limits]
    lines += [f"  note: {note}" for note in proposal.notes]
    return [printable(line) for line in lines]


def _steps(hierarchy: object) -> str:
    """How a column becomes coarser."""
    if hierarchy is None:
        return "no hierarchy: kept, or * for all"
    if isinstance(hierarchy, str):
        return f"hierarchy: {hierarchy}"
    assert isinstance(hierarchy, dict)
    ((kind, levels),) = hierarchy.items()
    told = ", ".join(map(str, levels))
    return f"hierarchy: {kind} {told}"
