; Is there a model and a world where this is false? forall D in clauses(health, 3): l_a0(D) - l_a1(D) <= 1/5
; over the hospital release
; The formula of t_closeness(health, 1/5). The table has shares 1/2, 1/4, 1/4 and a class 1/2, 1/2, 0 in some order: they are 1/4 apart. (Theorem 5)
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
(assert (or (not (>= (+ (* 10 D_v1) (* (- 10) D_v2) 8) 0)) (not (>= (+ (* 10 D_v1) (* (- 10) D_v2) 8) 0)) (not (>= (+ (* (- 10) D_v1) (* 10 D_v2) 8) 0)) (not (>= (+ (* (- 10) D_v1) (* 10 D_v2) 8) 0))))
(check-sat)
