"""A policy meets its data: columns typed, names looked up, individuals found, criteria
built.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phverify.errors import Defect, InputError, Problem, Problems, nearest
from phverify.logic.printer import reference
from phverify.microdata.hierarchy import Hierarchies, Hierarchy, read_hierarchy
from phverify.microdata.hierarchy import build as build_hierarchy
from phverify.microdata.quotient import quotient
from phverify.microdata.sanitization import Sanitization
from phverify.microdata.table import (
    Cells,
    Coded,
    CodedColumn,
    CodedTable,
    RowsElsewhere,
)
from phverify.policy.agent import agents as all_agents
from phverify.policy.cautions import exposed, unreached
from phverify.policy.formulas import read_formula
from phverify.policy.model import Policy
from phverify.policy.origins import (
    ReleaseSignature,
    canonical,
    individuals,
    origin_of,
    present,
    typed,
)
from phverify.spec import syntax as s
from phverify.spec.builders import Builder
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.registry import SAFETY, Unfit, arguments, build
from phverify.spec.data import domain, fitting
from phverify.spec.marks import marked
from phverify.spec.rules import about_people
from phverify.spec.safety import Secrets, expanded, owner, secrets
from phverify.spec.signature import Attribute, Signature
from phverify.spec.source import Names
from phverify.spec.types import TEXT
from phverify.symbolic.places import Places, named_elsewhere
from phverify.symbolic.release import SymbolicRelease

if TYPE_CHECKING:
    from phverify.microdata.pair_counts import PeopleElsewhere


@dataclass(frozen=True)
class Rule:
    """A rule with names looked up; in ``expanded`` the criteria about individuals are
    written out.
    """

    name: str
    formula: s.Formula
    expanded: s.Formula

    def at_worlds(self, places: Places) -> Rule:
        """The rule with the world of each row that it names."""
        formula = places.at_worlds(self.formula)
        return Rule(self.name, formula, places.at_worlds(self.expanded))


@dataclass(frozen=True, eq=False)
class BoundPolicy:
    """Everything that ``decide`` needs."""

    release: SymbolicRelease
    rules: tuple[Rule, ...]
    assumptions: Mapping[str, s.Formula]
    sanitized: Sanitization | None
    warnings: Names
    notes: Names
    secrets: Secrets


def bind(
    policy: Policy,
    table: CodedTable,
    original: CodedTable | None,
    only: Names = (),
    known: Iterable[Problem] = (),
    *,
    names: Sequence[str] | None = None,
    spelled: Coded | None = None,
    paths: Hierarchies | None = None,
    numbered: bool = False,
    unsanitized: bool = False,
) -> BoundPolicy:
    """Match a policy with a release (and the original table).

    ``names`` are the individuals' names where they are not those of the identifier
    column, and ``numbered`` says that they are their numbers in another table; the
    labels of ``spelled`` may be written in formulas even where they no longer occur.
    ``paths`` are the hierarchies, where they have been read before; an ``unsanitized``
    table is its own original. Raises InputError
    with all problems found, those of the policy that are ``known`` already among them.
    """
    problems = [*known]
    with told_with(problems):
        present(policy, table)
        if paths is None:
            paths = hierarchies(policy, table, original, problems)
        columns = typed(policy, table, policy.missing, problems)
        sanitized, home, named, before = origin_of(
            policy, table, columns, original, paths, problems
        )
        # a formula may name a value that was there before and no longer occurs
        others = before or spelled or {}
        attributes = {
            n: _attribute(policy, columns[n], n, paths.get(n), others.get(n))
            for n in policy.columns
        }
        agents = {agent.name: agent.knows for agent in all_agents(policy)}
        withheld: Names = ()
        kept = None if sanitized is None else sanitized.kept
        if kept is not None:
            named, withheld = individuals(kept, named)
            numbered = True
        names = named if names is None else names
        signature: Signature = ReleaseSignature(
            attributes,
            tuple(agents),
            table.rows,
            names,
            table.rows,
            numbered,
            sensitive=policy.sensitive,
            withheld=withheld,
            kept=kept,
            quasi=policy.quasi,
            before=_before(columns if unsanitized else others),
            identifier=policy.identifier,
        )
        if table.elsewhere is not None:
            signature = named_elsewhere(signature, table.elsewhere)
        reading = _Formulas(policy, signature, paths, problems, sanitized)
        rules, assumptions = reading.all(only)
    # rows are told apart by what formulas look at, and by nothing else
    used = tuple(
        n for n in policy.columns if n in reading.used and n not in policy.quasi
    )
    elsewhere = table.elsewhere
    each = None
    if elsewhere is not None:
        _require_grouped(used, elsewhere)
        each = elsewhere.counts
    q = quotient(columns, policy.quasi, used, table.rows, each)
    places = None
    if elsewhere is not None:
        places = Places(q, columns, elsewhere, _people(sanitized))
        rules = tuple(rule.at_worlds(places) for rule in rules)
        for name, formula in assumptions.items():
            assumptions[name] = places.at_worlds(formula)
    release = SymbolicRelease(
        columns, q, signature, agents, home, reading.criteria, places
    )
    formulas = {rule.name: rule.formula for rule in rules}
    warnings = (
        *exposed(policy, table, columns),
        *unreached(formulas, assumptions),
    )
    return BoundPolicy(
        release,
        rules,
        assumptions,
        sanitized,
        warnings,
        table.notes,
        reading.secrets,
    )


def _people(sanitized: Sanitization | None) -> PeopleElsewhere | None:
    """Who knows whose row is whose, where they stand in another order."""
    return None if sanitized is None else sanitized.people


def _require_grouped(used: Names, elsewhere: RowsElsewhere) -> None:
    """Raises Defect where a formula looks at a column that was not counted."""
    lacking = set(used) - set(elsewhere.grouped)
    if lacking:
        raise Defect(f"not counted beside the classes: {', '.join(sorted(lacking))}")


@contextmanager
def told_with(problems: Problems) -> Iterator[None]:
    """An error tells the problems that were found before it, too."""
    try:
        yield
    except InputError as error:
        raise InputError(dict.fromkeys((*problems, *error.problems))) from None


def hierarchies(
    policy: Policy, table: CodedTable, original: CodedTable | None, problems: Problems
) -> dict[str, Hierarchy]:
    """The policy's hierarchies: read from files, or built from the values of the
    original, else of the table.

    What is wrong is added to ``problems``.  Without an original, a quasi-identifier may
    be generalized already: a builder that its values do not fit is then left out.  Pass
    a table that is not yet sanitized as its own original.
    """
    by_column: dict[str, Hierarchy] = {}
    # what is generalized already fits no builder: the original's values do
    values = table if original is None else original
    for name, source in policy.hierarchies.items():
        try:
            if not isinstance(source, Builder):
                by_column[name] = read_hierarchy(source)
            # a column that is not there is told by ``present``
            elif name in policy.columns and name in values.columns:
                if name in policy.quasi:
                    # a quasi-identifier is compared by its labels as they are written
                    column = values.columns[name]
                else:
                    column = canonical(policy, values, name)
                texts = [label for label in column.labels if label is not None]
                by_column[name] = build_hierarchy(
                    source,
                    texts,
                    f"{policy.source}, hierarchies.{name} on {values.source}",
                )
        except InputError as error:
            # values that are generalized already are the one excuse of a builder
            if (
                original is not None
                or name not in policy.quasi
                or not isinstance(source, Builder)
            ):
                problems += error.problems
    return by_column


def _attribute(
    policy: Policy,
    column: CodedColumn,
    name: str,
    hierarchy: Hierarchy | None,
    original: CodedColumn | None,
) -> Attribute:
    kind = fitting(policy.types.get(name, TEXT), column.labels)
    known: set[str | None] = set()
    if hierarchy is not None:
        known.update(hierarchy.paths)
    if original is not None:
        known.update(original.labels)
    known.discard(None)  # a missing cell is nothing that a formula may name
    return Attribute(name, kind, domain(kind, column.labels), known)


def _before(columns: Coded) -> Cells | None:
    """The cells of the table before sanitization, where it is at hand."""
    return Cells(columns) if columns else None


class _Formulas:
    """Looks up the names of all formulas; collects the problems of all of them."""

    def __init__(
        self,
        policy: Policy,
        signature: Signature,
        hierarchies: Hierarchies,
        problems: Problems,
        sanitized: Sanitization | None,
    ) -> None:
        self.policy, self.signature, self.hierarchies, self.problems = (
            policy,
            signature,
            hierarchies,
            problems,
        )
        self.sanitized = sanitized
        self.criteria: dict[s.Criterion, ClassCriterion] = {}
        self.secrets = Secrets((), {})
        self.used: set[str] = set()
        self.named: dict[s.Person, dict[str, None]] = {}
        """The individuals whom formulas name, and where."""

    def all(self, only: Names) -> tuple[tuple[Rule, ...], dict[str, s.Formula]]:
        # secrets first: rules about individuals are written out over them
        declared = secrets(
            self.policy,
            lambda who, text: self.read(f"secrets.{who}", text),
            self.person,
        )
        self.secrets = declared
        assumptions = {
            n: self.read(f"assumptions.{n}", text)
            for n, text in self.policy.assumptions.items()
        }
        rules = tuple(
            self.rule(name, text, declared) for name, text in self.policy.rules.items()
        )
        # all rules are read, whichever are asked for: what is wrong is told at once
        for name in only:
            if name not in self.policy.rules:
                hint = nearest(name, self.policy.rules, "rules")
                self.problems.append(
                    Problem(self.policy.source, f"there is no rule {name!r}", hint)
                )
        # only now all individuals are known whom a formula or a secret names
        self.settled()
        if self.problems:
            raise InputError(self.problems)
        return (
            tuple(rule for rule in rules if not only or rule.name in only),
            assumptions,
        )

    def read(self, place: str, text: str) -> s.Formula:
        """One formula, its names looked up and its criteria built."""
        where = f"{self.policy.source}, {place}"
        formula, problems = read_formula(text, self.signature, where)
        self.problems += problems
        for node in s.subformulas(formula):
            self.note(node, where, text)
        return formula

    def note(self, node: s.Formula, where: str, text: str) -> None:
        """Remember which columns matter, and build a criterion of classes."""
        if isinstance(node, s.Descriptor):
            self.used.add(node.attribute)
        elif isinstance(node, s.Quantified):
            self.used |= {
                binder.attribute for binder in node.binders if binder.attribute
            }
        elif isinstance(node, s.Criterion):
            self.criterion(node, where, text)
        elif isinstance(node, s.Nominal | s.At) and isinstance(node.name, s.Person):
            self.named.setdefault(node.name, {})[where] = None

    def settled(self) -> None:
        """Individuals can be named only where it is certain in which class each is."""
        if self.sanitized is None or not self.named:
            return
        by_number = {person.index: person for person in self.named}
        for index, column in self.sanitized.open_classes(by_number).items():
            person = by_number[index]
            why, hint = self.sanitized.why_open(column)
            what = f"in which class {reference(person)} is, is open: {why}"
            first, *more = self.named[person]
            what += f" (named in {len(more)} more formulas)" if more else ""
            self.problems.append(Problem(first, what, hint))

    def criterion(self, node: s.Criterion, where: str, text: str) -> None:
        try:
            arguments(node, self.signature.attributes)
            if node.name in SAFETY:  # a formula about the secrets takes its place
                return
            built = build(node, self.signature, self.hierarchies)
            self.criteria[node] = built
            if built.attribute:
                self.used.add(built.attribute)
        except Unfit as error:
            problem = marked(text, node.span, str(error), where, error.hint)
            self.problems.append(problem)

    def person(self, who: str) -> s.Person | None:
        """The individual who has secrets."""
        name = owner(who)
        entity = self.signature.find(name)
        if isinstance(entity, s.Person):
            # a secret asks for its owner's class, as a formula does that names them
            self.named.setdefault(entity, {})[
                f"{self.policy.source}, secrets.{who}"
            ] = None
            return entity
        # a misspelt name is still a person's: what is said of it is private
        what, hint = self.signature.unknown(name)
        where = f"{self.policy.source}, [secrets]"
        self.problems.append(Problem(where, what, hint, private=True))
        return None

    def rule(self, name: str, text: str, declared: Secrets) -> Rule:
        formula = self.read(f"rules.{name}", text)
        # without any secret such a rule would hold of everybody, for nothing
        if about_people(formula) and not declared.everyone and not declared.personal:
            hint = 'for example: "*" = ["health = 2"]'
            self.problems.append(
                Problem(
                    f"{self.policy.source}, rules.{name}",
                    "there are no [secrets]",
                    hint,
                )
            )
        try:
            return Rule(name, formula, expanded(formula, declared))
        except Unfit:  # told by ``criterion``
            return Rule(name, formula, s.FALSE)
