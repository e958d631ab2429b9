; Is there a world that gives all 1 answers?
; unknowns: v0 of a, v1 of b, v2 of c, v3 of d; whole numbers from 0 to 1
; answer 1: SELECT SUM(v) WHERE name IN ('a', 'b', 'c'): 3
; sat: yes. unsat: the log is impossible, which is no disclosure but a wrong answer somewhere
(set-info :smt-lib-version 2.6)
(set-info :status sat)
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
(check-sat)
