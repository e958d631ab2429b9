; Is there a model and a world where this is false? forall i, j: @i <a1> j
; over the hospital release
; Not all individuals share a class.
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; somewhere this is false: @i <a1> j
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
(declare-const var_i Int)
(assert (and (<= 0 var_i) (<= var_i 7)))
(declare-const var_j Int)
(assert (and (<= 0 var_j) (<= var_j 7)))
(assert (or (and (= world 0) (not (or (and (= var_i 0) (or (= var_j 0) (= var_j 1))) (and (= var_i 1) (or (= var_j 0) (= var_j 1))) (and (= var_i 2) (or (= var_j 2) (= var_j 3))) (and (= var_i 3) (or (= var_j 2) (= var_j 3))) (and (= var_i 4) (or (= var_j 4) (= var_j 5))) (and (= var_i 5) (or (= var_j 4) (= var_j 5))) (and (= var_i 6) (or (= var_j 6) (= var_j 7))) (and (= var_i 7) (or (= var_j 6) (= var_j 7)))))) (and (= world 1) (not (or (and (= var_i 0) (or (= var_j 0) (= var_j 1))) (and (= var_i 1) (or (= var_j 0) (= var_j 1))) (and (= var_i 2) (or (= var_j 2) (= var_j 3))) (and (= var_i 3) (or (= var_j 2) (= var_j 3))) (and (= var_i 4) (or (= var_j 4) (= var_j 5))) (and (= var_i 5) (or (= var_j 4) (= var_j 5))) (and (= var_i 6) (or (= var_j 6) (= var_j 7))) (and (= var_i 7) (or (= var_j 6) (= var_j 7)))))) (and (= world 2) (not (or (and (= var_i 0) (or (= var_j 0) (= var_j 1))) (and (= var_i 1) (or (= var_j 0) (= var_j 1))) (and (= var_i 2) (or (= var_j 2) (= var_j 3))) (and (= var_i 3) (or (= var_j 2) (= var_j 3))) (and (= var_i 4) (or (= var_j 4) (= var_j 5))) (and (= var_i 5) (or (= var_j 4) (= var_j 5))) (and (= var_i 6) (or (= var_j 6) (= var_j 7))) (and (= var_i 7) (or (= var_j 6) (= var_j 7)))))) (and (= world 3) (not (or (and (= var_i 0) (or (= var_j 0) (= var_j 1))) (and (= var_i 1) (or (= var_j 0) (= var_j 1))) (and (= var_i 2) (or (= var_j 2) (= var_j 3))) (and (= var_i 3) (or (= var_j 2) (= var_j 3))) (and (= var_i 4) (or (= var_j 4) (= var_j 5))) (and (= var_i 5) (or (= var_j 4) (= var_j 5))) (and (= var_i 6) (or (= var_j 6) (= var_j 7))) (and (= var_i 7) (or (= var_j 6) (= var_j 7)))))) (and (= world 4) (not (or (and (= var_i 0) (or (= var_j 0) (= var_j 1))) (and (= var_i 1) (or (= var_j 0) (= var_j 1))) (and (= var_i 2) (or (= var_j 2) (= var_j 3))) (and (= var_i 3) (or (= var_j 2) (= var_j 3))) (and (= var_i 4) (or (= var_j 4) (= var_j 5))) (and (= var_i 5) (or (= var_j 4) (= var_j 5))) (and (= var_i 6) (or (= var_j 6) (= var_j 7))) (and (= var_i 7) (or (= var_j 6) (= var_j 7)))))) (and (= world 5) (not (or (and (= var_i 0) (or (= var_j 0) (= var_j 1))) (and (= var_i 1) (or (= var_j 0) (= var_j 1))) (and (= var_i 2) (or (= var_j 2) (= var_j 3))) (and (= var_i 3) (or (= var_j 2) (= var_j 3))) (and (= var_i 4) (or (= var_j 4) (= var_j 5))) (and (= var_i 5) (or (= var_j 4) (= var_j 5))) (and (= var_i 6) (or (= var_j 6) (= var_j 7))) (and (= var_i 7) (or (= var_j 6) (= var_j 7)))))) (and (= world 6) (not (or (and (= var_i 0) (or (= var_j 0) (= var_j 1))) (and (= var_i 1) (or (= var_j 0) (= var_j 1))) (and (= var_i 2) (or (= var_j 2) (= var_j 3))) (and (= var_i 3) (or (= var_j 2) (= var_j 3))) (and (= var_i 4) (or (= var_j 4) (= var_j 5))) (and (= var_i 5) (or (= var_j 4) (= var_j 5))) (and (= var_i 6) (or (= var_j 6) (= var_j 7))) (and (= var_i 7) (or (= var_j 6) (= var_j 7)))))) (and (= world 7) (not (or (and (= var_i 0) (or (= var_j 0) (= var_j 1))) (and (= var_i 1) (or (= var_j 0) (= var_j 1))) (and (= var_i 2) (or (= var_j 2) (= var_j 3))) (and (= var_i 3) (or (= var_j 2) (= var_j 3))) (and (= var_i 4) (or (= var_j 4) (= var_j 5))) (and (= var_i 5) (or (= var_j 4) (= var_j 5))) (and (= var_i 6) (or (= var_j 6) (= var_j 7))) (and (= var_i 7) (or (= var_j 6) (= var_j 7))))))))
(check-sat)
