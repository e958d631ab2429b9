; Is there a model and a world where this is false? k_anonymity(2)
; over the hospital release
; Classes of 2 rows. (Theorem 1)
; unsat: no model of the release has a world where it is false, so that it is proved
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; somewhere this is false: l_a1(i) <= 1/2
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
(assert (or (and (= world 0) (not (>= (+ (* (- 2) (ite (= var_i 0) 1 0)) (* (- 2) (ite (= var_i 1) 1 0)) 2) 0))) (and (= world 1) (not (>= (+ (* (- 2) (ite (= var_i 0) 1 0)) (* (- 2) (ite (= var_i 1) 1 0)) 2) 0))) (and (= world 2) (not (>= (+ (* (- 2) (ite (= var_i 2) 1 0)) (* (- 2) (ite (= var_i 3) 1 0)) 2) 0))) (and (= world 3) (not (>= (+ (* (- 2) (ite (= var_i 2) 1 0)) (* (- 2) (ite (= var_i 3) 1 0)) 2) 0))) (and (= world 4) (not (>= (+ (* (- 2) (ite (= var_i 4) 1 0)) (* (- 2) (ite (= var_i 5) 1 0)) 2) 0))) (and (= world 5) (not (>= (+ (* (- 2) (ite (= var_i 4) 1 0)) (* (- 2) (ite (= var_i 5) 1 0)) 2) 0))) (and (= world 6) (not (>= (+ (* (- 2) (ite (= var_i 6) 1 0)) (* (- 2) (ite (= var_i 7) 1 0)) 2) 0))) (and (= world 7) (not (>= (+ (* (- 2) (ite (= var_i 6) 1 0)) (* (- 2) (ite (= var_i 7) 1 0)) 2) 0)))))
(check-sat)
