"""Random small releases, formulas and thresholds for the property tests."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from phverify.logic import syntax as s

QUASI = ("q", "r")
VALUES = {"f": ("a", "b", "c"), "g": ("0", "1", "2")}
AGENTS = {"a0": (), "a1": QUASI, "half": ("q",)}


@st.composite
def tables(draw: st.DrawFn, most: int = 5, missing: bool = True) -> list[dict[str, str | None]]:
    """A release of one to ``most`` rows over quasi-identifiers q, r and attributes f (text), g (integer)."""
    cell = st.sampled_from(("x", "y", None)) if missing else st.sampled_from(("x", "y"))
    row = st.fixed_dictionaries(
        {
            "q": cell,
            "r": st.sampled_from(("u", "u", "v")),
            "f": st.sampled_from((*VALUES["f"], None) if missing else VALUES["f"]),
            "g": st.sampled_from(VALUES["g"]),
        }
    )
    return draw(st.lists(row, min_size=1, max_size=most))


coefficients = st.sampled_from([Fraction(x) for x in ("1", "-1", "2", "1/2", "-3/2", "1/3")])
bounds = st.sampled_from([Fraction(x) for x in ("0", "1", "1/2", "1/3", "2/3", "1/4", "3/4", "-1/2")])
comparisons = st.sampled_from(("=", "!=", "<", "<=", ">", ">="))
agents = st.sampled_from(tuple(AGENTS))


def descriptors(rows: list[dict[str, str | None]]) -> st.SearchStrategy[s.Formula]:
    """Descriptors over values that occur in the table."""
    f = sorted({row["f"] for row in rows}, key=str)
    g = sorted({str(row["g"]) for row in rows})
    equal = st.builds(
        lambda v, op: s.Descriptor("f", op, (s.Value(v),)), st.sampled_from(f), st.sampled_from(["=", "!="])
    )
    inside = st.builds(
        lambda v: s.among("f", tuple(v)), st.lists(st.sampled_from(f), min_size=1, max_size=2, unique=True)
    )
    typed = st.builds(lambda v, op: s.Descriptor("g", op, (s.Value(v),)), st.sampled_from(g), comparisons)
    return st.one_of(equal, inside, typed)


criteria = st.sampled_from(
    [
        s.Criterion("k_anonymity", ("2",)),
        s.Criterion("l_diversity", ("f", "2")),
        s.Criterion("t_closeness", ("f", "1/3")),
        s.Criterion("average_benefit", ("f", "1/4")),
        s.Criterion("recursive_l_diversity", ("g", "2", "2")),
    ]
)


def linears(formulas: st.SearchStrategy[s.Formula], nested: bool = True) -> st.SearchStrategy[s.Linear]:
    term = st.tuples(coefficients, st.builds(s.Likelihood, agents, formulas))
    terms = st.lists(term, min_size=1, max_size=2)
    plain = st.builds(lambda ts, c: s.Linear(tuple(ts), c), terms, st.sampled_from([Fraction(0), Fraction(1, 3)]))
    if not nested:
        return plain
    inner = linears(formulas, False)
    return st.one_of(plain, plain, st.builds(lambda c, body: s.Linear(((c, s.Abs(body)),)), coefficients, inner))


def formulas(
    rows: list[dict[str, str | None]], names: tuple[s.Reference, ...] = (), leaves: int = 6
) -> st.SearchStrategy[s.Formula]:
    """Formulas of the whole language over a table; ``names`` are variables in scope."""
    n = len(rows)
    people = [s.Name(f"i{k + 1}") for k in range(n)] + [s.Name(f"d{k + 1}") for k in range(n)]
    nominal = st.sampled_from([*people, *names, *names, *names])
    atoms = st.one_of(
        descriptors(rows),
        descriptors(rows),
        descriptors(rows),
        st.builds(s.Nominal, nominal),
        st.builds(s.Nominal, nominal),
        st.one_of(st.builds(s.Truth, st.booleans()), criteria),
    )

    def grow(inner: st.SearchStrategy[s.Formula]) -> st.SearchStrategy[s.Formula]:
        several = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.one_of(
            st.builds(s.Not, inner),
            st.builds(s.And, several),
            st.builds(s.Or, several),
            st.builds(s.Implies, inner, inner),
            st.builds(s.Iff, inner, inner),
            st.builds(s.Diamond, agents, inner),
            st.builds(s.Box, agents, inner),
            st.builds(s.At, nominal, inner),
            st.builds(s.Compare, linears(inner), comparisons, st.builds(s.number, bounds)),
        )

    return st.recursive(atoms, grow, max_leaves=leaves)


@st.composite
def quantified(draw: st.DrawFn, rows: list[dict[str, str | None]], leaves: int = 4) -> s.Formula:
    """A schema over one or two individuals, values, clauses or agents around a random body."""
    sort = draw(st.sampled_from(("individuals", "individuals", "two", "values", "clauses", "agents", "pair")))
    i, j, v = s.Var("i"), s.Var("j"), s.Var("v")
    universal = draw(st.booleans())
    match sort:
        case "individuals":
            body = draw(formulas(rows, (i,), leaves))
            return s.Quantified(universal, (s.Binder(i, "individuals"),), body)
        case "two":
            body = draw(formulas(rows, (i, j), leaves))
            return s.Quantified(universal, (s.Binder(i, "individuals"), s.Binder(j, "individuals")), body)
        case "values":
            marked = draw(formulas(rows, (), leaves))
            body = s.Or(
                (marked, s.Compare(s.likelihood("a1", s.Descriptor("f", "=", (v,))), "<=", s.number(draw(bounds))))
            )
            return s.Quantified(universal, (s.Binder(v, "values", "f"),), body)
        case "clauses":
            length = draw(st.integers(1, 3))
            clause = s.Chosen(s.Var("c"))
            gap = s.minus(s.likelihood("a0", clause), s.likelihood("a1", s.And((clause, draw(formulas(rows, (), 2))))))
            body = s.Compare(gap, draw(comparisons), s.number(draw(bounds)))
            return s.Quantified(universal, (s.Binder(s.Var("c"), "clauses", "f", length),), body)
        case "agents":
            inner = draw(formulas(rows, (), 3))
            body = (
                s.Box(s.Var("a"), inner)
                if draw(st.booleans())
                else s.Compare(s.likelihood(s.Var("a"), inner), "<=", s.number(draw(bounds)))
            )
            return s.Quantified(universal, (s.Binder(s.Var("a"), "agents"),), body)
    body = draw(formulas(rows, (i,), leaves))
    with_value = s.Implies(s.At(i, s.Descriptor("f", "!=", (v,))), body)
    return s.Quantified(universal, (s.Binder(i, "individuals"), s.Binder(v, "values", "f")), with_value)


@st.composite
def rules(draw: st.DrawFn, rows: list[dict[str, str | None]]) -> s.Formula:
    """A formula, a schema, or a schema below a connective or an operator."""
    kind = draw(st.integers(0, 5))
    if kind <= 1:
        return draw(formulas(rows))
    schema = draw(quantified(rows))
    if kind <= 3:
        return schema
    other = draw(formulas(rows, leaves=3))
    wrap = draw(st.sampled_from(("or", "not", "box", "implies", "likelihood")))
    return {
        "or": s.Or((schema, other)),
        "not": s.Not(schema),
        "box": s.Box("a1", schema),
        "implies": s.Implies(other, schema),
        "likelihood": s.Compare(s.likelihood("a0", schema), ">=", s.number(Fraction(1, 2))),
    }[wrap]
