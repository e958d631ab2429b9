"""What is compared: two sides read in one common frame of columns, types, agents and
names.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from phverify.budget import wrong_budget
from phverify.errors import InputError, Problem, Problems, nearest, refusal
from phverify.microdata.hierarchy import Hierarchies, read_hierarchy
from phverify.microdata.table import Label
from phverify.policy.formulas import check_formulas
from phverify.policy.model import Policy, examine, without_problems
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import (
    CRITERIA,
    SAFETY,
    Unfit,
    subjects,
    unprepared,
)
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.safety import Secret, Secrets, asks_all_models, written_out
from phverify.spec.signature import Attribute, Signature
from phverify.spec.source import Plain, rational
from phverify.spec.spaces import attributes
from phverify.spec.types import TEXT, ValueType

Source = str | PathLike[str] | Policy | Plain
Names = tuple[str, ...]
Formulas = Iterable[s.Formula]
Seen = dict[str, list[s.Criterion]]
"""Columns, and the criteria that see something in their values."""
BY_POSITION = re.compile(r"[id][1-9]\d*", re.ASCII)
PLENTY = 10**9
"""More rows and individuals than any formula names."""


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two: its policy, and its rules with names looked up and safety
    criteria written out.
    """

    title: str
    policy: Policy
    rules: Mapping[str, s.Formula]
    assumptions: tuple[s.Formula, ...]
    secrets: tuple[s.Formula, ...]
    """Secrets, at those who have them: ``verify`` wants their values and individuals
    even where no rule uses them.
    """


@dataclass(frozen=True, eq=False)
class Frame:
    """The two sides with what they share.  ``names`` are the individuals called by
    their identifiers.
    """

    first: Side
    second: Side
    quasi: Names
    columns: Names
    types: Mapping[str, ValueType]
    agents: Mapping[str, Names]
    hierarchies: Hierarchies
    identifier: str | None
    names: Names
    whole: bool
    """Whether no cell may be missing."""

    def formulas(self) -> Iterator[s.Formula]:
        for side in (self.first, self.second):
            yield from (*side.rules.values(), *side.assumptions, *side.secrets)

    def swapped(self) -> Frame:
        return replace(self, first=self.second, second=self.first)


def frame(first: Source, second: Source) -> Frame:
    """Read both sides.  A formula beside a policy is read in the policy's frame.

    Raises InputError with what is wrong with either, or when the two policies do not
    see the same classes.
    """
    given = {"first": first, "second": second}
    files = {title: _policy(source) for title, source in given.items()}
    texts = {
        title: str(source) for title, source in given.items() if files[title] is None
    }
    known = files["first"] or files["second"] or _invented(texts)
    sides = []
    for title, file in files.items():
        text = {title: texts.get(title, "")}
        sides.append(
            file
            or without_problems(
                alone := replace(known, rules=text, source=title),
                [*check_formulas(alone)],
            )
        )
    one, two = sides
    return joined(
        one,
        two,
        tuple(
            texts.get(title) or side.source
            for title, side in zip(given, sides, strict=True)
        ),
    )


def limits(values: object, budget: object) -> None:
    """How many values, and how many seconds.  Raises InputError with all that is
    wrong.
    """
    problems = []
    if values is not None and (type(values) is not int or values < 1):
        problems.append(
            Problem("values", f"is a whole number of values above 0, not {values!r}")
        )
    problems += wrong_budget(budget)
    if problems:
        raise InputError(problems)


def _policy(source: Source) -> Policy | None:
    """The policy that a source names; None for the text of a formula."""
    if isinstance(source, Policy | Mapping):
        return without_problems(*examine(source))
    if not isinstance(source, str | PathLike):
        what = f"is a formula, a policy file or a Policy, not {type(source).__name__}"
        hint = (
            "it asks about every table, and is given none:"
            ' compare("k_anonymity(2)", ..)'
        )
        raise refusal("compare", what, hint)
    if (
        isinstance(source, str)
        and not source.endswith(".toml")
        and not _is_file(source)
    ):
        return None
    return without_problems(*examine(source))


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def _invented(texts: Mapping[str, str]) -> Policy:
    """A policy for bare formulas: its columns are those that they mention."""
    formulas = [parse(text, title) for title, text in texts.items()]
    columns = list(dict.fromkeys(name for f in formulas for name in attributes(f)))
    quasi = next(
        name
        for name in ("class", "group", "cell", "quasi_identifier")
        if name not in columns
    )
    identifier = next(
        name
        for name in ("person", "individual", "identifier")
        if name not in (*columns, quasi)
    )
    named = any(_identified(name) for name in _names(formulas))
    types = {
        name: kind for name in columns if (kind := _guessed(name, formulas)) != TEXT
    }
    policy = Policy.from_dict(
        {"columns": {"quasi": [quasi], "sensitive": columns}, "rules": {"rule": "true"}}
    )
    return replace(policy, identifier=identifier if named else None, types=types)


