; Is there a model and a world where this is false? @i5 <a1> i7
; over the hospital release
; a1 sees the birth as well.
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Quotient encoding: rows that the formula cannot tell apart are counted, and a kind of rows is a number.
; no unknowns: counting left a constant
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; satisfiable iff the rule is false in some model at some world
(assert true)
(check-sat)
