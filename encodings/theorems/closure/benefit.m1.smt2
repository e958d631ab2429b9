; Claim: If two classes satisfy a criterion, so does their union: k-anonymity, (alpha, k)-anonymity, distinct and
;   recursive diversity, t-closeness in three distances, delta-disclosure, basic and enhanced beta-likeness, average
;   benefit, each from its definition.
; Source: ours: what search may prune by; the proof is symbolic/lemmas.py
; Here: average benefit, any b; 1 values, any shares
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
(assert (>= a0 0))
(assert (= a0 1))
(declare-const b0 Real)
(assert (>= b0 0))
(assert (= b0 1))
(declare-const p0 Real)
(assert (> p0 0))
(assert (= p0 1))
(define-fun u0 () Real (+ (* w a0) (* (- 1 w) b0)))
(declare-const b Real)
(assert (>= b 0))
(define-fun a_0 () Bool (<= (- a0 p0) b))
(define-fun b_0 () Bool (<= (- b0 p0) b))
(define-fun u_0 () Bool (<= (- u0 p0) b))
(assert (and a_0 b_0 (not u_0)))
(check-sat)
