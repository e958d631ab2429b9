"""What is in a term: its parts, and the unknowns that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from phverify.constraints.language import (
    Conditional,
    Conj,
    Disj,
    Flag,
    Further,
    LinearSum,
    Magnitude,
    Neg,
    Number,
    Shared,
    SumComparison,
    Term,
    Unknown,
    Variable,
    Within,
)

Node = Term | LinearSum | Variable | Further


def within_node(node: Node) -> Sequence[Node]:
    """What a term, a sum or a part of a sum is made of, in the order in which it is
    written.
    """
    match node:
        case SumComparison(left, _, right):
            return left, right
        case LinearSum():
            parts: list[Node] = [variable for _, variable in node.plain]
            parts += [term for _, term in node.counts]
            for _, term, variable in node.gated:
                parts += (term, variable)
            parts += [part for _, part in node.further]
            return parts
        case Conj() | Disj():
            return node.parts
        case Neg(body) | Magnitude(body) | Shared(body) | Within(body):
            return (body,)
        case Conditional(term, body):
            return term, body
    return ()


def nodes(terms: Sequence[Node]) -> Iterator[Node]:
    """The terms and all that is in them, each once, in the order of their first use."""
    listed, _ = surveyed(terms)
    return iter(listed)


def surveyed(terms: Sequence[Node]) -> tuple[list[Node], set[int]]:
    """The terms and all that is in them, each once, in the order of their first use;
    and the ids of what is in them more than once.
    """
    listed: list[Node] = []
    seen: set[int] = set()
    used: set[int] = set()
    repeated: set[int] = set()
    waiting = list(reversed(terms))
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        listed.append(node)
        inside = within_node(node)
        for part in inside:
            if id(part) in used:
                repeated.add(id(part))
            used.add(id(part))
        # the last one in is the first one out: reversed, parts come as they are written
        waiting += reversed(inside)
    return listed, repeated


def children(term: Term) -> Iterator[Term]:
    """The terms directly inside a term."""
    for part in within_node(term):
        yield from (part,) if isinstance(part, Term) else _terms_of(part)


def _terms_of(part: Node) -> Iterator[Term]:
    """The terms that a sum counts."""
    for inner in within_node(part):
        yield from (inner,) if isinstance(inner, Term) else _terms_of(inner)


@dataclass(frozen=True)
class Unknowns:
    """What terms are about: variables and numbers by name, names of flags and of 0/1
    integers.
    """

    variables: dict[str, Variable]
    flags: frozenset[str]
    numbers: dict[str, Number]
    bits: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        """The names of all of them."""
        integers = frozenset(self.variables) | frozenset(self.bits)
        return self.flags | integers | frozenset(self.numbers)


def unknowns(terms: Sequence[Term]) -> Unknowns:
    """All unknowns of some terms, each once, in the order of their first use."""
    return unknowns_among(nodes(terms))


def unknowns_among(nodes: Iterable[Node]) -> Unknowns:
    """The unknowns among the nodes of terms, each once, in their order."""
    variables: dict[str, Variable] = {}
    numbers: dict[str, Number] = {}
    flags: set[str] = set()
    bits: dict[str, None] = {}
    for node in nodes:
        match node:
            case Variable(name):
                variables[name] = node
            case Number(name):
                numbers[name] = node
            case Flag(name):
                flags.add(name)
            case Unknown(name):
                bits[name] = None
    return Unknowns(variables, frozenset(flags), numbers, tuple(bits))


def gated(terms: Sequence[Term]) -> bool:
    """Whether some sum has a part ``[term] * v``."""
    sums = (node for node in nodes(terms) if isinstance(node, LinearSum))
    return any(node.gated for node in sums)
