; Is there a set of records that is believed more than it is probable (against Definition 7)?
; over the records 1 to 6. Example 11: fewer attributes, more candidates (Proposition 12).
; masses: {1, 2, 3} 1
; true probability: 1: 1/2, 2: 1/2
; sat: its members are a witness, unsat: compatible
; in_x: whether record x is in the set
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LRA)
(declare-const in_1 Bool)
(declare-const in_2 Bool)
(declare-const in_3 Bool)
(declare-const in_4 Bool)
(declare-const in_5 Bool)
(declare-const in_6 Bool)
(assert (> (ite (and in_1 in_2 in_3) (/ 1.0 1.0) 0.0) (+ (ite in_1 (/ 1.0 2.0) 0.0) (ite in_2 (/ 1.0 2.0) 0.0))))
(check-sat)
