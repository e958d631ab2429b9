; Can this be false in this way? ~[a1](@i3 health = 2 & @i4 health = 2)
; Over the hospital release. One of the two is not ill.
; unsat: no model of the release has a world where it is false, so that it is proved
; The unknowns are 0 or 1; those without a name stand for compound terms.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
(declare-const x0 Int)  ; i3 in profile 1
(assert (and (<= 0 x0) (<= x0 1)))
(declare-const x1 Int)  ; i4 in profile 1
(assert (and (<= 0 x1) (<= x1 1)))
(declare-const x2 Int)  ; i3 in profile 0
(assert (and (<= 0 x2) (<= x2 1)))
(declare-const x3 Int)  ; i4 in profile 0
(assert (and (<= 0 x3) (<= x3 1)))
(assert (>= (+ (- 1) 0 (* 1 x0)) 0))
(assert (>= (+ (- 1) 0 (* 1 x1)) 0))
(assert (>= (+ (- 1) 0 (* 1 x2) (* 1 x0)) 0))
(assert (>= (+ 1 0 (* (- 1) x2) (* (- 1) x0)) 0))
(assert (>= (+ (- 1) 0 (* 1 x3) (* 1 x1)) 0))
(assert (>= (+ 1 0 (* (- 1) x3) (* (- 1) x1)) 0))
(assert (>= (+ 1 0 (* (- 1) x2) (* (- 1) x3)) 0))
(assert (>= (+ 1 0 (* (- 1) x0) (* (- 1) x1)) 0))
(check-sat)
