"""One number of a policy as a variable: which rule has it, and the policy for each of
its values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from phverify.errors import InputError, Problem, refusal
from phverify.given import described
from phverify.logic.printer import to_text
from phverify.policy.model import Policy
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import names, params
from phverify.spec.decimals import decimal
from phverify.spec.parser import parse
from phverify.spec.source import rational, writable

TRADED = ("k", "l", "t")
"""The numbers that a tradeoff varies."""
MOST = 500
"""So many values are searched at most."""
RANGE = re.compile(r"\s*(\d{1,18})\s*\.\.\s*(\d{1,18})\s*", re.ASCII)
EXAMPLE = "k=2..100, k=2,5,10 or t=0.1,0.2"


@dataclass(frozen=True)
class VariedRule:
    """A rule whose number is to vary.

    ``node`` is the criterion of the rule ``name`` that has the ``parameter``;
    ``values`` go from the least strict to the strictest.
    """

    policy: Policy
    name: str
    parameter: str
    node: s.Criterion
    values: tuple[Fraction, ...]

    @property
    def upwards(self) -> bool:
        """Whether larger numbers are stricter, and not smaller ones."""
        return orders(self.node.name)[self.parameter] == "larger"

    def policy_at(self, value: Fraction) -> Policy:
        """The policy with another number in its rule, and all else the same."""
        # Parsed anew: names in the rule stay as they were written.
        formula = _changed(parse(self.policy.rules[self.name]), self, value)
        rules = {**self.policy.rules, self.name: to_text(formula)}
        return replace(self.policy, rules=rules)


def orders(name: str) -> dict[str, str]:
    """The parameters whose numbers order a criterion by strictness, with which of two
    is the stricter one: larger or smaller.
    """
    known = params(name) if name in names() else ()
    return {param.name: param.stricter for param in known if param.stricter}


def varied(policy: Policy, asked: Mapping[str, Any]) -> VariedRule:
    """The rule that has the one parameter asked for (of k, l and t), and its values.

    Raises InputError where there is no such rule, or more than one.
    """
    named = {name: values for name, values in asked.items() if values is not None}
    if len(named) != 1:
        what = f"varies one of k, l and t, and {len(named) or 'none'} is given"
        raise refusal("tradeoff", what, EXAMPLE)
    [(parameter, told)] = named.items()
    numbers = values_of(parameter, told)
    found = list(_having(policy, parameter))
    if len(found) != 1:
        raise refusal(policy.source, _miscounted(policy, parameter, len(found)))
    [(name, node)] = found
    rule = VariedRule(policy, name, parameter, node, ())
    ordered = sorted(numbers, reverse=not rule.upwards)
    return replace(rule, values=tuple(ordered))


def each_varied(policy: Policy) -> Iterator[VariedRule]:
    """Each rule with each number that can be varied; none of what it would take apart.

    A rule with two such numbers of a name, or with one deeper inside it, has none.
    """
    for name, text in policy.rules.items():
        formula = parse(text)
        named: dict[str, str] = {}
        for node in _conjuncts(formula):
            if isinstance(node, s.Criterion):
                named |= orders(node.name)
        for parameter in named:
            nodes = [n for n in _conjuncts(formula) if _has(n, parameter)]
            everywhere = [n for n in s.subformulas(formula) if _has(n, parameter)]
            if len(nodes) == len(everywhere) == 1:
                [node] = nodes
                assert isinstance(node, s.Criterion)
                yield VariedRule(policy, name, parameter, node, ())


def _miscounted(policy: Policy, parameter: str, count: int) -> str:
    known = [name for name in names() if parameter in orders(name)]
    listed = ", ".join(known)
    article = "an" if parameter == "l" else "a"
    if count:
        return (
            f"has {count} criteria with {article} {parameter}, and the tradeoff varies"
            " one: leave one such rule in the policy"
        )
    return (
        f"has no rule that is a criterion with {article} {parameter} ({listed}), or a"
        " conjunction with one"
    )


def _having(policy: Policy, parameter: str) -> Iterator[tuple[str, s.Criterion]]:
    """The criteria with a parameter that rules consist of.

    Only what a rule asks for as it is gets stricter with it: not what is negated.
    Raises InputError for such a criterion deeper inside a rule.
    """
    for name, text in policy.rules.items():
        try:
            formula = parse(text)
        except InputError as error:
            raise InputError(
                [
                    Problem(f"{policy.source}, rules.{name}", one.what, one.hint)
                    for one in error.problems
                ]
            ) from None
        direct = [node for node in _conjuncts(formula) if _has(node, parameter)]
        everywhere = [node for node in s.subformulas(formula) if _has(node, parameter)]
        if len(direct) < len(everywhere):
            what = (
                f"has a {parameter} deeper inside a formula, where the rule need not"
                f" become stricter with it"
            )
            hint = f"make it a rule of its own: {everywhere[0].name}(..)"  # type: ignore[attr-defined]
            raise refusal(f"{policy.source}, rules.{name}", what, hint)
        for node in direct:
            assert isinstance(node, s.Criterion)
            yield name, node


def _conjuncts(formula: s.Formula) -> Iterator[s.Formula]:
    # A conjunction becomes stricter with each of its parts; other connectives need not.
    if not isinstance(formula, s.And):
        yield formula
        return
    for part in formula.parts:
        yield from _conjuncts(part)


def _has(node: s.Formula, parameter: str) -> bool:
    return isinstance(node, s.Criterion) and parameter in orders(node.name)


def _changed(formula: s.Formula, rule: VariedRule, value: Fraction) -> s.Formula:
    """A rule's formula with another number in its one criterion that has it."""
    if isinstance(formula, s.And):
        parts = [_changed(part, rule, value) for part in formula.parts]
        return s.And(tuple(parts))
    if not _has(formula, rule.parameter):
        return formula
    assert isinstance(formula, s.Criterion)
    number = decimal(value)
    names = [param.name for param in params(formula.name)]
    place = names.index(rule.parameter)
    # Its place is kept: certificates quote rules as policies write them.
    if place < len(formula.args):
        own = list(formula.args)
        own[place] = number
        return replace(formula, args=tuple(own))
    named = {**dict(formula.named), rule.parameter: number}
    return replace(formula, named=tuple(named.items()))


