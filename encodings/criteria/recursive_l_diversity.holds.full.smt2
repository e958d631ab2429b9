; Is there a model and a world where this is false? recursive_l_diversity(health, 3/2, 2)
; over the hospital release
; 1 < 3/2 * 1, and 1 < 1 * 1 fails: the bound is strict. (Theorem 4)
; unsat: no model of the release has a world where it is false, so that it is proved
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; somewhere this is false: l_a1(health = v) < -3/2 * l_a1(D) + 3/2
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
(declare-const pick_v Int)
(assert (and (<= 0 pick_v) (<= pick_v 2)))
(assert (and (>= (+ clause_D_0 clause_D_1 clause_D_2 (- 1)) 0) (>= (+ (* (- 1) clause_D_0) (* (- 1) clause_D_1) (* (- 1) clause_D_2) 1) 0)))
(assert (or (and (= world 0) (not (>= (+ (* (- 2) (ite (= pick_v 0) 1 0)) (* (- 2) (ite (= pick_v 1) 1 0)) (* (- 3) clause_D_0) (* (- 3) clause_D_1) 5) 0))) (and (= world 1) (not (>= (+ (* (- 2) (ite (= pick_v 0) 1 0)) (* (- 2) (ite (= pick_v 1) 1 0)) (* (- 3) clause_D_0) (* (- 3) clause_D_1) 5) 0))) (and (= world 2) (not (>= (+ (* (- 2) (ite (= pick_v 0) 1 0)) (* (- 2) (ite (= pick_v 2) 1 0)) (* (- 3) clause_D_0) (* (- 3) clause_D_2) 5) 0))) (and (= world 3) (not (>= (+ (* (- 2) (ite (= pick_v 0) 1 0)) (* (- 2) (ite (= pick_v 2) 1 0)) (* (- 3) clause_D_0) (* (- 3) clause_D_2) 5) 0))) (and (= world 4) (not (>= (+ (* (- 2) (ite (= pick_v 2) 1 0)) (* (- 2) (ite (= pick_v 0) 1 0)) (* (- 3) clause_D_2) (* (- 3) clause_D_0) 5) 0))) (and (= world 5) (not (>= (+ (* (- 2) (ite (= pick_v 2) 1 0)) (* (- 2) (ite (= pick_v 0) 1 0)) (* (- 3) clause_D_2) (* (- 3) clause_D_0) 5) 0))) (and (= world 6) (not (>= (+ (* (- 2) (ite (= pick_v 1) 1 0)) (* (- 2) (ite (= pick_v 0) 1 0)) (* (- 3) clause_D_1) (* (- 3) clause_D_0) 5) 0))) (and (= world 7) (not (>= (+ (* (- 2) (ite (= pick_v 1) 1 0)) (* (- 2) (ite (= pick_v 0) 1 0)) (* (- 3) clause_D_1) (* (- 3) clause_D_0) 5) 0)))))
(check-sat)
