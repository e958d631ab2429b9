; Claim: If two classes satisfy delta-disclosure with absent values ignored, so does their union.
; Source: ours
; Here: the condition of symbolic/lemmas.py: a = 0, or w < a < u
; Here: Model: a1 = 0, w1 = 1, u1 = 2; a2 = 2, w2 = 1, u2 = 3 gives a = 2, w = 2 for the union
; Unknowns: counts of two classes; p and delta are numbers
; Why: the model is a counterexample: a value that a lacks is diluted below p / 2 in the union
; Bound: one counterexample suffices
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status sat)
(declare-const a1 Real)
(declare-const a2 Real)
(declare-const u1 Real)
(declare-const w1 Real)
(declare-const u2 Real)
(declare-const w2 Real)
(assert (>= a1 0))
(assert (>= a2 0))
(assert (or (= a1 0) (and (> (+ u1 (* (- 1) a1)) 0) (> (+ a1 (* (- 1) w1)) 0))))
(assert (or (= a2 0) (and (> (+ u2 (* (- 1) a2)) 0) (> (+ a2 (* (- 1) w2)) 0))))
(assert (not (or (= (+ a1 a2) 0) (and (> (+ u1 u2 (* (- 1) a1) (* (- 1) a2)) 0) (> (+ a1 a2 (* (- 1) w1) (* (- 1) w2)) 0)))))
(check-sat)
