"""What is compared: two sides read in one common frame of columns, types, agents and names."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from phverify.budget import wrong_budget
from phverify.errors import InputError, Problem, nearest
from phverify.exact import rational
from phverify.microdata.hierarchy import Hierarchy, read_hierarchy
from phverify.policy.load import check_formulas, look, sound
from phverify.policy.model import Policy
from phverify.spec import syntax as s
from phverify.spec.criteria.registry import CRITERIA, SAFETY, Unfit, attributes, subjects, unprepared, written_out
from phverify.spec.names import Attribute, Signature, resolve
from phverify.spec.parser import parse
from phverify.spec.safety import Secret, Secrets, asks_all_models
from phverify.spec.types import TEXT, ValueType

Source = str | PathLike[str] | Policy
BY_POSITION = re.compile(r"[id][1-9]\d*", re.ASCII)
PLENTY = 10**9
"""More rows and individuals than any formula names."""


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two: its policy, and its rules with names looked up and safety criteria written out."""

    title: str
    policy: Policy
    rules: Mapping[str, s.Formula]
    shown: Mapping[str, s.Formula]
    assumptions: tuple[s.Formula, ...]
    secrets: tuple[s.Formula, ...]
    """Secrets, at those who have them: ``verify`` wants their values and individuals even where no rule uses them."""


@dataclass(frozen=True, eq=False)
class Frame:
    """The two sides with what they share.  ``names`` are the individuals called by their identifiers."""

    first: Side
    second: Side
    quasi: tuple[str, ...]
    columns: tuple[str, ...]
    types: Mapping[str, ValueType]
    agents: Mapping[str, tuple[str, ...]]
    hierarchies: Mapping[str, Hierarchy]
    identifier: str | None
    names: tuple[str, ...]
    whole: bool
    """Whether no cell may be missing."""

    def formulas(self) -> Iterator[s.Formula]:
        for side in (self.first, self.second):
            yield from side.rules.values()
            yield from (*side.assumptions, *side.secrets)

    def swapped(self) -> Frame:
        return replace(self, first=self.second, second=self.first)


def frame(first: Source, second: Source) -> Frame:
    """Read both sides.  A formula beside a policy is read in the policy's frame.

    Raises InputError with what is wrong with either, or when the two policies do not see the same classes.
    """
    files = [_policy(source) for source in (first, second)]
    texts = [source for source, policy in zip((first, second), files, strict=True) if policy is None]
    known = next((policy for policy in files if policy is not None), None) or _invented([str(t) for t in texts])
    titles = ("first", "second")
    found = [
        policy or _checked(replace(known, rules={title: str(source)}, source=title))
        for title, policy, source in zip(titles, files, (first, second), strict=True)
    ]
    said = [
        policy.source if file else str(source)
        for policy, file, source in zip(found, files, (first, second), strict=True)
    ]
    return _joined(found[0], found[1], said)


def limits(values: object, budget: object) -> None:
    """How many values, and how many seconds.  Raises InputError with all that is wrong."""
    problems = []
    if values is not None and (type(values) is not int or values < 1):
        problems.append(Problem("values", f"is a whole number of values above 0, not {values!r}"))
    problems += wrong_budget(budget)
    if problems:
        raise InputError(problems)


def joined(first: Policy, second: Policy, titles: tuple[str, str]) -> Frame:
    """The frame of two policies that have been read.  Raises InputError."""
    return _joined(first, second, list(titles))


def _policy(source: Source) -> Policy | None:
    """The policy that a source names; None for the text of a formula."""
    if isinstance(source, Policy):
        return source
    if not isinstance(source, str | PathLike):
        what = f"is a formula, a policy file or a Policy, not {type(source).__name__}"
        raise InputError(
            Problem("compare", what, 'it asks about every table, and is given none: compare("k_anonymity(2)", ..)')
        )
    if isinstance(source, str) and not source.endswith(".toml") and not _is_file(source):
        return None
    return sound(*look(source))


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def _checked(policy: Policy) -> Policy:
    return sound(policy, list(check_formulas(policy)))


