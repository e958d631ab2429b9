; Is the belief function compatible with the true probability (Definition 7)? As a transport.
; over the records 1 to 2. The same two, coupled through the truth (Definition 27).
; masses: {1} 1/2; {1, 2} 1/2
; true probability: 1: 1/2, 2: 1/2
; sat: compatible, unsat: not
; f_B_x: the mass that the set B hands to its member x
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LRA)
(declare-const f_1_1 Real)
(assert (>= f_1_1 0.0))
(declare-const f_1_2_1 Real)
(assert (>= f_1_2_1 0.0))
(declare-const f_1_2_2 Real)
(assert (>= f_1_2_2 0.0))
(assert (= f_1_1 (/ 1.0 2.0)))
(assert (= (+ f_1_2_1 f_1_2_2) (/ 1.0 2.0)))
(assert (= (+ f_1_1 f_1_2_1) (/ 1.0 2.0)))
(assert (= f_1_2_2 (/ 1.0 2.0)))
(check-sat)
