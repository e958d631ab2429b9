"""What is compared: two sides read in one common frame of columns, types, agents and
names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from phverify.budget import wrong_budget
from phverify.comparison.bare import invented
from phverify.comparison.naming import beside_original, identified
from phverify.comparison.naming import names as names_in
from phverify.errors import InputError, Problem, Problems, nearest, refusal
from phverify.microdata.hierarchy import Hierarchies, read_hierarchy
from phverify.policy.formulas import check_formulas
from phverify.policy.model import (
    Policy,
    examine,
    without_problems,
)
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import SAFETY
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.safety import Secret, Secrets, asks_all_models, owner, written_out
from phverify.spec.signature import Attribute, Signature
from phverify.spec.source import Plain
from phverify.spec.types import TEXT, ValueType

Source = str | PathLike[str] | Policy | Plain
Names = tuple[str, ...]
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
class ComparisonFrame:
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
    verb: str = "compare"
    """Who asks, as it stands in messages."""

    def formulas(self) -> Iterator[s.Formula]:
        """All formulas of both sides: rules, assumptions, secrets."""
        for side in (self.first, self.second):
            yield from (*side.rules.values(), *side.assumptions, *side.secrets)

    def swapped(self) -> ComparisonFrame:
        """The other direction."""
        return replace(self, first=self.second, second=self.first)


def frame(first: Source, second: Source) -> ComparisonFrame:
    """Read both sides.  A formula beside a policy is read in the policy's frame.

    Raises InputError with what is wrong with either, or when the two policies do not
    see the same classes.
    """
    given = {"first": first, "second": second}
    files = {title: _policy(source) for title, source in given.items()}
    texts: dict[str, str] = {}
    for title, source in given.items():
        if files[title] is None:
            texts[title] = str(source)
    # Of two formulas nobody has said what the columns are.
    known = files["first"] or files["second"] or invented(texts)

    sides: list[Policy] = []
    titles: list[str] = []
    for title, file in files.items():
        if file is None:
            alone = replace(known, rules={title: texts[title]}, source=title)
            # A formula alone borrows columns, types and agents from the other side.
            file = without_problems(alone, [*check_formulas(alone)])
        sides.append(file)
        titles.append(texts.get(title) or file.source)
    one, two = sides
    return joined(one, two, titles)


def limits(values: object, budget: object) -> None:
    """Checks how many values, and how many seconds.

    Raises InputError with all that is wrong.
    """
    problems = []
    if values is not None and (type(values) is not int or values < 1):
        what = f"is a whole number of values above 0, not {values!r}"
        problems.append(Problem("values", what))
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
    named = not isinstance(source, str) or source.endswith(".toml")
    if named or _is_file(str(source)):
        return without_problems(*examine(source))
    return None


def _is_file(text: str) -> bool:
    """Whether a text is the path of a file; a long formula is not even a path."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def joined(
    first: Policy, second: Policy, titles: Iterable[str], verb: str = "compare"
) -> ComparisonFrame:
    """The frame of two policies that have been read; ``verb`` is who asks.

    Raises InputError.
    """
    problems = list(_differences(first, second))
    if problems:
        raise InputError(problems)
    types = {**first.types, **second.types}
    columns = tuple(dict.fromkeys((*first.columns, *second.columns)))
    agents = {"a0": (), "a1": first.quasi, **first.agents, **second.agents}
    names = _called(first, second, verb)
    known: dict[str, Attribute] = {}
    for name in columns:
        known[name] = Attribute(name, types.get(name, TEXT), (), any_value=True)
    # No table limits whom a formula may name.
    individuals = PLENTY if names else None
    signature = Signature(known, tuple(agents), PLENTY, names, individuals)
    first_title, second_title = titles
    one = _side(first, first_title, signature)
    two = _side(second, second_title, signature)
    sources = {**first.hierarchies, **second.hierarchies}
    # Builders need values of a table, and every table is asked about here.
    paths = {name: file for name, file in sources.items() if isinstance(file, Path)}
    files = {name: read_hierarchy(path) for name, path in paths.items()}
    identifier = first.identifier or second.identifier
    whole = "error" in (first.missing, second.missing)
    return ComparisonFrame(
        one,
        two,
        first.quasi,
        columns,
        types,
        agents,
        files,
        identifier,
        names,
        whole,
        verb,
    )


def _differences(first: Policy, second: Policy) -> Iterator[Problem]:
    """What two policies must agree on."""
    if set(first.quasi) != set(second.quasi):
        hint = "classes are formed by [columns] quasi: make them the same"
        yield Problem(
            "compare", "the two policies have different quasi-identifiers", hint
        )
    one = {name: first.types.get(name, TEXT) for name in first.columns}
    two = {name: second.types.get(name, TEXT) for name in second.columns}
    both: list[tuple[str, Mapping[str, object], Mapping[str, object]]] = [
        ("type", one, two),
        ("agent", first.agents, second.agents),
        ("hierarchy", first.hierarchies, second.hierarchies),
    ]
    for what, left, right in both:
        # What one of them alone has contradicts nothing.
        for name in sorted(set(left) & set(right)):
            if left[name] != right[name]:
                told = f"the two policies differ in the {what} of {name!r}"
                yield Problem("compare", told)
    identifiers = {first.identifier, second.identifier} - {None}
    if len(identifiers) == 2:
        yield Problem("compare", "the two policies have different identifier columns")


