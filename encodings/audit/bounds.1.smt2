; After 1 of 1 answers, can it be false that a's value is 1?
; unknowns: v0 of a, v1 of b, v2 of c, v3 of d; whole numbers from 0 to 1
; answer 1: SELECT SUM(v) WHERE name IN ('a', 'b', 'c'): 3
; unsat: no world is left in which it is false, so that it is disclosed (if *.possible is sat)
; sat: a model is a world in which it is false, and the adversary cannot exclude it
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
(declare-const v0 Int)
(assert (<= 0 v0 1))
(declare-const v1 Int)
(assert (<= 0 v1 1))
(declare-const v2 Int)
(assert (<= 0 v2 1))
(declare-const v3 Int)
(assert (<= 0 v3 1))
(assert (= (+ v0 v1 v2) 3))
(assert (not (= v0 1)))
(check-sat)