def ordered_ones(formulas: Formulas) -> set[str]:
    """The columns whose values are compared by order."""
    found = set(seen(formulas, "order", "numbers"))
    for formula in formulas:
        for node in s.subformulas(formula):
            if isinstance(node, s.Descriptor) and node.op in ("<", "<=", ">", ">="):
                found.add(node.attribute)
    return found


def seen(formulas: Formulas, *what: str) -> Seen:
    """The columns in whose values criteria see one of these besides which are equal,
    and the criteria.
    """
    found: Seen = {}
    for formula in formulas:
        for node in s.subformulas(formula):
            if (
                isinstance(node, s.Criterion)
                and node.name in CRITERIA
                and _looks(node) in what
            ):
                for name in subjects(node):
                    found.setdefault(name, []).append(node)
    return found


def _looks(node: s.Criterion) -> str:
    """What a criterion sees in values; nothing where its arguments do not fit."""
    try:
        return unprepared(node).looks()
    except Unfit:
        return ""


def _guessed(column: str, formulas: list[s.Formula]) -> ValueType:
    """The type of a column of bare formulas: text unless its order matters."""
    if column not in ordered_ones(formulas):
        return TEXT
    texts = [text for f in formulas for text in values(f, column) if text is not None]
    tests: dict[str, Callable[[str], object]] = {
        "integer": int,
        "decimal": rational,
        "date": datetime.date.fromisoformat,
    }
    if column in seen(formulas, "numbers"):
        del tests["integer"]  # decimal numbers are more than whole ones
    for name, test in tests.items():
        try:
            list(map(test, texts))
        except ValueError:
            continue
        return ValueType(name)
    hint = "put it into a policy file with [types], and give the file"
    raise refusal(
        "compare", f"the order of the values of {column!r} is not clear", hint
    )


def values(formula: s.Formula, column: str) -> Iterator[Label]:
    """The values of a column that a formula names."""
    for node in s.subformulas(formula):
        if isinstance(node, s.Descriptor) and node.attribute == column:
            yield from (v.text for v in node.values if isinstance(v, s.Value))


def _names(formulas: Formulas) -> Iterator[s.Name]:
    for formula in formulas:
        for node in s.subformulas(formula):
            if isinstance(node, s.Nominal | s.At) and isinstance(node.name, s.Name):
                yield node.name


def _identified(name: s.Name) -> bool:
    """Whether somebody is called by an identifier, not by position."""
    return name.quoted or not BY_POSITION.fullmatch(name.text)


def joined(first: Policy, second: Policy, titles: Iterable[str]) -> Frame:
    """The frame of two policies that have been read.  Raises InputError."""
    if problems := list(_differences(first, second)):
        raise InputError(problems)
    types = {**first.types, **second.types}
    columns = tuple(dict.fromkeys((*first.columns, *second.columns)))
    agents = {"a0": (), "a1": first.quasi, **first.agents, **second.agents}
    names = _called(first, second)
    known = {c: Attribute(c, types.get(c, TEXT), (), any_value=True) for c in columns}
    signature = Signature(
        known, tuple(agents), PLENTY, names, PLENTY if names else None
    )
    one, two = (
        _side(policy, title, signature)
        for policy, title in zip((first, second), titles, strict=True)
    )
    sources = {**first.hierarchies, **second.hierarchies}
    files = {
        name: read_hierarchy(file)
        for name, file in sources.items()
        if isinstance(file, Path)
    }
    identifier = first.identifier or second.identifier
    whole = "error" in (first.missing, second.missing)
    return Frame(
        one, two, first.quasi, columns, types, agents, files, identifier, names, whole
    )


