; Is there a model and a world where this is false? forall c in clauses(health, 1): ~[a1] c
; over the hospital release
; Every class has two values.
; unsat: no model of the release has a world where it is false, so that it is proved
; Quotient encoding: rows that the formula cannot tell apart are counted, and a kind of rows is a number.
; unknowns:
;   c_v0 = 1: the clause c contains health = 0
;   c_v1 = 1: the clause c contains health = 1
;   c_v2 = 1: the clause c contains health = 2
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; satisfiable iff the rule is false in some model at some world
(declare-const c_v0 Int)
(assert (<= 0 c_v0 1))
(declare-const c_v1 Int)
(assert (<= 0 c_v1 1))
(declare-const c_v2 Int)
(assert (<= 0 c_v2 1))
(assert (>= (+ c_v0 c_v1 c_v2 (- 1)) 0))
(assert (>= (+ (* (- 1) c_v0) (* (- 1) c_v1) (* (- 1) c_v2) 1) 0))
(assert (or (and (= c_v0 1) (= c_v1 1)) (and (= c_v0 1) (= c_v1 1)) (and (= c_v0 1) (= c_v2 1)) (and (= c_v0 1) (= c_v2 1))))
(check-sat)
