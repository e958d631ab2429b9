; Is there a model and a world where this is false? @i5 <insurer> i7
; over the hospital release
; Both have zip 26***, all that it knows.
; unsat: no model of the release has a world where it is false, so that it is proved
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; somewhere this is false: @i5 <insurer> i7
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
(declare-const at_i5 Int)
(assert (and (<= 4 at_i5) (<= at_i5 5)))
(assert (or (= at_i5 4) (= at_i5 5)))
(declare-const at_i7 Int)
(assert (and (<= 6 at_i7) (<= at_i7 7)))
(assert (or (= at_i7 6) (= at_i7 7)))
(assert true)
(assert (or (and (= world 0) (not (or (and (= at_i5 4) (or (= at_i7 6) (= at_i7 7))) (and (= at_i5 5) (or (= at_i7 6) (= at_i7 7)))))) (and (= world 1) (not (or (and (= at_i5 4) (or (= at_i7 6) (= at_i7 7))) (and (= at_i5 5) (or (= at_i7 6) (= at_i7 7)))))) (and (= world 2) (not (or (and (= at_i5 4) (or (= at_i7 6) (= at_i7 7))) (and (= at_i5 5) (or (= at_i7 6) (= at_i7 7)))))) (and (= world 3) (not (or (and (= at_i5 4) (or (= at_i7 6) (= at_i7 7))) (and (= at_i5 5) (or (= at_i7 6) (= at_i7 7)))))) (and (= world 4) (not (or (and (= at_i5 4) (or (= at_i7 6) (= at_i7 7))) (and (= at_i5 5) (or (= at_i7 6) (= at_i7 7)))))) (and (= world 5) (not (or (and (= at_i5 4) (or (= at_i7 6) (= at_i7 7))) (and (= at_i5 5) (or (= at_i7 6) (= at_i7 7)))))) (and (= world 6) (not (or (and (= at_i5 4) (or (= at_i7 6) (= at_i7 7))) (and (= at_i5 5) (or (= at_i7 6) (= at_i7 7)))))) (and (= world 7) (not (or (and (= at_i5 4) (or (= at_i7 6) (= at_i7 7))) (and (= at_i5 5) (or (= at_i7 6) (= at_i7 7))))))))
(check-sat)
