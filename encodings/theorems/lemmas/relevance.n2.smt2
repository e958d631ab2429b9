; Claim: Any placement of the named individuals, each on a row of the own class and no two on one, extends to a
;   bijection that keeps everyone in the own class (individual i is the one behind row i).
; Source: ours: the lemmas that encodings/release-models.md states for the quotient encoding
; Here: 2 rows
; Unknowns: the classes (an equivalence of rows), who is named, and where they sit
; Why: every bijection within classes is listed and said to disagree with the placement: there is no such placement.
;   That a formula's truth depends on the nominals it mentions only is read off Definition 4
; Bound: tables of 1 to 6 rows, any classes, any named individuals
(set-info :smt-lib-version 2.6)
(set-logic QF_UF)
(set-info :status unsat)
(declare-const same_0_1 Bool)
(declare-const named_0 Bool)
(declare-const named_1 Bool)
(declare-const sits_0_0 Bool)
(declare-const sits_0_1 Bool)
(declare-const sits_1_0 Bool)
(declare-const sits_1_1 Bool)
(assert (=> named_0 (or sits_0_0 sits_0_1)))
(assert (not (and sits_0_0 sits_0_1)))
(assert (not (and sits_0_0 sits_1_0)))
(assert (=> sits_0_0 named_0))
(assert (=> sits_0_1 (and named_0 same_0_1)))
(assert (=> named_1 (or sits_1_0 sits_1_1)))
(assert (not (and sits_1_0 sits_1_1)))
(assert (not (and sits_0_1 sits_1_1)))
(assert (=> sits_1_0 (and named_1 same_0_1)))
(assert (=> sits_1_1 named_1))
(assert (or (and named_0 (not sits_0_0)) (and named_1 (not sits_1_1))))
(assert (or (not same_0_1) (and named_0 (not sits_0_1)) (and named_1 (not sits_1_0))))
(check-sat)
