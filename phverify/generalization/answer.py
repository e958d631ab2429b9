"""From what the hunt found to the answer: the release, checked once more, with its cost and certificate."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.constraints.hitting import available
from phverify.errors import BudgetExceeded, Defect
from phverify.exact import Ints
from phverify.generalization.certificate import certificate
from phverify.generalization.frame import frame
from phverify.generalization.hunt import AFTER, Found, Hunt
from phverify.generalization.judge import Judge
from phverify.generalization.master import Hitting
from phverify.generalization.options import Options
from phverify.generalization.parts import ClassPart
from phverify.generalization.released import bound_again, bound_to, kept_rows, released
from phverify.generalization.result import Proof, SearchResult, Statistics
from phverify.logic.printer import ASCII, Style, to_text
from phverify.microdata.read import read
from phverify.microdata.table import Table
from phverify.spec.schemes import Along
from phverify.verification.result import Report
from phverify.verification.run import decided, shown_as
from phverify.words import plural

if TYPE_CHECKING:
    import pandas as pd

PATIENCE = 10.0
"""Seconds for saying why even the most general candidate fails."""


def answered(hunt: Hunt, options: Options, source: Any, started: float) -> SearchResult:
    """Run the hunt and report on it; ``source`` is the input as the caller gave it."""
    minimal = hunt.minimal() if options.lists else []
    cheapest = min(minimal, key=lambda f: _price(hunt, options, f), default=hunt.best)
    found = cheapest if options.lists else hunt.least()
    style = shown_as(hunt.critic.judge.policy, options.redact)
    shared = _shared(hunt, options, style)
    if found is None:
        return replace(_nothing(hunt, shared, style), statistics=_statistics(hunt, started, ()))
    try:
        release = _released(hunt, found, style)
    except (BudgetExceeded, KeyboardInterrupt) as error:
        why = "interrupted" if isinstance(error, KeyboardInterrupt) else str(error)
        unchecked = replace(shared, reason=f"{why} before the released table was checked")
        return replace(unchecked, statistics=_statistics(hunt, started, ()))
    reason, solvers = _standing(hunt, options, found)
    result = _result(hunt, options, found, minimal, replace(shared, reason=reason), source, release)
    result = replace(result, statistics=_statistics(hunt, started, solvers))
    if reason:
        return result
    time_left = hunt.deadline.paused()
    return replace(result, make_certificate=lambda: certificate(result, hunt, options, found, minimal, time_left()))


def _price(hunt: Hunt, options: Options, found: Found) -> Fraction:
    """The cost of a candidate by the objective asked for."""
    if options.objective == "discernibility" and found.finding.view:
        return Fraction(sum(int(n) ** 2 for n in found.finding.view.quotient.sizes.tolist()))
    return hunt.fraction(found.total)


def _standing(hunt: Hunt, options: Options, found: Found) -> tuple[str, tuple[str, ...]]:
    """Why the candidate is not proved to be the least, else what proves it."""
    missed = [note for total, note in hunt.opened if options.lists or total < found.total]
    if hunt.stopped or missed:
        return hunt.stopped or f"a cheaper candidate is undecided: {missed[0]}", ()
    if options.lists:
        return "", ("looking at all level vectors",)
    try:
        hunt.progress("proving the lower bound")
        solvers = hunt.confirm(found.total)
    except KeyboardInterrupt:
        return "interrupted while the lower bound was proved", ()
    return ("", solvers) if solvers else ("no solver confirmed the lower bound in time", ())


def _statistics(hunt: Hunt, started: float, solvers: tuple[str, ...]) -> Statistics:
    return Statistics(hunt.examined, len(hunt.reasons), time.perf_counter() - started, solvers)


def _shared(hunt: Hunt, options: Options, style: Style) -> SearchResult:
    """What every result says, whatever was found."""
    judge = hunt.critic.judge
    return SearchResult(
        verdict="undecided",
        space=options.space,
        objective=options.objective,
        schemes={scheme.name: scheme.kind for scheme in hunt.space.schemes},
        rows=judge.table.rows,
        share=options.share,
        budget=hunt.critic.budget,
        depths={s.name: s.tree.depth for s in hunt.space.schemes if isinstance(s, Along)},
        proofs=_proofs(judge, style),
        bound=None if options.objective == "discernibility" else hunt.fraction(hunt.bound),
    )


def _proofs(judge: Judge, style: Style) -> tuple[Proof, ...]:
    """What was proved about the rules; how may quote values."""
    return tuple(_proof(part, style) for part in judge.parts.classes)


def _proof(part: ClassPart, style: Style) -> Proof:
    closed, hidden = part.closure, style is not ASCII
    how, queries = ("", ()) if hidden else (closed.how, closed.queries)
    return Proof(part.rule, to_text(part.source, style), closed.merge, closed.upward, how, queries)


@dataclass(frozen=True, eq=False)
class _Release:
    """What a candidate releases: the table, the input's rows in it (None for all), and what ``verify`` says of it."""

    table: Table
    rows: Ints | None
    checks: Report