def _invented(texts: list[str]) -> Policy:
    """A policy for bare formulas: its columns are those that they mention."""
    formulas = [parse(text, title) for text, title in zip(texts, ("first", "second"), strict=False)]
    columns = tuple(dict.fromkeys(name for f in formulas for name in attributes(f)))
    quasi = next(name for name in ("class", "group", "cell", "quasi_identifier") if name not in columns)
    identifier = next(name for name in ("person", "individual", "identifier") if name not in (*columns, quasi))
    named = any(_identifiers(f) for f in formulas)
    types = {name: kind for name in columns if (kind := _guessed(name, formulas)) != TEXT}
    data = {"columns": {"quasi": [quasi], "sensitive": list(columns)}, "rules": {"rule": "true"}}
    policy = Policy.from_dict(data)
    return replace(policy, identifier=identifier if named else None, types=types)


def ordered_ones(formulas: Iterable[s.Formula]) -> set[str]:
    """The columns whose values are compared by order."""
    found = set()
    for formula in formulas:
        for node in s.subformulas(formula):
            if isinstance(node, s.Descriptor) and node.op in ("<", "<=", ">", ">="):
                found.add(node.attribute)
            if isinstance(node, s.Criterion) and looks(node) in ("order", "numbers"):
                found.update(subjects(node))
    return found


def looks(node: s.Criterion) -> str:
    """What a criterion sees in values besides which are equal; nothing where its arguments do not fit."""
    try:
        return unprepared(node).looks() if node.name in CRITERIA else ""
    except Unfit:
        return ""


def seen(formulas: Iterable[s.Formula], *what: str) -> dict[str, list[s.Criterion]]:
    """The columns in whose values criteria see one of these, and the criteria."""
    found: dict[str, list[s.Criterion]] = {}
    for formula in formulas:
        for node in s.subformulas(formula):
            if isinstance(node, s.Criterion) and looks(node) in what:
                for name in subjects(node):
                    found.setdefault(name, []).append(node)
    return found


def _guessed(column: str, formulas: list[s.Formula]) -> ValueType:
    """The type of a column of bare formulas: text unless its order matters."""
    if column not in ordered_ones(formulas):
        return TEXT
    texts = [v for f in formulas for v in values(f, column) if v is not None]
    tests: list[tuple[str, Callable[[str], object]]] = [
        ("integer", int),
        ("decimal", rational),
        ("date", datetime.date.fromisoformat),
    ]
    if column in seen(formulas, "numbers"):
        tests = tests[1:]  # decimal numbers are more than whole ones
    for name, test in tests:
        try:
            for text in texts:
                test(text)
        except ValueError:
            continue
        return ValueType(name)
    hint = "put it into a policy file with [types], and give the file"
    raise InputError(Problem("compare", f"the order of the values of {column!r} is not clear", hint))


def values(formula: s.Formula, column: str) -> Iterator[str | None]:
    """The values of a column that a formula names."""
    for node in s.subformulas(formula):
        if isinstance(node, s.Descriptor) and node.attribute == column:
            yield from (v.text for v in node.values if isinstance(v, s.Value))


def _identifiers(formula: s.Formula) -> list[str]:
    """Individuals that are called by an identifier."""
    return [name.text for name in _names(formula) if name.quoted or not BY_POSITION.fullmatch(name.text)]


def _names(formula: s.Formula) -> Iterator[s.Name]:
    for node in s.subformulas(formula):
        if isinstance(node, s.Nominal | s.At) and isinstance(node.name, s.Name):
            yield node.name


def _joined(first: Policy, second: Policy, titles: list[str]) -> Frame:
    problems = list(_differences(first, second))
    if problems:
        raise InputError(problems)
    types = {**first.types, **second.types}
    columns = tuple(dict.fromkeys((*first.columns, *second.columns)))
    agents = {"a0": (), "a1": first.quasi, **first.agents, **second.agents}
    names = _called(first, second)
    plain = tuple(agents)
    attributes = {c: Attribute(c, types.get(c, TEXT), (), any_value=True) for c in columns}
    signature = Signature(attributes, plain, PLENTY, names, None if not names else PLENTY)
    sides = [_side(policy, title, signature) for policy, title in zip((first, second), titles, strict=True)]
    return Frame(
        sides[0],
        sides[1],
        first.quasi,
        columns,
        types,
        agents,
        _hierarchies(first, second),
        first.identifier or second.identifier,
        names,
        "error" in (first.missing, second.missing),
    )


