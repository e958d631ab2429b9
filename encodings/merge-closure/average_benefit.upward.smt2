; Is AverageBenefit(f='f', b=Fraction(1, 4)) upward-closed: if a class satisfies it, so does its union with any?
; Its condition: for every value: a <= r n, where a rows of n have it, r depends on p.
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
(assert (>= (+ u1 (* (- 1) a1)) 0))
(assert (not (>= (+ u1 u2 (* (- 1) a1) (* (- 1) a2)) 0)))
(check-sat)
