; Is there a model and a world where this is false? l_a1(i3 & health = 2) != 1/3
; over the hospital release
; It is 0 or 1/2.
; unsat: no model of the release has a world where it is false, so that it is proved
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; somewhere this is false: l_a1(i3 & health = 2) != 1/3
; row 0: birth = 09/56, zip = 24***, health = 0
; row 1: birth = 09/56, zip = 24***, health = 1
; row 2: birth = 03/56, zip = 10***, health = 0
; row 3: birth = 03/56, zip = 10***, health = 2
; row 4: birth = 04/55, zip = 26***, health = 2
; row 5: birth = 04/55, zip = 26***, health = 0
; row 6: birth = 10/52, zip = 26***, health = 1
; row 7: birth = 10/52, zip = 26***, health = 0
(declare-const world Int)
(assert (and (<= 0 world) (<= world 7)))
(declare-const at_i3 Int)
(assert (and (<= 2 at_i3) (<= at_i3 3)))
(assert (or (= at_i3 2) (= at_i3 3)))
(assert (or (and (= world 2) (and (>= (+ (* 3 (ite (= at_i3 3) 1 0)) (- 2)) 0) (>= (+ (* (- 3) (ite (= at_i3 3) 1 0)) 2) 0))) (and (= world 3) (and (>= (+ (* 3 (ite (= at_i3 3) 1 0)) (- 2)) 0) (>= (+ (* (- 3) (ite (= at_i3 3) 1 0)) 2) 0)))))
(check-sat)
