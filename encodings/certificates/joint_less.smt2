; Can this be false in this way? l_a1(i3 & health = 2) <= 1/3
; Over the hospital release. The share is 1/2 where i3 is ill.
; sat: a model of these constraints is a leak, a placement and a world where it is false
; The unknowns are 0 or 1; those without a name stand for compound terms.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
(declare-const i3_p1 Int)
(assert (<= 0 i3_p1 1))
(declare-const i3_p0 Int)
(assert (<= 0 i3_p0 1))
(assert (>= (+ i3_p1 (- 1)) 0))
(assert (>= (+ i3_p0 i3_p1 (- 1)) 0))
(assert (>= (+ (* (- 1) i3_p0) (* (- 1) i3_p1) 1) 0))
(check-sat)
