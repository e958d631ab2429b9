; Is EntropyDiversity(f='f', l=Fraction(3, 1)) upward-closed: if a class satisfies it, so does its union with any?
; Its condition: by Gibbs' inequality, for every distribution q: sum of n_v log(1/q_v) >= n log 3; both sides add up.
; One of two classes satisfies it, their union does not.
; sat: this condition is not; so far nothing is proved
; unknowns: n1, n2 are the rows of two classes; a1, b1, u1, w1 the quantities named above in the first, likewise in
; the second; quantities of their union are the sums. Constants of the table times n are unknowns of their own.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LRA)
; upward-closed: a condition on quantities that add up
(declare-const a1 Real)
(declare-const a2 Real)
(declare-const u1 Real)
(declare-const u2 Real)
(assert (>= a1 0))
(assert (>= a2 0))
(assert (>= (+ a1 (* (- 1) u1)) 0))
(assert (not (>= (+ a1 a2 (* (- 1) u1) (* (- 1) u2)) 0)))
(check-sat)
