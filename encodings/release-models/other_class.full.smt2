; Is there a model and a world where this is false? @i5 <a1> i7
; over the hospital release
; a1 sees the birth as well.
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; somewhere this is false: @i5 <a1> i7
; row 0: birth = 09/56, zip = 24***
; row 1: birth = 09/56, zip = 24***
; row 2: birth = 03/56, zip = 10***
; row 3: birth = 03/56, zip = 10***
; row 4: birth = 04/55, zip = 26***
; row 5: birth = 04/55, zip = 26***
; row 6: birth = 10/52, zip = 26***
; row 7: birth = 10/52, zip = 26***
(declare-const world Int)
(assert (and (<= 0 world) (<= world 7)))
(assert true)
(assert (or (= world 0) (= world 1) (= world 2) (= world 3) (= world 4) (= world 5) (= world 6) (= world 7)))
(check-sat)
