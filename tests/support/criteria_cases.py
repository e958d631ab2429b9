"""What the tests of criteria have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import strategies as st

import phverify as ph
from support import oracle
from support.strategies import QUASI, VALUES

TREE = {"a": ("a", "ab", "*"), "b": ("b", "ab", "*"), "c": ("c", "c", "*")}


thresholds = st.fractions(0, 3, max_denominator=6)


whole = st.integers(1, 4)


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tree") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


@st.composite
def criteria(
    draw: st.DrawFn, rows: Sequence[oracle.Row]
) -> tuple[str, oracle.ClassTest]:
    """A criterion with arguments, half of them exactly at a value that some class of
    the table attains.
    """
    group = draw(st.sampled_from(oracle.classes(rows, QUASI)))
    f, u = Counter(row["f"] for row in group), Counter(row["f"] for row in rows)
    value = draw(st.sampled_from(sorted(u, key=str)))
    p, q = oracle.share(u, value), oracle.share(f, value)

    def near(tie: Fraction) -> Fraction:
        return draw(st.one_of(st.just(max(tie, Fraction(0))), thresholds))

    k, l = draw(whole), draw(whole)
    counts = [count for _, count in f.most_common()]
    tail = sum(counts[l - 1 :])
    c = near(Fraction(counts[0], tail)) if tail else draw(thresholds)
    c = c or Fraction(1, 2)
    var = near(
        sum((abs(oracle.share(f, v) - oracle.share(u, v)) for v in u), Fraction(0)) / 2
    )
    gain = near((q - p) / p)
    d = draw(
        st.sampled_from(
            [Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(7, 3)]
        )
    )
    much, alpha, effective = (
        near(q - p),
        near(q),
        near(Fraction(len(f))) + (1 if draw(st.booleans()) else 0),
    )
    effective = max(effective, Fraction(1))
    g = Counter(row["g"] for row in group)
    e = draw(st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2)]))
    few = draw(st.integers(1, len(g)))
    node = draw(st.sampled_from(["a", "b", "c", "ab", "*"]))
    under = near(
        sum(
            (oracle.share(f, v) for v, path in TREE.items() if node in path),
            Fraction(0),
        )
    )
    of_f: list[tuple[str, oracle.Test]] = [
        (f"k_anonymity({k})", oracle.k_anonymous(k)),
        (f"alpha_k_anonymity(f, {alpha}, {k})", oracle.alpha_k(alpha, k)),
        (f"l_diversity(f, {l})", oracle.distinct(l)),
        (f"recursive_l_diversity(f, {c}, {l})", oracle.recursive(c, l)),
        (f"entropy_l_diversity(f, {effective})", oracle.entropy(effective)),
        (f"t_closeness(f, {var})", oracle.variational(var)),
        (f"t_closeness(f, {var}, distance=ordered)", oracle.ordered(var, VALUES["f"])),
        (
            f"t_closeness(f, {var}, distance=hierarchical)",
            oracle.hierarchical(var, TREE),
        ),
        (f"delta_disclosure(f, {d})", oracle.delta(d)),
        (f"delta_disclosure(f, {d}, absent=ignored)", oracle.delta(d, True)),
        (f"beta_likeness(f, {gain})", oracle.beta(gain)),
        (f"enhanced_beta_likeness(f, {gain})", oracle.enhanced(gain)),
        (f"average_benefit(f, {much})", oracle.benefit(much)),
        (f"guarded(f, '{node}', {under})", oracle.guard(node, under, TREE)),
    ]
    others = [
        (f"em_anonymity(g, {e}, {few})", oracle.of("g", oracle.close(e, few))),
        (f"p_sensitive_k_anonymity({l}, {k})", oracle.p_sensitive(l, k, ("f", "g"))),
    ]
    return draw(
        st.sampled_from(
            [*((text, oracle.of("f", test)) for text, test in of_f), *others]
        )
    )


def with_tree(rules: dict[str, str], tree: Path) -> ph.Policy:
    return ph.Policy.from_dict(
        {
            "columns": {"quasi": list(QUASI), "sensitive": ["f", "g"]},
            "types": {"g": "integer"},
            "hierarchies": {"f": str(tree)},
            "rules": rules,
        }
    )


def counts(
    column: str, *found: Sequence[oracle.Row]
) -> tuple[Counter[str | None], ...]:
    return tuple(
        Counter(row[column] if column else "" for row in rows) for rows in found
    )
