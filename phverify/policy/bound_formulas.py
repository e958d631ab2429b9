"""The formulas of a policy that meets its data: names looked up, criteria built, and
individuals found.
"""

from __future__ import annotations

from dataclasses import dataclass

from phverify.errors import InputError, Problem, Problems, nearest
from phverify.logic.printer import reference
from phverify.microdata.explained import Sanitization
from phverify.microdata.hierarchy import Hierarchies
from phverify.policy.formulas import read_formula
from phverify.policy.model import Policy
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.registry import SAFETY, Unfit, arguments, build
from phverify.spec.marks import marked
from phverify.spec.rules import about_people
from phverify.spec.safety import Secrets, expanded, owner, secrets
from phverify.spec.signature import Signature
from phverify.spec.source import Names
from phverify.symbolic.places import Places


@dataclass(frozen=True)
class Rule:
    """A rule with names looked up; in ``expanded`` the criteria about individuals are
    written out.
    """

    name: str
    formula: s.Formula
    expanded: s.Formula

    def at_worlds(self, places: Places) -> Rule:
        """The rule with the world of each row that it names."""
        formula = places.at_worlds(self.formula)
        return Rule(self.name, formula, places.at_worlds(self.expanded))


class BoundFormulas:
    """Looks up the names of all formulas; collects the problems of all of them."""

    def __init__(
        self,
        policy: Policy,
        signature: Signature,
        hierarchies: Hierarchies,
        problems: Problems,
        sanitized: Sanitization | None,
    ) -> None:
        self.policy, self.signature, self.hierarchies, self.problems = (
            policy,
            signature,
            hierarchies,
            problems,
        )
        self.sanitized = sanitized
        self.criteria: dict[s.Criterion, ClassCriterion] = {}
        self.secrets = Secrets((), {})
        self.used: set[str] = set()
        self.named: dict[s.Person, dict[str, None]] = {}
        """The individuals whom formulas name, and where."""

    def all(self, only: Names) -> tuple[tuple[Rule, ...], dict[str, s.Formula]]:
        """The rules, ``only`` some of them, and the assumptions.

        Raises InputError with all problems.
        """
        # secrets first: rules about individuals are written out over them
        declared = secrets(
            self.policy,
            lambda who, text: self.read(f"secrets.{who}", text),
            self.person,
        )
        self.secrets = declared
        assumptions = {
            n: self.read(f"assumptions.{n}", text)
            for n, text in self.policy.assumptions.items()
        }
        rules = tuple(
            self.rule(name, text, declared) for name, text in self.policy.rules.items()
        )
        # all rules are read, whichever are asked for: what is wrong is told at once
        for name in only:
            if name not in self.policy.rules:
                hint = nearest(name, self.policy.rules, "rules")
                self.problems.append(
                    Problem(self.policy.source, f"there is no rule {name!r}", hint)
                )
        # only now all individuals are known whom a formula or a secret names
        self.settled()
        if self.problems:
            raise InputError(self.problems)
        return (
            tuple(rule for rule in rules if not only or rule.name in only),
            assumptions,
        )

    def read(self, place: str, text: str) -> s.Formula:
        """One formula, its names looked up and its criteria built."""
        where = f"{self.policy.source}, {place}"
        formula, problems = read_formula(text, self.signature, where)
        self.problems += problems
        for node in s.subformulas(formula):
            self.note(node, where, text)
        return formula

    def note(self, node: s.Formula, where: str, text: str) -> None:
        """Remember which columns matter, and build a criterion of classes."""
        if isinstance(node, s.Descriptor):
            self.used.add(node.attribute)
        elif isinstance(node, s.Quantified):
            self.used |= {
                binder.attribute for binder in node.binders if binder.attribute
            }
        elif isinstance(node, s.Criterion):
            self.criterion(node, where, text)
        elif isinstance(node, s.Nominal | s.At) and isinstance(node.name, s.Person):
            self.named.setdefault(node.name, {})[where] = None

    def settled(self) -> None:
        """Individuals can be named only where it is certain in which class each is."""
        if self.sanitized is None or not self.named:
            return
        by_number = {person.index: person for person in self.named}
        for index, column in self.sanitized.open_classes(by_number).items():
            person = by_number[index]
            why, hint = self.sanitized.why_open(column)
            what = f"in which class {reference(person)} is, is open: {why}"
            first, *more = self.named[person]
            what += f" (named in {len(more)} more formulas)" if more else ""
            # One problem for each person, at the first formula that names them.
            self.problems.append(Problem(first, what, hint))

    def criterion(self, node: s.Criterion, where: str, text: str) -> None:
        """Build a criterion of classes, once."""
        try:
            arguments(node, self.signature.attributes)
            if node.name in SAFETY:  # a formula about the secrets takes its place
                return
            built = build(node, self.signature, self.hierarchies)
            self.criteria[node] = built
            if built.attribute:
                self.used.add(built.attribute)
        except Unfit as error:
            problem = marked(text, node.span, str(error), where, error.hint)
            self.problems.append(problem)

    def person(self, who: str) -> s.Person | None:
        """The individual who has secrets."""
        name = owner(who)
        entity = self.signature.find(name)
        if isinstance(entity, s.Person):
            # a secret asks for its owner's class, as a formula does that names them
            self.named.setdefault(entity, {})[
                f"{self.policy.source}, secrets.{who}"
            ] = None
            return entity
        # a misspelt name is still a person's: what is said of it is private
        what, hint = self.signature.unknown(name)
        where = f"{self.policy.source}, [secrets]"
        self.problems.append(Problem(where, what, hint, private=True))
        return None

    def rule(self, name: str, text: str, declared: Secrets) -> Rule:
        """One rule; what it says of individuals is written out over the secrets."""
        formula = self.read(f"rules.{name}", text)
        # without any secret such a rule would hold of everybody, for nothing
        if about_people(formula) and not declared.everyone and not declared.personal:
            hint = 'for example: "*" = ["health = 2"]'
            self.problems.append(
                Problem(
                    f"{self.policy.source}, rules.{name}",
                    "there are no [secrets]",
                    hint,
                )
            )
        try:
            return Rule(name, formula, expanded(formula, declared))
        except Unfit:  # told by ``criterion``
            return Rule(name, formula, s.FALSE)
