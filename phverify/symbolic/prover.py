"""Is a rule about classes kept when classes are merged?  Proved, never declared: only
then may a search prune.

*Merge-closed*: if two classes satisfy it, so does their union.  *Upward-closed*: if a
class satisfies it, so does its union with any other.  A proof is one or more SMT-LIB
texts that are unsatisfiable.  What is not proved counts as not closed, which costs
time, never correctness.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import prod

from phverify.budget import Deadline
from phverify.constraints.solver import SolverAnswer, solve
from phverify.errors import BudgetExceeded
from phverify.logic.printer import to_text
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion, Counts
from phverify.spec.schemas import apart, assignments, size
from phverify.spec.source import Unsettled
from phverify.spec.walk import Way, classwise, juncts, stated
from phverify.symbolic.histograms import Property, attributes
from phverify.symbolic.kinds import Kinds, kinds
from phverify.symbolic.lemmas import texts
from phverify.symbolic.local import local, needs_whole
from phverify.symbolic.release import SymbolicRelease
from phverify.symbolic.written import written

__all__ = ["Closure", "closure", "local", "needs_whole"]

PATIENCE = 2.0
"""Seconds for one query."""
MOST_INSTANCES = 20_000
MOST_TOGETHER = 300
MOST_UPWARD = 20
"""So many different proofs are tried before a long conjunction is given up as
upward-closed.
"""
MOST_SETTLED = 1000
_SETTLED: dict[str, bool] = {}
"""Whether texts of lemmas are unsatisfiable, where a solver settled it."""


@dataclass(frozen=True)
class Closure:
    """Whether merging keeps a rule.  ``how`` says what was proved, or what is against
    it; it may quote values.

    ``queries`` are the SMT-LIB texts behind the proofs: all are unsatisfiable.
    """

    merge: bool
    upward: bool
    how: str
    queries: tuple[str, ...] = ()


OPEN = Closure(False, False, "")


def closure(
    formula: s.Formula, release: SymbolicRelease, deadline: Deadline
) -> Closure:
    """Whether a local rule is merge-closed and upward-closed over the rows of a
    release.
    """
    if not local(formula, release.quotient.quasi):
        return Closure(
            False, False, "not settled: the rule is not about single classes"
        )
    try:
        settled = _Prover(release, deadline).rule(apart(formula))
    except (Unsettled, BudgetExceeded) as error:
        return Closure(False, False, f"not settled: {error}")
    # conjuncts alike share a proof; what is open has none
    queries = tuple(dict.fromkeys(settled.queries)) if settled.merge else ()
    count = "1 query" if len(queries) == 1 else f"{len(queries)} queries"
    return replace(
        settled,
        queries=queries,
        how=f"{settled.how} ({count})" if queries else settled.how,
    )


@dataclass(eq=False)
class _Prover:
    """The queries of one rule: each is asked once."""

    release: SymbolicRelease
    deadline: Deadline
    answers: dict[str, SolverAnswer] = field(default_factory=dict)
    known: dict[tuple[str, ...], Kinds] = field(default_factory=dict)

    def rule(self, formula: s.Formula) -> Closure:
        """A conjunction is closed if its conjuncts are; else all of it is asked at
        once.
        """
        parts = self.listed(formula)
        if len(parts) == 1:
            return self.part(parts[0])
        by_parts = self.together(parts)
        # more conjuncts than these are too much for a solver at once
        if by_parts.merge or len(parts) > MOST_TOGETHER:
            return by_parts
        # together they may be closed though one of them alone is not
        joint = self.asked(s.conj(*parts), loose=False)
        if joint.merge:
            return joint
        return replace(
            joint, how=f"{joint.how}; {by_parts.how}" if by_parts.how else joint.how
        )

    def listed(self, formula: s.Formula) -> s.Formulas:
        """The conjuncts of a rule, each once."""
        parts: dict[s.Formula, None] = {}
        for part in self.conjuncts(formula):
            parts[part] = None
            self.deadline.check()
            if len(parts) > MOST_INSTANCES:
                raise Unsettled(f"the rule has more than {MOST_INSTANCES} instances")
        return tuple(parts)

    def together(self, parts: s.Formulas) -> Closure:
        """The conjunction of properties, each settled by itself; stops at the first
        that is not merge-closed.
        """
        upward = True
        queries = list[str]()
        told = dict[str, None]()
        for part in parts:
            self.deadline.check()
            settled = self.part(part, upward)
            if not settled.merge:
                return Closure(
                    False, False, f"by itself, {to_text(part)} is open: {settled.how}"
                )
            queries += settled.queries
            # once one conjunct is not, the others need not be asked for it
            upward = upward and settled.upward and len(set(queries)) <= MOST_UPWARD
            told[settled.how] = None
        more = "; .." if len(told) > 3 else ""
        said = "; ".join(list(told)[:3]) + more
        return Closure(
            True, upward, f"{len(parts)} conjuncts, each closed: {said}", tuple(queries)
        )

    def conjuncts(self, formula: s.Formula) -> Iterator[s.Formula]:
        """The parts of a rule all of which must be true everywhere."""
        for part, wanted in flattened(formula, True):
            match part:
                case s.Quantified(universal) if universal == wanted:
                    yield from self.instances(part, wanted)
                case s.At(s.Var(), body) if wanted:  # everyone's place is any place
                    yield from self.conjuncts(body)
                case _:
                    yield stated(part, wanted)

    def instances(self, schema: s.Quantified, wanted: bool) -> Iterator[s.Formula]:
        """The conjuncts of a schema's instances; individuals stay."""
        listed = tuple(b for b in schema.binders if b.sort in ("values", "clauses"))
        many = prod(size(binder, self.release.signature) for binder in listed)
        # counted, before any instance is made
        if many > MOST_INSTANCES:
            raise Unsettled(f"a schema has {many} instances (at most {MOST_INSTANCES})")
        for values in assignments(listed, self.release.signature):
            yield from self.conjuncts(stated(s.substitute(schema.body, values), wanted))

    def part(self, formula: s.Formula, upward: bool = True) -> Closure:
        """A property that is no conjunction: by a criterion's lemma, by its disjuncts,
        or by asking.
        """
        if isinstance(formula, s.Criterion):
            return self.criterion(formula, upward)
        ways = flattened(formula, False)
        sides = [stated(*way) for way in ways]
        of_rows = [side for side in sides if not classwise(side)]
        several = len(sides) > 1
        # with two sides that are about rows, each row could take another one
        if several and len(of_rows) <= 1:
            either = self.either(sides)
            if either.merge:
                return either
        return self.asked(formula, upward)

    def either(self, sides: list[s.Formula]) -> Closure:
        """Upward-closed properties of whole classes, and at most one that is
        merge-closed.
        """
        weak: list[s.Formula] = []
        queries: list[str] = []
        for side in sides:
            try:
                settled = self.together(self.listed(side))
            except Unsettled:
                return OPEN
            queries += settled.queries
            weak += [] if settled.upward else [side]
            # of two weak sides each class could satisfy another one, and the union none
            if not settled.merge or len(weak) > 1:
                return OPEN
        how = f"{len(sides)} disjuncts, all upward-closed" + (
            " but one, which is merge-closed" if weak else ""
        )
        return Closure(True, not weak, how, tuple(queries))

    def criterion(self, node: s.Criterion, upward: bool) -> Closure:
        criterion = self.release.criteria[node]
        lemma = criterion.lemma()
        if lemma is None:  # through its theorem's formula
            formula = criterion.formula(self.release.signature)
            if not local(formula, self.release.quotient.quasi):
                raise Unsettled(
                    f"{criterion.name} has neither a lemma nor a formula about single"
                    " classes"
                )
            return self.rule(apart(formula))
        # the stronger property first: what is upward-closed is merge-closed too
        for goal in ("upward", "merge") if upward else ("merge",):
            asked = texts(lemma, goal)
            if all(map(self.always, asked)):
                return Closure(
                    True, goal == "upward", f"{lemma.why}: {goal}-closed", asked
                )
        # a counterexample is tried first: it is cheaper than a solver
        return self.diluted(criterion) or self.asked(node, False, loose=False)

    def diluted(self, criterion: ClassCriterion) -> Closure | None:
        """Two classes whose union breaks the criterion although they do not: one
        without a value, one with few rows.
        """
        f = criterion.attribute
        if not f:
            return None
        kinds_of_rows = self.kinds((f,))
        whole = kinds_of_rows.whole(f)
        rarest_first = sorted(whole, key=whole.__getitem__)
        for value in rarest_first:
            # the table, divided by the rows of the value and rounded up
            divisor = whole[value]
            few = {v: -(-k // divisor) for v, k in whole.items()}
            rest = {
                v: k - few[v] for v, k in whole.items() if v != value and k > few[v]
            }
            if rest and _breaks(criterion, rest, few, whole):
                said = (
                    f"rows {_counts(rest)} satisfy it, rows {_counts(few)} too, and"
                    " together they do not"
                )
                return Closure(False, False, f"not merge-closed: {said}")
        return None

    def kinds(self, names: tuple[str, ...]) -> Kinds:
        known = self.known.get(names)
        if known is None:
            known = kinds(self.release, names)
            self.known[names] = known
        return known

    def asked(
        self, formula: s.Formula, upward: bool = True, loose: bool = True
    ) -> Closure:
        """One property over symbolic histograms: first over all, for all constants,
        then within the table.
        """
        formula = written(formula, self.release)
        table = self.kinds(attributes(formula, self.release.criteria.__getitem__))
        forms = [
            Property(formula, table, exact, exact)
            for exact in ((False, True) if loose else (True,))
        ]
        exact = forms[-1]
        said = f"over {len(forms[-1].profiles)} kinds of rows"
        for goal in ("upward", "merge") if upward else ("merge",):
            for text in (form.text(goal) for form in forms):
                if self.proved(text):
                    return Closure(
                        True, goal == "upward", f"{said}: {goal}-closed", (text,)
                    )
        # a model of the loose form need not be two classes of this table
        answer = self.answer(exact.text("merge"))
        if answer.status == "unknown":
            return Closure(False, False, f"not settled {said}: {answer.reason}")
        first, second = (_rows(exact, answer, h) for h in "xy")
        return Closure(
            False,
            False,
            f"not merge-closed: {first} satisfy it, {second} too, and together they"
            " do not",
        )

    def proved(self, *texts: str) -> bool:
        """Whether all texts are unsatisfiable; it stops at the first that is not."""
        statuses = (self.answer(text).status for text in texts)
        return all(status == "unsat" for status in statuses)

    def always(self, text: str) -> bool:
        """Whether the text of a lemma is unsatisfiable: it is not about a table, so it
        is asked once.
        """
        if text not in _SETTLED:
            status = self.answer(text).status
            if status == "unknown":
                return False
            if len(_SETTLED) >= MOST_SETTLED:
                _SETTLED.clear()
            _SETTLED[text] = status == "unsat"
        return _SETTLED[text]

    def answer(self, text: str) -> SolverAnswer:
        answer = self.answers.get(text)
        if answer is None:
            self.deadline.check()
            patience = self.deadline.within(PATIENCE)
            answer = solve(text, patience)
            self.answers[text] = answer
        return answer


def _breaks(
    criterion: ClassCriterion, first: Counts, second: Counts, whole: Counts
) -> bool:
    both = {v: first.get(v, 0) + second.get(v, 0) for v in {**first, **second}}
    return (
        criterion.holds(first, whole)
        and criterion.holds(second, whole)
        and not criterion.holds(both, whole)
    )


def _counts(counts: Counts) -> str:
    said: list[str] = []
    for value, count in counts.items():
        label = value
        if label is None:
            label = "missing"
        said.append(f"{count} of {label}")
    return ", ".join(said)


def _rows(prop: Property, answer: SolverAnswer, h: str) -> str:
    """A class of a counterexample in words."""
    counts = {
        # what a solver leaves out may be anything, 0 too
        kind: answer.values.get(f"{h}{p}", 0)
        for p, kind in enumerate(prop.profiles)
    }
    listed = ", ".join(
        f"{count} of {prop.kinds.describe(kind)}"
        for kind, count in counts.items()
        if count
    )
    return f"rows {listed}"


def flattened(formula: s.Formula, together: bool, wanted: bool = True) -> Iterator[Way]:
    """The parts that must all (``together``), or of which one must, have such truths
    for the formula to have its.
    """
    connective = juncts(formula, wanted)
    if connective is None:
        yield formula, wanted
        return
    all_of_them, ways = connective
    # A single part is all of the parts as well as one of them.
    if all_of_them != together and len(ways) != 1:
        yield formula, wanted
        return
    for part, way in ways:
        yield from flattened(part, together, way)
