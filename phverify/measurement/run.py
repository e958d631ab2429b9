"""The criteria of a policy, and those of every confidential column, measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from phverify.budget import Deadline, alarmed
from phverify.errors import BudgetExceeded
from phverify.logic.printer import HIDDEN, Style, to_text
from phverify.measurement.gauges import measured, parameter_of
from phverify.measurement.result import (
    AskedThreshold,
    MeasuredClass,
    MeasuredCriterion,
)
from phverify.policy.bind import BoundPolicy
from phverify.policy.bound_formulas import Rule
from phverify.policy.model import Policy
from phverify.spec import syntax as s
from phverify.spec.criteria.alpha_k_anonymity import AlphaKAnonymity
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.original import OfOriginal
from phverify.spec.criterion.registry import given, params
from phverify.spec.source import Names
from phverify.symbolic.release import SymbolicRelease

OF_CLASSES = (s.Criterion("k_anonymity", ("1",)),)
OF_COLUMNS: tuple[tuple[str, Names], ...] = (
    ("l_diversity", ("1",)),
    ("entropy_l_diversity", ("1",)),
    ("recursive_l_diversity", ("1", "2")),
    ("alpha_k_anonymity", ("1", "1")),
    ("t_closeness", ("1",)),
    ("beta_likeness", ("1",)),
    ("enhanced_beta_likeness", ("1",)),
    ("delta_disclosure", ("1",)),
    ("average_benefit", ("1",)),
)
"""What is measured of each confidential column, asked or not."""
PREFIX = "measured "


def with_measures(policy: Policy) -> tuple[Policy, Names]:
    """A policy with rules for what is always measured, and the names of its own."""
    nodes = [*OF_CLASSES]
    for column in policy.sensitive:
        for name, rest in OF_COLUMNS:
            nodes.append(s.Criterion(name, (column, *rest)))
    own = tuple(policy.rules)
    prefix = PREFIX
    # No rule of the policy is hidden by one of ours.
    while any(name.startswith(prefix) for name in own):
        prefix += "_"
    added = {}
    for number, node in enumerate(nodes):
        added[f"{prefix}{number}"] = to_text(node)
    return replace(policy, rules={**policy.rules, **added}), own


def measured_criteria(
    bound: BoundPolicy, own: Names, style: Style, deadline: Deadline | None = None
) -> tuple[MeasuredCriterion, ...]:
    """What is measured of a policy that has met its data; ``own`` are its own rules.

    Those of rules come first, in their order.  What time does not suffice for is not
    measured, and says so.
    """
    clock = deadline or Deadline()
    release = bound.release
    rules = [rule for rule in bound.rules if rule.name in own]
    groups: dict[str, list[s.Criterion]] = {}
    for node in [*_asked(rules), *release.criteria]:
        text = _written(node, release.criteria[node], style)
        same = groups.setdefault(text, [])
        if node not in same:
            same.append(node)
    found = []
    for text, nodes in groups.items():
        try:
            clock.check()
            with alarmed(clock):
                found.append(_measured(text, nodes, rules, release))
        except BudgetExceeded as error:
            found.append(_unmeasured(text, nodes, release, str(error)))
    return tuple(found)


def _asked(rules: list[Rule]) -> Iterator[s.Criterion]:
    """The criteria of classes in rules, in order."""
    for rule in rules:
        for node in s.subformulas(rule.expanded):
            if isinstance(node, s.Criterion):
                yield node


def _written(node: s.Criterion, criterion: ClassCriterion, style: Style) -> str:
    """A criterion with its measured parameter by its name."""
    texts = given(node)
    measured_name = parameter_of(criterion)
    shown, named = [], []
    for param in params(node.name):
        text = texts.get(param.name, param.default or "")
        if param.name == measured_name:
            text = param.name
        # Measured with k = 1: it is measured by itself.
        if node.name == "alpha_k_anonymity" and param.name == "k":
            text = "1"
        if param.kind == "node" and style.hide(criterion.attribute):
            text = HIDDEN.strip("'")
        if param.default is None:
            shown.append(text)
        elif text != param.default:
            named.append((param.name, text))
    return to_text(s.Criterion(node.name, tuple(shown), tuple(named)), style)


def _measured(
    text: str, nodes: list[s.Criterion], rules: list[Rule], release: SymbolicRelease
) -> MeasuredCriterion:
    """One criterion measured, with what each rule asks of it."""
    criterion = release.criteria[nodes[0]]
    histogram = release.ground.histogram(criterion.attribute)
    threshold = measured(criterion, histogram)
    cls = None
    if threshold is not None:
        cls = class_seen(release, threshold.cls)
    asked: list[AskedThreshold] = []
    for rule in rules:
        for node in _asked([rule]):
            if node in nodes:
                asked.append(_threshold(rule, node, release))
    column = criterion.attribute
    # A rule may ask the same twice.
    each_once = tuple(dict.fromkeys(asked))
    name = nodes[0].name
    return MeasuredCriterion(text, name, column, threshold, cls, each_once)


def _unmeasured(
    text: str, nodes: list[s.Criterion], release: SymbolicRelease, why: str
) -> MeasuredCriterion:
    """A criterion that time did not suffice for."""
    column = release.criteria[nodes[0]].attribute
    return MeasuredCriterion(text, nodes[0].name, column, None, None, unmeasured=why)


def _threshold(
    rule: Rule, node: s.Criterion, release: SymbolicRelease
) -> AskedThreshold:
    """What a rule asks, and whether all classes satisfy it."""
    criterion = release.criteria[node]
    plain = criterion.inner if isinstance(criterion, OfOriginal) else criterion
    value = getattr(plain, parameter_of(criterion), "")
    fine = criterion.columns(release.ground.histogram(criterion.attribute))
    asked = str(Fraction(value)) if value != "" else ""
    # Shares are measured whatever the sizes: what is asked of these stands beside.
    size = plain.k if isinstance(plain, AlphaKAnonymity) else 1
    beside = f"k = {size}" if size > 1 else ""
    return AskedThreshold(rule.name, asked, bool(fine.all()), beside)


def class_seen(release: SymbolicRelease, number: int) -> MeasuredClass:
    """A class as it is shown."""
    quotient = release.quotient
    values: Mapping[str, str | None] = quotient.class_values(number)
    return MeasuredClass(number, values, int(quotient.sizes[number]))
