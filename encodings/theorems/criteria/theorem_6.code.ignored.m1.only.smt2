; Claim: A class is delta-disclosure-private iff l_a1(phi) < 2^delta l_a0(phi) and l_a1(phi) > 2^-delta l_a0(phi) are
;   valid for every f-atom phi.
; Source: Hsu, Liau, Wang: Logic, Probability, and Privacy (2012), Theorem 6
; Here: 1 values, delta = 1, 2 or 3, the formula of phverify.spec.criteria, absent=ignored; if the formula is valid,
;   the criterion holds
; Unknowns: the share q of each value in the class (real, >= 0, sum 1) and p in the table (> 0, sum 1); every class of
;   every table gives such shares, so that nothing is lost by reals; r = 2^delta > 1 and s = 1/r; log_v is the
;   logarithm of q_v/p_v, of which only strict monotonicity is used; a value that is absent from the class has none,
;   and violates the criterion
; Why: a model of the assertions would be a class (or shares that no class need have) for which the two sides differ
;   in the stated direction; there is none.
; Bound: 1 to 6 values that occur in the table; any delta > 0 for the paper's formula, 1 to 3 for the code's
(set-info :smt-lib-version 2.6)
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const q0 Real)
(assert (>= q0 0))
(assert (= q0 1))
(declare-const p0 Real)
(assert (> p0 0))
(assert (= p0 1))
(declare-const r Real)
(assert (or (= r 2) (= r 4) (= r 8)))
(define-fun s () Real (ite (= r 2) 0.5 (ite (= r 4) 0.25 0.125)))
(declare-const delta Real)
(assert (> delta 0))
(declare-const log0 Real)
(assert (=> (> q0 0) (and (= (< (- q0 (* r p0)) 0) (< log0 delta)) (= (= (- q0 (* r p0)) 0) (= log0 delta)))))
(assert (=> (> q0 0) (and (= (< (- q0 (* s p0)) 0) (< log0 (- delta))) (= (= (- q0 (* s p0)) 0) (= log0 (- delta))))))
(define-fun left_0 () Bool (and (=> (= r 2) (and (< (+ q0 (* (- 2) p0)) 0) (or (= q0 0) (< (+ p0 (* (- 2) q0)) 0)))) (=> (= r 4) (and (< (+ q0 (* (- 4) p0)) 0) (or (= q0 0) (< (+ p0 (* (- 4) q0)) 0)))) (=> (= r 8) (and (< (+ q0 (* (- 8) p0)) 0) (or (= q0 0) (< (+ p0 (* (- 8) q0)) 0))))))
(define-fun right_0 () Bool (or (= q0 0) (and (> q0 0) (> log0 (- delta)) (< log0 delta))))
(assert (and left_0 (not right_0)))
(check-sat)
