; Is there a set of records that is believed more than it is probable (against Definition 7)?
; over the records 1 to 4. Record 1 is in every set, and is not the true one.
; masses: {1, 2} 1/3; {1, 3} 1/3; {1, 4} 1/3
; true probability: 2: 1/3, 3: 1/3, 4: 1/3
; sat: its members are a witness, unsat: compatible
; in_x: whether record x is in the set
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LRA)
(declare-const in_1 Bool)
(declare-const in_2 Bool)
(declare-const in_3 Bool)
(declare-const in_4 Bool)
(assert (> (+ (ite (and in_1 in_2) (/ 1.0 3.0) 0.0) (ite (and in_1 in_3) (/ 1.0 3.0) 0.0) (ite (and in_1 in_4) (/ 1.0 3.0) 0.0)) (+ (ite in_2 (/ 1.0 3.0) 0.0) (ite in_3 (/ 1.0 3.0) 0.0) (ite in_4 (/ 1.0 3.0) 0.0))))
(check-sat)
