; Is there a model and a world where this is false? forall D in clauses(health, 1): l_a1(health = 0) < -l_a1(D) + 1
; over the hospital release
; The formula of recursive_l_diversity(health, 1, 2). 1 < 3/2 * 1, and 1 < 1 * 1 fails: the bound is strict. (Theorem 4)
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Quotient encoding: rows that the formula cannot tell apart are counted, and a kind of rows is a number.
; unknowns:
;   D_v0 = 1: the clause D contains health = 0
;   D_v1 = 1: the clause D contains health = 1
;   D_v2 = 1: the clause D contains health = 2
(set-info :smt-lib-version 2.6)
(set-info :status sat)
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
(assert (or (>= (+ D_v1 D_v0 (- 1)) 0) (>= (+ D_v1 D_v0 (- 1)) 0) (>= (+ D_v2 D_v0 (- 1)) 0) (>= (+ D_v2 D_v0 (- 1)) 0)))
(check-sat)
