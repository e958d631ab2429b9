; Claim: If two classes satisfy a criterion, so does their union: k-anonymity, (alpha, k)-anonymity, distinct and
;   recursive diversity, t-closeness in three distances, delta-disclosure, basic and enhanced beta-likeness, average
;   benefit, each from its definition.
; Source: ours: what search may prune by; the proof is symbolic/lemmas.py
; Here: t-closeness, ordered, 1 values, any table, any t
; Unknowns: two classes a and b and their union u: counts of each value, or shares (then u = w a + (1 - w) b), or
;   counts with p n and t n as quantities that add up
; Why: a model would be two classes that satisfy the criterion while their union does not; there is none.
; Bound: 1 to 5 values, any counts; thresholds any where the header says so, else those stated
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const na0 Real)
(declare-const wa0 Real)
(declare-const ta Real)
(assert (>= na0 0))
(assert (>= wa0 0))
(assert (= na0 wa0))
(assert (> na0 0))
(assert (>= ta 0))
(declare-const nb0 Real)
(declare-const wb0 Real)
(declare-const tb Real)
(assert (>= nb0 0))
(assert (>= wb0 0))
(assert (= nb0 wb0))
(assert (> nb0 0))
(assert (>= tb 0))
(define-fun nu0 () Real (+ na0 nb0))
(define-fun wu0 () Real (+ wa0 wb0))
(define-fun tu () Real (+ ta tb))
(define-fun first () Bool (<= 0 ta))
(define-fun second () Bool (<= 0 tb))
(define-fun union () Bool (<= 0 tu))
(assert (and first second (not union)))
(check-sat)
