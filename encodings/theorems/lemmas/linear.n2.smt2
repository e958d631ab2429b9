; Claim: |class| * l_a1(psi) is a constant plus, for each named individual, a 0/1 unknown for each place times a
;   difference of 0 and 1.
; Source: ours: the lemmas that encodings/release-models.md states for the quotient encoding
; Here: a class of 2 rows, 2 named
; Unknowns: T_w: psi at row w with nobody named on it; Ti_w: with i on it; where the named sit, at most one on a row
; Why: a model would be a placement for which the two sides differ; there is none
; Bound: classes of 1 to 6 rows, up to 3 named individuals, any psi
(set-info :smt-lib-version 2.6)
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const T_0 Bool)
(declare-const T_1 Bool)
(declare-const T0_0 Bool)
(declare-const T0_1 Bool)
(declare-const at0_0 Bool)
(declare-const at0_1 Bool)
(assert (= (+ (ite at0_0 1 0) (ite at0_1 1 0)) 1))
(declare-const T1_0 Bool)
(declare-const T1_1 Bool)
(declare-const at1_0 Bool)
(declare-const at1_1 Bool)
(assert (= (+ (ite at1_0 1 0) (ite at1_1 1 0)) 1))
(assert (not (and at0_0 at1_0)))
(assert (not (and at0_1 at1_1)))
(assert (not (= (+ (ite (ite at1_0 T1_0 (ite at0_0 T0_0 T_0)) 1 0) (ite (ite at1_1 T1_1 (ite at0_1 T0_1 T_1)) 1 0)) (+ (+ (ite T_0 1 0) (ite T_1 1 0)) (ite at0_0 (- (ite T0_0 1 0) (ite T_0 1 0)) 0) (ite at0_1 (- (ite T0_1 1 0) (ite T_1 1 0)) 0) (ite at1_0 (- (ite T1_0 1 0) (ite T_0 1 0)) 0) (ite at1_1 (- (ite T1_1 1 0) (ite T_1 1 0)) 0)))))
(check-sat)
