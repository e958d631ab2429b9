; Is there a model and a world where this is false? ~(@i1 health = 0 & @i2 health = 0)
; over the repaired hospital release
; Two rows for two individuals.
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Quotient encoding: rows that the formula cannot tell apart are counted, and a kind of rows is a number.
; unknowns:
;   i1_p0 = 1: i1 is on kind 0 of the class birth = 1956, zip = *: 2 rows, health = 0 is false
;   i1_p1 = 1: i1 is on kind 1 of the class birth = 1956, zip = *: 2 rows, health = 0 is true
;   i2_p0 = 1: i2 is on kind 0 of the class birth = 1956, zip = *: 2 rows, health = 0 is false
;   i2_p1 = 1: i2 is on kind 1 of the class birth = 1956, zip = *: 2 rows, health = 0 is true
(set-info :smt-lib-version 2.6)
(set-info :status sat)
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
(assert (>= (+ i1_p0 i1_p1 (- 1)) 0))
(assert (>= (+ (* (- 1) i1_p0) (* (- 1) i1_p1) 1) 0))
(assert (>= (+ i2_p0 i2_p1 (- 1)) 0))
(assert (>= (+ (* (- 1) i2_p0) (* (- 1) i2_p1) 1) 0))
(assert (and (= i1_p1 1) (= i2_p1 1)))
(check-sat)