# Which values


def values_of(parameter: str, told: Any) -> list[Fraction]:
    """The numbers that are asked for: a text such as ``2..100``, or a list of numbers.

    Raises InputError.
    """
    parts = _parts(parameter, told)
    numbers = set()
    for part in parts:
        # A number that is given twice is searched once.
        numbers.add(_number(parameter, part))
    if not numbers:
        raise refusal(parameter, "has no values", EXAMPLE)
    if len(numbers) > MOST:
        what = f"has {len(numbers):,} values, and up to {MOST} are searched"
        raise refusal(parameter, what, EXAMPLE)
    return sorted(numbers)


def _parts(parameter: str, told: Any) -> list[Any]:
    if isinstance(told, str):
        listed: list[Any] = []
        for part in told.split(","):
            listed += _spread(parameter, part)
        return listed
    listing = hasattr(told, "__iter__")
    if isinstance(told, bytes | Mapping) or not listing:
        what = f"is a text or a list of numbers, not {described(told)}"
        raise refusal(parameter, what, EXAMPLE)
    return list(told)


def _spread(parameter: str, part: str) -> list[Any]:
    """The whole numbers of a range; a single number as it is."""
    if ".." not in part:
        return [part.strip()]
    match = RANGE.fullmatch(part)
    if match is None:
        what = f"has ranges of whole numbers, first..last, not {part.strip()!r}"
        raise refusal(parameter, what, EXAMPLE)
    first, last = int(match[1]), int(match[2])
    if last < first:
        raise refusal(parameter, f"the range {part.strip()!r} is empty", EXAMPLE)
    if last - first >= MOST:
        what = f"has {last - first + 1:,} values, and up to {MOST} are searched"
        raise refusal(parameter, what, EXAMPLE)
    return list(range(first, last + 1))


def _number(parameter: str, told: Any) -> Fraction:
    """A number that the parameter may have."""
    try:
        # To Python True is the number 1.
        if isinstance(told, bool):
            raise ValueError
        number = rational(str(told))
    except ValueError:
        what = f"is a number, not {described(told)}"
        if isinstance(told, str):
            what = f"is a number, not {told!r}"
        raise refusal(parameter, what, EXAMPLE) from None
    if not writable(number):
        raise refusal(parameter, f"{told!s:.40} has more than 300 digits", EXAMPLE)
    if parameter == "k" and (number.denominator != 1 or number < 1):
        what = f"is a whole number above 0, not {told}"
        raise refusal(parameter, what, EXAMPLE)
    if number < 0 or (parameter == "l" and number < 1):
        raise refusal(parameter, f"is too small: {told}", EXAMPLE)
    return number


def in_turn(count: int) -> Iterator[int]:
    """All places: both ends first, then from the least strict one on, since a release
    often is the least of several numbers that come after its own.
    """
    yield 0
    if count > 1:
        yield count - 1
    yield from range(1, count - 1)
