"""Random small releases, formulas and thresholds for the property tests."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from hypothesis import strategies as st

from phverify.spec import syntax as s

QUASI = ("q", "r")
VALUES = {"f": ("a", "b", "c"), "g": ("0", "1", "2")}
AGENTS = {"a0": (), "a1": QUASI, "half": ("q",)}


@st.composite
def tables(
    draw: st.DrawFn, most: int = 5, missing: bool = True
) -> list[dict[str, str | None]]:
    """A release of one to ``most`` rows over quasi-identifiers q, r and attributes f
    (text), g (integer).
    """
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


coefficients = st.sampled_from(
    [Fraction(x) for x in ("1", "-1", "2", "1/2", "-3/2", "1/3")]
)
bounds = st.sampled_from(
    [Fraction(x) for x in ("0", "1", "1/2", "1/3", "2/3", "1/4", "3/4", "-1/2")]
)
comparisons = st.sampled_from(("=", "!=", "<", "<=", ">", ">="))
agents = st.sampled_from(tuple(AGENTS))


def descriptors() -> st.SearchStrategy[s.Formula]:
    """Descriptors over all values; ``fit`` exchanges those that do not occur in a
    table.
    """
    f, g = st.sampled_from((*VALUES["f"], None)), st.sampled_from(VALUES["g"])
    equal = st.builds(
        lambda v, op: s.Descriptor("f", op, (s.Value(v),)),
        f,
        st.sampled_from(["=", "!="]),
    )
    inside = st.builds(
        lambda v: s.among("f", tuple(v)),
        st.lists(f, min_size=1, max_size=2, unique=True),
    )
    typed = st.builds(
        lambda v, op: s.Descriptor("g", op, (s.Value(v),)), g, comparisons
    )
    return st.one_of(equal, inside, typed)


def fit(formula: s.Formula, rows: list[dict[str, str | None]]) -> s.Formula:
    """The formula with persons, records and values that the table has."""

    def name(reference: s.Reference) -> s.Reference:
        if isinstance(reference, s.Name):
            return s.Name(
                f"{reference.text[0]}{(int(reference.text[1:]) - 1) % len(rows) + 1}"
            )
        return reference

    def value(attribute: str, operand: s.Operand) -> s.Operand:
        occurring = sorted({row[attribute] for row in rows}, key=str)
        if isinstance(operand, s.Var) or operand.text in occurring:
            return operand
        return s.Value(occurring[len(str(operand.text)) % len(occurring)])

    match formula:
        case s.Nominal(reference):
            return s.Nominal(name(reference))
        case s.Descriptor(attribute, op, values):
            fitted = dict.fromkeys(value(attribute, v) for v in values)
            return s.Descriptor(attribute, op, tuple(fitted))
        case s.At(reference, body):
            return s.At(name(reference), fit(body, rows))
    return s.rebuild(formula, lambda child: fit(child, rows))


criteria = st.sampled_from(
    [
        s.Criterion("k_anonymity", ("2",)),
        s.Criterion("l_diversity", ("f", "2")),
        s.Criterion("t_closeness", ("f", "1/3")),
        s.Criterion("average_benefit", ("f", "1/4")),
        s.Criterion("recursive_l_diversity", ("g", "2", "2")),
    ]
)


def linears(
    formulas: st.SearchStrategy[s.Formula], nested: bool = True
) -> st.SearchStrategy[s.Linear]:
    term = st.tuples(coefficients, st.builds(s.Likelihood, agents, formulas))
    terms = st.lists(term, min_size=1, max_size=2)
    plain = st.builds(
        lambda ts, c: s.Linear(tuple(ts), c),
        terms,
        st.sampled_from([Fraction(0), Fraction(1, 3)]),
    )
    if not nested:
        return plain
    inner = linears(formulas, False)
    return st.one_of(
        plain,
        plain,
        st.builds(lambda c, body: s.Linear(((c, s.Abs(body)),)), coefficients, inner),
    )


PEOPLE = [s.Name(f"{letter}{k}") for letter in "id" for k in range(1, 6)]


def recursive(
    names: tuple[s.Reference, ...] = (), leaves: int = 6, values: bool = True
) -> st.SearchStrategy[s.Formula]:
    """Formulas of the whole language; without ``values`` they speak of places only."""
    nominal = st.sampled_from([*PEOPLE, *(names * 4)])
    constant = st.one_of(st.builds(s.Truth, st.booleans()), criteria)
    named = st.builds(s.Nominal, nominal)
    atoms = (
        st.one_of(descriptors(), descriptors(), descriptors(), named, named, constant)
        if values
        else named
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
            st.builds(
                s.Compare, linears(inner), comparisons, st.builds(s.number, bounds)
            ),
        )

    return st.recursive(atoms, grow, max_leaves=leaves)


ONE, TWO, V = s.Var("i"), s.Var("j"), s.Var("v")
PLAIN, SMALL = recursive(), recursive(leaves=3)
ABOUT_ONE, ABOUT_TWO = recursive((ONE,), 4), recursive((ONE, TWO), 4)
PLACES, PLACES_OF_TWO = recursive((ONE,), 3, False), recursive((ONE, TWO), 3, False)


def over(universal: bool, *binders: s.Binder) -> Callable[[s.Formula], s.Formula]:
    return lambda body: s.Quantified(universal, binders, body)


def shares(universal: bool) -> st.SearchStrategy[s.Formula]:
    """A schema over the values of an attribute: a bound on the share of some of
    them.
    """
    of_f = st.sampled_from([(V,), (s.Value("a"), V), (V, s.Value("b"))]).map(
        lambda vs: s.Descriptor("f", "in", vs)
    )
    of_g = comparisons.map(lambda op: s.Descriptor("g", op, (V,)))

    def share(body: s.Formula, of_v: s.Formula, op: str, bound: Fraction) -> s.Formula:
        return s.Or((body, s.Compare(s.likelihood("a1", of_v), op, s.number(bound))))

    about_f = st.builds(share, SMALL, of_f, comparisons, bounds).map(
        over(universal, s.Binder(V, "values", "f"))
    )
    about_g = st.builds(share, SMALL, of_g, comparisons, bounds).map(
        over(universal, s.Binder(V, "values", "g"))
    )
    return about_f | about_g


def schemas(universal: bool) -> st.SearchStrategy[s.Formula]:
    """A schema over one or two individuals, values, clauses or agents around a random
    body.
    """
    everyone = s.Binder(ONE, "individuals")
    clause = s.Chosen(s.Var("c"))

    def gap(body: s.Formula, op: str, bound: Fraction) -> s.Formula:
        difference = s.minus(
            s.likelihood("a0", clause), s.likelihood("a1", s.And((clause, body)))
        )
        return s.Compare(difference, op, s.number(bound))

    def seen(body: s.Formula, bound: Fraction | None) -> s.Formula:
        agent = s.Var("a")
        return (
            s.Box(agent, body)
            if bound is None
            else s.Compare(s.likelihood(agent, body), "<=", s.number(bound))
        )

    clauses = [s.Binder(s.Var("c"), "clauses", "f", length) for length in (1, 2, 3)]
    return st.one_of(
        ABOUT_ONE.map(over(universal, everyone)),
        PLACES.map(over(universal, everyone)),
        PLACES_OF_TWO.map(over(universal, everyone, s.Binder(TWO, "individuals"))),
        ABOUT_TWO.map(over(universal, everyone, s.Binder(TWO, "individuals"))),
        shares(universal),
        st.one_of(
            *(
                st.builds(gap, SMALL, comparisons, bounds).map(over(universal, b))
                for b in clauses
            )
        ),
        st.builds(seen, SMALL, st.one_of(st.none(), bounds)).map(
            over(universal, s.Binder(s.Var("a"), "agents"))
        ),
        ABOUT_ONE.map(
            lambda body: s.Implies(s.At(ONE, s.Descriptor("f", "!=", (V,))), body)
        ).map(over(universal, everyone, s.Binder(V, "values", "f"))),
    )


SCHEMAS = st.one_of(schemas(True), schemas(False))
WRAPPED = st.one_of(
    st.builds(lambda a, b: s.Or((a, b)), SCHEMAS, SMALL),
    st.builds(s.Not, SCHEMAS),
    st.builds(lambda a: s.Box("a1", a), SCHEMAS),
    st.builds(s.Implies, SMALL, SCHEMAS),
    st.builds(
        lambda a: s.Compare(s.likelihood("a0", a), ">=", s.number(Fraction(1, 2))),
        SCHEMAS,
    ),
)
EVERYONE = s.Binder(ONE, "individuals")
NESTED = st.builds(
    lambda u, a, b: over(u, EVERYONE)(s.Or((a, b))), st.booleans(), SCHEMAS, ABOUT_ONE
)
"""The same variable bound inside and outside."""
CALLED = st.builds(lambda f: s.substitute(f, {"i": s.Var("i1")}), ABOUT_ONE).map(
    over(True, s.Binder(s.Var("i1"), "individuals"))
)
"""A variable with an individual's name."""
RULES = st.one_of(PLAIN, SCHEMAS, WRAPPED, NESTED, CALLED)
"""Formulas, schemas, and schemas below a connective or an operator."""
