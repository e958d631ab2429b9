; Claim: d(x, z) <= d(x, y) + d(y, z) for any three nodes of a tree.
; Source: Anantharaman, Frittella, Nguyen: Distributed Transition Systems with Tags (2022), Lemma 1
; Here: the shape that the paper expands: y and z part later, x is the odd one
; Unknowns: the numbers of arcs X, Y, Z, a, h >= 0 of the paper's diagram (or the depths of nodes and common
;   ancestors)
; Why: a model would be three nodes that break the inequality; there is none, not even with real numbers for depths
; Bound: none: all trees
(set-info :smt-lib-version 2.6)
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const h Real)
(declare-const a Real)
(declare-const X Real)
(declare-const Y Real)
(declare-const Z Real)
(assert (>= h 0))
(assert (>= a 0))
(assert (>= X 0))
(assert (>= Y 0))
(assert (>= Z 0))
(define-fun x () Real (+ X h 1))
(define-fun y () Real (+ Y h a 1))
(define-fun z () Real (+ Z h a 1))
(define-fun xy () Real (+ h 1))
(define-fun yz () Real (+ h a 1))
(define-fun xz () Real (+ h 1))
(assert (>
  (* (- (+ x z) (* 2 xz)) (+ x y) (+ y z))
  (+ (* (- (+ x y) (* 2 xy)) (+ x z) (+ y z)) (* (- (+ y z) (* 2 yz)) (+ x z) (+ x y)))))
(check-sat)
