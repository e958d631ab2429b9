"""A log as a transition system with tags on the page of its audit: the drawing that
``--dltts`` writes, and its numbers as a table.

A long log is drawn in few states: first and last, and those from which a secret
follows; the queries between two of them stand on one arrow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from phverify.disclosure.dltts.picture import WORDS
from phverify.disclosure.dltts.system import State, TaggedSystem, Transition
from phverify.disclosure.dltts.trace import QueryAnswer
from phverify.disclosure.result import DETERMINED, DISCLOSED, AuditReport
from phverify.report.audit_dltts import LogSystem, traced
from phverify.report.audit_phrases import listed
from phverify.report.audit_story import AuditStory
from phverify.report.page import (
    DataTable,
    Drawing,
    PageBlock,
    PageSection,
    Paragraph,
    Points,
    Remark,
    TableColumn,
)
from phverify.rounded import rounded
from phverify.words import plural

STATES = 12
"""So many states are drawn one by one."""
LARGEST = 200_000
"""Of more facts at states than that no system is made for a page."""
TITLE = "The log as a transition system with tags"
MEANINGS = {
    "open": "no protected fact follows",
    "violated": "a protected fact follows: the run fails here",
    "undecided": "it is not known whether a protected fact follows",
    "impossible": "no database has these answers",
}
"""What the status of a state says."""
DISTANCE = (
    "distance: how far what is known is from the nearest protected fact, from 0, where"
    " it follows, to 1"
)
EXPLAINED = (
    "A state is what the adversary has read so far: its tag are the answers, and what"
    " follows from them. An arrow is the next query. What a state adds is written in"
    " its box; where a protected fact follows the system fails, and it is not asked"
    " further. Each query of a log has one answer, so that probabilities are 1 or 0."
)
WHOLE = (
    "the answers determine the table as a whole; states are about single protected"
    " facts, and say nothing of that"
)
LEFT_OUT = "states quote answers and protected facts"
TOO_LARGE = "it has too many facts and states for a page: --dltts FILE.json writes it"


def system_section(story: AuditStory) -> PageSection:
    """The system of a log: drawn, and in numbers."""
    report = story.report
    facts = len(report.steps[0].findings)
    if facts * len(report.steps) > LARGEST:
        return PageSection(TITLE, (Remark("Left out", TOO_LARGE),))
    whole = traced(report, redact=story.redact)
    return PageSection(TITLE, tuple(_blocks(whole, report)))


def public_system() -> PageSection:
    """What is said of it to everybody."""
    return PageSection(TITLE, (Remark("Left out", LEFT_OUT),))


def _blocks(whole: LogSystem, report: AuditReport) -> Iterator[PageBlock]:
    names = _chosen(whole.system, report)
    drawn = replace(whole, system=_contracted(whole.system, names))
    yield Paragraph(EXPLAINED)
    table = report.reconstruction
    if table is not None and table.status == DETERMINED:
        yield Remark("Not drawn", WHOLE, "open")
    yield Drawing("States and queries", _alternative(whole, names), drawn.svg())
    left = len(whole.system.states) - len(names)
    more = ""
    if left:
        more = f"{plural(left, 'state')} between them left out: --dltts FILE has all"
    yield _table(whole, names, more)
    yield Points(tuple(_legend(whole)))


def _legend(whole: LogSystem) -> Iterator[str]:
    """What the words of the table mean that occur."""
    present = {state.status for state in whole.system.states.values()}
    for status, meaning in MEANINGS.items():
        if status in present:
            yield f"{_word(status)}: {meaning}"
    if whole.distances:
        yield DISTANCE


def _chosen(system: TaggedSystem, report: AuditReport) -> list[str]:
    """The states that are drawn, in their order: all, or those that matter."""
    names = list(system.states)
    if len(names) <= STATES:
        return names
    reached = report.steps[len(names) - 1]
    matter: set[str] = set()
    for finding in reached.findings:
        if finding.verdict == DISCLOSED:
            matter.update(names[number] for number in _places(finding.core, report))
    inner = [name for name in names[1:-1] if name in matter]
    return [names[0], *inner[: STATES - 2], names[-1]]


def _places(core: Sequence[int], report: AuditReport) -> Iterator[int]:
    """Where the steps of some queries stand."""
    wanted = set(core)
    for place, step in enumerate(report.steps):
        if step.number in wanted:
            yield place


@dataclass(frozen=True)
class _Skipped:
    """A state that is drawn, with those behind it that are not."""

    state: State
    skipped: tuple[State, ...]


def _contracted(system: TaggedSystem, names: Sequence[str]) -> TaggedSystem:
    """The same run with some of its states: what they add, the next one has."""
    chosen = set(names)
    parts: list[_Skipped] = []
    for name, state in system.states.items():
        if name in chosen:
            parts.append(_Skipped(state, ()))
        else:
            last = parts[-1]
            parts[-1] = replace(last, skipped=(*last.skipped, state))
    states = {part.state.name: _with_moves(part) for part in parts}
    return TaggedSystem(system.initial, states, system.policy)


def _with_moves(part: _Skipped) -> State:
    """A state whose moves lead over those that are left out."""
    if not part.skipped:
        return part.state
    # a log is one run: each state has one move
    (last,) = part.skipped[-1].moves
    count = len(part.skipped) + 1
    action = f"{plural(count, 'query')}, the last one: {last.action}"
    over = Transition(part.state.name, action, last.branches)
    return replace(part.state, moves=(over,))


def _alternative(whole: LogSystem, names: Sequence[str]) -> str:
    """What the drawing shows, in words."""
    states = whole.system.states
    counts = Counter(state.status for state in states.values())
    known = [f"{count:,} {_word(status)}" for status, count in counts.items()]
    said = f"A run of {plural(len(states), 'state')}: {listed(known)}."
    last = states[names[-1]]
    said += f" The last one, {last.name}, is {_word(last.status)}."
    if len(names) < len(states):
        said += f" {len(names)} of them are drawn."
    return said


def _word(status: str) -> str:
    return WORDS.get(status, status)


def _table(whole: LogSystem, names: Sequence[str], more: str) -> DataTable:
    """The numbers of the states that are drawn."""
    titles = ["state", "status", "answers read", "facts that follow"]
    columns = [TableColumn(titles[0]), TableColumn(titles[1])]
    columns += [TableColumn(title, number=True) for title in titles[2:]]
    measured = bool(whole.distances)
    if measured:
        columns.append(TableColumn("distance", number=True))
    columns.append(TableColumn("probability", number=True))
    rows = []
    for name in names:
        state = whole.system.states[name]
        secrets = state.saturated & whole.system.policy
        answers = _answers(state)
        cells = [name, _word(state.status), f"{answers:,}", f"{len(secrets):,}"]
        if measured:
            distance = whole.distances.get(name)
            cells.append("none" if distance is None else rounded(str(distance)))
        cells.append(str(whole.probabilities[name]))
        rows.append(tuple(cells))
    caption = "The states in numbers"
    return DataTable(caption, tuple(columns), tuple(rows), more)


def _answers(state: State) -> int:
    """How many answers a tag has; the rest of it follows."""
    return sum(isinstance(one, QueryAnswer) for one in state.tag)
