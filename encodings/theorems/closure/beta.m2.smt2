; Claim: If two classes satisfy a criterion, so does their union: k-anonymity, (alpha, k)-anonymity, distinct and
;   recursive diversity, t-closeness in three distances, delta-disclosure, basic and enhanced beta-likeness, average
;   benefit, each from its definition.
; Source: ours: what search may prune by; the proof is symbolic/lemmas.py
; Here: basic beta-likeness, beta in 1/2, 2; 2 values, any shares
; Unknowns: two classes a and b and their union u: counts of each value, or shares (then u = w a + (1 - w) b), or
;   counts with p n and t n as quantities that add up
; Why: a model would be two classes that satisfy the criterion while their union does not; there is none.
; Bound: 1 to 5 values, any counts; thresholds any where the header says so, else those stated
(set-info :smt-lib-version 2.6)
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const w Real)
(assert (< 0 w 1))
(declare-const a0 Real)
(declare-const a1 Real)
(assert (>= a0 0))
(assert (>= a1 0))
(assert (= (+ a0 a1) 1))
(declare-const b0 Real)
(declare-const b1 Real)
(assert (>= b0 0))
(assert (>= b1 0))
(assert (= (+ b0 b1) 1))
(declare-const p0 Real)
(declare-const p1 Real)
(assert (> p0 0))
(assert (> p1 0))
(assert (= (+ p0 p1) 1))
(define-fun u0 () Real (+ (* w a0) (* (- 1 w) b0)))
(define-fun u1 () Real (+ (* w a1) (* (- 1 w) b1)))
(define-fun a_0 () Bool (and (<= (- a0 p0) (* (/ 1 2) p0)) (<= (- a1 p1) (* (/ 1 2) p1))))
(define-fun b_0 () Bool (and (<= (- b0 p0) (* (/ 1 2) p0)) (<= (- b1 p1) (* (/ 1 2) p1))))
(define-fun u_0 () Bool (and (<= (- u0 p0) (* (/ 1 2) p0)) (<= (- u1 p1) (* (/ 1 2) p1))))
(define-fun a_1 () Bool (and (<= (- a0 p0) (* 2 p0)) (<= (- a1 p1) (* 2 p1))))
(define-fun b_1 () Bool (and (<= (- b0 p0) (* 2 p0)) (<= (- b1 p1) (* 2 p1))))
(define-fun u_1 () Bool (and (<= (- u0 p0) (* 2 p0)) (<= (- u1 p1) (* 2 p1))))
(assert (or (and a_0 b_0 (not u_0)) (and a_1 b_1 (not u_1))))
(check-sat)
