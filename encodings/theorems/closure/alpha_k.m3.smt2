; Claim: If two classes satisfy a criterion, so does their union: k-anonymity, (alpha, k)-anonymity, distinct and
;   recursive diversity, t-closeness in three distances, delta-disclosure, basic and enhanced beta-likeness, average
;   benefit, each from its definition.
; Source: ours: what search may prune by; the proof is symbolic/lemmas.py
; Here: alpha in 1/3, 1/2, 3/4, any k; 3 values, any counts
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
(declare-const k Int)
(assert (>= k 1))
(define-fun a_0 () Bool (and (>= a k) (and (>= a 1) (<= (* 3 a0) (* 1 a)) (<= (* 3 a1) (* 1 a)) (<= (* 3 a2) (* 1 a)))))
(define-fun b_0 () Bool (and (>= b k) (and (>= b 1) (<= (* 3 b0) (* 1 b)) (<= (* 3 b1) (* 1 b)) (<= (* 3 b2) (* 1 b)))))
(define-fun u_0 () Bool (and (>= u k) (and (>= u 1) (<= (* 3 u0) (* 1 u)) (<= (* 3 u1) (* 1 u)) (<= (* 3 u2) (* 1 u)))))
(define-fun a_1 () Bool (and (>= a k) (and (>= a 1) (<= (* 2 a0) (* 1 a)) (<= (* 2 a1) (* 1 a)) (<= (* 2 a2) (* 1 a)))))
(define-fun b_1 () Bool (and (>= b k) (and (>= b 1) (<= (* 2 b0) (* 1 b)) (<= (* 2 b1) (* 1 b)) (<= (* 2 b2) (* 1 b)))))
(define-fun u_1 () Bool (and (>= u k) (and (>= u 1) (<= (* 2 u0) (* 1 u)) (<= (* 2 u1) (* 1 u)) (<= (* 2 u2) (* 1 u)))))
(define-fun a_2 () Bool (and (>= a k) (and (>= a 1) (<= (* 4 a0) (* 3 a)) (<= (* 4 a1) (* 3 a)) (<= (* 4 a2) (* 3 a)))))
(define-fun b_2 () Bool (and (>= b k) (and (>= b 1) (<= (* 4 b0) (* 3 b)) (<= (* 4 b1) (* 3 b)) (<= (* 4 b2) (* 3 b)))))
(define-fun u_2 () Bool (and (>= u k) (and (>= u 1) (<= (* 4 u0) (* 3 u)) (<= (* 4 u1) (* 3 u)) (<= (* 4 u2) (* 3 u)))))
(assert (or (and a_0 b_0 (not u_0)) (and a_1 b_1 (not u_1)) (and a_2 b_2 (not u_2))))
(check-sat)