def _released(hunt: Hunt, found: Found, style: Style) -> _Release:
    """Every rule decided for the released table, as ``verify`` does it: the last word.  Raises BudgetExceeded."""
    hunt.progress("checking the released table")
    judge, view = hunt.critic.judge, found.finding.view
    assert view is not None
    rows = kept_rows(judge, view, found.finding.withheld)
    after = released(judge.table, hunt.space, found.candidate, rows, judge.policy.identifier)
    bound = bound_to(judge, after, rows)
    time_left = hunt.deadline.at_least(AFTER)
    report = decided(bound, judge.policy.source, "the released table", time_left, style=style)
    if report.verdict == "refuted":
        raise Defect("the search accepts a release that verify finds refuted")
    for rule in report.rules:
        if rule.verdict == "undecided":
            raise BudgetExceeded(rule.reason)
    return _Release(after, rows, report)


def _result(
    hunt: Hunt,
    options: Options,
    found: Found,
    minimal: list[Found],
    shared: SearchResult,
    source: Any,
    release: _Release,
) -> SearchResult:
    judge, after, rows, checks = hunt.critic.judge, release.table, release.rows, release.checks
    cost = _price(hunt, options, found)
    order, mapping = _order(after.rows, options.shuffle), hunt.space.mapping(found.candidate.tolist())
    changed = {name for name, images in mapping.items() if any(a != b for a, b in images.items())}
    return replace(
        shared,
        verdict="undecided" if shared.reason else "optimal",
        levels=hunt.space.levels(found.candidate),
        mapping=mapping,
        cost=cost,
        bound=shared.bound if shared.reason else cost,
        suppressed=judge.table.rows - after.rows,
        minimal=tuple(hunt.space.levels(f.candidate) or {} for f in minimal) if options.all_minimal else (),
        checks=checks,
        make_release=lambda: _frame(source, judge, after, changed, rows, order),
        warnings=(*checks.warnings, *_renumbered(judge, rows), *_slow(hunt)),
    )


def _frame(
    source: Any, judge: Judge, after: Table, changed: set[str], rows: Ints | None, order: Ints | None
) -> pd.DataFrame:
    """The release as a DataFrame, whose quasi-identifiers read as those of the table that was decided."""
    found = frame(source, after, judge.policy.quasi, changed, rows, order, judge.policy.identifier)
    again = read(found, where="the released DataFrame") if hasattr(source, "dtypes") else None
    for name in judge.policy.quasi if again else ():
        assert again is not None
        codes = after.columns[name].codes if order is None else after.columns[name].codes[order]
        pairs = set(zip(codes.tolist(), again.columns[name].codes.tolist(), strict=True))
        if len(pairs) != len(after.columns[name].labels) or len({b for _, b in pairs}) != len(pairs):
            raise Defect(f"the released column {name!r} tells other values apart than those that were decided")
    return found


def _slow(hunt: Hunt) -> Iterator[str]:
    """Z3 alone is much slower, and a certificate needs a second solver to be checked."""
    if isinstance(hunt.master, Hitting) and not available():
        yield "CP-SAT is not installed: pip install 'phverify[search]' makes such searches faster, and check needs it"


def _renumbered(judge: Judge, rows: Ints | None) -> Iterator[str]:
    """What to know before the release of a policy that names individuals is verified by itself."""
    if rows is not None and judge.parts.people:
        yield "the policy names individuals by the input: records are withheld, and verify knows the release alone"


def _order(rows: int, seed: int | None) -> Ints | None:
    """A random order of the rows, from a seed; None for their own."""
    if seed is None:
        return None
    order = list(range(rows))
    random.Random(seed).shuffle(order)
    return np.array(order)


# Nothing found


def _nothing(hunt: Hunt, shared: SearchResult, style: Style) -> SearchResult:
    """Say which rule fails even for the most general candidate, with its witness."""
    judge = hunt.critic.judge
    bound = bound_again(judge, hunt.space.top(), None)
    time_left = hunt.deadline.within(PATIENCE).at_least(AFTER)
    report = decided(bound, judge.policy.source, "the most general release", time_left, style=style)
    undecided = hunt.stopped or (hunt.opened[0][1] if hunt.opened else "")
    failed = [rule.name for rule in report.rules if rule.verdict == "refuted"]
    rows = hunt.critic.in_the_way(hunt.space.top())
    return replace(
        shared,
        verdict="undecided" if undecided else "infeasible",
        bound=shared.bound if undecided else None,
        checks=report,
        reason=undecided or _why(hunt, failed, rows),
        helps="" if undecided else _helps(judge, failed, rows),
        warnings=report.warnings,
    )


def _why(hunt: Hunt, failed: list[str], rows: int) -> str:
    said = "no candidate satisfies all rules"
    if failed:
        said = f"even the most general candidate breaks {' and '.join(failed)}"
    if not rows:
        return said
    allowed = f"{hunt.critic.budget} may be" if hunt.critic.budget else "none may be"
    return f"{said}: {plural(rows, 'record')} would have to be withheld there, and {allowed}"


def _helps(judge: Judge, failed: list[str], rows: int) -> str:
    ways = [f"relax {' or '.join(failed)}"] if failed else []
    if 0 < rows < judge.table.rows:
        ways.append(f"allow {rows} of {judge.table.rows} records to be withheld (--suppress)")
    for scheme in judge.space.schemes:
        tops = dict.fromkeys(map(scheme.label, scheme.blocks([True] * scheme.decisions)))
        if len(tops) > 1:
            ways.append(f"a hierarchy of {scheme.name!r} with one root: its top level has {len(tops)} values")
    return "; ".join(ways)
