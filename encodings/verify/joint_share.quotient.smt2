; l_a1(i3 & health = 2) <= 1/2
; over the hospital release, quotient encoding: unsat means the rule is proved
(set-info :status unsat)
; the negation of: l_a1(i3 & health = 2) <= 1/2
(set-logic QF_LIA)
(declare-const i3_p0 Int)
(assert (<= 0 i3_p0 1))
(declare-const i3_p1 Int)
(assert (<= 0 i3_p1 1))
(assert (>= (+ i3_p0 i3_p1 (- 1)) 0))
(assert (>= (+ (* (- 1) i3_p0) (* (- 1) i3_p1) 1) 0))
(assert true)
(assert true)
(assert false)
(check-sat)
