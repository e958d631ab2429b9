; Can the assumptions of with_the_tip be met together? @i3 ~(health = 2)
; over the hospital release
; sat: some placement meets them all
; i3_p0 = 1: i3 is on kind 0 of the class birth = 03/56, zip = 10***: 1 row, ~(health = 2) is false
; i3_p1 = 1: i3 is on kind 1 of the class birth = 03/56, zip = 10***: 1 row, ~(health = 2) is true
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; satisfiable iff the assumptions can be met together
(declare-const i3_p0 Int)
(assert (<= 0 i3_p0 1))
(declare-const i3_p1 Int)
(assert (<= 0 i3_p1 1))
(assert (>= (+ i3_p0 i3_p1 (- 1)) 0))
(assert (>= (+ (* (- 1) i3_p0) (* (- 1) i3_p1) 1) 0))
(assert (= i3_p1 1))
(assert true)
(check-sat)
