; After 2 of 2 answers, can it be false that Jean's balance is at least 420?
; unknowns: v0 of Claude, v1 of Paul, v2 of Jean, v3 of Martin, v4 of Michel; whole numbers from 0 to 1000
; answer 1: SELECT SUM(balance): 1580
; answer 2: SELECT MAX(balance): 420
; unsat: no world is left in which it is false, so that it is disclosed (if *.possible is sat)
; sat: a model is a world in which it is false, and the adversary cannot exclude it
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
(declare-const v0 Int)
(assert (<= 0 v0 1000))
(declare-const v1 Int)
(assert (<= 0 v1 1000))
(declare-const v2 Int)
(assert (<= 0 v2 1000))
(declare-const v3 Int)
(assert (<= 0 v3 1000))
(declare-const v4 Int)
(assert (<= 0 v4 1000))
(assert (= (+ v0 v1 v2 v3 v4) 1580))
(assert (and (<= v0 420) (<= v1 420) (<= v2 420) (<= v3 420) (<= v4 420) (or (= v0 420) (= v1 420) (= v2 420) (= v3 420) (= v4 420))))
(assert (not (>= v2 420)))
(check-sat)
