; Is there a model and a world where this is false? guarded(s, 'C*', 1/2)
; over a release with one class of C1, C2, D1
; 2 of 3 rows are below C*, though C1 and C2 have the share 1/3 each. (guarding nodes)
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; somewhere this is false: l_a1(s in {'C1', 'C2'}) <= 1/2
; row 0: q = x, s = C1
; row 1: q = x, s = C2
; row 2: q = x, s = D1
(declare-const world Int)
(assert (and (<= 0 world) (<= world 2)))
(assert (or (= world 0) (= world 1) (= world 2)))
(check-sat)
