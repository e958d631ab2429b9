"""Names and sorts: a formula's names are looked up in a signature, all mistakes at
once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from phverify.errors import Problems
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import Unfit, is_joint
from phverify.spec.signature import Attribute, Signature

Hint = str | tuple[str, Iterable[object], str] | tuple[str, Iterable[object], str, bool]
"""What to do; or a name, those that are known, and what these are: the nearest one is
looked for where it is told.  True: of an original, which is not at hand, it may be one.
"""
Mistake = tuple[s.Span | None, str, Hint]
Scope = Mapping[str, s.Binder]


@dataclass
class _Check:
    """One walk over one formula; collects mistakes and returns the formula with names
    looked up.
    """

    signature: Signature
    mistakes: list[Mistake] = field(default_factory=list)

    def complain(self, node: s.Formula, what: str, hint: Hint = "") -> None:
        """Keep a mistake of a node."""
        self.mistakes.append((node.span, what, hint))

    def walk(self, node: s.Formula, scope: Scope) -> s.Formula:
        """The formula with names looked up; ``scope`` has the variables bound here."""
        match node:
            case s.Descriptor():
                return self.descriptor(node, scope)
            case s.Nominal(name):
                return replace(node, name=self.nominal(node, name, scope))
            case s.Criterion(name) if is_joint(name):
                return self.joint(node)
            case s.Quantified():
                # From here on the variables of this schema hide those outside.
                scope = self.bound(node, scope)
            case s.At(name):
                node = replace(node, name=self.nominal(node, name, scope))
            case s.Diamond(agent) | s.Box(agent):
                self.agent(node, agent)
            case s.Compare(left, _, right):
                for term in (*s.likelihoods(left), *s.likelihoods(right)):
                    self.agent(node, term.agent)
        return s.rebuild(node, lambda child: self.walk(child, scope))

    def bound(self, node: s.Quantified, scope: Scope) -> Scope:
        """The variables that are bound inside a schema."""
        for binder in node.binders:
            self.binder(node, binder)
        names = [binder.var.name for binder in node.binders]
        for name in sorted({name for name in names if names.count(name) > 1}):
            self.complain(node, f"the variable {name!r} is bound twice")
        # They hide variables of the same names outside.
        own = {binder.var.name: binder for binder in node.binders}
        return {**scope, **own}

    def joint(self, node: s.Criterion) -> s.Formula:
        """The criteria of single columns that one over all of them stands for."""
        from phverify.spec.criterion.joint import joint_parts

        try:
            return s.conj(*joint_parts(node, self.signature.sensitive))
        except Unfit as error:
            self.complain(node, str(error), error.hint)
            return s.TRUE

    def binder(self, node: s.Formula, binder: s.Binder) -> None:
        """Complain about a schema over a column that does not exist."""
        if binder.sort in ("values", "clauses"):
            self.attribute(node, binder.attribute)

    def attribute(self, node: s.Formula, name: str) -> Attribute | None:
        """The column of this name, if there is one."""
        known = self.signature.attributes
        attribute = known.get(name)
        if attribute is None:
            from phverify.spec.marks import criterion_hint

            near = (name, known, "columns of the policy")
            hint = criterion_hint(name) or near
            self.complain(node, f"unknown column {name!r}", hint)
        return attribute

    def agent(self, node: s.Formula, agent: s.Agent) -> None:
        """Complain about an agent that does not exist."""
        if isinstance(agent, str) and agent not in self.signature.agents:
            hint = (agent, self.signature.agents, "agents")
            self.complain(node, f"unknown agent {agent!r}", hint)

    def nominal(self, node: s.Formula, name: s.Reference, scope: Scope) -> s.Reference:
        """The individual or record that a name stands for."""
        if isinstance(name, s.Var):
            sort = scope[name.name].sort
            if sort != "individuals":
                what = f"{name.name!r} ranges over {sort}, not over individuals"
                self.complain(node, what)
            return name
        if not isinstance(name, s.Name):
            return name
        named = self.signature.find(name)
        if named is not None:
            return named
        if not self.signature.anyone:
            self.complain(node, *self.signature.unknown(name))
        return name

    def descriptor(self, node: s.Descriptor, scope: Scope) -> s.Formula:
        """A descriptor with its values in canonical text."""
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
        values = [self.value(node, attribute, value, scope) for value in node.values]
        return replace(node, values=tuple(values))

    def value(
        self, node: s.Formula, attribute: Attribute, value: s.Operand, scope: Scope
    ) -> s.Operand:
        """A value in canonical text, or a variable that ranges over such values."""
        if isinstance(value, s.Var):
            self.value_variable(node, attribute, value.name, scope[value.name])
            return value
        if value.text is None:
            return value
        kind = attribute.kind.name
        try:
            text = attribute.spelled(value.text)
        except ValueError:
            what = f"{value.text!r} is no {kind} value of {attribute.name!r}"
            self.complain(node, what)
            return value

        canonical = s.Value(text)
        # a number may be compared with any other; a text that never occurs is a slip
        if kind != "text" or attribute.may_be(text):
            return canonical
        labels = [label for label in attribute.domain if label is not None]
        hint = (text, labels, "its values", self.signature.before is None)
        what = f"the value {text!r} does not occur in {attribute.name!r}"
        self.complain(node, what, hint)
        return canonical

    def value_variable(
        self, node: s.Formula, attribute: Attribute, name: str, binder: s.Binder
    ) -> None:
        """Complain about a variable that does not range over the column's values."""
        if binder.sort != "values":
            what = f"{name!r} ranges over {binder.sort}, not over values"
            self.complain(node, what)
        elif binder.attribute != attribute.name:
            ranges = f"{name!r} ranges over values of {binder.attribute!r}"
            self.complain(node, f"{ranges}, not of {attribute.name!r}")


def resolve(
    formula: s.Formula, signature: Signature, where: str, text: str
) -> tuple[s.Formula, Problems]:
    """The formula with names looked up and values in canonical text, and everything
    that is wrong with it.
    """
    check = _Check(signature)
    resolved = check.walk(formula, {})
    if not check.mistakes:
        return resolved, []
    from phverify.spec.marks import told

    return resolved, told(check.mistakes, where, text)
