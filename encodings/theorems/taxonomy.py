"""The Wu-Palmer distance on trees (Lemma 1 of the paper on DLTTS): a metric, in both
shapes of three nodes.

d(x, y) = 1 - 2 c_xy / (c_x + c_y), c being depths in nodes (the root has 1), c_xy that
of the deepest common ancestor. Of the three common ancestors of three nodes, two
coincide, and the third is at least as deep.
"""

from __future__ import annotations

from theorems.claim import Claim, Query
from theorems.term import declare, define

PAPER = (
    "Anantharaman, Frittella, Nguyen: Distributed Transition Systems with Tags (2022),"
    " Lemma 1"
)
NODES = ("x", "y", "z")
BREAKS = """(assert (>
  (* (- (+ x z) (* 2 xz)) (+ x y) (+ y z))
  (+ (* (- (+ x y) (* 2 xy)) (+ x z) (+ y z)) (* (- (+ y z) (* 2 yz)) (+ x z) (+ x y)))))"""
"""d(x, z) > d(x, y) + d(y, z), times the three denominators, which are positive."""
SHAPES = {
    "deep_yz": (
        "x",
        "the shape that the paper expands: y and z part later, x is the odd one",
    ),
    "deep_xz": (
        "y",
        (
            "the shape that the paper leaves out: x and z part later, y (in the middle)"
            " is the odd one"
        ),
    ),
    "deep_xy": (
        "z",
        "x and y part later, z is the odd one: the first shape with x and z exchanged",
    ),
}


def shape(odd: str) -> list[str]:
    """Depths by arcs: h above the first parting, a on to the second, X, Y, Z down to
    the nodes.
    """
    lines = declare(["h", "a", "X", "Y", "Z"], "Real") + [
        f"(assert (>= {v} 0))" for v in ("h", "a", "X", "Y", "Z")
    ]
    lines += [
        define(v, f"(+ {v.upper()} h {'1' if v == odd else 'a 1'})", "Real")
        for v in NODES
    ]
    pairs = [(v, w) for v, w in (("x", "y"), ("y", "z"), ("x", "z"))]
    return lines + [
        define(v + w, "(+ h 1)" if odd in (v, w) else "(+ h a 1)", "Real")
        for v, w in pairs
    ]


def depths(tree: bool) -> list[str]:
    """The same by depths alone."""
    lines = declare([*NODES, "xy", "yz", "xz"], "Real")
    for v, w in (("x", "y"), ("y", "z"), ("x", "z")):
        lines.append(f"(assert (<= 1 {v}{w} (ite (<= {v} {w}) {v} {w})))")
    coincide = [
        f"(and (= {a} {b}) (>= {c} {a}))"
        for a, b, c in (("xy", "yz", "xz"), ("xy", "xz", "yz"), ("yz", "xz", "xy"))
    ]
    return [*lines, f"(assert (or {' '.join(coincide)}))"] if tree else lines


def triangle() -> Claim:
    queries = [
        Query(
            f"distance/{name}.smt2",
            (*shape(odd), BREAKS),
            "QF_NRA",
            (said,),
            tactics=True,
        )
        for name, (odd, said) in SHAPES.items()
    ]
    about = ("all shapes at once, by depths",)
    queries.append(
        Query(
            "distance/tree.smt2", (*depths(True), BREAKS), "QF_NRA", about, tactics=True
        )
    )
    return Claim(
        "Wu-Palmer: triangle inequality",
        "d(x, z) <= d(x, y) + d(y, z) for any three nodes of a tree.",
        PAPER,
        "the numbers of arcs X, Y, Z, a, h >= 0 of the paper's diagram (or the depths"
        " of nodes and common ancestors)",
        "a model would be three nodes that break the inequality; there is none, not"
        " even with real numbers for depths",
        "none: all trees",
        tuple(queries),
    )


def metric() -> Claim:
    head = [*declare(["x", "y", "xy"], "Real"), "(assert (<= 1 xy (ite (<= x y) x y)))"]
    zero = "(= (- (+ x y) (* 2 xy)) 0)"
    range_ = "(< (- (+ x y) (* 2 xy)) 0) (>= (- (+ x y) (* 2 xy)) (+ x y))"
    bad = f"(assert (or {range_} (not (= {zero} (and (= x xy) (= y xy))))))"
    return Claim(
        "Wu-Palmer: the other axioms",
        "0 <= d(x, y) < 1, and d(x, y) = 0 iff both nodes are their deepest common"
        " ancestor, that is x = y; d is symmetric as it is written.",
        PAPER,
        "the depths x, y of two nodes and xy of their deepest common ancestor",
        "a model would be two nodes that break one of these; there is none",
        "none: all trees",
        (Query("distance/axioms.smt2", (*head, bad), "QF_LRA"),),
    )


def without_tree() -> Claim:
    return Claim(
        "Wu-Palmer beyond trees",
        "The triangle inequality needs only that common ancestors are no deeper than"
        " their nodes.",
        "ours: why taxonomies that are no trees are refused",
        "the depths of three nodes and of their common ancestors",
        "the model is a counterexample: in an acyclic graph two nodes p, r may have the"
        " children x, y and y, z, so that x and y share p, y and z share r, and x and z"
        " the root only",
        "one counterexample suffices",
        (
            Query(
                "distance/no_tree.smt2",
                (*depths(False), "(assert (= x y z 9))", BREAKS),
                "QF_NRA",
                (
                    (
                        "Model: x = y = z = 9, xy = yz = 8 (p and r at depth 8), xz = 1"
                        " (the root): 8/9 > 1/9 + 1/9"
                    ),
                ),
                status="sat",
            ),
        ),
        status="refuted",
    )


def all_claims() -> tuple[Claim, ...]:
    return triangle(), metric(), without_tree()
