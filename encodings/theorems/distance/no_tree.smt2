; Claim: The triangle inequality needs only that common ancestors are no deeper than their nodes.
; Source: ours: why taxonomies that are no trees are refused
; Here: Model: x = y = z = 9, xy = yz = 8 (p and r at depth 8), xz = 1 (the root): 8/9 > 1/9 + 1/9
; Unknowns: the depths of three nodes and of their common ancestors
; Why: the model is a counterexample: in an acyclic graph two nodes p, r may have the children x, y and y, z, so that
;   x and y share p, y and z share r, and x and z the root only
; Bound: one counterexample suffices
(set-info :smt-lib-version 2.6)
(set-logic QF_NRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(declare-const z Real)
(declare-const xy Real)
(declare-const yz Real)
(declare-const xz Real)
(assert (<= 1 xy (ite (<= x y) x y)))
(assert (<= 1 yz (ite (<= y z) y z)))
(assert (<= 1 xz (ite (<= x z) x z)))
(assert (= x y z 9))
(assert (>
  (* (- (+ x z) (* 2 xz)) (+ x y) (+ y z))
  (+ (* (- (+ x y) (* 2 xy)) (+ x z) (+ y z)) (* (- (+ y z) (* 2 yz)) (+ x z) (+ x y)))))
(check-sat)
