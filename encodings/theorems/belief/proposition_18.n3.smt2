; Claim: If P is 1 at i0 and P' is compatible with P, then i0 is among the records where P' is greatest.
; Source: Torra, Stokes: A formalization of re-identification in terms of compatible probabilities (2012), Proposition
;   18
; Here: 3 records
; Unknowns: the masses m of all nonempty sets of records (real, >= 0, sum 1) and the true probability P; P' is the
;   pignistic probability of m
; Why: a model would be a counterexample; there is none.
; Bound: 2 to 5 records
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const m1 Real)
(declare-const m2 Real)
(declare-const m3 Real)
(declare-const m4 Real)
(declare-const m5 Real)
(declare-const m6 Real)
(declare-const m7 Real)
(assert (>= m1 0))
(assert (>= m2 0))
(assert (>= m3 0))
(assert (>= m4 0))
(assert (>= m5 0))
(assert (>= m6 0))
(assert (>= m7 0))
(assert (= (+ m1 m2 m3 m4 m5 m6 m7) 1))
(declare-const P0 Real)
(declare-const P1 Real)
(declare-const P2 Real)
(assert (>= P0 0))
(assert (>= P1 0))
(assert (>= P2 0))
(assert (= (+ P0 P1 P2) 1))
(assert (= P0 1))
(assert (and (>= P0 m1) (>= P1 m2) (>= (+ P0 P1) (+ m1 m2 m3)) (>= P2 m4) (>= (+ P0 P2) (+ m1 m4 m5)) (>= (+ P1 P2) (+ m2 m4 m6)) (>= (+ P0 P1 P2) (+ m1 m2 m3 m4 m5 m6 m7))))
(assert (or (> (+ (* 1 m2) (* (/ 1 2) m3) (* (/ 1 2) m6) (* (/ 1 3) m7)) (+ (* 1 m1) (* (/ 1 2) m3) (* (/ 1 2) m5) (* (/ 1 3) m7))) (> (+ (* 1 m4) (* (/ 1 2) m5) (* (/ 1 2) m6) (* (/ 1 3) m7)) (+ (* 1 m1) (* (/ 1 2) m3) (* (/ 1 2) m5) (* (/ 1 3) m7)))))
(check-sat)
