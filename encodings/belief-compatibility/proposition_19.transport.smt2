; Is the belief function compatible with the true probability (Definition 7)? As a transport.
; over the records 1 to 4. Record 1 is in every set, and is not the true one.
; masses: {1, 2} 1/3; {1, 3} 1/3; {1, 4} 1/3
; true probability: 2: 1/3, 3: 1/3, 4: 1/3
; sat: compatible, unsat: not
; f_B_x: the mass that the set B hands to its member x
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LRA)
(declare-const f_1_2_1 Real)
(assert (>= f_1_2_1 0.0))
(declare-const f_1_2_2 Real)
(assert (>= f_1_2_2 0.0))
(declare-const f_1_3_1 Real)
(assert (>= f_1_3_1 0.0))
(declare-const f_1_3_3 Real)
(assert (>= f_1_3_3 0.0))
(declare-const f_1_4_1 Real)
(assert (>= f_1_4_1 0.0))
(declare-const f_1_4_4 Real)
(assert (>= f_1_4_4 0.0))
(assert (= (+ f_1_2_1 f_1_2_2) (/ 1.0 3.0)))
(assert (= (+ f_1_3_1 f_1_3_3) (/ 1.0 3.0)))
(assert (= (+ f_1_4_1 f_1_4_4) (/ 1.0 3.0)))
(assert (= (+ f_1_2_1 f_1_3_1 f_1_4_1) (/ 0.0 1.0)))
(assert (= f_1_2_2 (/ 1.0 3.0)))
(assert (= f_1_3_3 (/ 1.0 3.0)))
(assert (= f_1_4_4 (/ 1.0 3.0)))
(check-sat)