def _called(first: Policy, second: Policy, verb: str) -> Names:
    """The identifiers by which individuals are called.  Raises InputError when names
    are of two kinds.
    """
    people: list[s.Name] = []
    for policy in (first, second):
        texts = [*policy.rules.values(), *policy.assumptions.values()]
        for secrets in policy.secrets.values():
            texts += [secret.text for secret in secrets]
        people += names_in([parse(text, policy.source) for text in texts])
        people += [owner(who) for who in policy.secrets if who != "*"]
    by_identifier = (name.text for name in people if identified(name))
    called = tuple(dict.fromkeys(by_identifier))
    if called and first.identifier is None and second.identifier is None:
        hint = (
            'say which column names people: identifier = "person" under [columns]; or'
            " call them i1, i2, .."
        )
        what = f"there is no identifier column to find {called[0]!r} in"
        raise refusal(verb, what, hint)
    by_position = [name.text for name in people if name.text not in called]
    if called and any(text[0] == "i" for text in by_position):
        hint = (
            "call everybody by identifier, or everybody i1, i2, .. by the position of"
            " the row"
        )
        raise refusal(verb, "individuals are called in two ways", hint)
    return called


def _side(policy: Policy, title: str, language: Signature) -> Side:
    """One side: its formulas read in the common language.  Raises InputError."""
    signature = replace(language, sensitive=policy.sensitive)
    problems: Problems = []

    def read(place: str, text: str) -> s.Formula:
        where = f"{policy.source}, {place}"
        formula, unresolved = resolve(parse(text, where), signature, where, text)
        _require_of_releases(formula, where)
        # All formulas are read before anything is told.
        problems.extend(unresolved)
        return formula

    def expanded(formula: s.Formula) -> s.Formula:
        if isinstance(formula, s.Criterion) and formula.name in SAFETY:
            return written_out(formula, secrets)
        return s.rebuild(formula, expanded)

    secrets = _secrets(policy, signature, read)
    rules: dict[str, s.Formula] = {}
    for name, text in policy.rules.items():
        rules[name] = read(f"rules.{name}", text)
    assumptions: list[s.Formula] = []
    for name, text in policy.assumptions.items():
        assumptions.append(read(f"assumptions.{name}", text))
    without_problems(policy, problems)

    # a rule that is written out is about secrets: without any it would say nothing
    some_secrets = secrets.everyone or secrets.personal
    for name, formula in rules.items():
        rules[name] = expanded(formula)
        if rules[name] != formula and not some_secrets:
            where = f"{policy.source}, rules.{name}"
            hint = "give a policy file with [secrets]"
            raise refusal(where, "there are no [secrets]", hint)
    protected = [secret.formula for secret in secrets.everyone]
    for who, own in secrets.personal.items():
        # A secret of somebody is one where they are.
        protected += [s.At(who, secret.formula) for secret in own]
    return Side(title, policy, rules, tuple(assumptions), tuple(protected))


def _require_of_releases(formula: s.Formula, where: str) -> None:
    """Raises InputError for a formula that cannot be asked of every release."""
    if asks_all_models(formula):
        what = (
            "never_known asks what follows from one release and its assumptions,"
            " not about every table"
        )
        raise refusal(where, what, "phverify verify decides it for a release")
    if beside_original(formula):
        what = (
            "reference=original compares with the table before sanitization, and"
            " every release is asked about here, without such a table"
        )
        hint = "phverify verify --original decides it for a release"
        raise refusal(where, what, hint)


def _secrets(
    policy: Policy, signature: Signature, read: Callable[[str, str], s.Formula]
) -> Secrets:
    """The secrets of everyone and of some.  Raises InputError for an unknown one."""
    everyone: tuple[Secret, ...] = ()
    personal: dict[s.Person, tuple[Secret, ...]] = {}
    for who, texts in policy.secrets.items():
        own: list[Secret] = []
        for item in texts:
            own.append(Secret(read(f"secrets.{who}", item.text), item.weight))
        person = signature.find(owner(who))
        if who == "*":
            everyone = tuple(own)
        elif isinstance(person, s.Person):
            personal[person] = tuple(own)
        else:
            hint = nearest(who, signature.names, "individuals")
            raise refusal(
                f"{policy.source}, [secrets]", f"unknown individual {who!r}", hint
            )
    return Secrets(everyone, personal)
