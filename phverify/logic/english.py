"""Formulas in English sentences, for readers who know no logic.

One fold over the syntax: every connective, operator, schema and criterion has its
words.  A sentence may be longer than its formula, and says no more and no less.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from phverify.logic.criterion_words import criterion_words
from phverify.logic.printer import column, operand, reference, variable
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import SAFETY
from phverify.spec.source import Names

# How strongly words hold together, loosest first: looser ones stand in parentheses.
_SENTENCE, _JOINED, _CLAUSE = range(3)

COMPARED = {
    "=": "is",
    "!=": "is not",
    "<": "is below",
    "<=": "is at most",
    ">": "is above",
    ">=": "is at least",
}
EQUAL = {**COMPARED, "=": "equals", "!=": "differs from"}
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
ALWAYS = "this is so in any case"
OF_CLASS = "in the class of that record, "
NEVER = "this is never so"
EVERYWHERE = "at every record of the release: "
HIDDEN_VALUE = "a certain value"
HIDDEN_VALUES = "one of certain values"
HIDDEN_PERSON = "a certain person"
HIDDEN_ROW = "a certain record"


@dataclass(frozen=True)
class Wording:
    """Who reads the sentences: what is left out for them, and what agents know.

    ``hide`` says of which columns no value is told; ``hide_people`` leaves out who is
    named, ``positions`` names them by their positions.
    """

    knows: Mapping[str, Names] = field(default_factory=dict)
    hide: Callable[[str], bool] = lambda attribute: False
    hide_people: bool = False
    positions: bool = False
    row: Callable[[int], int] = lambda world: world
    """The number of a world's row in its table, both from 0."""


def in_english(formula: s.Formula, wording: Wording | None = None) -> str:
    """What a rule promises, as a sentence; a conjunction is one for each part."""
    words = wording or Wording()
    if isinstance(formula, s.And) and formula.parts:
        sentences = [in_english(part, words) for part in formula.parts]
        return " ".join(sentences)
    if isinstance(formula, s.Criterion):
        # By itself it is about all classes, below a connective about one.
        text = _criterion(formula, words)
    else:
        text = _said(formula, words, _SENTENCE)
        if _depends(formula):
            text = EVERYWHERE + text
    # A sentence begins with words of ours, or with what stands in parentheses.
    return text[:1].upper() + text[1:] + "."


def said_there(formula: s.Formula, wording: Wording | None = None) -> str:
    """What a formula says of the one record at which it is looked at."""
    text = clause(formula, wording)
    return text[:1].upper() + text[1:] + "."


def clause(formula: s.Formula, wording: Wording | None = None) -> str:
    """The same as a part of a sentence, behind *that*."""
    return _said(formula, wording or Wording(), _SENTENCE)


def _depends(formula: s.Formula) -> bool:
    """Whether it makes a difference at which record a formula is looked at."""
    match formula:
        case s.At() | s.Truth():
            return False
        case s.Criterion(name):
            return name not in SAFETY
        case s.Descriptor() | s.Nominal() | s.Chosen() | s.Compare():
            return True
        case s.Box() | s.Diamond():
            return True
    return any(map(_depends, s.children(formula)))


def _said(formula: s.Formula, wording: Wording, place: int) -> str:
    strength, text = _words(formula, wording)
    if strength < place:
        return f"({text})"
    return text


def _words(formula: s.Formula, wording: Wording) -> tuple[int, str]:
    """The words of a formula, and how strongly they hold together."""
    match formula:
        case s.Truth(value):
            return _CLAUSE, ALWAYS if value else NEVER
        case s.Descriptor():
            return _CLAUSE, _descriptor(formula, wording)
        case s.Nominal(name):
            return _CLAUSE, f"the record is {_record(name, wording)}"
        case s.Chosen(var):
            return _CLAUSE, f"the value is among {variable(var)}"
        case s.Compare():
            return _CLAUSE, _comparison(formula, wording)
        case s.Criterion(name):
            of_class = "" if name in SAFETY else OF_CLASS
            return _SENTENCE, of_class + _criterion(formula, wording)
        case s.Not(body):
            return _denied(body, wording)
    return _operator(formula, wording)


