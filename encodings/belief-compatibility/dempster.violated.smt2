; Is there a set of records that is believed more than it is probable (against Definition 7)?
; over the records 1 to 2. Dempster's rule on two halves: too sure.
; masses: {1} 3/4; {1, 2} 1/4
; true probability: 1: 1/2, 2: 1/2
; sat: its members are a witness, unsat: compatible
; in_x: whether record x is in the set
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LRA)
(declare-const in_1 Bool)
(declare-const in_2 Bool)
(assert (> (+ (ite in_1 (/ 3.0 4.0) 0.0) (ite (and in_1 in_2) (/ 1.0 4.0) 0.0)) (+ (ite in_1 (/ 1.0 2.0) 0.0) (ite in_2 (/ 1.0 2.0) 0.0))))
(check-sat)
