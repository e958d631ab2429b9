"""A policy meets its data: columns typed, names looked up, individuals found, criteria built."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from phverify.errors import InputError, Problem, nearest
from phverify.exact import Ints
from phverify.logic.printer import reference
from phverify.microdata.builders import build as build_hierarchy
from phverify.microdata.hierarchy import Hierarchy, read_hierarchy
from phverify.microdata.pairing import pairing
from phverify.microdata.quotient import quotient
from phverify.microdata.sanitization import TELLING, Sanitization, sanitization
from phverify.microdata.table import Column, Table, merge_labels
from phverify.policy.agent import agents as all_agents
from phverify.policy.model import Policy
from phverify.policy.spelling import misspelt
from phverify.spec import syntax as s
from phverify.spec.builders import Builder
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.registry import SAFETY, Unfit, arguments, build
from phverify.spec.data import domain, fitting
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.safety import Secret, Secrets, written_out
from phverify.spec.signature import Attribute, Signature
from phverify.spec.tokens import marked
from phverify.spec.types import TEXT, ValueType
from phverify.symbolic.release import Release


@dataclass(frozen=True)
class Rule:
    """A rule with names looked up; in ``expanded`` the criteria about individuals are written out."""

    name: str
    formula: s.Formula
    expanded: s.Formula


@dataclass(frozen=True, eq=False)
class Bound:
    """Everything that ``decide`` needs."""

    release: Release
    rules: tuple[Rule, ...]
    assumptions: Mapping[str, s.Formula]
    sanitized: Sanitization | None
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


def bind(
    policy: Policy,
    table: Table,
    original: Table | None,
    only: tuple[str, ...] = (),
    known: Iterable[Problem] = (),
    *,
    names: tuple[str, ...] | None = None,
    spelled: Mapping[str, Column] | None = None,
    paths: Mapping[str, Hierarchy] | None = None,
    numbered: bool = False,
) -> Bound:
    """Match a policy with a release (and the original table).

    ``names`` are the individuals' names where they are not those of the identifier column, and ``numbered`` says that
    they are their numbers in another table; the labels of
    ``spelled`` may be written in formulas even where they no longer occur.  ``paths`` are the hierarchies, where
    they have been read before.
    Raises InputError with all problems found, those of the policy that are ``known`` already among them.
    """
    try:
        bound = _bound(policy, table, original, only, names, spelled or {}, paths, numbered)
    except InputError as error:
        raise InputError(dict.fromkeys((*known, *error.problems))) from None
    if problems := tuple(known):
        raise InputError(problems)
    return bound


def _bound(
    policy: Policy,
    table: Table,
    original: Table | None,
    only: tuple[str, ...],
    called: tuple[str, ...] | None,
    spelled: Mapping[str, Column],
    known: Mapping[str, Hierarchy] | None,
    numbered: bool,
) -> Bound:
    present(policy, table)
    problems: list[Problem] = []
    paths = hierarchies(policy, table, original, problems) if known is None else known
    columns = typed(policy, table, policy.missing, problems)
    kinds = {name: fitting(policy.types.get(name, TEXT), columns[name].labels) for name in policy.columns}
    sanitized, home, names, others = _origin(policy, table, columns, original, paths, problems)
    names, others = names if called is None else called, others or dict(spelled)
    attributes = {n: _attribute(n, kinds[n], columns[n], paths.get(n), others.get(n)) for n in policy.columns}
    agents = {agent.name: agent.knows for agent in all_agents(policy)}
    signature = Signature(
        attributes, tuple(agents), table.rows, names, table.rows, numbered, sensitive=policy.sensitive
    )
    reading = _Formulas(policy, signature, paths, problems, sanitized)
    rules, assumptions = reading.all(only)
    used = tuple(n for n in policy.columns if n in reading.used and n not in policy.quasi)
    q = quotient(columns, policy.quasi, used, table.rows)
    release = Release(columns, q, signature, agents, home, reading.criteria)
    warnings = (*_told(policy, table, columns), *_unreached(rules, assumptions))
    return Bound(release, rules, assumptions, sanitized, warnings, table.notes)


def present(policy: Policy, table: Table, known: Iterable[Problem] = ()) -> None:
    """Raises InputError for columns that are not there, and what is ``known`` to be wrong with the policy."""
    if problems := [*known, *misspelt(policy, table)]:
        raise InputError(problems)


def typed(policy: Policy, table: Table, missing: str, problems: list[Problem]) -> dict[str, Column]:
    """The policy's columns; confidential and neutral ones in the canonical texts of their types."""
    columns = {}
    for name in policy.columns:
        column = table.column(name)
        if name not in policy.quasi:
            column = _emptied(column)
            try:
                column = column.typed(*_type_of(policy, table, name))
            except InputError as error:
                problems += error.problems
        elif {"", None} <= set(column.labels):
            what = f"the quasi-identifier {name!r} has empty texts beside missing cells: make them one"
            problems.append(Problem(table.source, what, "in a file they look alike, in memory they do not"))
        if missing == "error" and column.missing():
            what = f"{column.missing()} cells of {name!r} are missing"
            problems.append(Problem(table.source, what, 'the policy says missing = "error"'))
        columns[name] = column
    return columns


