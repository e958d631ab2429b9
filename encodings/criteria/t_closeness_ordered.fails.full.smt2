; Is there a model and a world where this is false? t_closeness(s, 1/20, distance=ordered)
; over a release with classes lmh, llh (each letter is a row's value of s)
; 1/(m - 1) times the sum of the cumulative gaps. (Theorem 5, ordered distance)
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; somewhere this is false: 1/2 * abs(l_a1(s in {'l'}) - l_a0(s in {'l'})) + 1/2 * abs(l_a1(s in {'l', 'm'}) - l_a0(s in {'l', 'm'})) <= 1/20
; row 0: q = q0, s = l
; row 1: q = q0, s = m
; row 2: q = q0, s = h
; row 3: q = q1, s = l
; row 4: q = q1, s = l
; row 5: q = q1, s = h
(declare-const world Int)
(assert (and (<= 0 world) (<= world 5)))
(assert (or (= world 0) (= world 1) (= world 2) (= world 3) (= world 4) (= world 5)))
(check-sat)
