; Claim: Two rows of one class that agree on the formula's nominal-free parts, and which no pseudonym names, may be
;   exchanged, together with who sits on them: every formula keeps its truth.
; Source: ours: the lemmas that encodings/release-models.md states for the quotient encoding
; Here: 2 rows, of which 0 and 1
; Unknowns: the classes, the truth D of a nominal-free part (equal on rows 0 and 1), where two individuals sit, and a
;   truth set F; the exchanged model has FF
; Why: a model would be an operator (a descriptor part D, a nominal, <a>, @, the number of worlds of a cell where F is
;   true, its size) that tells a world from the exchanged one, though F does not: there is none.  Not and & keep
;   correspondence trivially, so that all formulas do by induction
; Bound: tables of 2 to 6 rows, two named individuals
(set-info :smt-lib-version 2.6)
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const a1_0_1 Bool)
(define-fun a0_0_1 () Bool true)
(assert a1_0_1)
(declare-const D_0 Bool)
(declare-const D_1 Bool)
(assert (= D_0 D_1))
(declare-const F_0 Bool)
(declare-const F_1 Bool)
(declare-const FF_0 Bool)
(declare-const FF_1 Bool)
(assert (= FF_1 F_0))
(assert (= FF_0 F_1))
(declare-const at0_0 Bool)
(declare-const at0_1 Bool)
(declare-const moved0_0 Bool)
(declare-const moved0_1 Bool)
(assert (= (+ (ite at0_0 1 0) (ite at0_1 1 0)) 1))
(assert (= moved0_1 at0_0))
(assert (= moved0_0 at0_1))
(declare-const at1_0 Bool)
(declare-const at1_1 Bool)
(declare-const moved1_0 Bool)
(declare-const moved1_1 Bool)
(assert (= (+ (ite at1_0 1 0) (ite at1_1 1 0)) 1))
(assert (= moved1_1 at1_0))
(assert (= moved1_0 at1_1))
(assert (or (not (= (or F_0 (and a0_0_1 F_1)) (or (and a0_0_1 FF_0) FF_1))) (not (= (+ (ite F_0 1 0) (ite (and a0_0_1 F_1) 1 0)) (+ (ite (and a0_0_1 FF_0) 1 0) (ite FF_1 1 0)))) (not (= (+ 1 (ite a0_0_1 1 0)) (+ (ite a0_0_1 1 0) 1))) (not (= (or F_0 (and a1_0_1 F_1)) (or (and a1_0_1 FF_0) FF_1))) (not (= (+ (ite F_0 1 0) (ite (and a1_0_1 F_1) 1 0)) (+ (ite (and a1_0_1 FF_0) 1 0) (ite FF_1 1 0)))) (not (= (+ 1 (ite a1_0_1 1 0)) (+ (ite a1_0_1 1 0) 1))) (not (= D_0 D_1)) (not (= at0_0 moved0_1)) (not (= at1_0 moved1_1)) (not (= (or (and a0_0_1 F_0) F_1) (or FF_0 (and a0_0_1 FF_1)))) (not (= (+ (ite (and a0_0_1 F_0) 1 0) (ite F_1 1 0)) (+ (ite FF_0 1 0) (ite (and a0_0_1 FF_1) 1 0)))) (not (= (+ (ite a0_0_1 1 0) 1) (+ 1 (ite a0_0_1 1 0)))) (not (= (or (and a1_0_1 F_0) F_1) (or FF_0 (and a1_0_1 FF_1)))) (not (= (+ (ite (and a1_0_1 F_0) 1 0) (ite F_1 1 0)) (+ (ite FF_0 1 0) (ite (and a1_0_1 FF_1) 1 0)))) (not (= (+ (ite a1_0_1 1 0) 1) (+ 1 (ite a1_0_1 1 0)))) (not (= D_1 D_0)) (not (= at0_1 moved0_0)) (not (= at1_1 moved1_0)) (not (= (or (and at0_0 F_0) (and at0_1 F_1)) (or (and moved0_0 FF_0) (and moved0_1 FF_1)))) (and moved0_0 (not a1_0_1) at0_1) (and moved0_1 (not a1_0_1) at0_0) (not (= (or (and at1_0 F_0) (and at1_1 F_1)) (or (and moved1_0 FF_0) (and moved1_1 FF_1)))) (and moved1_0 (not a1_0_1) at1_1) (and moved1_1 (not a1_0_1) at1_0)))
(check-sat)
