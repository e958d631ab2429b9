; Is there a model and a world where this is false? l_a0(l_a1(i3) >= 1/2) = 1/4
; over the hospital release
; In 2 rows of 8, l_a1(i3) is 1/2.
; unsat: no model of the release has a world where it is false, so that it is proved
; Quotient encoding: rows that the formula cannot tell apart are counted, and a kind of rows is a number.
; unknowns:
;   i3_p0 = 1: i3 is on kind 0 of the class birth = 03/56, zip = 10***: 2 rows
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; satisfiable iff the rule is false in some model at some world
(declare-const i3_p0 Int)
(assert (<= 0 i3_p0 1))
(assert (>= (+ i3_p0 (- 1)) 0))
(assert true)
(assert true)
(assert (or (not (>= (+ (* 4 i3_p0) (- 4)) 0)) (not (>= (+ (* 4 i3_p0) (- 4)) 0)) (not (>= (+ (* 4 i3_p0) (- 4)) 0))))
(check-sat)
