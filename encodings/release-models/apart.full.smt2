; Is there a model and a world where this is false? i3 -> ~i4
; over the hospital release
; No two individuals are on one row.
; unsat: no model of the release has a world where it is false, so that it is proved
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; somewhere this is false: i3 -> ~i4
; row 0: birth = 09/56, zip = 24***
; row 1: birth = 09/56, zip = 24***
; row 2: birth = 03/56, zip = 10***
; row 3: birth = 03/56, zip = 10***
; row 4: birth = 04/55, zip = 26***
; row 5: birth = 04/55, zip = 26***
; row 6: birth = 10/52, zip = 26***
; row 7: birth = 10/52, zip = 26***
(declare-const at_i3 Int)
(assert (and (<= 2 at_i3) (<= at_i3 3)))
(assert (or (= at_i3 2) (= at_i3 3)))
(declare-const at_i4 Int)
(assert (and (<= 2 at_i4) (<= at_i4 3)))
(assert (or (= at_i4 2) (= at_i4 3)))
(declare-const world Int)
(assert (and (<= 0 world) (<= world 7)))
(assert (not (= (+ at_i3 (* (- 1) at_i4)) 0)))
(assert (or (and (= world 2) (not (or (not (= at_i3 2)) (not (= at_i4 2))))) (and (= world 3) (not (or (not (= at_i3 3)) (not (= at_i4 3)))))))
(check-sat)
