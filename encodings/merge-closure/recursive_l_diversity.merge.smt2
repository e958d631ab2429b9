; Is RecursiveDiversity(f='f', c=Fraction(3, 2), l=3) merge-closed: if two classes satisfy it, so does their union?
; Its condition: for every value and every set of 2 values: a < 3/2 (n - b), where a have the value, b the set.
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
(declare-const b1 Real)
(declare-const n2 Real)
(declare-const a2 Real)
(declare-const b2 Real)
(assert (>= n1 1))
(assert (>= a1 0))
(assert (<= a1 n1))
(assert (>= b1 0))
(assert (<= b1 n1))
(assert (>= n2 1))
(assert (>= a2 0))
(assert (<= a2 n2))
(assert (>= b2 0))
(assert (<= b2 n2))
(assert (> (+ (* 3 n1) (* (- 2) a1) (* (- 3) b1)) 0))
(assert (> (+ (* 3 n2) (* (- 2) a2) (* (- 3) b2)) 0))
(assert (not (> (+ (* 3 n1) (* 3 n2) (* (- 2) a1) (* (- 2) a2) (* (- 3) b1) (* (- 3) b2)) 0)))
(check-sat)