def _operator(formula: s.Formula, wording: Wording) -> tuple[int, str]:
    """What joins sentences, or says who knows them and of whom they are true."""
    match formula:
        case s.And(parts):
            return _list(parts, "and", ALWAYS, wording)
        case s.Or(parts):
            return _list(parts, "or", NEVER, wording)
        case s.Implies(left, right):
            premise = _said(left, wording, _JOINED)
            return _SENTENCE, f"if {premise}, then {_said(right, wording, _JOINED)}"
        case s.Iff(left, right):
            first, second = (_said(side, wording, _CLAUSE) for side in (left, right))
            return _SENTENCE, f"{first} exactly if {second}"
        case s.Box(agent, body):
            return (
                _SENTENCE,
                f"{_agent(agent, wording)} knows that {_body(body, wording)}",
            )
        case s.Diamond(agent, body):
            possible = f"{_agent(agent, wording)} must take it for possible that"
            return _SENTENCE, f"{possible} {_body(body, wording)}"
        case s.At(name, body):
            return _at(name, body, wording)
        case s.NeverKnown(body):
            never = "it never follows from the release and the assumptions that"
            return _SENTENCE, f"{never} {_body(body, wording)}"
        case s.Quantified():
            return _SENTENCE, _schema(formula, wording)
    raise TypeError(f"no words: {formula!r}")


def _at(name: s.Reference, body: s.Formula, wording: Wording) -> tuple[int, str]:
    """What is said of one record: whose it is, or what is so there."""
    subject = _subject(name, wording)
    match body:
        case s.Nominal(other):
            return _CLAUSE, f"{subject} is {_record(other, wording)}"
        case s.Not(s.Nominal(other)):
            return _CLAUSE, f"{subject} is not {_record(other, wording)}"
    return _SENTENCE, f"{_place(name, wording)}, {_body(body, wording)}"


def _body(body: s.Formula, wording: Wording) -> str:
    """What stands behind "that": a chain of such words needs no parentheses."""
    chained = isinstance(body, s.Box | s.Diamond | s.At | s.Not)
    return _said(body, wording, _SENTENCE if chained else _CLAUSE)


def _list(
    parts: s.Formulas, word: str, empty: str, wording: Wording
) -> tuple[int, str]:
    if not parts:
        return _CLAUSE, empty
    if len(parts) == 1:
        return _words(parts[0], wording)
    texts = [_said(part, wording, _CLAUSE) for part in parts]
    return _JOINED, f", {word} ".join(texts)


def _denied(body: s.Formula, wording: Wording) -> tuple[int, str]:
    """The words of a negation, as English has them."""
    match body:
        case s.Box(agent, known):
            cannot = f"{_agent(agent, wording)} cannot be certain that"
            return _SENTENCE, f"{cannot} {_body(known, wording)}"
        case s.Diamond(agent, possible):
            can = f"{_agent(agent, wording)} can rule out that"
            return _SENTENCE, f"{can} {_body(possible, wording)}"
        case s.Nominal(name):
            return _CLAUSE, f"the record is not {_record(name, wording)}"
        case s.Chosen(var):
            return _CLAUSE, f"the value is not among {variable(var)}"
        case s.Descriptor(_, "=" | "!=" as op):
            opposite = s.Descriptor(body.attribute, OPPOSITE[op], body.values)
            return _CLAUSE, _descriptor(opposite, wording)
        case s.Compare(left, op, right):
            return _CLAUSE, _comparison(s.Compare(left, OPPOSITE[op], right), wording)
    return _SENTENCE, f"it is not so that {_said(body, wording, _CLAUSE)}"


# Records and their values


def _descriptor(formula: s.Descriptor, wording: Wording) -> str:
    name = column(formula.attribute)
    # A variable is no value of the data.
    secret = any(isinstance(value, s.Value) for value in formula.values)
    hidden = secret and wording.hide(formula.attribute)
    if formula.op == "in":
        return f"{name} is {_choice(formula, hidden)}"
    value = HIDDEN_VALUE if hidden else operand(formula.values[0])
    return f"{name} {COMPARED[formula.op]} {value}"


def _choice(formula: s.Descriptor, hidden: bool) -> str:
    values = [operand(value) for value in formula.values]
    if hidden:
        return HIDDEN_VALUES if len(values) > 1 else HIDDEN_VALUE
    if len(values) == 1:
        return values[0]
    listed = ", ".join(values)
    return f"one of {listed}" if values else "one of no values"