def _emptied(column: Column) -> Column:
    """The column with empty texts as missing cells."""
    return Column(*merge_labels(column.codes, [label or None for label in column.labels]))


def _type_of(policy: Policy, table: Table, name: str) -> tuple[ValueType, str]:
    return policy.types.get(name, TEXT), f"{table.source}, column {name}"


def hierarchies(policy: Policy, table: Table, original: Table | None, problems: list[Problem]) -> dict[str, Hierarchy]:
    """The policy's hierarchies: read from files, or built from the values of the original, else of the table.

    What is wrong is added to ``problems``.  Without an original, a quasi-identifier may be generalized
    already: a builder that its values do not fit is then left out.  Pass a table that is not yet
    sanitized as its own original.
    """
    found: dict[str, Hierarchy] = {}
    values = table if original is None else original
    for name, source in policy.hierarchies.items():
        try:
            if not isinstance(source, Builder):
                found[name] = read_hierarchy(source)
            elif name in policy.columns and name in values.columns:
                found[name] = _built(policy, name, source, values)
        except InputError as error:
            if original is not None or name not in policy.quasi or not isinstance(source, Builder):
                problems += error.problems
    return found


def _built(policy: Policy, name: str, builder: Builder, table: Table) -> Hierarchy:
    column = table.columns[name]
    if name not in policy.quasi:
        column = _emptied(column).typed(*_type_of(policy, table, name))
    texts = [label for label in column.labels if label is not None]
    return build_hierarchy(builder, texts, f"{policy.source}, hierarchies.{name} on {table.source}")


Origin = tuple[Sanitization | None, Ints, tuple[str, ...], dict[str, Column]]


def _origin(
    policy: Policy,
    table: Table,
    columns: Mapping[str, Column],
    original: Table | None,
    hierarchies: Mapping[str, Hierarchy],
    problems: list[Problem],
) -> Origin:
    """Who could be on which row: from the original table, else individual i is the person behind row i."""
    if original is None:
        names = _identifiers(table, policy.identifier, problems)
        return None, np.arange(table.rows), names, {}
    present(policy, original)
    before = typed(policy, original, "value", problems)
    if problems:
        raise InputError(problems)
    left = Table(original.source, before, original.rows)
    right = Table(table.source, columns, table.rows)
    paired = pairing(original, table, policy.identifier, policy.rows)
    found = sanitization(left, right, policy.quasi, (*policy.sensitive, *policy.neutral), hierarchies, paired)
    return found, found.home, _identifiers(original, policy.identifier, problems), before


def _identifiers(table: Table, identifier: str | None, problems: list[Problem]) -> tuple[str, ...]:
    """The individuals' names, where the table has the identifier column."""
    if identifier is None or identifier not in table.columns:
        return ()
    column = table.columns[identifier]
    labels = [column.labels[code] for code in column.codes.tolist()]
    if None in labels:
        problems.append(Problem(table.source, f"{labels.count(None)} identifiers in {identifier!r} are missing"))
    if len(column.labels) < len(labels):
        for twice in [label for label in column.labels if label is not None and labels.count(label) > 1][:1]:
            what = f"the identifier {twice!r} occurs twice in {identifier!r}"
            problems.append(Problem(table.source, what, "a policy counts rows as individuals: one row each", True))
    return tuple(label or "" for label in labels)


def _attribute(
    name: str, kind: ValueType, column: Column, hierarchy: Hierarchy | None, original: Column | None
) -> Attribute:
    known = set(hierarchy.paths) if hierarchy else set()
    known |= {label for label in (original.labels if original else ()) if label is not None}
    return Attribute(name, kind, domain(kind, column.labels), frozenset(known))


