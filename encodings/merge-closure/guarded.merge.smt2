; Is Guarded(f='f', node='cancer', share=Fraction(1, 4), below=()) merge-closed: if two classes satisfy it, so does their union?
; Its condition: a <= 1/4 n, where a rows of n are below 'cancer'.
; Two classes satisfy the condition, their union does not.
; unsat: it is, whatever the classes
; unknowns: n1, n2 are the rows of two classes; a1, b1, u1, w1 the quantities named above in the first, likewise in
; the second; quantities of their union are the sums. Constants of the table times n are unknowns of their own.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LRA)
; merge-closed: a condition on quantities that add up
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
(assert (>= (+ n2 (* (- 4) a2)) 0))
(assert (not (>= (+ n1 n2 (* (- 4) a1) (* (- 4) a2)) 0)))
(check-sat)
