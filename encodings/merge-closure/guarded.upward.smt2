; Is Guarded(f='f', node='cancer', share=Fraction(1, 4), below=()) upward-closed: if a class satisfies it, so does its union with any?
; Its condition: a <= 1/4 n, where a rows of n are below 'cancer'.
; One of two classes satisfies it, their union does not.
; sat: this condition is not; so far nothing is proved
; unknowns: n1, n2 are the rows of two classes; a1, b1, u1, w1 the quantities named above in the first, likewise in
; the second; quantities of their union are the sums. Constants of the table times n are unknowns of their own.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LRA)
; upward-closed: a condition on quantities that add up
(declare-const n1 Real)
(declare-const a1 Real)
(declare-const n2 Real)
(declare-const a2 Real)
(assert (>= n1 1))
(assert (>= a1 0))
(assert (<= a1 n1))
(assert (>= n2 1))
(assert (>= a2 0))
(assert (<= a2 n2))
(assert (>= (+ n1 (* (- 4) a1)) 0))
(assert (not (>= (+ n1 n2 (* (- 4) a1) (* (- 4) a2)) 0)))
(check-sat)
