"""A search up to its first candidate: hierarchies, space, counts and costs."""

from __future__ import annotations

from phverify.budget import Deadline, Tell
from phverify.generalization.budgeted import budgeted
from phverify.generalization.compared import ComparedCriteria
from phverify.generalization.judge import CandidateJudge
from phverify.generalization.loop import LeastSearch
from phverify.generalization.master import master
from phverify.generalization.options import Options, nameable, unordered
from phverify.generalization.parts import parts
from phverify.generalization.priced import PricedSearch
from phverify.generalization.pricing import Pricing
from phverify.generalization.refute import Refuter
from phverify.generalization.released import aligned
from phverify.generalization.shortest import shortest
from phverify.generalization.space import cost
from phverify.generalization.space import space as search_space
from phverify.microdata.hierarchy import GivenHierarchies, Hierarchies
from phverify.microdata.table import CodedTable
from phverify.policy.bind import bind
from phverify.policy.model import Policy
from phverify.spec.spaces import WHOLE, Cost
from phverify.verbs.search_input import hierarchies_for, readable

LEARNED = {"levels": 3, "subtrees": 24, "intervals": 24, "partitions": 24}
"""Clauses learned from one candidate at most."""


def prepared(
    policy: Policy,
    table: CodedTable,
    given: GivenHierarchies,
    options: Options,
    deadline: Deadline,
    progress: Tell,
    known: LeastSearch | None = None,
) -> LeastSearch:
    """Everything up to the first candidate.

    Hierarchies, the space, counts, the parts of the policy, costs.  ``known`` is a
    search of the same table that differs in one number of a rule.  Raises InputError.
    """
    paths: Hierarchies
    if known is None:
        readable(policy, table)
        paths = hierarchies_for(policy, table, given)
        columns = {name: table.column(name) for name in policy.quasi}
        space = search_space(options.space, policy, columns, paths)
        # codes in the order of the schemes: a candidate is then one look-up
        table = aligned(table, space)
    else:
        before = known.refuter.judge
        paths, space, table = before.paths, before.space, before.table
    bound = bind(policy, table, None, paths=paths, unsanitized=True)
    # rounded down: never more than the share
    records = int(options.share * table.rows)
    # Before any search: these questions have no answer.
    nameable(policy, table, bound, records, options.shuffle)
    unordered(bound, policy)
    cut = parts(bound, records, paths, deadline)
    compared = ComparedCriteria.of(bound, paths, cut, records)
    judge = CandidateJudge(policy, table, bound, space, cut, paths, compared)
    prices = _prices(judge, options) if known is None else known.cost
    refuter = Refuter(judge, records, LEARNED[options.space], deadline, prices.weights)
    proposer = shortest(space, prices, cut, records)
    if proposer is not None:
        refuter.unwidened = proposer.by_intervals
    chosen = proposer or budgeted(space, prices, refuter) or master(space, prices)
    kind = PricedSearch if options.priced else LeastSearch
    pricing = None
    if options.priced or options.objective in WHOLE:
        pricing = Pricing(judge, options.objective, options.weights)
    return kind(space, prices, chosen, refuter, deadline, progress, pricing=pricing)


def _prices(judge: CandidateJudge, options: Options) -> Cost:
    """What decisions cost.  Raises InputError."""
    # What is no sum over cells is looked for among all candidates, by their height.
    objective = "height" if options.objective in WHOLE else options.objective
    occurrences, rows = judge.finest.occurrences, judge.table.rows
    return cost(judge.space, objective, occurrences, options.weights, rows)
