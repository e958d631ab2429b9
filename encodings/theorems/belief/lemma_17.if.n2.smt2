; Claim: If P is 1 at x0 and Bel is compatible with P, then m(A) = 0 for every A without x0.
; Source: Torra, Stokes: A formalization of re-identification in terms of compatible probabilities (2012), Lemma 17
; Here: 2 records
; Unknowns: the masses m of all nonempty sets of records (real, >= 0, sum 1) and the true probability P
; Why: a model would be a counterexample; there is none.
; Bound: 2 to 5 records
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status unsat)
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
(assert (not (= m2 0)))
(check-sat)
