"""The part of a rule whose number varies, asked of fewer columns: what is counted of
these alone takes less time, and what breaks the rule there breaks the policy.
"""

from __future__ import annotations

from dataclasses import replace

from phverify.generalization.judge import CandidateJudge
from phverify.generalization.numbers import VaryingPart
from phverify.generalization.parts import ClassPart
from phverify.microdata.coarser import with_others
from phverify.spec import syntax as s
from phverify.spec.source import Names


def with_fewer_columns(varying: VaryingPart) -> VaryingPart | None:
    """The same part, beside those of the policy that look at no column but its own;
    None where the others look at no further column.
    """
    judge = varying.judge
    columns: Names = (varying.attribute,) if varying.attribute else ()
    if set(judge.finest.others) <= set(columns):
        return None
    classes = []
    for part in judge.parts.classes:
        if _looks_at(judge, part) <= {"", *columns}:
            classes.append(part)
    release = judge.bound.release
    finest = with_others(judge.finest, columns)
    bound = replace(judge.bound, release=replace(release, quotient=finest))
    fewer = CandidateJudge(
        judge.policy,
        judge.table,
        bound,
        judge.space,
        replace(judge.parts, classes=tuple(classes)),
        judge.paths,
        judge.compared,
    )
    return replace(varying, judge=fewer)


def _looks_at(judge: CandidateJudge, part: ClassPart) -> set[str]:
    """The columns that a part looks at, beside those of classes; "" where it counts
    records.
    """
    found = set()
    for body in part.bodies:
        if not isinstance(body, s.Criterion):
            # It may look at any of them.
            return set(judge.finest.others)
        found.add(judge.bound.release.criteria[body].attribute)
    return found
