; Claim: The worlds of a class where i is true are one in i's class and none elsewhere, whatever the placement:
;   l_a1(i) is 1/|class of i| there and 0 elsewhere.
; Source: ours: the lemmas that encodings/release-models.md states for the quotient encoding
; Here: 3 rows
; Unknowns: the classes, and where individual i (whose own row is row 0) sits
; Why: a model would be a world whose class holds another number of worlds where i is true; there is none
; Bound: tables of 1 to 6 rows
(set-info :smt-lib-version 2.6)
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const same_0_1 Bool)
(declare-const same_0_2 Bool)
(declare-const same_1_2 Bool)
(assert (=> (and same_0_1 same_1_2) same_0_2))
(assert (=> (and same_0_2 same_1_2) same_0_1))
(assert (=> (and same_0_1 same_0_2) same_1_2))
(assert (=> (and same_1_2 same_0_2) same_0_1))
(assert (=> (and same_0_2 same_0_1) same_1_2))
(assert (=> (and same_1_2 same_0_1) same_0_2))
(declare-const at_0 Bool)
(declare-const at_1 Bool)
(declare-const at_2 Bool)
(assert (= (+ (ite at_0 1 0) (ite at_1 1 0) (ite at_2 1 0)) 1))
(assert (=> at_1 same_0_1))
(assert (=> at_2 same_0_2))
(assert (or (not (= (+ (ite at_0 1 0) (ite (and at_1 same_0_1) 1 0) (ite (and at_2 same_0_2) 1 0)) 1)) (not (= (+ (ite (and at_0 same_0_1) 1 0) (ite at_1 1 0) (ite (and at_2 same_1_2) 1 0)) (ite same_0_1 1 0))) (not (= (+ (ite (and at_0 same_0_2) 1 0) (ite (and at_1 same_1_2) 1 0) (ite at_2 1 0)) (ite same_0_2 1 0)))))
(check-sat)
