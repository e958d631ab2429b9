"""What an answer rests on, for its evidence page: by its verb, and by its rules where
it has some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from phverify.logic.printer import column
from phverify.logic.threats import (
    INFERENCE,
    LINKABILITY,
    OF_CRITERIA,
    SINGLING_OUT,
)
from phverify.report.evidence import GroundedRule, Grounds
from phverify.report.stated_secrets import assumption_texts
from phverify.spec.source import Names
from phverify.words import plural

OTHER_RULES = "what other rules would promise: only these were examined"
OTHER_KNOWLEDGE = "knowledge of an attacker that the policy does not assume"
OF_VERBS: Mapping[str, Grounds] = {
    "verify": Grounds(
        "to decide whether a table that is to be published keeps each promise of a"
        " privacy policy",
        uncovered=(OTHER_RULES, OTHER_KNOWLEDGE),
    ),
    "measure": Grounds(
        "to tell the strictest threshold of each criterion that a table keeps",
        uncovered=(OTHER_RULES, OTHER_KNOWLEDGE),
    ),
    "search": Grounds(
        "to find the release of a table that keeps a privacy policy with the least"
        " loss, and to bound what any other would cost",
        uncovered=(
            "releases that are not in the space that was searched",
            OTHER_RULES,
            OTHER_KNOWLEDGE,
            "attackers who conclude something from a release being the best one",
        ),
    ),
    "tradeoff": Grounds(
        "to show what stricter promises cost: the best release for each of them",
        uncovered=("releases that are not in the space that was searched",),
    ),
    "compare": Grounds(
        "to decide whether one promise implies another for every table",
        uncovered=("what either promise means for a particular table",),
    ),
    "compare_data": Grounds(
        "to tell what a release is still good for, beside the table it was made of",
        uncovered=(
            "whether the release keeps any promise: verify decides that",
            "other uses than those that the figures stand for",
        ),
    ),
    "lint": Grounds(
        "to find rules of a policy that cannot mean what they should, before any data",
        uncovered=("whether a release keeps the policy",),
    ),
    "propose": Grounds("to propose a first policy for a table, for people to judge"),
    "check": Grounds(
        "to verify a certificate again, without trusting who wrote it",
        uncovered=("what the certificate does not claim",),
    ),
    "audit": Grounds(
        "to find the first answered query from which a protected fact follows",
        uncovered=(
            "queries that were answered and are not in the log",
            "facts that the policy does not protect",
        ),
        attackers=(("whoever reads the answers", "the log, and what is public"),),
        threats=((INFERENCE, "all protected facts: do they follow from the answers?"),),
    ),
    "reidentify": Grounds(
        "to tell how well records of a release can be linked to those it was made of",
        uncovered=("attackers who know other columns than those assumed",),
        attackers=(("each attacker of the report", "the columns that it names"),),
        threats=(
            (SINGLING_OUT, "records that some columns single out, where listed"),
            (LINKABILITY, "the chance of a right link, for each attacker"),
        ),
    ),
    "mechanism": Grounds(
        "to tell the exact privacy loss of a mechanism that answers at random",
        uncovered=("repeated answers, and what else is known",),
        attackers=(("whoever sees an output", "the probabilities of the mechanism"),),
        threats=((INFERENCE, "epsilon bounds what an output tells of its input"),),
    ),
}
"""What can be said of an answer by its verb alone."""
SAME = {"tuples": "search", "matrix": "compare"}
KNOWN = {
    "a0": "whoever has the release alone",
    "a1": "whoever knows everybody's quasi-identifiers, and who is in the table",
}


def grounds_of(answer: Any, public: bool) -> Grounds:
    """What an answer rests on, by its ``verb``."""
    verb = SAME.get(answer.verb, answer.verb)
    grounds = OF_VERBS.get(verb, Grounds(f"an answer of {verb}"))
    # By the verb itself: tuples and search share what is said above, and not this.
    own = OWN.get(answer.verb)
    if own is None:
        return grounds
    return own(grounds, answer, public)


def _of_report(grounds: Grounds, report: Any, public: bool) -> Grounds:
    """What the verdicts on a release rest on."""
    people = plural(report.individuals, "individual")
    scope = (
        _release(report, public),
        f"{'all individuals' if public else people}, and every placement of them on"
        " rows of their own class: a rule is PROVED when it holds in all of them",
    )
    rules = []
    for number, rule in enumerate(report.rules, start=1):
        name = f"Rule {number}" if public else rule.name
        rules.append(GroundedRule(name, rule.criteria, rule.threats))
    return replace(
        grounds,
        scope=scope,
        rules=tuple(rules),
        attackers=tuple(_attackers(report.agents, public)),
        assumptions=assumption_texts(report),
    )


def _release(answer: Any, public: bool) -> str:
    """What the release is; small numbers are not for everybody."""
    if public:
        return "all rows of the release"
    rows = plural(answer.rows, "row")
    classes = plural(answer.classes, "class")
    return f"all {rows} of the release, in {classes}"


def _attackers(agents: Mapping[str, Names], public: bool) -> Iterator[tuple[str, str]]:
    """The agents of a policy, and what they know beside the release."""
    for name, columns in agents.items():
        # A policy calls agents as it likes, by the names of people, too.
        who = KNOWN.get(name, "an observer" if public else name)
        known = ", ".join(map(column, columns)) or "no column"
        yield who, known


def _of_search(grounds: Grounds, result: Any, public: bool) -> Grounds:
    """What a search rests on: beside its own, what the verdicts on its release do."""
    if result.checks is None:
        records = "records" if public else plural(result.rows, "record")
        return replace(grounds, scope=(f"all {records} of the table",))
    return _of_report(grounds, result.checks, public)


def _of_tradeoff(grounds: Grounds, tradeoff: Any, public: bool) -> Grounds:
    """What the points rest on: the same rules, each with its own number."""
    records = "records" if public else plural(tradeoff.rows, "record")
    scope = (f"all {records} of the table, for each number a policy of its own",)
    for point in tradeoff.points:
        checks = getattr(point.answer, "checks", None)
        if checks is not None:
            # Every point has the same rules but for one number: the first speaks for
            # all.
            grounds = _of_report(grounds, checks, public)
            break
    return replace(grounds, scope=scope)


def _of_measurement(grounds: Grounds, measurement: Any, public: bool) -> Grounds:
    """What was measured, and what each criterion speaks of."""
    names = [one.name for one in measurement.measured]
    rules = []
    # A criterion is measured of each column, and explained once.
    for name in dict.fromkeys(names):
        rules.append(GroundedRule(name, (name,), OF_CRITERIA.get(name, ())))
    scope = (_release(measurement, public),)
    return replace(grounds, scope=scope, rules=tuple(rules))


Own = Callable[[Grounds, Any, bool], Grounds]
OWN: Mapping[str, Own] = {
    "verify": _of_report,
    "search": _of_search,
    "tuples": _of_search,
    "tradeoff": _of_tradeoff,
    "measure": _of_measurement,
}
"""Verbs whose answers say more than their verb does."""
