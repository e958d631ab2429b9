; Is there a model and a world where this is false? forall c in clauses(health, 1): forall e in clauses(income, 1): ~[a1] (c | e)
; over the hospital release
; Example 3: health 2 or income 100K covers a class, although each attribute is 2-diverse.
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; somewhere this is false: ~[a1] (c | e)
; row 0: birth = 09/56, zip = 24***, income = 100K, health = 0
; row 1: birth = 09/56, zip = 24***, income = 70K, health = 1
; row 2: birth = 03/56, zip = 10***, income = 100K, health = 0
; row 3: birth = 03/56, zip = 10***, income = 50K, health = 2
; row 4: birth = 04/55, zip = 26***, income = 30K, health = 2
; row 5: birth = 04/55, zip = 26***, income = 70K, health = 0
; row 6: birth = 10/52, zip = 26***, income = 30K, health = 1
; row 7: birth = 10/52, zip = 26***, income = 50K, health = 0
(declare-const clause_c_0 Int)
(assert (<= 0 clause_c_0 1))
(declare-const clause_c_1 Int)
(assert (<= 0 clause_c_1 1))
(declare-const clause_c_2 Int)
(assert (<= 0 clause_c_2 1))
(declare-const clause_e_0 Int)
(assert (<= 0 clause_e_0 1))
(declare-const clause_e_1 Int)
(assert (<= 0 clause_e_1 1))
(declare-const clause_e_2 Int)
(assert (<= 0 clause_e_2 1))
(declare-const clause_e_3 Int)
(assert (<= 0 clause_e_3 1))
(declare-const world Int)
(assert (and (<= 0 world) (<= world 7)))
(assert (and (>= (+ clause_c_0 clause_c_1 clause_c_2 (- 1)) 0) (>= (+ (* (- 1) clause_c_0) (* (- 1) clause_c_1) (* (- 1) clause_c_2) 1) 0)))
(assert (and (>= (+ clause_e_0 clause_e_1 clause_e_2 clause_e_3 (- 1)) 0) (>= (+ (* (- 1) clause_e_0) (* (- 1) clause_e_1) (* (- 1) clause_e_2) (* (- 1) clause_e_3) 1) 0)))
(assert (or (and (= world 0) (not (or (not (or (= clause_c_0 1) (= clause_e_0 1))) (not (or (= clause_c_1 1) (= clause_e_1 1)))))) (and (= world 1) (not (or (not (or (= clause_c_0 1) (= clause_e_0 1))) (not (or (= clause_c_1 1) (= clause_e_1 1)))))) (and (= world 2) (not (or (not (or (= clause_c_0 1) (= clause_e_0 1))) (not (or (= clause_c_2 1) (= clause_e_2 1)))))) (and (= world 3) (not (or (not (or (= clause_c_0 1) (= clause_e_0 1))) (not (or (= clause_c_2 1) (= clause_e_2 1)))))) (and (= world 4) (not (or (not (or (= clause_c_2 1) (= clause_e_3 1))) (not (or (= clause_c_0 1) (= clause_e_1 1)))))) (and (= world 5) (not (or (not (or (= clause_c_2 1) (= clause_e_3 1))) (not (or (= clause_c_0 1) (= clause_e_1 1)))))) (and (= world 6) (not (or (not (or (= clause_c_1 1) (= clause_e_3 1))) (not (or (= clause_c_0 1) (= clause_e_2 1)))))) (and (= world 7) (not (or (not (or (= clause_c_1 1) (= clause_e_3 1))) (not (or (= clause_c_0 1) (= clause_e_2 1))))))))
(check-sat)
