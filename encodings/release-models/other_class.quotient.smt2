; Is there a model and a world where this is false? @i5 <a1> i7
; over the hospital release
; a1 sees the birth as well.
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Quotient encoding: rows that the formula cannot tell apart are counted, and a kind of rows is a number.
; unknowns:
;   i5_p0 = 1: i5 is on kind 0 of the class birth = 04/55, zip = 26***: 2 rows
;   i7_p0 = 1: i7 is on kind 0 of the class birth = 10/52, zip = 26***: 2 rows
(set-info :smt-lib-version 2.6)
(set-info :status sat)
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
(assert true)
(check-sat)
