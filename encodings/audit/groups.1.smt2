; After 1 of 3 answers, can it be false that c's value is 2?
; unknowns: v0 of a, v1 of b, v2 of c, v3 of d; whole numbers from 0 to 2
; answer 1: SELECT v, COUNT(*) GROUP BY v: 1 twice, 2 twice
; unsat: no world is left in which it is false, so that it is disclosed (if *.possible is sat)
; sat: a model is a world in which it is false, and the adversary cannot exclude it
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
(declare-const v0 Int)
(assert (<= 0 v0 2))
(declare-const v1 Int)
(assert (<= 0 v1 2))
(declare-const v2 Int)
(assert (<= 0 v2 2))
(declare-const v3 Int)
(assert (<= 0 v3 2))
(assert (= (+ (ite (= v0 1) 1 0) (ite (= v1 1) 1 0) (ite (= v2 1) 1 0) (ite (= v3 1) 1 0)) 2))
(assert (not (= v2 2)))
(check-sat)
