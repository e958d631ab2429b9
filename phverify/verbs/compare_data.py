"""``compare-data``: what is a release still good for, beside its original?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from phverify.budget import Tell
from phverify.errors import Problem, Problems, refusal
from phverify.given import described, refuse, wrong_progress, wrong_switches
from phverify.microdata.cell_hints import numeric
from phverify.microdata.read import read
from phverify.microdata.table import CodedTable
from phverify.policy.model import Policy, PolicySource, beside, examine
from phverify.spec.types import TEXT
from phverify.utility.cells import (
    SpreadColumn,
    by_mapping,
    contradicted,
    spread_column,
    with_kept_values,
    with_read_labels,
)
from phverify.utility.compared import ComparedTables
from phverify.utility.explained import (
    DataPair,
    Explained,
    changed_columns,
    explained,
    two_tables,
)
from phverify.utility.learning import (
    LEAST,
    WIDEST,
    LearningTask,
    learned,
    require_learner,
    target_of,
)
from phverify.utility.result import DataComparison
from phverify.verbs.measure import to_measure
from phverify.words import toml_key

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource

UNPAIRED = (
    "nothing says which records belong together, and a classifier is tested on people"
    " from whom it did not learn"
)
PAIRING = (
    'add the identifier column to both tables, or rows = "same order" to the policy'
)


def compare_data(
    original: TableSource,
    release: TableSource,
    policy: PolicySource | None = None,
    *,
    classifier: bool = False,
    target: str | None = None,
    seed: int = 0,
    redact: bool = False,
    progress: Tell = lambda step: None,
) -> DataComparison:
    """What a release is still good for: losses, classes, distributions, correlations.

    ``original`` and ``release`` are paths or frames, as for ``verify``; their rows are
    read.  The ``policy`` says which columns are quasi-identifiers, what its hierarchies
    are and which types have an order; it needs no rules.  Without one the columns that
    the release changed are taken for quasi-identifiers, and columns of numbers are
    ordered.  With ``classifier``, the error of a classifier that is trained on the
    release is measured against one trained on the original (needs scikit-learn); it
    predicts ``target``, else the first sensitive column, and ``seed`` (0 to 2**32 - 1)
    splits the records.  ``redact`` leaves out values.  ``progress`` is told each step.

    Raises InputError with all problems of the input.
    """
    refuse(
        wrong_switches(classifier=classifier, redact=redact),
        _wrong_target(target),
        _wrong_seed(seed),
        wrong_progress(progress),
    )
    classifier = bool(classifier) or target is not None
    if classifier:
        require_learner()
    progress("reading")
    tables, notes = _read(original, release, policy)
    progress("comparing columns")
    columns = _spread(tables)
    aside = [
        name
        for name in tables.policy.quasi
        if name in tables.hierarchies and columns[name].meaning.paths is None
    ]
    notes += _asides(aside)
    known = explained(tables, aside)
    notes += _mapped(columns, known)
    task = None
    if classifier:
        task, told = _task(tables, columns, known, target, seed)
        notes += told
    progress("comparing pairs of columns")
    compared = ComparedTables(tables, columns, known, notes)
    found = None
    if task is not None:
        progress("training classifiers")
        found = learned(task)
    whole = compared.whole(found, bool(redact))
    if policy is not None:
        return whole
    labelled = [name for name in columns if _labelled(columns[name])]
    return _without_hierarchies(whole, labelled)


def _labelled(column: SpreadColumn) -> bool:
    """Whether a cell that stands for no value may be a label of a hierarchy: no missing
    cell is one, and no number among numbers.
    """
    for label in column.unread:
        if label is not None and not numeric(column.meaning, label):
            return True
    return False


def _without_hierarchies(
    found: DataComparison, labelled: Sequence[str]
) -> DataComparison:
    """What was compared without a policy, and what cannot be known without one: what
    labels lose that nothing else explains.
    """
    if found.explained or not labelled:
        return found
    [first, *_] = labelled
    note = (
        f"what is lost in {', '.join(labelled)} cannot be known without a policy: its"
        " hierarchies say which values a label stands for (--policy FILE with"
        f' {toml_key(first)} = "HIERARCHY.csv" under [hierarchies])'
    )
    return replace(found, notes=(note, *found.notes))


def _wrong_target(target: object) -> Any:
    if target is not None and not isinstance(target, str):
        what = f"is the name of a column, not {described(target)}"
        yield Problem("target", what, "for example: target='illness'")


def _wrong_seed(seed: object) -> Any:
    whole = isinstance(seed, int) and not isinstance(seed, bool)
    if not whole or not 0 <= int(str(seed)) < 2**32:
        what = f"is a whole number from 0 to {2**32 - 1}, not {described(seed)}"
        yield Problem("seed", what, "for example: seed=1")


# Reading


def _read(
    original: TableSource, release: TableSource, policy: PolicySource | None
) -> tuple[DataPair, list[str]]:
    """Both tables, and what is to be said of their columns.  Raises InputError."""
    if policy is None:
        before, after = read(original, (), "original"), read(release, (), "release")
        settings, notes = _own_policy(before, after)
        problems: Problems = []
    else:
        settings, slips = examine(policy)
        before = read(original, settings.named, "original")
        after = read(release, settings.named, "release")
        problems = to_measure(beside(policy, slips, after.columns))
        notes = []
        if not settings.quasi and not problems:
            what = "names no quasi-identifier: what may have been generalized?"
            raise refusal(settings.source, what, 'quasi = ["age", "zip"] in [columns]')
    tables = two_tables(settings, before, after, problems)
    return tables, [*notes, *_alone(before, after, settings)]


def _own_policy(before: CodedTable, after: CodedTable) -> tuple[Policy, list[str]]:
    """What the tables themselves say of their columns.  Raises InputError."""
    shared = [name for name in before.columns if name in after.columns]
    if not shared:
        what = "has no column of the original: there is nothing to compare"
        listed = ", ".join(map(repr, list(before.columns)[:8]))
        raise refusal(after.source, what, f"the original's columns: {listed}")
    changed = changed_columns(before, after)
    quasi = changed or shared
    note = "no column changed: all of them are taken for quasi-identifiers"
    if changed:
        listed = ", ".join(changed)
        note = f"the columns that changed are taken for quasi-identifiers: {listed}"
    others = [name for name in shared if name not in quasi]
    settings, _ = examine({"columns": {"quasi": quasi, "neutral": others}})
    return settings, [f"{note} (--policy or --quasi says otherwise)"]


def _alone(before: CodedTable, after: CodedTable, policy: Policy) -> list[str]:
    """The columns that only one of the tables has."""
    notes = []
    for one, other, where in (
        (before, after, "the original"),
        (after, before, "the release"),
    ):
        names = [name for name in one.columns if name not in other.columns]
        # That the identifier is dropped is how it should be.
        names = [name for name in names if name != policy.identifier]
        if names:
            # In quotes one without a name can be seen, too.
            notes.append(f"only {where} has: {', '.join(map(repr, names))}")
    return notes


def _asides(aside: Sequence[str]) -> list[str]:
    return [
        f"{name} is not recoded along its hierarchy: it is read without it"
        for name in aside
    ]


def _mapped(columns: dict[str, SpreadColumn], known: Explained) -> Iterator[str]:
    """Read cells that say nothing as the values that became them; what is said of it,
    and of cells that say something else.
    """
    for name, mapping in known.mappings.items():
        kept = with_kept_values(columns[name], mapping)
        columns[name] = with_read_labels(kept, mapping)
        if contradicted(columns[name], mapping):
            yield f"{name} has other values than those that its cells are made of"
        elif columns[name].unread:
            columns[name] = by_mapping(columns[name], mapping)
            text = f"nothing says what the cells of {name} stand for"
            yield f"{text}: each is read as the values that became it"


def _spread(tables: DataPair) -> dict[str, SpreadColumn]:
    """The columns of both tables, in the order of the original."""
    policy = tables.policy
    found = {}
    for name, before in tables.original.columns.items():
        if name == policy.identifier or name not in tables.release.columns:
            continue
        hierarchy = tables.hierarchies.get(name)
        # Other columns are released as they are.
        if name not in policy.quasi:
            hierarchy = None
        kind = policy.types.get(name, TEXT)
        after = tables.release.columns[name]
        found[name] = spread_column(name, before, after, hierarchy, kind)
    return found


def _task(
    tables: DataPair,
    columns: dict[str, SpreadColumn],
    known: Explained,
    target: str | None,
    seed: int,
) -> tuple[LearningTask, list[str]]:
    """What is to be learned, and which columns are left out.  Raises InputError."""
    policy = tables.policy
    chosen = target_of([*columns.values()], target, policy.sensitive)
    if tables.original.rows < LEAST:
        what = f"learns from {LEAST} records or more, and there are"
        raise refusal("classifier", f"{what} {tables.original.rows}")
    if known.people is None or known.shown is None:
        raise refusal("classifier", UNPAIRED, PAIRING)
    untyped = not policy.types
    features, notes = [], []
    for column in columns.values():
        if column is chosen:
            continue
        if column.figures(untyped) is None and len(column.values) > WIDEST:
            text = f"{column.name} has more than {WIDEST} values without an order"
            notes.append(f"{text}: the classifier does not look at it")
        else:
            features.append(column)
    if not features:
        what = "has nothing to learn from: there is no other column"
        raise refusal("classifier", what, "choose another --target")
    people, shown = known.people, known.shown
    task = LearningTask(chosen, tuple(features), people, shown, seed, untyped)
    return task, notes
