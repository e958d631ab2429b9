; Is there a model and a world where this is false? @i3 health = 2 <-> ~@i4 health = 2
; over the hospital release
; One of the two is ill.
; unsat: no model of the release has a world where it is false, so that it is proved
; Quotient encoding: rows that the formula cannot tell apart are counted, and a kind of rows is a number.
; unknowns:
;   i3_p0 = 1: i3 is on kind 0 of the class birth = 03/56, zip = 10***: 1 row, health = 2 is false
;   i3_p1 = 1: i3 is on kind 1 of the class birth = 03/56, zip = 10***: 1 row, health = 2 is true
;   i4_p0 = 1: i4 is on kind 0 of the class birth = 03/56, zip = 10***: 1 row, health = 2 is false
;   i4_p1 = 1: i4 is on kind 1 of the class birth = 03/56, zip = 10***: 1 row, health = 2 is true
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; satisfiable iff the rule is false in some model at some world
(declare-const i3_p0 Int)
(assert (<= 0 i3_p0 1))
(declare-const i3_p1 Int)
(assert (<= 0 i3_p1 1))
(declare-const i4_p0 Int)
(assert (<= 0 i4_p0 1))
(declare-const i4_p1 Int)
(assert (<= 0 i4_p1 1))
(assert (>= (+ i3_p0 i3_p1 (- 1)) 0))
(assert (>= (+ (* (- 1) i3_p0) (* (- 1) i3_p1) 1) 0))
(assert (>= (+ i4_p0 i4_p1 (- 1)) 0))
(assert (>= (+ (* (- 1) i4_p0) (* (- 1) i4_p1) 1) 0))
(assert (>= (+ (* (- 1) i3_p0) (* (- 1) i4_p0) 1) 0))
(assert (>= (+ (* (- 1) i3_p1) (* (- 1) i4_p1) 1) 0))
(assert (and (or (= i4_p1 1) (not (= i3_p1 1))) (or (= i3_p1 1) (not (= i4_p1 1)))))
(check-sat)
