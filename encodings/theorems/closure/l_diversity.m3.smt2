; Claim: If two classes satisfy a criterion, so does their union: k-anonymity, (alpha, k)-anonymity, distinct and
;   recursive diversity, t-closeness in three distances, delta-disclosure, basic and enhanced beta-likeness, average
;   benefit, each from its definition.
; Source: ours: what search may prune by; the proof is symbolic/lemmas.py
; Here: l from 1 to 3; 3 values, any counts
; Unknowns: two classes a and b and their union u: counts of each value, or shares (then u = w a + (1 - w) b), or
;   counts with p n and t n as quantities that add up
; Why: a model would be two classes that satisfy the criterion while their union does not; there is none.
; Bound: 1 to 5 values, any counts; thresholds any where the header says so, else those stated
(set-info :smt-lib-version 2.6)
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const a0 Int)
(declare-const a1 Int)
(declare-const a2 Int)
(assert (>= a0 0))
(assert (>= a1 0))
(assert (>= a2 0))
(define-fun a () Int (+ a0 a1 a2))
(assert (>= a 1))
(declare-const b0 Int)
(declare-const b1 Int)
(declare-const b2 Int)
(assert (>= b0 0))
(assert (>= b1 0))
(assert (>= b2 0))
(define-fun b () Int (+ b0 b1 b2))
(assert (>= b 1))
(define-fun u0 () Int (+ a0 b0))
(define-fun u1 () Int (+ a1 b1))
(define-fun u2 () Int (+ a2 b2))
(define-fun u () Int (+ a b))
(define-fun a_0 () Bool (>= (+ (ite (> a0 0) 1 0) (ite (> a1 0) 1 0) (ite (> a2 0) 1 0)) 1))
(define-fun b_0 () Bool (>= (+ (ite (> b0 0) 1 0) (ite (> b1 0) 1 0) (ite (> b2 0) 1 0)) 1))
(define-fun u_0 () Bool (>= (+ (ite (> u0 0) 1 0) (ite (> u1 0) 1 0) (ite (> u2 0) 1 0)) 1))
(define-fun a_1 () Bool (>= (+ (ite (> a0 0) 1 0) (ite (> a1 0) 1 0) (ite (> a2 0) 1 0)) 2))
(define-fun b_1 () Bool (>= (+ (ite (> b0 0) 1 0) (ite (> b1 0) 1 0) (ite (> b2 0) 1 0)) 2))
(define-fun u_1 () Bool (>= (+ (ite (> u0 0) 1 0) (ite (> u1 0) 1 0) (ite (> u2 0) 1 0)) 2))
(define-fun a_2 () Bool (>= (+ (ite (> a0 0) 1 0) (ite (> a1 0) 1 0) (ite (> a2 0) 1 0)) 3))
(define-fun b_2 () Bool (>= (+ (ite (> b0 0) 1 0) (ite (> b1 0) 1 0) (ite (> b2 0) 1 0)) 3))
(define-fun u_2 () Bool (>= (+ (ite (> u0 0) 1 0) (ite (> u1 0) 1 0) (ite (> u2 0) 1 0)) 3))
(assert (or (and a_0 b_0 (not u_0)) (and a_1 b_1 (not u_1)) (and a_2 b_2 (not u_2))))
(check-sat)
