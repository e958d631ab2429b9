; Is there a model and a world where this is false? ~(@i3 health = 2 | @i4 health = 2)
; over the hospital release
; The two fill their class, so that one of them is on the row with health 2.
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; somewhere this is false: ~(@i3 health = 2 | @i4 health = 2)
; row 0: birth = 09/56, zip = 24***, health = 0
; row 1: birth = 09/56, zip = 24***, health = 1
; row 2: birth = 03/56, zip = 10***, health = 0
; row 3: birth = 03/56, zip = 10***, health = 2
; row 4: birth = 04/55, zip = 26***, health = 2
; row 5: birth = 04/55, zip = 26***, health = 0
; row 6: birth = 10/52, zip = 26***, health = 1
; row 7: birth = 10/52, zip = 26***, health = 0
(declare-const at_i3 Int)
(assert (and (<= 2 at_i3) (<= at_i3 3)))
(assert (or (= at_i3 2) (= at_i3 3)))
(declare-const at_i4 Int)
(assert (and (<= 2 at_i4) (<= at_i4 3)))
(assert (or (= at_i4 2) (= at_i4 3)))
(declare-const world Int)
(assert (and (<= 0 world) (<= world 7)))
(assert (not (= (+ at_i3 (* (- 1) at_i4)) 0)))
(assert (or (and (= world 0) (or (= at_i3 3) (= at_i4 3))) (and (= world 1) (or (= at_i3 3) (= at_i4 3))) (and (= world 2) (or (= at_i3 3) (= at_i4 3))) (and (= world 3) (or (= at_i3 3) (= at_i4 3))) (and (= world 4) (or (= at_i3 3) (= at_i4 3))) (and (= world 5) (or (= at_i3 3) (= at_i4 3))) (and (= world 6) (or (= at_i3 3) (= at_i4 3))) (and (= world 7) (or (= at_i3 3) (= at_i4 3)))))
(check-sat)
