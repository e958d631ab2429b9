; Claim: If two classes satisfy a criterion, so does their union: k-anonymity, (alpha, k)-anonymity, distinct and
;   recursive diversity, t-closeness in three distances, delta-disclosure, basic and enhanced beta-likeness, average
;   benefit, each from its definition.
; Source: ours: what search may prune by; the proof is symbolic/lemmas.py
; Here: recursive (c, l)-diversity, c in 1/2, 1, 3/2, 2, 5, l = 1, 1 values (named by rank in a), any counts
; Unknowns: two classes a and b and their union u: counts of each value, or shares (then u = w a + (1 - w) b), or
;   counts with p n and t n as quantities that add up
; Why: a model would be two classes that satisfy the criterion while their union does not; there is none.
; Bound: 1 to 5 values, any counts; thresholds any where the header says so, else those stated
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const a0 Real)
(assert (>= a0 0))
(define-fun a () Real a0)
(assert (>= a 1))
(declare-const b0 Real)
(assert (>= b0 0))
(define-fun b () Real b0)
(assert (>= b 1))
(define-fun u0 () Real (+ a0 b0))
(define-fun u () Real (+ a b))
(declare-const k_a1 Real)
(assert (<= (ite (> a0 k_a1) 1 0) 0))
(assert (>= (ite (>= a0 k_a1) 1 0) 1))
(declare-const k_b1 Real)
(assert (<= (ite (> b0 k_b1) 1 0) 0))
(assert (>= (ite (>= b0 k_b1) 1 0) 1))
(declare-const k_u1 Real)
(assert (<= (ite (> u0 k_u1) 1 0) 0))
(assert (>= (ite (>= u0 k_u1) 1 0) 1))
(define-fun a_0 () Bool (< (* 2 k_a1) (* 1 k_a1)))
(define-fun b_0 () Bool (< (* 2 k_b1) (* 1 k_b1)))
(define-fun u_0 () Bool (< (* 2 k_u1) (* 1 k_u1)))
(define-fun a_1 () Bool (< (* 1 k_a1) (* 1 k_a1)))
(define-fun b_1 () Bool (< (* 1 k_b1) (* 1 k_b1)))
(define-fun u_1 () Bool (< (* 1 k_u1) (* 1 k_u1)))
(define-fun a_2 () Bool (< (* 2 k_a1) (* 3 k_a1)))
(define-fun b_2 () Bool (< (* 2 k_b1) (* 3 k_b1)))
(define-fun u_2 () Bool (< (* 2 k_u1) (* 3 k_u1)))
(define-fun a_3 () Bool (< (* 1 k_a1) (* 2 k_a1)))
(define-fun b_3 () Bool (< (* 1 k_b1) (* 2 k_b1)))
(define-fun u_3 () Bool (< (* 1 k_u1) (* 2 k_u1)))
(define-fun a_4 () Bool (< (* 1 k_a1) (* 5 k_a1)))
(define-fun b_4 () Bool (< (* 1 k_b1) (* 5 k_b1)))
(define-fun u_4 () Bool (< (* 1 k_u1) (* 5 k_u1)))
(assert (or (and a_0 b_0 (not u_0)) (and a_1 b_1 (not u_1)) (and a_2 b_2 (not u_2)) (and a_3 b_3 (not u_3)) (and a_4 b_4 (not u_4))))
(check-sat)
