; Is there a model and a world where this is false? abs(l_a1(i3 & health = 2) - l_a1(i4 & health = 2)) <= 1/4
; over the hospital release
; One of the two is on the ill row, and the difference is 1/2.
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Quotient encoding: rows that the formula cannot tell apart are counted, and a kind of rows is a number.
; unknowns:
;   i3_p0 = 1: i3 is on kind 0 of the class birth = 03/56, zip = 10***: 1 row, health = 2 is false
;   i3_p1 = 1: i3 is on kind 1 of the class birth = 03/56, zip = 10***: 1 row, health = 2 is true
;   i4_p0 = 1: i4 is on kind 0 of the class birth = 03/56, zip = 10***: 1 row, health = 2 is false
;   i4_p1 = 1: i4 is on kind 1 of the class birth = 03/56, zip = 10***: 1 row, health = 2 is true
(set-info :smt-lib-version 2.6)
(set-info :status sat)
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
(define-fun e0 () Bool (not (>= (+ (* (- 4) (ite (and (= i3_p1 1) (>= (+ (* 4 i3_p1) (* (- 4) i4_p1)) 0)) 1 0)) (* 4 (ite (and (not (>= (+ (* 4 i3_p1) (* (- 4) i4_p1)) 0)) (= i3_p1 1)) 1 0)) (* 4 (ite (and (= i4_p1 1) (>= (+ (* 4 i3_p1) (* (- 4) i4_p1)) 0)) 1 0)) (* (- 4) (ite (and (not (>= (+ (* 4 i3_p1) (* (- 4) i4_p1)) 0)) (= i4_p1 1)) 1 0)) 2) 0)))
(assert (>= (+ i3_p0 i3_p1 (- 1)) 0))
(assert (>= (+ (* (- 1) i3_p0) (* (- 1) i3_p1) 1) 0))
(assert (>= (+ i4_p0 i4_p1 (- 1)) 0))
(assert (>= (+ (* (- 1) i4_p0) (* (- 1) i4_p1) 1) 0))
(assert (>= (+ (* (- 1) i3_p0) (* (- 1) i4_p0) 1) 0))
(assert (>= (+ (* (- 1) i3_p1) (* (- 1) i4_p1) 1) 0))
(assert (or e0 e0 (and (>= (+ (* (- 1) i3_p0) (* (- 1) i4_p0)) 0) e0) (and (>= (+ (* (- 1) i3_p1) (* (- 1) i4_p1)) 0) e0)))
(check-sat)
