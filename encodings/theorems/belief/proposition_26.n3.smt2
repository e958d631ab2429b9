; Claim: If mass d >= 0 is moved from C2 to a subset C1, the nonspecificity does not grow: N(Bel) >= N(Bel').
; Source: Torra, Stokes: A formalization of re-identification in terms of compatible probabilities (2012), Proposition
;   26
; Here: 3 records
; Unknowns: the masses m of all nonempty sets of records (real, >= 0, sum 1), the mass d, and g_k for log k, of which
;   only g_1 = 0 and strict monotonicity are used
; Why: a model would be a counterexample; there is none.  In the first line of the paper's proof Bel and Bel' have
;   changed places
; Bound: 2 to 4 records, all pairs C1, C2
(set-info :smt-lib-version 2.6)
(set-logic QF_NRA)
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
(declare-const d Real)
(assert (>= d 0))
(declare-const g1 Real)
(declare-const g2 Real)
(declare-const g3 Real)
(assert (= g1 0))
(assert (< g1 g2))
(assert (< g2 g3))
(assert (or (and (<= 0 (+ m1 d) 1) (<= 0 (- m3 d) 1) (< (+ (* m1 g1) (* m2 g1) (* m3 g2) (* m4 g1) (* m5 g2) (* m6 g2) (* m7 g3)) (+ (* (+ m1 d) g1) (* m2 g1) (* (- m3 d) g2) (* m4 g1) (* m5 g2) (* m6 g2) (* m7 g3)))) (and (<= 0 (+ m2 d) 1) (<= 0 (- m3 d) 1) (< (+ (* m1 g1) (* m2 g1) (* m3 g2) (* m4 g1) (* m5 g2) (* m6 g2) (* m7 g3)) (+ (* m1 g1) (* (+ m2 d) g1) (* (- m3 d) g2) (* m4 g1) (* m5 g2) (* m6 g2) (* m7 g3)))) (and (<= 0 (+ m1 d) 1) (<= 0 (- m5 d) 1) (< (+ (* m1 g1) (* m2 g1) (* m3 g2) (* m4 g1) (* m5 g2) (* m6 g2) (* m7 g3)) (+ (* (+ m1 d) g1) (* m2 g1) (* m3 g2) (* m4 g1) (* (- m5 d) g2) (* m6 g2) (* m7 g3)))) (and (<= 0 (+ m4 d) 1) (<= 0 (- m5 d) 1) (< (+ (* m1 g1) (* m2 g1) (* m3 g2) (* m4 g1) (* m5 g2) (* m6 g2) (* m7 g3)) (+ (* m1 g1) (* m2 g1) (* m3 g2) (* (+ m4 d) g1) (* (- m5 d) g2) (* m6 g2) (* m7 g3)))) (and (<= 0 (+ m2 d) 1) (<= 0 (- m6 d) 1) (< (+ (* m1 g1) (* m2 g1) (* m3 g2) (* m4 g1) (* m5 g2) (* m6 g2) (* m7 g3)) (+ (* m1 g1) (* (+ m2 d) g1) (* m3 g2) (* m4 g1) (* m5 g2) (* (- m6 d) g2) (* m7 g3)))) (and (<= 0 (+ m4 d) 1) (<= 0 (- m6 d) 1) (< (+ (* m1 g1) (* m2 g1) (* m3 g2) (* m4 g1) (* m5 g2) (* m6 g2) (* m7 g3)) (+ (* m1 g1) (* m2 g1) (* m3 g2) (* (+ m4 d) g1) (* m5 g2) (* (- m6 d) g2) (* m7 g3)))) (and (<= 0 (+ m1 d) 1) (<= 0 (- m7 d) 1) (< (+ (* m1 g1) (* m2 g1) (* m3 g2) (* m4 g1) (* m5 g2) (* m6 g2) (* m7 g3)) (+ (* (+ m1 d) g1) (* m2 g1) (* m3 g2) (* m4 g1) (* m5 g2) (* m6 g2) (* (- m7 d) g3)))) (and (<= 0 (+ m2 d) 1) (<= 0 (- m7 d) 1) (< (+ (* m1 g1) (* m2 g1) (* m3 g2) (* m4 g1) (* m5 g2) (* m6 g2) (* m7 g3)) (+ (* m1 g1) (* (+ m2 d) g1) (* m3 g2) (* m4 g1) (* m5 g2) (* m6 g2) (* (- m7 d) g3)))) (and (<= 0 (+ m3 d) 1) (<= 0 (- m7 d) 1) (< (+ (* m1 g1) (* m2 g1) (* m3 g2) (* m4 g1) (* m5 g2) (* m6 g2) (* m7 g3)) (+ (* m1 g1) (* m2 g1) (* (+ m3 d) g2) (* m4 g1) (* m5 g2) (* m6 g2) (* (- m7 d) g3)))) (and (<= 0 (+ m4 d) 1) (<= 0 (- m7 d) 1) (< (+ (* m1 g1) (* m2 g1) (* m3 g2) (* m4 g1) (* m5 g2) (* m6 g2) (* m7 g3)) (+ (* m1 g1) (* m2 g1) (* m3 g2) (* (+ m4 d) g1) (* m5 g2) (* m6 g2) (* (- m7 d) g3)))) (and (<= 0 (+ m5 d) 1) (<= 0 (- m7 d) 1) (< (+ (* m1 g1) (* m2 g1) (* m3 g2) (* m4 g1) (* m5 g2) (* m6 g2) (* m7 g3)) (+ (* m1 g1) (* m2 g1) (* m3 g2) (* m4 g1) (* (+ m5 d) g2) (* m6 g2) (* (- m7 d) g3)))) (and (<= 0 (+ m6 d) 1) (<= 0 (- m7 d) 1) (< (+ (* m1 g1) (* m2 g1) (* m3 g2) (* m4 g1) (* m5 g2) (* m6 g2) (* m7 g3)) (+ (* m1 g1) (* m2 g1) (* m3 g2) (* m4 g1) (* m5 g2) (* (+ m6 d) g2) (* (- m7 d) g3))))))
(check-sat)
