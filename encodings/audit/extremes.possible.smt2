; Is there a world that gives all 2 answers?
; unknowns: v0 of a, v1 of b, v2 of c, v3 of d; whole numbers from 0 to 9
; answer 1: SELECT MAX(v) WHERE name IN ('a', 'b'): 7
; answer 2: SELECT MAX(v) WHERE name IN ('a', 'c'): 5
; sat: yes. unsat: the log is impossible, which is no disclosure but a wrong answer somewhere
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
(assert (and (<= v0 5) (<= v2 5) (or (= v0 5) (= v2 5))))
(check-sat)