class _Formulas:
    """Looks up the names of all formulas; collects the problems of all of them."""

    def __init__(
        self,
        policy: Policy,
        signature: Signature,
        hierarchies: Mapping[str, Hierarchy],
        problems: list[Problem],
        sanitized: Sanitization | None,
    ) -> None:
        self.policy, self.signature, self.hierarchies, self.problems = policy, signature, hierarchies, problems
        self.sanitized = sanitized
        self.criteria: dict[s.Criterion, ClassCriterion] = {}
        self.used: set[str] = set()
        self.named: dict[s.Person, dict[str, None]] = {}
        """The individuals whom formulas name, and where."""

    def all(self, only: tuple[str, ...]) -> tuple[tuple[Rule, ...], dict[str, s.Formula]]:
        secrets = self.secrets()
        assumptions = {n: self.read(f"assumptions.{n}", text) for n, text in self.policy.assumptions.items()}
        rules = tuple(self.rule(name, text, secrets) for name, text in self.policy.rules.items())
        for name in only:
            if name not in self.policy.rules:
                hint = nearest(name, self.policy.rules, "rules")
                self.problems.append(Problem(self.policy.source, f"there is no rule {name!r}", hint))
        self.settled()
        if self.problems:
            raise InputError(self.problems)
        return tuple(rule for rule in rules if not only or rule.name in only), assumptions

    def read(self, place: str, text: str) -> s.Formula:
        """One formula, its names looked up and its criteria built."""
        where = f"{self.policy.source}, {place}"
        try:
            formula, problems = resolve(parse(text, where), self.signature, where, text)
        except InputError as error:
            formula, problems = s.TRUE, list(error.problems)
        self.problems += problems
        for node in s.subformulas(formula):
            self.note(node, where, text)
        return formula

    def note(self, node: s.Formula, where: str, text: str) -> None:
        """Remember which columns matter, and build a criterion of classes."""
        if isinstance(node, s.Descriptor):
            self.used.add(node.attribute)
        elif isinstance(node, s.Quantified):
            self.used |= {binder.attribute for binder in node.binders if binder.attribute}
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
            what = f"in which class {reference(person)} is, is open: several mappings explain the release, "
            what += f"and their values of {column!r} for this individual differ, or could not be compared within bounds"
            first, *more = self.named[person]
            what += f" (named in {len(more)} more formulas)" if more else ""
            self.problems.append(Problem(first, what, f"give [hierarchies] for the quasi-identifiers, or {TELLING}"))

    def criterion(self, node: s.Criterion, where: str, text: str) -> None:
        try:
            arguments(node, self.signature.attributes)
            built = None if node.name in SAFETY else build(node, self.signature, self.hierarchies)
        except Unfit as error:
            self.problems.append(marked(text, node.span, str(error), where, error.hint))
            return
        if built is not None:
            self.criteria[node] = built
            self.used |= {built.attribute} - {""}

    def secrets(self) -> Secrets:
        personal: dict[s.Person, tuple[Secret, ...]] = {}
        everyone: tuple[Secret, ...] = ()
        for who, found in self.policy.secrets.items():
            read = tuple(Secret(self.read(f"secrets.{who}", item.text), item.weight) for item in found)
            if who == "*":
                everyone = read
                continue
            name = s.Name(who[1:-1], quoted=True) if re.fullmatch("'.+'", who) else s.Name(who)
            person = self.signature.find(name)
            if isinstance(person, s.Person):
                self.named.setdefault(person, {})[f"{self.policy.source}, secrets.{who}"] = None
                personal[person] = (*personal.get(person, ()), *read)
            else:
                self.problems.append(Problem(f"{self.policy.source}, [secrets]", *self.signature.unknown(name)))
        return Secrets(everyone, personal)

    def rule(self, name: str, text: str, secrets: Secrets) -> Rule:
        formula = self.read(f"rules.{name}", text)
        if any(isinstance(n, s.Criterion) and n.name in SAFETY for n in s.subformulas(formula)):
            if not secrets.everyone and not secrets.personal:
                hint = 'for example: "*" = ["health = 2"]'
                self.problems.append(Problem(f"{self.policy.source}, rules.{name}", "there are no [secrets]", hint))
            try:
                return Rule(name, formula, self.expanded(formula, secrets))
            except Unfit:  # told by ``criterion``
                return Rule(name, formula, s.FALSE)
        return Rule(name, formula, formula)

    def expanded(self, formula: s.Formula, secrets: Secrets) -> s.Formula:
        if isinstance(formula, s.Criterion) and formula.name in SAFETY:
            return written_out(formula, secrets)
        return s.rebuild(formula, lambda child: self.expanded(child, secrets))


def _unreached(rules: Iterable[Rule], assumptions: Mapping[str, s.Formula]) -> Iterable[str]:
    """Assumptions say who can be where; what agents know and how likely it is, they do not change (Definition 7)."""
    asking = [rule.name for rule in rules if any(map(_asks_agents, s.subformulas(rule.formula)))]
    if assumptions and asking:
        yield (
            f"{', '.join(asking)}: [a] and l_a speak of what the release alone tells, whatever is assumed; "
            "never_known() asks whether a secret follows from the release and the assumptions together"
        )


def _asks_agents(node: s.Formula) -> bool:
    agents = isinstance(node, s.Box | s.Diamond | s.Compare)
    return agents or (isinstance(node, s.Criterion) and node.name in ("logical_safety", "weighted_safety"))


def _told(policy: Policy, table: Table, columns: Mapping[str, Column]) -> Iterable[str]:
    """What a steward should know before publishing, whatever the verdict."""
    if policy.identifier in table.columns:
        yield f"the release still carries the identifier column {policy.identifier!r}: remove it before publishing"
    loose = [name for name in table.columns if name not in (*policy.columns, policy.identifier)]
    if loose:
        listed = ", ".join(map(repr, loose))
        yield f"no role for {listed}: published, but outside every verdict"
    for name in (*policy.sensitive, *policy.neutral):
        if columns[name].missing():
            many = columns[name].missing()
            yield f"{many} cells of {name!r} are missing: a missing cell counts as a value of its own"
