; Is there a model and a world where this is false? @i3 l_a0(i3) <= 1/2
; over the hospital release
; a0 and a1, one instance each.
; unsat: no model of the release has a world where it is false, so that it is proved
; Quotient encoding: rows that the formula cannot tell apart are counted, and a kind of rows is a number.
; unknowns:
;   iK_pN = 1: individual K is on a row of kind N of the own class; wherever it is, no case is left to fail
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; satisfiable iff the rule is false in some model at some world
(declare-const i3_p0 Int)
(assert (<= 0 i3_p0 1))
(assert (>= (+ i3_p0 (- 1)) 0))
(assert true)
(assert true)
(assert false)
(check-sat)
