"""Formulas as plain words, to compare what the parser reads with what it read
before.
"""

from __future__ import annotations

from typing import Any

from phverify.spec import syntax as s


def tree(node: Any) -> Any:
    """A formula as nested lists that JSON keeps."""
    match node:
        case s.Truth(value):
            return value
        case s.Descriptor(column, op, values):
            return [column, op, *map(operand, values)]
        case s.Nominal(name):
            return ["is", *reference(name)]
        case s.Chosen(var):
            return ["clause", var.name]
        case s.And(parts) | s.Or(parts):
            return [type(node).__name__, *map(tree, parts)]
        case s.Implies(left, right) | s.Iff(left, right):
            return [type(node).__name__, tree(left), tree(right)]
        case s.Not(body) | s.NeverKnown(body):
            return [type(node).__name__, tree(body)]
        case s.Diamond(agent, body) | s.Box(agent, body):
            return [type(node).__name__, who(agent), tree(body)]
        case s.At(name, body):
            return ["@", *reference(name), tree(body)]
        case s.Compare(left, op, right):
            return [linear(left), op, linear(right)]
        case s.Quantified(universal, binders, body):
            listed = [[b.var.name, b.sort, b.attribute, b.length] for b in binders]
            return ["forall" if universal else "exists", listed, tree(body)]
        case s.Criterion(name, args, named):
            return ["criterion", name, *args, *map(list, named)]
    raise AssertionError(node)


def operand(value: s.Operand) -> Any:
    return ["variable", value.name] if isinstance(value, s.Var) else value.text


def reference(name: s.Reference) -> list[Any]:
    assert isinstance(name, s.Var | s.Name)
    return (
        ["variable", name.name]
        if isinstance(name, s.Var)
        else ["name", name.text, name.quoted]
    )


def who(agent: s.Agent) -> Any:
    return ["variable", agent.name] if isinstance(agent, s.Var) else agent


def linear(side: s.Linear) -> Any:
    terms = [
        (
            [str(factor), "abs", linear(q.body)]
            if isinstance(q, s.Abs)
            else [str(factor), who(q.agent), tree(q.body)]
        )
        for factor, q in side.terms
    ]
    return [*terms, str(side.constant)]
