; Can this be false in this way? forall c in clauses(health, 1): ~[a1] c
; Over the hospital release. Every class has two values.
; unsat: no model of the release has a world where it is false, so that it is proved
; The unknowns are 0 or 1; those without a name stand for compound terms.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
(declare-const c_v0 Int)
(assert (<= 0 c_v0 1))
(declare-const c_v2 Int)
(assert (<= 0 c_v2 1))
(declare-const c_v1 Int)
(assert (<= 0 c_v1 1))
(assert (>= (+ c_v0 (- 1)) 0))
(assert (>= (+ c_v2 (- 1)) 0))
(assert (>= (+ c_v0 c_v1 c_v2 (- 1)) 0))
(assert (>= (+ (* (- 1) c_v0) (* (- 1) c_v1) (* (- 1) c_v2) 1) 0))
(check-sat)
