; Claim: A class is t-close in the variational distance iff (psi1 & psi2 & psi3) -> sum over j <= k of (l_a0(phi_j) -
;   l_a1(phi_j)) <= t is valid for every f-clause and k; and iff l_a0(D) - l_a1(D) <= t is for every clause D.
; Source: Hsu, Liau, Wang: Logic, Probability, and Privacy (2012), Theorem 5, with Definition 9
; Here: 5 values, the formula of phverify.spec.criteria; if the criterion holds, the formula is valid
; Unknowns: the share q of each value in the class (real, >= 0, sum 1) and p in the table (> 0, sum 1); every class of
;   every table gives such shares, so that nothing is lost by reals; t >= 0 (real)
; Why: a model of the assertions would be a class (or shares that no class need have) for which the two sides differ
;   in the stated direction; there is none.
; Bound: 1 to 6 values, any t
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
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
(declare-const t Real)
(assert (>= t 0))
(define-fun left_0 () Bool (<= (* (/ 1 2) (+ (ite (>= (- p0 q0) 0) (- p0 q0) (- (- p0 q0))) (ite (>= (- p1 q1) 0) (- p1 q1) (- (- p1 q1))) (ite (>= (- p2 q2) 0) (- p2 q2) (- (- p2 q2))) (ite (>= (- p3 q3) 0) (- p3 q3) (- (- p3 q3))) (ite (>= (- p4 q4) 0) (- p4 q4) (- (- p4 q4))))) t))
(define-fun right_0 () Bool (and (<= (+ p0 (* (- 1) q0) (* (- 1) t)) 0) (<= (+ p1 (* (- 1) q1) (* (- 1) t)) 0) (<= (+ p2 (* (- 1) q2) (* (- 1) t)) 0) (<= (+ p3 (* (- 1) q3) (* (- 1) t)) 0) (<= (+ p4 (* (- 1) q4) (* (- 1) t)) 0) (<= (+ p0 p1 (* (- 1) q0) (* (- 1) q1) (* (- 1) t)) 0) (<= (+ p0 p2 (* (- 1) q0) (* (- 1) q2) (* (- 1) t)) 0) (<= (+ p0 p3 (* (- 1) q0) (* (- 1) q3) (* (- 1) t)) 0) (<= (+ p0 p4 (* (- 1) q0) (* (- 1) q4) (* (- 1) t)) 0) (<= (+ p1 p2 (* (- 1) q1) (* (- 1) q2) (* (- 1) t)) 0) (<= (+ p1 p3 (* (- 1) q1) (* (- 1) q3) (* (- 1) t)) 0) (<= (+ p1 p4 (* (- 1) q1) (* (- 1) q4) (* (- 1) t)) 0) (<= (+ p2 p3 (* (- 1) q2) (* (- 1) q3) (* (- 1) t)) 0) (<= (+ p2 p4 (* (- 1) q2) (* (- 1) q4) (* (- 1) t)) 0) (<= (+ p3 p4 (* (- 1) q3) (* (- 1) q4) (* (- 1) t)) 0) (<= (+ p0 p1 p2 (* (- 1) q0) (* (- 1) q1) (* (- 1) q2) (* (- 1) t)) 0) (<= (+ p0 p1 p3 (* (- 1) q0) (* (- 1) q1) (* (- 1) q3) (* (- 1) t)) 0) (<= (+ p0 p1 p4 (* (- 1) q0) (* (- 1) q1) (* (- 1) q4) (* (- 1) t)) 0) (<= (+ p0 p2 p3 (* (- 1) q0) (* (- 1) q2) (* (- 1) q3) (* (- 1) t)) 0) (<= (+ p0 p2 p4 (* (- 1) q0) (* (- 1) q2) (* (- 1) q4) (* (- 1) t)) 0) (<= (+ p0 p3 p4 (* (- 1) q0) (* (- 1) q3) (* (- 1) q4) (* (- 1) t)) 0) (<= (+ p1 p2 p3 (* (- 1) q1) (* (- 1) q2) (* (- 1) q3) (* (- 1) t)) 0) (<= (+ p1 p2 p4 (* (- 1) q1) (* (- 1) q2) (* (- 1) q4) (* (- 1) t)) 0) (<= (+ p1 p3 p4 (* (- 1) q1) (* (- 1) q3) (* (- 1) q4) (* (- 1) t)) 0) (<= (+ p2 p3 p4 (* (- 1) q2) (* (- 1) q3) (* (- 1) q4) (* (- 1) t)) 0) (<= (+ p0 p1 p2 p3 (* (- 1) q0) (* (- 1) q1) (* (- 1) q2) (* (- 1) q3) (* (- 1) t)) 0) (<= (+ p0 p1 p2 p4 (* (- 1) q0) (* (- 1) q1) (* (- 1) q2) (* (- 1) q4) (* (- 1) t)) 0) (<= (+ p0 p1 p3 p4 (* (- 1) q0) (* (- 1) q1) (* (- 1) q3) (* (- 1) q4) (* (- 1) t)) 0) (<= (+ p0 p2 p3 p4 (* (- 1) q0) (* (- 1) q2) (* (- 1) q3) (* (- 1) q4) (* (- 1) t)) 0) (<= (+ p1 p2 p3 p4 (* (- 1) q1) (* (- 1) q2) (* (- 1) q3) (* (- 1) q4) (* (- 1) t)) 0) (<= (+ p0 p1 p2 p3 p4 (* (- 1) q0) (* (- 1) q1) (* (- 1) q2) (* (- 1) q3) (* (- 1) q4) (* (- 1) t)) 0)))
(assert (and left_0 (not right_0)))
(check-sat)
