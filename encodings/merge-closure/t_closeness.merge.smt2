; Is TCloseness(f='f', t=Fraction(1, 4), distance='variational', values=(), tree=()) merge-closed: if two classes satisfy it, so does their union?
; Its condition: n times the variational distance is a sum of absolute values of linear gaps, so it shrinks in mergers; it is at most n t.
; Two classes satisfy the condition, their union does not.
; unsat: it is, whatever the classes
; unknowns: n1, n2 are the rows of two classes; a1, b1, u1, w1 the quantities named above in the first, likewise in
; the second; quantities of their union are the sums. Constants of the table times n are unknowns of their own.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LRA)
; merge-closed: a condition on quantities that add up
(declare-const d3 Real)
(declare-const d1 Real)
(declare-const d2 Real)
(declare-const u1 Real)
(declare-const u2 Real)
(assert (<= d3 (+ d1 d2)))
(assert (>= (+ u1 (* (- 1) d1)) 0))
(assert (>= (+ u2 (* (- 1) d2)) 0))
(assert (not (>= (+ u1 u2 (* (- 1) d3)) 0)))
(check-sat)
