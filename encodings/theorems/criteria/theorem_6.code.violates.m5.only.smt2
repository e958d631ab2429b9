; Claim: A class is delta-disclosure-private iff l_a1(phi) < 2^delta l_a0(phi) and l_a1(phi) > 2^-delta l_a0(phi) are
;   valid for every f-atom phi.
; Source: Hsu, Liau, Wang: Logic, Probability, and Privacy (2012), Theorem 6
; Here: 5 values, delta = 1, 2 or 3, the formula of phverify.spec.criteria, absent=violates; if the formula is valid,
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
(declare-const q1 Real)
(declare-const q2 Real)
(declare-const q3 Real)
(declare-const q4 Real)
(assert (>= q0 0))
(assert (>= q1 0))
(assert (>= q2 0))
(assert (>= q3 0))
(assert (>= q4 0))
(assert (= (+ q0 q1 q2 q3 q4) 1))
(declare-const p0 Real)
(declare-const p1 Real)
(declare-const p2 Real)
(declare-const p3 Real)
(declare-const p4 Real)
(assert (> p0 0))
(assert (> p1 0))
(assert (> p2 0))
(assert (> p3 0))
(assert (> p4 0))
(assert (= (+ p0 p1 p2 p3 p4) 1))
(declare-const r Real)
(assert (or (= r 2) (= r 4) (= r 8)))
(define-fun s () Real (ite (= r 2) 0.5 (ite (= r 4) 0.25 0.125)))
(declare-const delta Real)
(assert (> delta 0))
(declare-const log0 Real)
(assert (=> (> q0 0) (and (= (< (- q0 (* r p0)) 0) (< log0 delta)) (= (= (- q0 (* r p0)) 0) (= log0 delta)))))
(assert (=> (> q0 0) (and (= (< (- q0 (* s p0)) 0) (< log0 (- delta))) (= (= (- q0 (* s p0)) 0) (= log0 (- delta))))))
(declare-const log1 Real)
(assert (=> (> q1 0) (and (= (< (- q1 (* r p1)) 0) (< log1 delta)) (= (= (- q1 (* r p1)) 0) (= log1 delta)))))
(assert (=> (> q1 0) (and (= (< (- q1 (* s p1)) 0) (< log1 (- delta))) (= (= (- q1 (* s p1)) 0) (= log1 (- delta))))))
(declare-const log2 Real)
(assert (=> (> q2 0) (and (= (< (- q2 (* r p2)) 0) (< log2 delta)) (= (= (- q2 (* r p2)) 0) (= log2 delta)))))
(assert (=> (> q2 0) (and (= (< (- q2 (* s p2)) 0) (< log2 (- delta))) (= (= (- q2 (* s p2)) 0) (= log2 (- delta))))))
(declare-const log3 Real)
(assert (=> (> q3 0) (and (= (< (- q3 (* r p3)) 0) (< log3 delta)) (= (= (- q3 (* r p3)) 0) (= log3 delta)))))
(assert (=> (> q3 0) (and (= (< (- q3 (* s p3)) 0) (< log3 (- delta))) (= (= (- q3 (* s p3)) 0) (= log3 (- delta))))))
(declare-const log4 Real)
(assert (=> (> q4 0) (and (= (< (- q4 (* r p4)) 0) (< log4 delta)) (= (= (- q4 (* r p4)) 0) (= log4 delta)))))
(assert (=> (> q4 0) (and (= (< (- q4 (* s p4)) 0) (< log4 (- delta))) (= (= (- q4 (* s p4)) 0) (= log4 (- delta))))))
(define-fun left_0 () Bool (and (=> (= r 2) (and (and (< (+ q0 (* (- 2) p0)) 0) (< (+ p0 (* (- 2) q0)) 0)) (and (< (+ q1 (* (- 2) p1)) 0) (< (+ p1 (* (- 2) q1)) 0)) (and (< (+ q2 (* (- 2) p2)) 0) (< (+ p2 (* (- 2) q2)) 0)) (and (< (+ q3 (* (- 2) p3)) 0) (< (+ p3 (* (- 2) q3)) 0)) (and (< (+ q4 (* (- 2) p4)) 0) (< (+ p4 (* (- 2) q4)) 0)))) (=> (= r 4) (and (and (< (+ q0 (* (- 4) p0)) 0) (< (+ p0 (* (- 4) q0)) 0)) (and (< (+ q1 (* (- 4) p1)) 0) (< (+ p1 (* (- 4) q1)) 0)) (and (< (+ q2 (* (- 4) p2)) 0) (< (+ p2 (* (- 4) q2)) 0)) (and (< (+ q3 (* (- 4) p3)) 0) (< (+ p3 (* (- 4) q3)) 0)) (and (< (+ q4 (* (- 4) p4)) 0) (< (+ p4 (* (- 4) q4)) 0)))) (=> (= r 8) (and (and (< (+ q0 (* (- 8) p0)) 0) (< (+ p0 (* (- 8) q0)) 0)) (and (< (+ q1 (* (- 8) p1)) 0) (< (+ p1 (* (- 8) q1)) 0)) (and (< (+ q2 (* (- 8) p2)) 0) (< (+ p2 (* (- 8) q2)) 0)) (and (< (+ q3 (* (- 8) p3)) 0) (< (+ p3 (* (- 8) q3)) 0)) (and (< (+ q4 (* (- 8) p4)) 0) (< (+ p4 (* (- 8) q4)) 0))))))
(define-fun right_0 () Bool (and (and (> q0 0) (> log0 (- delta)) (< log0 delta)) (and (> q1 0) (> log1 (- delta)) (< log1 delta)) (and (> q2 0) (> log2 (- delta)) (< log2 delta)) (and (> q3 0) (> log3 (- delta)) (< log3 delta)) (and (> q4 0) (> log4 (- delta)) (< log4 delta))))
(assert (and left_0 (not right_0)))
(check-sat)
