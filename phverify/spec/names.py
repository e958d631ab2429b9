"""Names and sorts: a formula's names are looked up in a signature, all mistakes at
once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from phverify.errors import Problems, nearest
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import JOINT, Unfit, joint_parts
from phverify.spec.signature import Attribute, Signature
from phverify.spec.tokens import marked


@dataclass
class _Check:
    """One walk over one formula; collects problems and returns the formula with names
    looked up.
    """

    signature: Signature
    where: str
    text: str
    problems: Problems = field(default_factory=list)

    def complain(self, node: s.Formula, what: str, hint: str = "") -> None:
        self.problems.append(marked(self.text, node.span, what, self.where, hint))

    def walk(self, node: s.Formula, scope: Mapping[str, s.Binder]) -> s.Formula:
        match node:
            case s.Quantified(_, binders, _):
                for binder in binders:
                    self.binder(node, binder)
                bound = [binder.var.name for binder in binders]
                for name in sorted({name for name in bound if bound.count(name) > 1}):
                    self.complain(node, f"the variable {name!r} is bound twice")
                scope = {**scope, **{binder.var.name: binder for binder in binders}}
            case s.Descriptor():
                return self.descriptor(node, scope)
            case s.Nominal(name):
                return replace(node, name=self.nominal(node, name, scope))
            case s.At(name, _):
                node = replace(node, name=self.nominal(node, name, scope))
            case s.Diamond(agent, _) | s.Box(agent, _):
                self.agent(node, agent)
            case s.Criterion(name) if name in JOINT:
                return self.joint(node)
            case s.Compare(left, _, right):
                for term in (*s.likelihoods(left), *s.likelihoods(right)):
                    self.agent(node, term.agent)
        return s.rebuild(node, lambda child: self.walk(child, scope))

    def joint(self, node: s.Criterion) -> s.Formula:
        """The criteria of single columns that one over all of them stands for."""
        try:
            return s.conj(*joint_parts(node, self.signature.sensitive))
        except Unfit as error:
            self.complain(node, str(error), error.hint)
            return s.TRUE

    def binder(self, node: s.Formula, binder: s.Binder) -> None:
        if binder.sort in ("values", "clauses"):
            self.attribute(node, binder.attribute)

    def attribute(self, node: s.Formula, name: str) -> Attribute | None:
        found = self.signature.attributes.get(name)
        if found is None:
            hint = nearest(name, self.signature.attributes, "the policy's columns")
            self.complain(node, f"unknown column {name!r}", hint)
        return found

    def agent(self, node: s.Formula, agent: s.Agent) -> None:
        if isinstance(agent, str) and agent not in self.signature.agents:
            self.complain(
                node,
                f"unknown agent {agent!r}",
                nearest(agent, self.signature.agents, "agents"),
            )

    def nominal(
        self, node: s.Formula, name: s.Reference, scope: Mapping[str, s.Binder]
    ) -> s.Reference:
        if isinstance(name, s.Var):
            if scope[name.name].sort != "individuals":
                self.complain(
                    node,
                    f"{name.name!r} ranges over {scope[name.name].sort}, not over"
                    " individuals",
                )
            return name
        if not isinstance(name, s.Name):
            return name
        found = self.signature.find(name)
        if found is None and not self.signature.anyone:
            self.complain(node, *self.signature.unknown(name))
        return name if found is None else found

    def descriptor(
        self, node: s.Descriptor, scope: Mapping[str, s.Binder]
    ) -> s.Formula:
        attribute = self.attribute(node, node.attribute)
        if attribute is None:
            return node
        if node.op in ("<", "<=", ">", ">=") and not attribute.kind.ordered:
            hint = (
                f'say {attribute.name} = "integer" (or decimal, date, a list of values)'
                " under [types]"
            )
            self.complain(node, f"{attribute.name!r} is text, which has no order", hint)
            return node
        return replace(
            node,
            values=tuple(self.value(node, attribute, v, scope) for v in node.values),
        )

    def value(
        self,
        node: s.Formula,
        attribute: Attribute,
        value: s.Operand,
        scope: Mapping[str, s.Binder],
    ) -> s.Operand:
        if isinstance(value, s.Var):
            binder = scope[value.name]
            if binder.sort != "values":
                self.complain(
                    node, f"{value.name!r} ranges over {binder.sort}, not over values"
                )
            elif binder.attribute != attribute.name:
                what = (
                    f"{value.name!r} ranges over values of {binder.attribute!r}, not of"
                    f" {attribute.name!r}"
                )
                self.complain(node, what)
            return value
        if value.text is None:
            return value
        try:
            text = attribute.spelled(value.text)
        except ValueError:
            self.complain(
                node,
                f"{value.text!r} is no {attribute.kind.name} value of"
                f" {attribute.name!r}",
            )
            return value
        named = (
            text in attribute.domain or text in attribute.known or attribute.any_value
        )
        if attribute.kind.name == "text" and not named:
            labels = [v for v in attribute.domain if v is not None]
            hint = nearest(text, labels, "its values")
            self.complain(
                node, f"the value {text!r} does not occur in {attribute.name!r}", hint
            )
        return s.Value(text)


def resolve(
    formula: s.Formula, signature: Signature, where: str, text: str
) -> tuple[s.Formula, Problems]:
    """The formula with names looked up and values in canonical text, and everything
    that is wrong with it.
    """
    check = _Check(signature, where, text)
    return check.walk(formula, {}), check.problems
