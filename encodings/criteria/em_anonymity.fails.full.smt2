; Is there a model and a world where this is false? em_anonymity(s, 2, 2)
; over a release with classes 1355, 1133 (each letter is a row's value of s)
; 1, 3, 5, 5: of 4 values 3 are within 2 of the 3 in the middle, and of the 5. (Li, Tao, Xiao)
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; somewhere this is false: (l_a1(s = 1) = 0 | l_a1(s in {1, 3}) <= 1/2) & (l_a1(s = 3) = 0 | l_a1(s in {1, 3, 5}) <= 1/2) & (l_a1(s = 5) = 0 | l_a1(s in {3, 5}) <= 1/2)
; row 0: q = q0, s = 1
; row 1: q = q0, s = 3
; row 2: q = q0, s = 5
; row 3: q = q0, s = 5
; row 4: q = q1, s = 1
; row 5: q = q1, s = 1
; row 6: q = q1, s = 3
; row 7: q = q1, s = 3
(declare-const world Int)
(assert (and (<= 0 world) (<= world 7)))
(assert (or (= world 0) (= world 1) (= world 2) (= world 3) (= world 4) (= world 5) (= world 6) (= world 7)))
(check-sat)
