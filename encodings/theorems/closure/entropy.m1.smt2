; Claim: If two classes have entropy at least log l, so has their union.
; Source: ours
; Here: 1 values, any l
; Unknowns: two classes by shares, their union, and h_v = -x log x at each share, of which only concavity along the
;   segment is used
; Why: a model would be two classes that satisfy the criterion while their union does not; there is none.
; Bound: 1 to 5 values, any counts, any l; concavity of -x log x is calculus, which no solver here proves
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
(declare-const log_l Real)
(declare-const ah0 Real)
(declare-const bh0 Real)
(declare-const uh0 Real)
(assert (>= uh0 (+ (* w ah0) (* (- 1 w) bh0))))
(assert (>= ah0 log_l))
(assert (>= bh0 log_l))
(assert (< uh0 log_l))
(check-sat)
