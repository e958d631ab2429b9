; After 1 of 2 answers, can it be false that b's value is 7?
; unknowns: v0 of a, v1 of b, v2 of c, v3 of d; whole numbers from 0 to 9
; answer 1: SELECT MAX(v) WHERE name IN ('a', 'b'): 7
; unsat: no world is left in which it is false, so that it is disclosed (if *.possible is sat)
; sat: a model is a world in which it is false, and the adversary cannot exclude it
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
(declare-const v0 Int)
(assert (<= 0 v0 9))
(declare-const v1 Int)
(assert (<= 0 v1 9))
(declare-const v2 Int)
(assert (<= 0 v2 9))
(declare-const v3 Int)
(assert (<= 0 v3 9))
(assert (and (<= v0 7) (<= v1 7) (or (= v0 7) (= v1 7))))
(assert (not (= v1 7)))
(check-sat)
