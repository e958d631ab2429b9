"""``check``: a certificate of ``verify`` read again without phverify's engine and
without a solver.

What is done here, in order: the files are the ones named (SHA-256); the policy is the
one in the certificate; the release is counted again, row by row; a rule that is called
PROVED is looked at in all models (``enumeration``), or each way to break it is written
out as a 0/1 system whose proof is checked by adding fractions (``proofs``); for a rule
that is called REFUTED the identity assignment is put in place and the rule is false
there (``witness``).  What does not fit is refused.

What not every certificate needs is imported where it is needed: who checks a plain one
has little to read.
"""

from __future__ import annotations

import hashlib
import json
import pathlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from phverify.spec import rules as language
from phverify.spec import syntax as s
from phverify.spec.data import (
    Data,
    Paths,
    PlainPolicy,
    Refused,
    policy,
    release_data,
    released_columns,
)
from phverify.spec.enumeration import models_examined
from phverify.spec.models import Table
from phverify.spec.policy import NONE_MISSING
from phverify.spec.separated import table
from phverify.spec.shape import shaped
from phverify.spec.source import File, Plain, policy_text
from phverify.spec.wording import called, many, written

if TYPE_CHECKING:
    from phverify.spec.origin import Origin
    from phverify.spec.tuples import TupleOrigin

Judge = Callable[[Any], bool]
"""Whether solvers find that a 0/1 system has no solution."""


