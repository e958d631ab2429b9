; Is there a model and a world where this is false? ~(@i1 health = 0 & @i2 health = 0 & @i3 health = 0)
; over the repaired hospital release
; A pigeonhole: three individuals, and their class of four has two rows with health 0.
; unsat: no model of the release has a world where it is false, so that it is proved
; Quotient encoding: rows that the formula cannot tell apart are counted, and a kind of rows is a number.
; unknowns:
;   i1_p0 = 1: i1 is on kind 0 of the class birth = 1956, zip = *: 2 rows, health = 0 is false
;   i1_p1 = 1: i1 is on kind 1 of the class birth = 1956, zip = *: 2 rows, health = 0 is true
;   i2_p0 = 1: i2 is on kind 0 of the class birth = 1956, zip = *: 2 rows, health = 0 is false
;   i2_p1 = 1: i2 is on kind 1 of the class birth = 1956, zip = *: 2 rows, health = 0 is true
;   i3_p0 = 1: i3 is on kind 0 of the class birth = 1956, zip = *: 2 rows, health = 0 is false
;   i3_p1 = 1: i3 is on kind 1 of the class birth = 1956, zip = *: 2 rows, health = 0 is true
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; satisfiable iff the rule is false in some model at some world
(declare-const i1_p0 Int)
(assert (<= 0 i1_p0 1))
(declare-const i1_p1 Int)
(assert (<= 0 i1_p1 1))
(declare-const i2_p0 Int)
(assert (<= 0 i2_p0 1))
(declare-const i2_p1 Int)
(assert (<= 0 i2_p1 1))
(declare-const i3_p0 Int)
(assert (<= 0 i3_p0 1))
(declare-const i3_p1 Int)
(assert (<= 0 i3_p1 1))
(assert (>= (+ i1_p0 i1_p1 (- 1)) 0))
(assert (>= (+ (* (- 1) i1_p0) (* (- 1) i1_p1) 1) 0))
(assert (>= (+ i2_p0 i2_p1 (- 1)) 0))
(assert (>= (+ (* (- 1) i2_p0) (* (- 1) i2_p1) 1) 0))
(assert (>= (+ i3_p0 i3_p1 (- 1)) 0))
(assert (>= (+ (* (- 1) i3_p0) (* (- 1) i3_p1) 1) 0))
(assert (>= (+ (* (- 1) i1_p0) (* (- 1) i2_p0) (* (- 1) i3_p0) 2) 0))
(assert (>= (+ (* (- 1) i1_p1) (* (- 1) i2_p1) (* (- 1) i3_p1) 2) 0))
(assert (and (= i1_p1 1) (= i2_p1 1) (= i3_p1 1)))
(check-sat)
