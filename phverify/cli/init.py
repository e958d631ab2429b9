"""The verb ``init`` of the command line: a first policy, asked about or taken."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from phverify.cli.delivery import Output, saved
from phverify.cli.evidence import evident
from phverify.cli.inputs import one_of_several, roles_of
from phverify.cli.outputs import targets, tell
from phverify.cli.terminal import Progress, complain
from phverify.errors import NAMELESS, InputError, refusal
from phverify.microdata.files import piped
from phverify.proposal.result import ROLES, PolicyProposal, ProposedColumn
from phverify.report.propose_toml import to_toml
from phverify.verbs.propose import propose

LETTERS = {role[0]: role for role in ROLES}
"""What is typed for a role."""


def run(options: argparse.Namespace) -> int:
    """Propose a policy, and write it; the exit code."""
    if not options.output:
        raise refusal("--output", NAMELESS)
    output = Path(options.output)
    if output.exists():
        hint = "--output another.toml, or move it away"
        raise refusal("--output", f"{output} exists, and is never overwritten", hint)
    files = targets(options, (options.table,))
    roles = roles_of(options)
    asking = not options.yes
    if asking and not _at_terminal():
        what = "takes what is proposed; columns are asked about on a terminal only"
        raise refusal("--yes", what, "add --yes, and read the file afterwards")
    # It is read again after each answer.
    table = one_of_several(piped(options.table), options.named)
    with Progress() as progress:
        proposal = propose(table, options.template, roles, progress=progress.step)
    if asking:
        proposal = Interview(table, proposal, _answered).revised()
    make = partial(to_toml, proposal, output.parent)
    save = partial(_save, output, proposal)
    written = Output("the policy", output, make, save)
    data = evident(options, proposal.to_dict)
    tell(options, files, data, proposal.lines, [written])
    return 0


def _save(output: Path, proposal: PolicyProposal, content: str) -> str:
    """Write the policy; says what to do with it.  Raises InputError."""
    # Somebody else may have written it meanwhile.
    if output.exists():
        raise refusal("--output", f"{output} exists, and is never overwritten")
    table = proposal.table
    # where nothing can become coarser there is nothing to search
    following = f"verify {table} --policy {output}"
    if proposal.of("quasi"):
        following = f"search {table} --policy {output} --output release.csv"
    said = (
        f"  the policy is written to {output}: read it, then\n"
        f"    phverify lint {output} --table {table}\n"
        f"    phverify {following}"
    )
    return saved(output, said, content)


def _at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def _answered(question: str) -> str:
    """What is typed at a question.  Raises InputError at the end of the input."""
    print(question, end=" ", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not line:
        raise refusal("init", "the answers ended, and nothing is written", "--yes")
    return line.strip()


@dataclass(frozen=True, eq=False)
class Interview:
    """Each column is shown, and asked about; Enter takes what is proposed."""

    table: object
    proposal: PolicyProposal
    ask: Callable[[str], str]

    def revised(self) -> PolicyProposal:
        """The proposal after all answers."""
        decided: dict[str, str] = {}
        for column in self.proposal.columns:
            role = self._role(column)
            if role:
                decided[column.name] = role
        template = self.proposal.template.name
        revised = propose(self.table, template, decided)
        hierarchies: dict[str, str] = {}
        for column in revised.columns:
            lacking = column.role == "quasi" and column.hierarchy is None
            if lacking and not column.alone:
                revised = self._with_file(column, decided, hierarchies, revised)
        return revised

    def _role(self, column: ProposedColumn) -> str:
        """The role that is typed; "" for the proposed one."""
        letters = "/".join(LETTERS)
        question = (
            f"{column.name} ({column.described}): {column.role}, {column.reason}."
            f" Enter, or {letters}:"
        )
        while True:
            typed = self.ask(question).lower()
            if not typed or typed in ROLES:
                return typed
            if typed in LETTERS:
                return LETTERS[typed]
            meant = ", ".join(f"{letter} ({role})" for letter, role in LETTERS.items())
            complain(f"{typed!r} is none of {meant}")

    def _with_file(
        self,
        column: ProposedColumn,
        roles: dict[str, str],
        hierarchies: dict[str, str],
        before: PolicyProposal,
    ) -> PolicyProposal:
        """The proposal with the hierarchy file that is typed, if one is."""
        question = (
            f"{column.name}: a file with value;level1;level2;.., or Enter (kept, or *):"
        )
        template = self.proposal.template.name
        while typed := self.ask(question):
            try:
                tried = {**hierarchies, column.name: typed}
                revised = propose(self.table, template, roles, tried)
            except InputError as error:
                complain(str(error))
                continue
            hierarchies[column.name] = typed
            return revised
        return before
