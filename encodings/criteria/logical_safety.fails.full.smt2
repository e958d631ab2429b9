; Is there a model and a world where this is false? logical_safety()
; over the hospital release
; Example 3.
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; somewhere this is false: @i ~[a1] (income = 100K | health = 2)
; row 0: birth = 09/56, zip = 24***, income = 100K, health = 0
; row 1: birth = 09/56, zip = 24***, income = 70K, health = 1
; row 2: birth = 03/56, zip = 10***, income = 100K, health = 0
; row 3: birth = 03/56, zip = 10***, income = 50K, health = 2
; row 4: birth = 04/55, zip = 26***, income = 30K, health = 2
; row 5: birth = 04/55, zip = 26***, income = 70K, health = 0
; row 6: birth = 10/52, zip = 26***, income = 30K, health = 1
; row 7: birth = 10/52, zip = 26***, income = 50K, health = 0
(declare-const world Int)
(assert (and (<= 0 world) (<= world 7)))
(declare-const var_i Int)
(assert (and (<= 0 var_i) (<= var_i 7)))
(assert (or (and (= world 0) (not (or (= var_i 0) (= var_i 1) (= var_i 4) (= var_i 5) (= var_i 6) (= var_i 7)))) (and (= world 1) (not (or (= var_i 0) (= var_i 1) (= var_i 4) (= var_i 5) (= var_i 6) (= var_i 7)))) (and (= world 2) (not (or (= var_i 0) (= var_i 1) (= var_i 4) (= var_i 5) (= var_i 6) (= var_i 7)))) (and (= world 3) (not (or (= var_i 0) (= var_i 1) (= var_i 4) (= var_i 5) (= var_i 6) (= var_i 7)))) (and (= world 4) (not (or (= var_i 0) (= var_i 1) (= var_i 4) (= var_i 5) (= var_i 6) (= var_i 7)))) (and (= world 5) (not (or (= var_i 0) (= var_i 1) (= var_i 4) (= var_i 5) (= var_i 6) (= var_i 7)))) (and (= world 6) (not (or (= var_i 0) (= var_i 1) (= var_i 4) (= var_i 5) (= var_i 6) (= var_i 7)))) (and (= world 7) (not (or (= var_i 0) (= var_i 1) (= var_i 4) (= var_i 5) (= var_i 6) (= var_i 7))))))
(check-sat)
