; Is there a model and a world where this is false? l_diversity(health, 2)
; over the hospital release
; 2 values a class. (Theorem 3)
; unsat: no model of the release has a world where it is false, so that it is proved
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; somewhere this is false: ~[a1] D
; row 0: birth = 09/56, zip = 24***, health = 0
; row 1: birth = 09/56, zip = 24***, health = 1
; row 2: birth = 03/56, zip = 10***, health = 0
; row 3: birth = 03/56, zip = 10***, health = 2
; row 4: birth = 04/55, zip = 26***, health = 2
; row 5: birth = 04/55, zip = 26***, health = 0
; row 6: birth = 10/52, zip = 26***, health = 1
; row 7: birth = 10/52, zip = 26***, health = 0
(declare-const clause_D_0 Int)
(assert (<= 0 clause_D_0 1))
(declare-const clause_D_1 Int)
(assert (<= 0 clause_D_1 1))
(declare-const clause_D_2 Int)
(assert (<= 0 clause_D_2 1))
(declare-const world Int)
(assert (and (<= 0 world) (<= world 7)))
(assert (and (>= (+ clause_D_0 clause_D_1 clause_D_2 (- 1)) 0) (>= (+ (* (- 1) clause_D_0) (* (- 1) clause_D_1) (* (- 1) clause_D_2) 1) 0)))
(assert (or (and (= world 0) (not (or (not (= clause_D_0 1)) (not (= clause_D_1 1))))) (and (= world 1) (not (or (not (= clause_D_0 1)) (not (= clause_D_1 1))))) (and (= world 2) (not (or (not (= clause_D_0 1)) (not (= clause_D_2 1))))) (and (= world 3) (not (or (not (= clause_D_0 1)) (not (= clause_D_2 1))))) (and (= world 4) (not (or (not (= clause_D_2 1)) (not (= clause_D_0 1))))) (and (= world 5) (not (or (not (= clause_D_2 1)) (not (= clause_D_0 1))))) (and (= world 6) (not (or (not (= clause_D_1 1)) (not (= clause_D_0 1))))) (and (= world 7) (not (or (not (= clause_D_1 1)) (not (= clause_D_0 1)))))))
(check-sat)