def _differences(first: Policy, second: Policy) -> Iterator[Problem]:
    """What two policies must agree on."""
    if set(first.quasi) != set(second.quasi):
        hint = "classes are formed by [columns] quasi: make them the same"
        yield Problem(
            "compare", "the two policies have different quasi-identifiers", hint
        )
    one, two = (
        {name: policy.types.get(name, TEXT) for name in policy.columns}
        for policy in (first, second)
    )
    both: list[tuple[str, Mapping[str, object], Mapping[str, object]]] = [
        ("type", one, two),
        ("agent", first.agents, second.agents),
        ("hierarchy", first.hierarchies, second.hierarchies),
    ]
    for what, left, right in both:
        for name in sorted(set(left) & set(right)):
            if left[name] != right[name]:
                yield Problem(
                    "compare", f"the two policies differ in the {what} of {name!r}"
                )
    if (
        None not in (first.identifier, second.identifier)
        and first.identifier != second.identifier
    ):
        yield Problem("compare", "the two policies have different identifier columns")


def _called(first: Policy, second: Policy) -> Names:
    """The identifiers by which individuals are called.  Raises InputError when names
    are of two kinds.
    """
    people: list[s.Name] = []
    for policy in (first, second):
        texts = [*policy.rules.values(), *policy.assumptions.values()]
        texts += [secret.text for own in policy.secrets.values() for secret in own]
        people += _names([parse(text, policy.source) for text in texts])
        people += [s.Name(who) for who in policy.secrets if who != "*"]
    called = tuple(dict.fromkeys(name.text for name in people if _identified(name)))
    if called and first.identifier is None and second.identifier is None:
        hint = (
            'say which column names people: identifier = "person" under [columns]; or'
            " call them i1, i2, .."
        )
        raise refusal(
            "compare", f"there is no identifier column to find {called[0]!r} in", hint
        )
    if called and any(
        name.text not in called and name.text[0] == "i" for name in people
    ):
        hint = (
            "call everybody by identifier, or everybody i1, i2, .. by the position of"
            " the row"
        )
        raise refusal("compare", "individuals are called in two ways", hint)
    return called


def _side(policy: Policy, title: str, language: Signature) -> Side:
    signature = replace(language, sensitive=policy.sensitive)
    problems: Problems = []

    def read(place: str, text: str) -> s.Formula:
        where = f"{policy.source}, {place}"
        formula, found = resolve(parse(text, where), signature, where, text)
        if asks_all_models(formula):
            what = (
                "never_known asks what follows from one release and its assumptions,"
                " not about every table"
            )
            raise refusal(where, what, "phverify verify decides it for a release")
        problems.extend(found)
        return formula

    def expanded(formula: s.Formula) -> s.Formula:
        if isinstance(formula, s.Criterion) and formula.name in SAFETY:
            return written_out(formula, secrets)
        return s.rebuild(formula, expanded)

    secrets = _secrets(policy, signature, read)
    rules = {name: read(f"rules.{name}", text) for name, text in policy.rules.items()}
    assumptions = tuple(
        read(f"assumptions.{name}", text) for name, text in policy.assumptions.items()
    )
    without_problems(policy, problems)
    for name, formula in rules.items():
        rules[name] = expanded(formula)
        if rules[name] != formula and not secrets.everyone and not secrets.personal:
            hint = "give a policy file with [secrets], and compare with it"
            raise refusal(
                f"{policy.source}, rules.{name}", "there are no [secrets]", hint
            )
    everyone = [item.formula for item in secrets.everyone]
    own = [
        s.At(who, item.formula)
        for who, items in secrets.personal.items()
        for item in items
    ]
    return Side(title, policy, rules, assumptions, (*everyone, *own))


def _secrets(
    policy: Policy, signature: Signature, read: Callable[[str, str], s.Formula]
) -> Secrets:
    everyone: tuple[Secret, ...] = ()
    personal: dict[s.Person, tuple[Secret, ...]] = {}
    for who, found in policy.secrets.items():
        own = tuple(
            Secret(read(f"secrets.{who}", item.text), item.weight) for item in found
        )
        person = signature.find(s.Name(who))
        if who == "*":
            everyone = own
        elif isinstance(person, s.Person):
            personal[person] = own
        else:
            hint = nearest(who, signature.names, "individuals")
            raise refusal(
                f"{policy.source}, [secrets]", f"unknown individual {who!r}", hint
            )
    return Secrets(everyone, personal)
