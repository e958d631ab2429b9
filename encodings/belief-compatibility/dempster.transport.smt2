; Is the belief function compatible with the true probability (Definition 7)? As a transport.
; over the records 1 to 2. Dempster's rule on two halves: too sure.
; masses: {1} 3/4; {1, 2} 1/4
; true probability: 1: 1/2, 2: 1/2
; sat: compatible, unsat: not
; f_B_x: the mass that the set B hands to its member x
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LRA)
(declare-const f_1_1 Real)
(assert (>= f_1_1 0.0))
(declare-const f_1_2_1 Real)
(assert (>= f_1_2_1 0.0))
(declare-const f_1_2_2 Real)
(assert (>= f_1_2_2 0.0))
(assert (= f_1_1 (/ 3.0 4.0)))
(assert (= (+ f_1_2_1 f_1_2_2) (/ 1.0 4.0)))
(assert (= (+ f_1_1 f_1_2_1) (/ 1.0 2.0)))
(assert (= f_1_2_2 (/ 1.0 2.0)))
(check-sat)
