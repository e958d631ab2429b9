; Claim: d(x, z) <= d(x, y) + d(y, z) for any three nodes of a tree.
; Source: Anantharaman, Frittella, Nguyen: Distributed Transition Systems with Tags (2022), Lemma 1
; Here: all shapes at once, by depths
; Unknowns: the numbers of arcs X, Y, Z, a, h >= 0 of the paper's diagram (or the depths of nodes and common
;   ancestors)
; Why: a model would be three nodes that break the inequality; there is none, not even with real numbers for depths
; Bound: none: all trees
(set-info :smt-lib-version 2.6)
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(declare-const z Real)
(declare-const xy Real)
(declare-const yz Real)
(declare-const xz Real)
(assert (<= 1 xy (ite (<= x y) x y)))
(assert (<= 1 yz (ite (<= y z) y z)))
(assert (<= 1 xz (ite (<= x z) x z)))
(assert (or (and (= xy yz) (>= xz xy)) (and (= xy xz) (>= yz xy)) (and (= yz xz) (>= xy yz))))
(assert (>
  (* (- (+ x z) (* 2 xz)) (+ x y) (+ y z))
  (+ (* (- (+ x y) (* 2 xy)) (+ x z) (+ y z)) (* (- (+ y z) (* 2 yz)) (+ x z) (+ x y)))))
(check-sat)
