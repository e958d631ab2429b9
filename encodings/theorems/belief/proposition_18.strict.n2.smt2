; Claim: If P is 1 at i0 and P' is compatible with P, then P' is greatest at i' only for i' = i0.
; Source: Torra, Stokes: A formalization of re-identification in terms of compatible probabilities (2012), Proposition
;   18
; Here: 2 records
; Here: Model: m({i0, i1}) = 1, so that P' = 1/2 at both
; Unknowns: the masses m of all nonempty sets of records (real, >= 0, sum 1) and the true probability P; P' is the
;   pignistic probability of m
; Why: the model is a counterexample.  A slip of the paper: it forgets ties
; Bound: one counterexample suffices
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status sat)
(declare-const m1 Real)
(declare-const m2 Real)
(declare-const m3 Real)
(assert (>= m1 0))
(assert (>= m2 0))
(assert (>= m3 0))
(assert (= (+ m1 m2 m3) 1))
(declare-const P0 Real)
(declare-const P1 Real)
(assert (>= P0 0))
(assert (>= P1 0))
(assert (= (+ P0 P1) 1))
(assert (= P0 1))
(assert (and (>= P0 m1) (>= P1 m2) (>= (+ P0 P1) (+ m1 m2 m3))))
(assert (and (>= (+ (* 1 m2) (* (/ 1 2) m3)) (+ (* 1 m1) (* (/ 1 2) m3))) (>= (+ (* 1 m2) (* (/ 1 2) m3)) (+ (* 1 m2) (* (/ 1 2) m3)))))
(check-sat)
