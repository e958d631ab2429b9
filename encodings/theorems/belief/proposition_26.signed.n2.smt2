; Claim: If mass d of any sign is moved from C2 to a subset C1, the nonspecificity does not grow: N(Bel) >= N(Bel').
; Source: Torra, Stokes: A formalization of re-identification in terms of compatible probabilities (2012), Proposition
;   26
; Here: 2 records
; Here: Model: m({x0}) = 1, d = -1, C1 = {x0}, C2 = {x0, x1}: N grows from 0 to log 2
; Unknowns: the masses m of all nonempty sets of records (real, >= 0, sum 1), the mass d, and g_k for log k, of which
;   only g_1 = 0 and strict monotonicity are used
; Why: the model is a counterexample.  A slip of the paper: it asks of d only that the new masses lie in [0, 1]
; Bound: one counterexample suffices
(set-info :smt-lib-version 2.6)
(set-logic QF_NRA)
(set-info :status sat)
(declare-const m1 Real)
(declare-const m2 Real)
(declare-const m3 Real)
(assert (>= m1 0))
(assert (>= m2 0))
(assert (>= m3 0))
(assert (= (+ m1 m2 m3) 1))
(declare-const d Real)
(declare-const g1 Real)
(declare-const g2 Real)
(assert (= g1 0))
(assert (< g1 g2))
(assert (or (and (<= 0 (+ m1 d) 1) (<= 0 (- m3 d) 1) (< (+ (* m1 g1) (* m2 g1) (* m3 g2)) (+ (* (+ m1 d) g1) (* m2 g1) (* (- m3 d) g2)))) (and (<= 0 (+ m2 d) 1) (<= 0 (- m3 d) 1) (< (+ (* m1 g1) (* m2 g1) (* m3 g2)) (+ (* m1 g1) (* (+ m2 d) g1) (* (- m3 d) g2))))))
(check-sat)
