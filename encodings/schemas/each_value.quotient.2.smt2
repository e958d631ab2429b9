; Is there a model and a world where this is false? l_a1(i3 & health = 1) <= 1/2
; over the hospital release
; One instance for each value that occurs in the release.
; unsat: no model of the release has a world where it is false, so that it is proved
; Quotient encoding: rows that the formula cannot tell apart are counted, and a kind of rows is a number.
; no unknowns: counting left a constant
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; satisfiable iff the rule is false in some model at some world
(assert false)
(check-sat)
