; Is the belief function compatible with the true probability (Definition 7)? As a transport.
; over the records 1 to 6. Example 11: all attributes give the candidates 1 and 2.
; masses: {1, 2} 1
; true probability: 1: 1/2, 2: 1/2
; sat: compatible, unsat: not
; f_B_x: the mass that the set B hands to its member x
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LRA)
(declare-const f_1_2_1 Real)
(assert (>= f_1_2_1 0.0))
(declare-const f_1_2_2 Real)
(assert (>= f_1_2_2 0.0))
(assert (= (+ f_1_2_1 f_1_2_2) (/ 1.0 1.0)))
(assert (= f_1_2_1 (/ 1.0 2.0)))
(assert (= f_1_2_2 (/ 1.0 2.0)))
(assert (= 0.0 (/ 0.0 1.0)))
(assert (= 0.0 (/ 0.0 1.0)))
(assert (= 0.0 (/ 0.0 1.0)))
(assert (= 0.0 (/ 0.0 1.0)))
(check-sat)
