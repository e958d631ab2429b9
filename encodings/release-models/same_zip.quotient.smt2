; Is there a model and a world where this is false? @i5 <insurer> i7
; over the hospital release
; Both have zip 26***, all that it knows.
; unsat: no model of the release has a world where it is false, so that it is proved
; Quotient encoding: rows that the formula cannot tell apart are counted, and a kind of rows is a number.
; unknowns:
;   iK_pN = 1: individual K is on a row of kind N of the own class; wherever it is, no case is left to fail
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; satisfiable iff the rule is false in some model at some world
(declare-const i5_p0 Int)
(assert (<= 0 i5_p0 1))
(declare-const i7_p0 Int)
(assert (<= 0 i7_p0 1))
(assert (>= (+ i5_p0 (- 1)) 0))
(assert true)
(assert (>= (+ i7_p0 (- 1)) 0))
(assert true)
(assert true)
(assert true)
(assert false)
(check-sat)
