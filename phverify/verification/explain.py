"""The numbers that decide: which likelihoods made a formula false at a world, and their
exact values.
"""

from __future__ import annotations

from collections.abc import Iterator

from phverify.logic.printer import ASCII, Style, linear, to_text
from phverify.spec import syntax as s
from phverify.spec.schemas import expand
from phverify.spec.semantics import Model, holds, likelihood_at, value_at
from phverify.spec.signature import Signature
from phverify.spec.walk import CONNECTIVES
from phverify.verification.replay import decisive
from phverify.verification.result import Fact

NEGATED = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
LONG = 160
"""Characters of a sum that are shown."""
MOST = 12
"""Facts that are told of one formula."""


def facts(
    model: Model,
    world: int,
    formula: s.Formula,
    signature: Signature,
    style: Style = ASCII,
) -> tuple[Fact, ...]:
    """The facts behind the truth value of a formula at a world, at most a dozen, each
    once.
    """
    expanded = expand(formula, signature)
    by_text: dict[str, Fact] = {}
    for fact in _walk(model, world, expanded, style):
        by_text.setdefault(fact.text, fact)
        if len(by_text) == MOST:
            break
    each_once = by_text.values()
    return tuple(each_once)


def _walk(model: Model, world: int, formula: s.Formula, style: Style) -> Iterator[Fact]:
    match formula:
        case s.And() | s.Or():
            # One part that decides is reason enough; else all of them are, together.
            for part in decisive(model, world, formula)[:1] or formula.parts:
                yield from _walk(model, world, part, style)
        case s.At(name, body):
            yield from _walk(model, model.world(name), body, style)
        case s.Box(str(agent), body) | s.Diamond(str(agent), body):
            yield _certain(model, world, agent, body, style)
            if not _plain(body):
                yield from _walk(model, world, body, style)
        case s.Compare():
            yield _comparison(model, world, formula, style)
        case s.Descriptor() | s.Nominal():
            true = holds(model, world, formula)
            number = style.row(world) + 1
            yield Fact(
                f"{to_text(formula, style)} is {str(true).lower()} at d{number}",
                {},
                true,
            )
        case _ if isinstance(formula, CONNECTIVES):
            for child in s.children(formula):
                yield from _walk(model, world, child, style)


def _plain(formula: s.Formula) -> bool:
    """Whether a formula speaks of values only."""
    for node in s.subformulas(formula):
        if isinstance(node, s.At | s.Nominal | s.Compare | s.Box):
            return False
    return True


def _certain(
    model: Model, world: int, agent: str, body: s.Formula, style: Style
) -> Fact:
    """``[a] phi`` and ``<a> phi`` by the likelihood of phi: certain means 1, excluded
    means 0.
    """
    term = s.Likelihood(agent, body)
    # Sets of worlds are the bits of an integer: this is the world alone.
    value = likelihood_at(model, term, 1 << world)
    said = linear(s.likelihood(agent, body), style)
    return Fact(f"{said} = {value}", {said: str(value)}, value == 1)


def _comparison(model: Model, world: int, formula: s.Compare, style: Style) -> Fact:
    """A comparison with both sides worked out: ``l_a1(x) = 2/3 > 1/2``."""
    left, right = (
        value_at(model, side, 1 << world) for side in (formula.left, formula.right)
    )
    values = {}
    for term in (*s.likelihoods(formula.left), *s.likelihoods(formula.right)):
        values[linear(s.likelihood(term.agent, term.body), style)] = str(
            likelihood_at(model, term, 1 << world)
        )
    true = holds(model, world, formula)
    op = formula.op if true else NEGATED[formula.op]
    text = (
        f"{_side(formula.left, left, style)} {op} {_other(formula.right, right, style)}"
    )
    return Fact(text, values, true)


def _side(side: s.Linear, value: object, style: Style) -> str:
    if not side.terms:
        return str(value)
    shown = linear(side, style)
    if len(shown) > LONG:
        shown = shown[: LONG - 3] + ".."
    return f"{shown} = {value}"


def _other(side: s.Linear, value: object, style: Style) -> str:
    if not side.terms:
        return str(value)
    return f"{value} = {linear(side, style)}"


def instance_text(formula: s.Formula, style: Style = ASCII) -> str:
    """A formula as text, cut where it grows too long to read."""
    shown = to_text(formula, style)
    longest = 3 * LONG
    if len(shown) <= longest:
        return shown
    return shown[:longest] + " .."
