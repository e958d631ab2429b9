"""``check``: certificates of verdicts and of minimality, each with what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phverify.budget import Deadline, Tell, deadline_of
from phverify.constraints.agree import NoSecondSolver, agree, agree_on, smtlib
from phverify.constraints.hitting import (
    LARGEST,
    Clause,
    HittingSet,
    Solver,
    available,
    none_cheaper,
)
from phverify.errors import BudgetExceeded, InputError, Problem, refusal
from phverify.given import refuse, wrong_mapping, wrong_progress
from phverify.microdata.files import checked_file
from phverify.microdata.frames import is_frame
from phverify.microdata.hierarchy import GivenHierarchies
from phverify.policy.model import Policy, PolicySource, policy_file
from phverify.spec.certificate import check as claims
from phverify.spec.form import KIND as MINIMALITY
from phverify.spec.merging import Merging
from phverify.spec.minimal import Judges
from phverify.spec.minimal import check as minimality
from phverify.spec.recoded_form import KIND as RECODED
from phverify.spec.required import unproved
from phverify.spec.sampling import claimed_sample
from phverify.spec.shape import KIND as VERDICT
from phverify.spec.source import File, Plain, Refused
from phverify.spec.system import System
from phverify.symbolic.histograms import merging
from phverify.verbs.check_inputs import given
from phverify.verbs.check_result import (
    CheckResult,
    checked_files,
    gathered,
    loaded,
)

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource


SECONDS = 300.0
"""For each solver that is asked about a bound."""


def check(
    certificate: File | Plain,
    table: TableSource | None = None,
    policy: PolicySource | None = None,
    hierarchies: GivenHierarchies | None = None,
    *,
    release: File | None = None,
    original: File | None = None,
    require: str | None = None,
    budget: float | None = None,
    progress: Tell = lambda step: None,
) -> CheckResult:
    """Verify a certificate again.

    It is read by ``phverify.spec`` alone, without the engine, and without a solver
    wherever it holds proofs. One of a verdict (``verify``) needs the ``release``, a CSV
    file, and the ``original`` where there was one.  With a ``policy`` file it must be
    about that policy and the hierarchies that it names. One of minimality (``search``)
    needs the ``table`` before sanitization and the ``policy``; with ``release``, the
    released file must hold what the candidate makes of the table. ``require="proved"``
    asks for more: every rule of the policy given must be proved, else the result is
    ``unmet``. ``budget`` is in seconds, for everything; when it runs out the result is
    undecided. So it is where a claim has no proof, but rests on a solver that is not
    installed: ``problem`` says which, and how to install it. Raises InputError when an
    input is missing or cannot be read.
    """
    refuse(
        wrong_mapping("hierarchies", hierarchies, '{"zip": "zip.csv"}'),
        wrong_progress(progress),
    )
    clock = deadline_of(budget)
    files = checked_files(
        {
            "certificate": certificate,
            "release": release,
            "original": original,
            "table": table,
            "policy": policy,
        }
    )
    claimed = loaded(certificate, (VERDICT, MINIMALITY, RECODED))
    if require is not None:
        _requirable(require, policy)
    inputs = _Inputs(table, policy, hierarchies, release, original)
    if claimed.get("kind") == VERDICT:
        # Claims are verified one by one, as their lines are taken.
        lines = inputs.verdict(claimed, clock)
        checked = gathered(lines, progress, clock)
        result = replace(checked, kind=VERDICT, files=files)
        # what is not accepted shows nothing that could be required
        if require and result.accepted:
            return replace(result, unmet=tuple(unproved(claimed)))
        return result

    lines = inputs.minimality(claimed, clock, progress)
    unfit = "the certificate does not fit this table and policy: "
    checked = gathered(lines, progress, clock, unfit)
    return replace(checked, kind=str(claimed.get("kind")), files=files)


def _requirable(require: object, policy: object) -> None:
    """Raises InputError for what cannot be required of a certificate."""
    if not (isinstance(require, str) and require == "proved"):
        raise refusal("--require", f"is proved, not {require!r}")
    if policy is None:
        what = (
            "every rule of your policy is required to be proved, and no policy is given"
        )
        raise refusal(
            "--require proved",
            what,
            "--policy FILE; a certificate's own policy is its author's",
        )


@dataclass(frozen=True)
class _Inputs:
    """What is given beside a certificate."""

    table: TableSource | None
    policy: PolicySource | None
    hierarchies: GivenHierarchies | None
    release: File | None
    original: File | None

    def verdict(self, claimed: Plain, clock: Deadline) -> Iterator[str]:
        """What is verified of a verdict.  Raises InputError."""
        unwanted = {"table": self.table, "hierarchies": self.hierarchies}
        _only({"release": self.release}, unwanted, "a verdict")
        # The checker reads files by itself: no table of the engine reaches it.
        before = None if self.original is None else _csv(self.original, "original")
        policy = None if self.policy is None else _policy_file(self.policy)

        def agreed(system: System) -> bool:
            return agree(system, clock.left())

        release = _csv(self.release, "release")
        return claims(claimed, release, before, agreed, policy)

    def minimality(
        self, claimed: Plain, clock: Deadline, progress: Tell
    ) -> Iterator[str]:
        """What is verified of a least release.  Raises InputError."""
        needed = {"table": self.table, "policy": self.policy}
        _only(needed, {"original": self.original}, "minimality")
        assert self.table is not None and self.policy is not None
        paths = self.hierarchies or {}
        return _minimality(
            claimed, self.table, self.policy, paths, self.release, clock, progress
        )


def _minimality(
    claimed: Plain,
    table: TableSource,
    policy: PolicySource,
    hierarchies: GivenHierarchies,
    release: File | None,
    clock: Deadline,
    progress: Tell,
) -> Iterator[str]:
    """What was verified about the least candidate.  Raises Refused, and InputError for
    what cannot be read.
    """
    progress("reading")

    def agreed(questions: Sequence[System | Merging]) -> int:
        texts: dict[str, None] = {}  # each question once, in their order
        for question in questions:
            if isinstance(question, System):
                text = smtlib(question)
            else:
                text = merging(question)
            texts[text] = None
        # Questions are the checker's own: the certificate only says that they were
        # settled.
        if not agree_on(list(texts), clock.left()):
            return 0
        return len(texts)

    sample = claimed_sample(claimed)
    asked = given(table, policy, hierarchies, release, sample)
    if claimed.get("kind") == RECODED:
        # Pages of it are for this kind alone.
        from phverify.spec.recoded import check as recoding

        yield from recoding(claimed, asked)
        return
    judges = Judges(agreed, none_below(progress, clock))
    yield from minimality(claimed, asked, judges)


def none_below(
    progress: Tell, clock: Deadline
) -> Callable[[tuple[int, ...], list[Clause], int], list[str]]:
    """Where a bound has no proof: two solvers of different makers must find that
    nothing is cheaper.

    Names the solvers that find that nothing which meets the clauses costs less; none
    where one finds something. Raises NoSecondSolver when only one of them can be asked,
    and Refused when one does not settle it.
    """

    def asked(
        weights: Sequence[int], clauses: Sequence[Clause], total: int
    ) -> list[str]:
        # One solver alone is not believed.
        without = "the bound has no proof and rests on two solvers, and CP-SAT"
        if not available():
            raise NoSecondSolver(
                f"{without} is not installed here: pip install ortools brings it"
            )
        if sum(weights) >= LARGEST:
            raise NoSecondSolver(
                f"{without} counts in 64 bits: the costs add up to 2^60 or more"
            )
        solvers: list[Solver] = ["CP-SAT", "Z3"]
        question = HittingSet(weights, clauses)
        for solver in solvers:
            progress(f"asking {solver}")
            try:
                if not none_cheaper(question, total, solver, clock.within(SECONDS)):
                    return []
            except BudgetExceeded as error:
                raise Refused(f"{solver} does not settle the bound: {error}") from None
        return list(solvers)

    return asked


def _policy_file(policy: PolicySource) -> Path:
    """A policy's file, which the checker reads by itself.  Raises InputError when it
    cannot be read.
    """
    if isinstance(policy, Policy | Mapping):
        raise refusal(
            "policy",
            "a certificate of a verdict quotes a policy's text",
            "give the file",
        )
    return policy_file(policy)[0]


def _csv(given: Any, name: str) -> Path:
    """A table as a file, which the checker reads by itself.  Raises InputError."""
    if is_frame(given):
        what = "a certificate of a verdict names a file by its SHA-256"
        raise refusal(name, what, "give the CSV file, not a DataFrame")
    return checked_file(given, name)


def _only(
    needed: Mapping[str, object], unwanted: Mapping[str, object], what: str
) -> None:
    """Raises InputError when an input is missing, or is one that the kind of
    certificate has no use for.
    """
    absent = [name for name, given in needed.items() if given is None]
    odd = [name for name, given in unwanted.items() if given is not None]
    problems = [
        Problem("check", f"a certificate of {what} needs the {name}", f"--{name} FILE")
        for name in absent
    ]
    problems += [
        Problem("check", f"a certificate of {what} has no use for the {name}")
        for name in odd
    ]
    if problems:
        raise InputError(problems)