def digest(content: Plain) -> str:
    """SHA-256 of everything else in a certificate, as JSON with sorted keys."""
    # The digest cannot cover itself.
    body = {name: value for name, value in content.items() if name != "digest"}
    text = json.dumps(body, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def require_unchanged(claimed: Plain) -> None:
    """Raises Refused unless a certificate has the digest that it was written with."""
    # Against accidents: whoever forges a certificate can write its digest, too.
    if digest(claimed) != claimed["digest"]:
        raise Refused(
            "the certificate was changed after it was written (its digest does not fit)"
        )


def check(
    claimed: Plain,
    release: File,
    original: File | None = None,
    judge: Judge | None = None,
    policy_file: File | None = None,
) -> Iterator[str]:
    """Verify claim after claim; yields what was verified.  Raises Refused at the first
    that does not hold.

    ``judge`` says whether a system has no solution where the certificate has no proof:
    a proof would be too long there, and it rests on two solvers.  Without a judge such
    a certificate is refused.  ``policy_file`` is the policy that the certificate has to
    be about; without it, the certificate's own policy and hierarchies are taken, and
    shown.
    """
    yield whose(policy_file)
    shaped(claimed)
    require_unchanged(claimed)
    yield "the certificate is whole (its digest fits)"

    rules = policy_of(claimed, policy_file)
    whose_hierarchies = quoted_hierarchies(rules, claimed["hierarchies"], policy_file)
    loaded = load(claimed, rules, release, original)
    data = loaded.data
    rows = many(data.rows, "row")
    yield f"{rows} counted again; the files are those named by SHA-256"
    yield from stage(rules)
    yield from whose_hierarchies
    if data.hierarchies:
        from phverify.spec.hierarchies import rebuilt

        yield from rebuilt(rules, data.hierarchies)

    claims = Claims(claimed, rules, Table(data), judge)
    if loaded.origin is not None:
        from phverify.spec.before import settled

        yield settled(loaded.origin, claims)
    yield from claims.assumptions()
    for said in claimed["rules"]:
        yield claims.rule(said)
    # What nobody needs may have been meant for other claims.
    claims.nothing_left()
    yield from summary(claimed, rules)


def policy_of(claimed: Plain, policy_file: File | None) -> PlainPolicy:
    """The policy that a certificate is about.  Raises Refused when it is not that of
    the file.
    """
    if policy_file is not None and policy_text(policy_file) != claimed["policy"]:
        raise Refused("the certificate is about another policy")
    rules = policy(claimed["policy"])
    if claimed.get("rows", "any order") != rules.rows:
        raise Refused(
            "the certificate and its policy differ in what they say of the order of the"
            " rows"
        )
    return rules


def quoted_hierarchies(
    rules: PlainPolicy, said: Mapping[str, str], policy_file: File | None
) -> list[str]:
    """Whose the hierarchies are that a certificate quotes.  Raises Refused when they
    are not those of the policy.
    """
    if not rules.hierarchies and not said:
        return []
    # Few policies have hierarchies: the others need nothing of them.
    from phverify.spec.hierarchies import compared

    folder = None if policy_file is None else pathlib.Path(policy_file).parent
    return list(compared(rules, said, folder))


def summary(claimed: Plain, rules: PlainPolicy) -> Iterator[str]:
    """How many rules have which verdict, and which have none.  Raises Refused when
    nothing is claimed.
    """
    verdicts = [said["verdict"] for said in claimed["rules"]]
    # Accepted, it would be taken for a promise.
    claims_nothing = all(verdict == "undecided" for verdict in verdicts)
    if claims_nothing:
        raise Refused("the certificate claims nothing")
    counts = []
    for word in ("proved", "refuted", "undecided"):
        count = verdicts.count(word)
        if count:
            counts.append(f"{count} {word}")
    in_all = ", ".join(counts)
    yield f"in all: {in_all}"

    spoken_of = {said["name"] for said in claimed["rules"]}
    left = [name for name in rules.rules if name not in spoken_of]
    if left:
        yield f"nothing is said about {called(*left)}"


def whose(policy_file: File | None) -> str:
    """Whose policy it is that a certificate is about."""
    if policy_file is None:
        return (
            "the policy is the certificate's own: with --policy FILE it is compared"
            " with yours"
        )
    return f"the policy is {str(policy_file)!r}, given with --policy"


def stage(rules: PlainPolicy) -> Iterator[str]:
    """What the verdicts take for granted: what the columns are, who knows what, and
    what is secret.
    """
    yield f"quasi-identifiers: {called(*rules.quasi) or 'none'}"
    if rules.types or rules.agents or rules.secrets:
        from phverify.spec.sections import told

        yield from told(rules)
    elif rules.missing == "error":
        yield NONE_MISSING


@dataclass(frozen=True, eq=False)
class Loaded:
    """The data that a certificate is about; ``origin`` where there is an original
    table.
    """

    data: Data
    origin: Origin | TupleOrigin | None = None


def load(
    claimed: Plain, rules: PlainPolicy, release: File, original: File | None
) -> Loaded:
    """The data that a certificate is about.  Raises Refused when the files are
    others.
    """
    columns = table(release, rules.named, claimed["release"]["sha256"])
    if claimed["original"] is not None:
        # Without an original table a check loads nothing of mappings.
        from phverify.spec.before import explained

        origin = explained(claimed, rules, columns, original)
        return Loaded(origin.data, origin)
    if original is not None:
        raise Refused(
            "the certificate is about the release alone, without an original table"
        )
    paths: Mapping[str, Paths] = {}
    if rules.hierarchies:
        from phverify.spec.hierarchies import hierarchies

        values = released_columns(rules, columns)
        paths = hierarchies(rules, claimed["hierarchies"], values, sanitized=True)
    return Loaded(release_data(rules, columns, paths))


@dataclass(eq=False)
class Claims:
    """The claims of one certificate over one table."""

    claimed: Plain
    policy: PlainPolicy
    table: Table
    judge: Judge | None = None
    given: tuple[s.Formula, ...] = ()
    leaves: dict[str, int] = field(default_factory=dict)
    """The leaves of each proof that was checked, and 0 for systems on which two solvers
    agree.
    """

    def __post_init__(self) -> None:
        data = self.table.data
        self.given = tuple(
            language.assumption(self.policy, data, name)
            for name in self.policy.assumptions
        )

    def assumptions(self) -> Iterator[str]:
        """That the assumptions can be met together: otherwise anything would follow
        from them.
        """
        if self.given:
            from phverify.spec.witness import met

            yield met(self.claimed["assumptions"], self.given, self.table, self.policy)
        elif self.claimed["assumptions"]:
            raise Refused("there is a model of assumptions, and the policy has none")

    def rule(self, said: Plain) -> str:
        """Verify what is said about a rule; returns it in words."""
        name = said["name"]
        if name not in self.policy.rules:
            raise Refused(f"the policy has no rule {name!r}")
        if said["verdict"] == "undecided":
            return f"nothing is claimed about {called(name)}"
        formula = language.rule(self.policy, self.table.data, name)
        if said["verdict"] == "proved":
            return f"PROVED   {self.shown(name)}: {self.proved(name, formula)}"
        # Without a refuted rule nothing of witnesses is loaded.
        from phverify.spec.witness import refuted

        place = refuted(formula, said["witness"], self.given, self.table)
        return (
            f"REFUTED  {self.shown(name)}: false at d{place + 1} under the assignment"
            " given"
        )

    def shown(self, name: str) -> str:
        """A rule with its whole text, so that nobody takes it for another one."""
        rule = self.policy.rules[name]
        text = written(rule)
        shown = called(name)
        return f"{shown} = {text}"

    def proved(self, name: str, formula: s.Formula) -> str:
        """How it is seen that a rule is valid.  Raises Refused."""
        try:
            models = models_examined(formula, self.given, self.table)
        except Refused as error:
            raise Refused(f"{name} is not proved: {error}") from None
        if models is None:
            from phverify.spec.proofs import Proofs

            return Proofs(self.claimed, self.leaves, self.judge).needed(
                name, formula, self.given, self.table
            )
        if models:
            return f"row by row in {many(models, 'model')}"
        return "by counting"

    def nothing_left(self) -> None:
        """Raises Refused when the certificate holds proofs of nothing it claims."""
        if set(self.leaves) != {*self.claimed["proofs"], *self.claimed["agreed"]}:
            raise Refused("the certificate holds proofs of systems that no rule needs")
