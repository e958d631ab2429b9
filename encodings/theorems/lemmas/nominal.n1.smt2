; Claim: The worlds of a class where i is true are one in i's class and none elsewhere, whatever the placement:
;   l_a1(i) is 1/|class of i| there and 0 elsewhere.
; Source: ours: the lemmas that encodings/release-models.md states for the quotient encoding
; Here: 1 rows
; Unknowns: the classes, and where individual i (whose own row is row 0) sits
; Why: a model would be a world whose class holds another number of worlds where i is true; there is none
; Bound: tables of 1 to 6 rows
(set-info :smt-lib-version 2.6)
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const at_0 Bool)
(assert (= (ite at_0 1 0) 1))
(assert (not (= (ite at_0 1 0) 1)))
(check-sat)