def _named(name: s.Reference, wording: Wording) -> str:
    """An individual, a record or a variable."""
    if isinstance(name, s.Person) and wording.hide_people:
        return HIDDEN_PERSON
    if isinstance(name, s.Row) and wording.hide_people:
        return HIDDEN_ROW
    if isinstance(name, s.Name) and wording.hide_people:
        return HIDDEN_ROW if _is_row(name) else HIDDEN_PERSON
    return reference(name, wording.positions, wording.row)


def _record(name: s.Reference, wording: Wording) -> str:
    """The record that a nominal names."""
    if _is_row(name):
        return _named(name, wording)
    return f"that of {_named(name, wording)}"


def _subject(name: s.Reference, wording: Wording) -> str:
    """The record of which something is said."""
    if _is_row(name):
        return _named(name, wording)
    return f"the record of {_named(name, wording)}"


def _is_row(name: s.Reference) -> bool:
    """Whether a record is named, in a formula of a policy or as it is read."""
    if isinstance(name, s.Name) and not name.quoted:
        return re.fullmatch(r"d[1-9][0-9]*", name.text) is not None
    return isinstance(name, s.Row)


def _place(name: s.Reference, wording: Wording) -> str:
    """The record at which something is said."""
    if _is_row(name):
        return f"at {_named(name, wording)}"
    return f"at the record of {_named(name, wording)}"


# Who knows what


def _agent(agent: s.Agent, wording: Wording) -> str:
    """Somebody by what is known to them."""
    if isinstance(agent, s.Var):
        return variable(agent)
    if agent == "a0":
        return "whoever has the release alone"
    if agent == "a1":
        return "whoever knows the quasi-identifiers"
    known = wording.knows.get(agent)
    name = "an observer" if wording.hide_people else agent
    if not known:
        return name
    listed = ", ".join(map(column, known))
    return f"{name} (who knows {listed})"


def _comparison(formula: s.Compare, wording: Wording) -> str:
    """``probability is at most number``, or the same of sums."""
    left = _sum(formula.left, wording)
    right = _sum(formula.right, wording)
    return f"{left} {EQUAL[formula.op]} {right}"


def _sum(linear: s.Linear, wording: Wording) -> str:
    pieces = [_term(factor, term, wording) for factor, term in linear.terms]
    if linear.constant or not pieces:
        pieces.append((linear.constant < 0, str(abs(linear.constant))))
    (negative, first), *others = pieces
    text = f"minus {first}" if negative else first
    for negative, piece in others:
        text += f" minus {piece}" if negative else f" plus {piece}"
    return text


def _term(
    factor: Fraction, term: s.Likelihood | s.Abs, wording: Wording
) -> tuple[bool, str]:
    """Whether a summand is subtracted, and its words."""
    if isinstance(term, s.Abs):
        inside = _sum(term.body, wording)
        text = f"the absolute value of ({inside})"
    else:
        event = _said(term.body, wording, _SENTENCE)
        text = f"the probability of [{event}] for {_agent(term.agent, wording)}"
    if abs(factor) != 1:
        text = f"{abs(factor)} times {text}"
    return factor < 0, text


# Schemas


def _schema(formula: s.Quantified, wording: Wording) -> str:
    each = "for {}" if formula.universal else "there is {}"
    bound = [_binder(one, formula.universal) for one in formula.binders]
    start = each.format(" and ".join(bound))
    between = ":" if formula.universal else " such that"
    # A schema below one goes on with it.
    return f"{start}{between} {_said(formula.body, wording, _SENTENCE)}"


def _binder(binder: s.Binder, universal: bool) -> str:
    name = variable(binder.var)
    quantity = "every" if universal else "some"
    match binder.sort:
        case "individuals":
            return f"{quantity} person {name}"
        case "agents":
            return f"{quantity} observer {name}"
        case "values":
            return f"{quantity} value {name} of {column(binder.attribute)}"
    values = "1 value" if binder.length == 1 else f"at most {binder.length} values"
    return f"{quantity} choice {name} of {values} of {column(binder.attribute)}"


def _criterion(node: s.Criterion, wording: Wording) -> str:
    """The words of a criterion, without an argument that is not to be told."""
    named = dict(node.named)
    # The column is the first argument, or it is named.
    subject = named.get("f", *node.args[:1])
    hidden = subject is not None and wording.hide(subject)
    return criterion_words(node.name, node.args, named, hidden)
