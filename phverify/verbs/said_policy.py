"""A policy that is said in the arguments of ``anonymize``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Integral

from phverify.errors import Problem, Problems
from phverify.generalization.options import Number, number
from phverify.given import (
    described,
    entries,
    listed,
    refuse,
    wrong_mapping,
    wrong_names,
)
from phverify.logic.printer import quoted
from phverify.policy.model import Policy
from phverify.verbs.column_types import column_types


@dataclass(frozen=True)
class SaidPolicy:
    """The arguments that stand for a policy, as they were given."""

    quasi: Sequence[str]
    sensitive: Sequence[str]
    k: int | None
    l: int | None  # noqa: E741
    t: Number | None
    rules: Mapping[str, str] | Sequence[str]
    identifier: str | None
    neutral: Sequence[str] | None
    types: Mapping[str, str] | None

    def twice(self) -> Iterator[Problem]:
        """What is given beside a policy, which says everything."""
        for field in fields(self):
            name = field.name
            value = getattr(self, name)
            empty = listed(value) and not list(entries(value))
            if value is None or empty:
                continue
            hint = (
                f"write it into the policy, or leave out policy= and say all with"
                f" {name}="
            )
            yield Problem(name, "is given beside a policy, which says everything", hint)

    def wrong(self) -> Iterator[Problem]:
        """What is wrong with the arguments, before any of them is read."""
        neutral = () if self.neutral is None else self.neutral
        yield from wrong_names("quasi", self.quasi, "age")
        yield from wrong_names("sensitive", self.sensitive, "illness")
        yield from wrong_names("neutral", neutral, "height")
        yield from wrong_mapping("types", self.types, '{"age": "integer"}')
        yield from _wrong_rules(self.rules)
        yield from _not_whole(k=self.k, l=self.l)
        if self.t is not None:
            yield from _no_number("t", self.t)
        if not list(entries(self.sensitive)):
            yield from _of_nothing(l=self.l, t=self.t)

    def policy(self, table: object) -> Policy:
        """The policy that the arguments mean for this table.  Raises InputError."""
        told = self.told_rules()
        named = self.rules
        if not isinstance(named, Mapping):
            numbered = enumerate(named, start=1)
            named = {f"rule {number}": text for number, text in numbered}
        # A name that occurs twice would silently replace a rule.
        refuse(_named_twice(told, named))
        # What the caller says of a type counts, whatever the frame has.
        types = {**column_types(table, self.quasi), **(self.types or {})}
        return Policy.from_dict(
            {"columns": self.roles(), "types": types, "rules": {**told, **named}}
        )

    def told_rules(self) -> dict[str, str]:
        """The rules that numbers stand for, by what they are called in answers."""
        told: dict[str, str] = {}
        if self.k is not None:
            told["k"] = f"k_anonymity({self.k})"
        for column in self.sensitive:
            if self.l is not None:
                told[f"l {column}"] = f"l_diversity({quoted(column)}, {self.l})"
            if self.t is not None:
                # As rules have it: 0.1 is one tenth.
                exact = number("t", self.t, [])
                told[f"t {column}"] = f"t_closeness({quoted(column)}, {exact})"
        return told

    def roles(self) -> dict[str, object]:
        """The columns by their roles, as a policy has them."""
        columns: dict[str, object] = {
            "quasi": list(self.quasi),
            "sensitive": list(self.sensitive),
        }
        if self.neutral is not None:
            columns["neutral"] = list(self.neutral)
        if self.identifier is not None:
            columns["identifier"] = self.identifier
        return columns


def _wrong_rules(rules: object) -> Iterator[Problem]:
    """What is wrong with rules: a dictionary, or a list of texts."""
    if isinstance(rules, Mapping):
        return
    if not listed(rules):
        what = f"is a list or a dictionary of rules, not {described(rules)}"
        yield Problem("rules", what, 'for example: rules=["k_anonymity(5)"]')


def _not_whole(**given: object) -> Iterator[Problem]:
    """Numbers of rules that are to be whole, and are not."""
    for name, value in given.items():
        # To Python True is the number 1.
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        if value is not None and not whole:
            what = f"is a whole number, not {described(value)}"
            yield Problem(name, what, f"for example: {name}=3")


def _no_number(name: str, given: Number) -> Iterator[Problem]:
    """What is wrong with an exact number."""
    problems: Problems = []
    number(name, given, problems)
    yield from problems


def _of_nothing(**given: object) -> Iterator[Problem]:
    """Numbers of rules about sensitive columns, where there are none."""
    for name, value in given.items():
        if value is not None:
            what = "is asked of sensitive columns, and none is named"
            yield Problem(name, what, 'for example: sensitive=["illness"]')


def _named_twice(told: Iterable[str], rules: Mapping[str, str]) -> Iterator[Problem]:
    """Rules that have the name of one that an argument stands for."""
    for name in told:
        if name in rules:
            argument = name.partition(" ")[0]
            what = f"{name!r} is the name of the rule that {argument}= stands for"
            yield Problem("rules", what, "give it another name")
