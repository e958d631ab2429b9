"""Formulas whose names are looked up: persons, rows, labels of the table, typed arguments of criteria."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from phverify.spec import syntax as s
from phverify.spec.criteria.registry import JOINT, Unfit, arguments, joint_parts
from phverify.spec.data import Data, Label, Policy, Refused
from phverify.spec.parsing import parse
from phverify.spec.tuples import Formula, Linear

Own = tuple[tuple[Formula, Fraction], ...]
"""Secrets as parsed, with their weights."""
Secrets = Mapping[str, Own]
"""Secrets by the name of the individual; "*" is everyone."""
Scope = Mapping[str, tuple[str, str, str]]
"""What variables are called from now on, their sorts and columns."""


def resolve(formula: Formula, data: Data, secrets: Secrets | None = None) -> Formula:
    """The formula with its names looked up, criteria with typed arguments, and every variable bound once.

    With ``secrets``, criteria about them are written out.  Raises Refused for a name that means nothing here.
    """
    return _Names(data, {name: k for k, name in enumerate(data.names)}, secrets).walk(formula, {})


@dataclass(frozen=True)
class _Names:
    """One walk over a formula; ``taken`` counts how often each variable name was bound so far."""

    data: Data
    people: Mapping[str, int]
    secrets: Secrets | None
    taken: dict[str, int] = field(default_factory=dict)

    def walk(self, f: Formula, scope: Scope) -> Formula:
        match f:
            case ("forall" | "exists", binders, body):
                return self.schema(f[0], binders, body, scope)
            case ("who", name):
                return self.who(name, scope)
            case ("is", column, op, values):
                self.check(column in self.data.columns, f"no column {column!r}")
                ordered = op in ("=", "!=", "in") or self.data.kinds[column].ordered
                self.check(ordered, f"no order of the texts of {column!r}")
                return ("is", column, op, tuple(self.value(column, value, scope) for value in values))
            case ("criterion", name, given, named):
                return self.criterion(s.Criterion(name, given, named))
            case ("compare", left, op, right):
                return ("compare", self.linear(left, scope), op, self.linear(right, scope))
            case ("at", name, body):
                place = self.who(name, scope)
                self.check(place[0] == "who", f"no place of a clause {name[1]!r}")
                return ("at", place[1], self.walk(body, scope))
            case ("some" | "every", agent, body):
                return (f[0], self.agent(agent, scope), self.walk(body, scope))
            case ("not", body):
                return ("not", self.walk(body, scope))
            case ("and" | "or", parts):
                return (f[0], tuple(self.walk(part, scope) for part in parts))
            case ("implies" | "iff", left, right):
                return (f[0], self.walk(left, scope), self.walk(right, scope))
        return f

    def check(self, condition: bool, what: str) -> None:
        if not condition:
            raise Refused(f"there is {what}")

    def schema(self, kind: str, binders: tuple[Any, ...], body: Formula, scope: Scope) -> Formula:
        names = [binder[0] for binder in binders]
        self.check(len(set(names)) == len(names), f"a variable bound twice: {names}")
        inner, renamed = dict(scope), []
        for name, sort, column, length in binders:
            self.check(sort in ("individuals", "agents") or column in self.data.columns, f"no column {column!r}")
            inner[name] = (self.fresh(name), sort, column)
            renamed.append((inner[name][0], sort, column, length))
        return (kind, tuple(renamed), self.walk(body, inner))

    def fresh(self, name: str) -> str:
        """The name, or ``i!2`` when ``i`` is taken: no name that a user can write contains ``!``."""
        self.taken[name] = count = self.taken.get(name, 0) + 1
        return name if count == 1 else f"{name}!{count}"

    def who(self, name: Formula, scope: Scope) -> Formula:
        """A variable in scope, else an individual by name, else i3 or d4 by position."""
        _, text, quoted = name
        if not quoted and text in scope:
            var, sort, _ = scope[text]
            self.check(sort in ("individuals", "clauses"), f"no individual {text!r}: it ranges over {sort}")
            return ("clause", var) if sort == "clauses" else ("who", ("var", var))
        identified = ("person", self.people[text]) if text in self.people else None
        counted = None if quoted else self.counted(text)
        self.check(identified is not None or counted is not None, f"no individual {text!r}")
        one = identified is None or counted is None or identified == counted
        self.check(one, f"no single {text!r}: it is an identifier, and somebody else's position (quote it)")
        return ("who", identified if counted is None else counted)

    def counted(self, text: str) -> Formula | None:
        """The individual or record that is meant by a position."""
        position = re.fullmatch(r"([id])([1-9]\d{0,17})", text, re.ASCII)
        if position is None or int(position[2]) > self.data.rows:
            return None
        if position[1] == "i" and self.data.numbered:
            return None
        return ("person" if position[1] == "i" else "row", int(position[2]) - 1)

    def value(self, column: str, value: Any, scope: Scope) -> Any:
        """The label that stands for a value: a released text may be spelled in another way."""
        if isinstance(value, tuple) and value[1] in scope:
            var, sort, of = scope[value[1]]
            self.check((sort, of) == ("values", column), f"no value of {column!r} in {value[1]!r}")
            return ("var", var)
        text: Label = value[1] if isinstance(value, tuple) else value
        if text is None:
            return None
        kind = self.data.kinds[column]
        try:
            canonical = kind.canonical(text)
        except ValueError as error:
            raise Refused(f"there is no such value of {column!r}: {error}") from None
        labels = (label for label in self.data.domains[column] if label is not None)
        found = next((label for label in labels if kind.canonical(label) == canonical), canonical)
        occurs = found in self.data.domains[column] or found in self.data.known.get(column, ())
        self.check(kind.name != "text" or occurs, f"no value {found!r} in {column!r}")
        return found

    def agent(self, name: str, scope: Scope) -> Any:
        if name in scope and scope[name][1] == "agents":
            return ("var", scope[name][0])
        self.check(name in self.data.agents, f"no agent {name!r}")
        return name

    def linear(self, linear: Linear, scope: Scope) -> Linear:
        return tuple((factor, self.quantity(quantity, scope)) for factor, quantity in linear[0]), linear[1]

    def quantity(self, quantity: Formula, scope: Scope) -> Formula:
        if quantity[0] == "abs":
            return ("abs", self.linear(quantity[1], scope))
        return ("l", self.agent(quantity[1], scope), self.walk(quantity[2], scope))

    # criteria about individuals

    def criterion(self, node: s.Criterion) -> Formula:
        """Criteria of classes with typed arguments; others written out."""
        name = node.name
        if name == "never_known":
            raise Refused("certificates do not cover never_known")
        try:
            if name in JOINT:
                return _all([self.criterion(part) for part in joint_parts(node, self.data.sensitive)])
            args = arguments(node, self.data.columns)
        except Unfit as error:
            raise Refused(str(error)) from None
        if name not in ("logical_safety", "weighted_safety"):
            return ("criterion", name, tuple(args.items()))
        self.check(self.secrets is not None, f"no place for {name} outside rules")
        everyone, own = self.owners()
        self.check(bool(everyone or own), f"no secret that {name} could be about")
        return self.logical(everyone, own) if name == "logical_safety" else self.weighted(everyone, own, args["b"])

    def owners(self) -> tuple[Own, Mapping[Formula, Own]]:
        """The secrets of everyone, and further ones by individual."""
        secrets, own = dict(self.secrets or {}), dict[Formula, Own]()
        everyone = secrets.pop("*", ())
        for who, found in secrets.items():
            quoted = len(who) > 2 and who[0] == who[-1] == "'"
            person = self.who(("name", who[1:-1] if quoted else who, quoted), {})[1]
            self.check(person[0] == "person", f"no individual {who!r}")
            own[person] = (*own.get(person, ()), *found)
        return everyone, own

    def secret(self, secret: Formula) -> Formula:
        return replace(self, secrets=None).walk(secret, {})

    def logical(self, everyone: Own, own: Mapping[Formula, Own]) -> Formula:
        """``@i ~[a1] phi`` for every individual i and every secret phi of i."""

        def unknown(secret: Formula) -> Formula:
            return ("not", ("every", "a1", self.secret(secret)))

        parts = [_everybody(self.fresh("i"), unknown(phi)) for phi, _ in everyone]
        parts += [("at", person, unknown(phi)) for person, secrets in own.items() for phi, _ in secrets]
        return _all(parts)

    def weighted(self, everyone: Own, own: Mapping[Formula, Own], bound: Fraction) -> Formula:
        """``@i (the sum of weight * l_a1(phi) over the secrets of i) <= bound`` for every individual i."""

        def expected(secrets: Own) -> Formula:
            terms = tuple((weight, ("l", "a1", self.secret(phi))) for phi, weight in secrets)
            return ("compare", (terms, Fraction(0)), "<=", ((), bound))

        parts = [_everybody(self.fresh("i"), expected(everyone))]
        parts += [("at", person, expected((*everyone, *secrets))) for person, secrets in own.items()]
        return _all(parts)


def _everybody(i: str, body: Formula) -> Formula:
    """``forall i: @i body``."""
    return ("forall", ((i, "individuals", "", 0),), ("at", ("var", i), body))


def _all(parts: list[Formula]) -> Formula:
    return parts[0] if len(parts) == 1 else ("and", tuple(parts)) if parts else ("true",)


def rule(policy: Policy, data: Data, name: str) -> Formula:
    """A rule of the policy, its names looked up, criteria about individuals written out.  Raises Refused."""
    if name not in policy.rules:
        raise Refused(f"the policy has no rule {name!r}")
    formula = parse(policy.rules[name])
    secrets = {who: tuple((parse(text), weight) for text, weight in own) for who, own in policy.secrets.items()}
    return resolve(formula, data, secrets)


def assumption(policy: Policy, data: Data, name: str) -> Formula:
    """An assumption of the policy, its names looked up.  Raises Refused."""
    if name not in policy.assumptions:
        raise Refused(f"the policy has no assumption {name!r}")
    return resolve(parse(policy.assumptions[name]), data)


__all__ = ["Secrets", "assumption", "parse", "resolve", "rule"]
