"""What a search is asked for, checked before any work is done."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from phverify.errors import InputError, Problem, Problems, nearest, refusal
from phverify.generalization.parts import pseudonyms
from phverify.microdata.grouped_digits import comma_hint
from phverify.microdata.table import CodedTable
from phverify.policy.bind import BoundPolicy
from phverify.policy.model import Policy
from phverify.spec import syntax as s
from phverify.spec.released import by_number
from phverify.spec.sampling import RecordSample
from phverify.spec.source import rational, writable
from phverify.spec.spaces import WHOLE, senseless
from phverify.spec.whole_costs import uncharged

SEEDS = 2**32
"""A seed that nobody gave is below this."""
USUAL = 600.0
"""Seconds that a search may take where nobody says so."""
A_SHARE = "write 5% or 0.05"
A_SAMPLE = "write 10% or 0.1"
Number = int | float | str | Fraction


@dataclass(frozen=True, eq=False)
class Options:
    """``share`` of the records may be withheld; ``shuffle`` is the seed of a new order,
    None to keep the old.
    """

    space: str
    objective: str
    weights: Mapping[str, Fraction]
    share: Fraction
    all_minimal: bool
    shuffle: int | None
    redact: bool = False
    explain: bool = False
    charge: bool = False
    """Whether a withheld record loses 1 in every column."""

    @property
    def linear(self) -> bool:
        """Whether the objective is a sum over decisions."""
        return not (self.objective in WHOLE or self.charge)

    @property
    def lists(self) -> bool:
        """Whether all minimal candidates are looked for."""
        return self.all_minimal or (self.objective in WHOLE and not self.priced)

    @property
    def priced(self) -> bool:
        """Whether a more general candidate may cost less, as it withholds less."""
        return bool(self.share) and not self.linear


def options(
    policy: Policy,
    space: str,
    objective: str,
    suppress: Number,
    weights: Mapping[str, Number] | None,
    all_minimal: bool,
    shuffle: int | None,
    charge: bool = False,
) -> Options:
    """Raises InputError with everything that is wrong."""
    problems = wrong_question(
        space, objective, suppress, bool(weights), all_minimal, charge
    )
    withheld = share("suppress", suppress, "records", [])
    column_weights = weights_of(policy, weights or {}, problems)
    problems += wrong_shuffle(policy, shuffle)
    if problems:
        raise InputError(problems)
    return Options(
        space,
        objective,
        column_weights,
        withheld,
        all_minimal,
        shuffle,
        charge=charge and withheld > 0,
    )


def wrong_question(
    space: str,
    objective: str,
    suppress: Number,
    weighed: bool,
    all_minimal: bool,
    charge: bool,
) -> Problems:
    """What is wrong with a question, whatever the policy is."""
    numbers: Problems = []
    withheld = share("suppress", suppress, "records", numbers)
    problems = [*senseless(space, objective, withheld, weighed, all_minimal)]
    if charge:
        problems += uncharged(space, objective, all_minimal)
    return problems + numbers


def wrong_shuffle(policy: Policy, shuffle: object) -> Iterator[Problem]:
    """What is wrong with the seed of a new order of the rows; None keeps the old."""
    if shuffle is None:
        return
    if policy.rows == "same order":
        what = 'gives the rows another order, and the policy says rows = "same order"'
        yield Problem("shuffle", what, "leave out one of the two")
    if type(shuffle) is not int:
        what = f"is a whole number, the seed of the new order, not {shuffle!r}"
        yield Problem("shuffle", what)


def weights_of(
    policy: Policy, weights: Mapping[str, Number], problems: Problems
) -> dict[str, Fraction]:
    """The weight of each quasi-identifier; what is wrong is added to ``problems``."""
    # who is not named weighs 1
    column_weights = dict.fromkeys(policy.quasi, Fraction(1))
    for name, weight in weights.items():
        if name not in column_weights:
            hint = nearest(name, policy.quasi, "quasi-identifiers")
            problems.append(
                Problem("weights", f"{name!r} is no quasi-identifier", hint)
            )
            continue
        column_weights[name] = number(f"weights, {name}", weight, problems)
        if column_weights[name] < 0:
            problems.append(
                Problem(
                    "weights", f"the weight of {name!r} is {weight}, which is below 0"
                )
            )
    if policy.quasi and not any(column_weights.values()):
        problems.append(
            Problem("weights", "all weights are 0: every candidate would cost the same")
        )
    return column_weights


def number(
    where: str, given: Number, problems: Problems, written: str = ""
) -> Fraction:
    """An exact number as it was given; what is wrong is added to ``problems``.

    ``written`` is a hint how such numbers are written.
    """
    try:
        number = given if isinstance(given, Fraction) else rational(str(given))
    except ValueError:
        # the number returned stands in for it: no search starts with problems
        hint = comma_hint(str(given)) or written
        problems.append(Problem(where, f"is a number, not {given!r}", hint))
        return Fraction(1, 2)
    if not writable(number):
        problems.append(Problem(where, f"{given!s:.40} has more than 300 digits"))
        return Fraction(1, 2)
    return number


def share(
    where: str,
    given: Number,
    whole: str,
    problems: Problems,
    most: int | None = None,
) -> Fraction:
    """A share of the ``whole`` from 0 to below 1, or to ``most``.

    What is wrong is added to ``problems``.
    """
    exact = number(where, given, problems, A_SHARE)
    # Where all could be withheld there would be no release to speak of.
    fits = 0 <= exact < 1 if most is None else 0 <= exact <= most
    if not fits:
        end = "below 1" if most is None else str(most)
        what = f"is a share of the {whole}, from 0 to {end}, not {given}"
        problems.append(Problem(where, what, A_SHARE))
    return exact


def _drawn_share(sample: Number, problems: Problems) -> Fraction:
    """The share of the records that is drawn; what is wrong is added to problems."""
    drawn = number("sample", sample, problems, A_SAMPLE)
    if not 0 < drawn < 1:
        what = f"is a share of the records, above 0 and below 1, not {sample}"
        problems.append(Problem("sample", what, A_SAMPLE))
    return drawn


def record_sample(sample: Number | None, seed: object) -> RecordSample | None:
    """The sample that is asked for; None for the whole table.

    Without a seed one is chosen, and told with the answer.  Raises InputError.
    """
    if sample is None:
        if seed is not None:
            what = "draws a sample, and none is asked for"
            raise refusal("seed", what, "say which share is the sample, such as 0.1")
        return None
    problems: Problems = []
    drawn = _drawn_share(sample, problems)
    if seed is not None and type(seed) is not int:
        what = f"is a whole number, from which the sample is drawn, not {seed!r}"
        problems.append(Problem("seed", what))
    if problems:
        raise InputError(problems)
    chosen = secrets.randbelow(SEEDS) if seed is None else int(str(seed))
    return RecordSample(drawn, chosen)


def unordered(bound: BoundPolicy, policy: Policy) -> None:
    """A generalized value has no place in an order.  Raises InputError for rules that
    compare quasi-identifiers.
    """
    formulas = {f"rules.{rule.name}": rule.expanded for rule in bound.rules}
    formulas |= {
        f"assumptions.{name}": formula for name, formula in bound.assumptions.items()
    }
    problems = []
    for name, formula in formulas.items():
        for node in s.subformulas(formula):
            if what := _orders(bound, policy, node):
                hint = ""
                if isinstance(node, s.Descriptor):
                    hint = (
                        "ask about a sensitive or neutral column, or name the values:"
                        f" {node.attribute} in {{..}}"
                    )
                problems.append(Problem(f"{policy.source}, {name}", what, hint))
    if problems:
        raise InputError(problems)


def _orders(bound: BoundPolicy, policy: Policy, node: s.Formula) -> str:
    """What is wrong with a node that looks at the order or the hierarchy of a
    quasi-identifier.
    """
    match node:
        case s.Descriptor(column, op) if column in policy.quasi and op in (
            "<",
            "<=",
            ">",
            ">=",
        ):
            return f"{column!r} is released generalized, where {op} has no meaning"
        case s.Criterion(name, args, named) if node in bound.release.criteria:
            looks = {"ordered", "hierarchical"} & {*args, *(text for _, text in named)}
            if looks and bound.release.criteria[node].attribute in policy.quasi:
                return f"{name} of a quasi-identifier looks at an order or a hierarchy"
    return ""


def nameable(
    policy: Policy,
    table: CodedTable,
    bound: BoundPolicy,
    records: int,
    shuffle: int | None,
) -> None:
    """Numbers of rows mean something only while all rows are released in their order.
    Raises InputError.
    """
    # d1 is the first released row only while none is missing before it.
    named = pseudonyms(bound) if records or shuffle is not None else []
    if named:
        what = (
            "names records by their number (d1, d2, ..) in"
            f" {', '.join(map(repr, named))}"
        )
        hint = (
            "withholding or shuffling records changes the numbers: name individuals"
            " instead"
        )
        raise refusal(policy.source, what, hint)
    if records and policy.identifier in table.columns and by_number(policy):
        what = "names individuals by number (i1, i2, ..) while records may be withheld"
        raise refusal(
            policy.source, what, f"name them by their {policy.identifier!r}, in quotes"
        )
