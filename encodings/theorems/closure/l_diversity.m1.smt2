; Claim: If two classes satisfy a criterion, so does their union: k-anonymity, (alpha, k)-anonymity, distinct and
;   recursive diversity, t-closeness in three distances, delta-disclosure, basic and enhanced beta-likeness, average
;   benefit, each from its definition.
; Source: ours: what search may prune by; the proof is symbolic/lemmas.py
; Here: l from 1 to 1; 1 values, any counts
; Unknowns: two classes a and b and their union u: counts of each value, or shares (then u = w a + (1 - w) b), or
;   counts with p n and t n as quantities that add up
; Why: a model would be two classes that satisfy the criterion while their union does not; there is none.
; Bound: 1 to 5 values, any counts; thresholds any where the header says so, else those stated
(set-info :smt-lib-version 2.6)
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const a0 Int)
(assert (>= a0 0))
(define-fun a () Int a0)
(assert (>= a 1))
(declare-const b0 Int)
(assert (>= b0 0))
(define-fun b () Int b0)
(assert (>= b 1))
(define-fun u0 () Int (+ a0 b0))
(define-fun u () Int (+ a b))
(define-fun a_0 () Bool (>= (ite (> a0 0) 1 0) 1))
(define-fun b_0 () Bool (>= (ite (> b0 0) 1 0) 1))
(define-fun u_0 () Bool (>= (ite (> u0 0) 1 0) 1))
(assert (and a_0 b_0 (not u_0)))
(check-sat)
