; Claim: If two classes satisfy a criterion, so does their union: k-anonymity, (alpha, k)-anonymity, distinct and
;   recursive diversity, t-closeness in three distances, delta-disclosure, basic and enhanced beta-likeness, average
;   benefit, each from its definition.
; Source: ours: what search may prune by; the proof is symbolic/lemmas.py
; Here: delta-disclosure, any delta; 1 values, any shares
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
(declare-const r Real)
(declare-const s Real)
(assert (> r 1))
(assert (= (* r s) 1))
(declare-const delta Real)
(assert (> delta 0))
(declare-const log_a0 Real)
(assert (=> (> a0 0) (and (= (< (- a0 (* r p0)) 0) (< log_a0 delta)) (= (= (- a0 (* r p0)) 0) (= log_a0 delta)))))
(assert (=> (> a0 0) (and (= (< (- a0 (* s p0)) 0) (< log_a0 (- delta))) (= (= (- a0 (* s p0)) 0) (= log_a0 (- delta))))))
(declare-const log_b0 Real)
(assert (=> (> b0 0) (and (= (< (- b0 (* r p0)) 0) (< log_b0 delta)) (= (= (- b0 (* r p0)) 0) (= log_b0 delta)))))
(assert (=> (> b0 0) (and (= (< (- b0 (* s p0)) 0) (< log_b0 (- delta))) (= (= (- b0 (* s p0)) 0) (= log_b0 (- delta))))))
(declare-const log_u0 Real)
(assert (=> (> u0 0) (and (= (< (- u0 (* r p0)) 0) (< log_u0 delta)) (= (= (- u0 (* r p0)) 0) (= log_u0 delta)))))
(assert (=> (> u0 0) (and (= (< (- u0 (* s p0)) 0) (< log_u0 (- delta))) (= (= (- u0 (* s p0)) 0) (= log_u0 (- delta))))))
(define-fun a_0 () Bool (and (> a0 0) (> log_a0 (- delta)) (< log_a0 delta)))
(define-fun b_0 () Bool (and (> b0 0) (> log_b0 (- delta)) (< log_b0 delta)))
(define-fun u_0 () Bool (and (> u0 0) (> log_u0 (- delta)) (< log_u0 delta)))
(assert (and a_0 b_0 (not u_0)))
(check-sat)
