; Can this be false in this way? l_a1(i3 & health = 2) <= 1/3
; Over the hospital release. The share is 1/2 where i3 is ill.
; sat: a model of these constraints is a leak, a placement and a world where it is false
; The unknowns are 0 or 1; those without a name stand for compound terms.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
(declare-const x0 Int)  ; i3 in profile 1
(assert (and (<= 0 x0) (<= x0 1)))
(declare-const x1 Int)  ; i3 in profile 0
(assert (and (<= 0 x1) (<= x1 1)))
(assert (>= (+ (- 1) 0 (* 1 x0)) 0))
(assert (>= (+ (- 1) 0 (* 1 x1) (* 1 x0)) 0))
(assert (>= (+ 1 0 (* (- 1) x1) (* (- 1) x0)) 0))
(check-sat)
