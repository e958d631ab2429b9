; Is there a model and a world where this is false? entropy_l_diversity(s, 3)
; over a release with classes aabb (each letter is a row's value of s)
; A tie. (entropy)
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; somewhere this is false: ~(l_a1(s = 'a') = 0 & l_a1(s = 'b') = 1) & ~(l_a1(s = 'a') = 1 & l_a1(s = 'b') = 0) & ~(l_a1(s = 'a') = 0 & l_a1(s = 'b') = 1) & ~(l_a1(s = 'a') = 1/2 & l_a1(s = 'b') = 1/2) & ~(l_a1(s = 'a') = 1 & l_a1(s = 'b') = 0) & ~(l_a1(s = 'a') = 0 & l_a1(s = 'b') = 1) & ~(l_a1(s = 'a') = 1/3 & l_a1(s = 'b') = 2/3) & ~(l_a1(s = 'a') = 2/3 & l_a1(s = 'b') = 1/3) & ~(l_a1(s = 'a') = 1 & l_a1(s = 'b') = 0) & ~(l_a1(s = 'a') = 0 & l_a1(s = 'b') = 1) & ~(l_a1(s = 'a') = 1/4 & l_a1(s = 'b') = 3/4) & ~(l_a1(s = 'a') = 1/2 & l_a1(s = 'b') = 1/2) & ~(l_a1(s = 'a') = 3/4 & l_a1(s = 'b') = 1/4) & ~(l_a1(s = 'a') = 1 & l_a1(s = 'b') = 0)
; row 0: q = q0, s = a
; row 1: q = q0, s = a
; row 2: q = q0, s = b
; row 3: q = q0, s = b
(declare-const world Int)
(assert (and (<= 0 world) (<= world 3)))
(assert (or (= world 0) (= world 1) (= world 2) (= world 3)))
(check-sat)
