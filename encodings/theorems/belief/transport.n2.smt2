; Claim: If P >= Bel, every focal set can hand its mass to its members so that record x receives P(x).
; Source: ours: a theorem on Definition 14 of Torra and Stokes (2012); known for belief functions at large
; Here: 2 records
; Unknowns: masses m of all sets (real, >= 0, sum 1), probabilities P and Q = P', a transport T, or a matrix F
; Why: a model would be a counterexample; there is none.  The transport is quantified
; Bound: 2 to 4 records
(set-info :smt-lib-version 2.6)
(set-logic LRA)
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
(assert (and (>= P0 m1) (>= P1 m2) (>= (+ P0 P1) (+ m1 m2 m3))))
(assert (forall ((T1_0 Real) (T2_1 Real) (T3_0 Real) (T3_1 Real)) (not (and (>= T1_0 0) (>= T2_1 0) (>= T3_0 0) (>= T3_1 0) (= T1_0 m1) (= T2_1 m2) (= (+ T3_0 T3_1) m3) (= (+ T1_0 T3_0) P0) (= (+ T2_1 T3_1) P1)))))
(check-sat)