def _differences(first: Policy, second: Policy) -> Iterator[Problem]:
    """What two policies must agree on."""
    if set(first.quasi) != set(second.quasi):
        hint = "classes are formed by [columns] quasi: make them the same"
        yield Problem("compare", "the two policies have different quasi-identifiers", hint)
    for what, left, right in (
        ("type", first.types, second.types),
        ("agent", first.agents, second.agents),
        ("hierarchy", first.hierarchies, second.hierarchies),
    ):
        both = set(left) & set(right) if what != "type" else set(first.columns) & set(second.columns)
        for name in sorted(both):
            if left.get(name) != right.get(name):
                yield Problem("compare", f"the two policies differ in the {what} of {name!r}")
    if None not in (first.identifier, second.identifier) and first.identifier != second.identifier:
        yield Problem("compare", "the two policies have different identifier columns")


def _called(first: Policy, second: Policy) -> tuple[str, ...]:
    """The identifiers by which individuals are called.  Raises InputError when names are of two kinds."""
    called: dict[str, None] = {}
    position = False
    for policy in (first, second):
        texts = [*policy.rules.values(), *policy.assumptions.values()]
        texts += [secret.text for found in policy.secrets.values() for secret in found]
        formulas = [parse(text, policy.source) for text in texts]
        people = [name for f in formulas for name in _names(f)] + [s.Name(w) for w in policy.secrets if w != "*"]
        for name in people:
            if name.quoted or not BY_POSITION.fullmatch(name.text):
                called[name.text] = None
            position = position or (name.text[0] == "i" and name.text not in called)
    if called and first.identifier is None and second.identifier is None:
        hint = 'say which column names people: identifier = "person" under [columns]; or call them i1, i2, ..'
        raise InputError(Problem("compare", f"there is no identifier column to find {next(iter(called))!r} in", hint))
    if called and position:
        hint = "call everybody by identifier, or everybody i1, i2, .. by the position of the row"
        raise InputError(Problem("compare", "individuals are called in two ways", hint))
    return tuple(called)


def _side(policy: Policy, title: str, language: Signature) -> Side:
    signature = replace(language, sensitive=policy.sensitive)
    problems: list[Problem] = []

    def read(place: str, text: str) -> s.Formula:
        where = f"{policy.source}, {place}"
        formula, found = resolve(parse(text, where), signature, where, text)
        if asks_all_models(formula):
            what = "never_known asks what follows from one release and its assumptions, not about every table"
            raise InputError(Problem(where, what, "phverify verify decides it for a release"))
        problems.extend(found)
        return formula

    secrets = _secrets(policy, signature, read)
    shown = {name: read(f"rules.{name}", text) for name, text in policy.rules.items()}
    assumptions = tuple(read(f"assumptions.{name}", text) for name, text in policy.assumptions.items())
    if problems:
        raise InputError(problems)
    for name, formula in shown.items():
        safety = [n for n in s.subformulas(formula) if isinstance(n, s.Criterion) and n.name in SAFETY]
        if safety and not secrets.everyone and not secrets.personal:
            hint = "give a policy file with [secrets], and compare with it"
            raise InputError(Problem(f"{policy.source}, rules.{name}", "there are no [secrets]", hint))
    rules = {n: _expanded(f, secrets) for n, f in shown.items()}
    everyone = [item.formula for item in secrets.everyone]
    own = [s.At(who, item.formula) for who, items in secrets.personal.items() for item in items]
    return Side(title, policy, rules, shown, assumptions, (*everyone, *own))


def _secrets(policy: Policy, signature: Signature, read: Callable[[str, str], s.Formula]) -> Secrets:
    personal: dict[s.Person, tuple[Secret, ...]] = {}
    everyone: tuple[Secret, ...] = ()
    for who, found in policy.secrets.items():
        own = tuple(Secret(read(f"secrets.{who}", item.text), item.weight) for item in found)
        if who == "*":
            everyone = own
            continue
        person = signature.find(s.Name(who))
        if not isinstance(person, s.Person):
            hint = nearest(who, signature.names, "individuals")
            raise InputError(Problem(f"{policy.source}, [secrets]", f"unknown individual {who!r}", hint))
        personal[person] = own
    return Secrets(everyone, personal)


def _expanded(formula: s.Formula, secrets: Secrets) -> s.Formula:
    if isinstance(formula, s.Criterion) and formula.name in SAFETY:
        return written_out(formula, secrets)
    return s.rebuild(formula, lambda child: _expanded(child, secrets))


def _hierarchies(first: Policy, second: Policy) -> dict[str, Hierarchy]:
    """Hierarchies from files; those of builders depend on the data."""
    sources = {**first.hierarchies, **second.hierarchies}
    return {name: read_hierarchy(source) for name, source in sources.items() if isinstance(source, Path)}
