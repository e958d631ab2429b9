; Is AverageBenefit(f='f', b=Fraction(1, 4)) merge-closed: if two classes satisfy it, so does their union?
; Its condition: for every value: a <= r n, where a rows of n have it, r depends on p.
; Two classes satisfy the condition, their union does not.
; unsat: it is, whatever the classes
; unknowns: n1, n2 are the rows of two classes; a1, b1, u1, w1 the quantities named above in the first, likewise in
; the second; quantities of their union are the sums. Constants of the table times n are unknowns of their own.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LRA)
; merge-closed: a condition on quantities that add up
(declare-const a1 Real)
(declare-const a2 Real)
(declare-const u1 Real)
(declare-const u2 Real)
(assert (>= a1 0))
(assert (>= a2 0))
(assert (>= (+ u1 (* (- 1) a1)) 0))
(assert (>= (+ u2 (* (- 1) a2)) 0))
(assert (not (>= (+ u1 u2 (* (- 1) a1) (* (- 1) a2)) 0)))
(check-sat)
