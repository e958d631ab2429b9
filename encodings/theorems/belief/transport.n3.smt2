; Claim: If P >= Bel, every focal set can hand its mass to its members so that record x receives P(x).
; Source: ours: a theorem on Definition 14 of Torra and Stokes (2012); known for belief functions at large
; Here: 3 records
; Unknowns: masses m of all sets (real, >= 0, sum 1), probabilities P and Q = P', a transport T, or a matrix F
; Why: a model would be a counterexample; there is none.  The transport is quantified
; Bound: 2 to 4 records
(set-info :smt-lib-version 2.6)
(set-logic LRA)
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
(assert (and (>= P0 m1) (>= P1 m2) (>= (+ P0 P1) (+ m1 m2 m3)) (>= P2 m4) (>= (+ P0 P2) (+ m1 m4 m5)) (>= (+ P1 P2) (+ m2 m4 m6)) (>= (+ P0 P1 P2) (+ m1 m2 m3 m4 m5 m6 m7))))
(assert (forall ((T1_0 Real) (T2_1 Real) (T3_0 Real) (T3_1 Real) (T4_2 Real) (T5_0 Real) (T5_2 Real) (T6_1 Real) (T6_2 Real) (T7_0 Real) (T7_1 Real) (T7_2 Real)) (not (and (>= T1_0 0) (>= T2_1 0) (>= T3_0 0) (>= T3_1 0) (>= T4_2 0) (>= T5_0 0) (>= T5_2 0) (>= T6_1 0) (>= T6_2 0) (>= T7_0 0) (>= T7_1 0) (>= T7_2 0) (= T1_0 m1) (= T2_1 m2) (= (+ T3_0 T3_1) m3) (= T4_2 m4) (= (+ T5_0 T5_2) m5) (= (+ T6_1 T6_2) m6) (= (+ T7_0 T7_1 T7_2) m7) (= (+ T1_0 T3_0 T5_0 T7_0) P0) (= (+ T2_1 T3_1 T6_1 T7_1) P1) (= (+ T4_2 T5_2 T6_2 T7_2) P2)))))
(check-sat)
