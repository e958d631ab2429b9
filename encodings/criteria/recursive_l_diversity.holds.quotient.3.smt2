; Is there a model and a world where this is false? forall D in clauses(health, 1): l_a1(health = 2) < -3/2 * l_a1(D) + 3/2
; over the hospital release
; The formula of recursive_l_diversity(health, 3/2, 2). 1 < 3/2 * 1, and 1 < 1 * 1 fails: the bound is strict. (Theorem 4)
; unsat: no model of the release has a world where it is false, so that it is proved
; Quotient encoding: rows that the formula cannot tell apart are counted, and a kind of rows is a number.
; unknowns:
;   D_v0 = 1: the clause D contains health = 0
;   D_v1 = 1: the clause D contains health = 1
;   D_v2 = 1: the clause D contains health = 2
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; satisfiable iff the rule is false in some model at some world
(declare-const D_v0 Int)
(assert (<= 0 D_v0 1))
(declare-const D_v1 Int)
(assert (<= 0 D_v1 1))
(declare-const D_v2 Int)
(assert (<= 0 D_v2 1))
(assert (>= (+ D_v0 D_v1 D_v2 (- 1)) 0))
(assert (>= (+ (* (- 1) D_v0) (* (- 1) D_v1) (* (- 1) D_v2) 1) 0))
(assert (or (>= (+ (* 3 D_v0) (* 3 D_v1) (- 6)) 0) (>= (+ (* 3 D_v0) (* 3 D_v1) (- 6)) 0) (>= (+ (* 3 D_v0) (* 3 D_v2) (- 4)) 0) (>= (+ (* 3 D_v0) (* 3 D_v2) (- 4)) 0)))
(check-sat)
