; Is there a model and a world where this is false? average_benefit(s, 1/6)
; over a release with classes aab, abc (each letter is a row's value of s)
; 1/3 - 1/6. (average benefit)
; unsat: no model of the release has a world where it is false, so that it is proved
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; somewhere this is false: l_a1(s = v) - l_a0(s = v) <= 1/6
; row 0: q = q0, s = a
; row 1: q = q0, s = a
; row 2: q = q0, s = b
; row 3: q = q1, s = a
; row 4: q = q1, s = b
; row 5: q = q1, s = c
(declare-const world Int)
(assert (and (<= 0 world) (<= world 5)))
(declare-const pick_v Int)
(assert (and (<= 0 pick_v) (<= pick_v 2)))
(assert (or (and (= world 0) (not (>= (+ (* (- 12) (ite (= pick_v 0) 1 0)) (* (- 12) (ite (= pick_v 0) 1 0)) (* (- 12) (ite (= pick_v 1) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 1) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 1) 1 0)) (* 6 (ite (= pick_v 2) 1 0)) 6) 0))) (and (= world 1) (not (>= (+ (* (- 12) (ite (= pick_v 0) 1 0)) (* (- 12) (ite (= pick_v 0) 1 0)) (* (- 12) (ite (= pick_v 1) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 1) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 1) 1 0)) (* 6 (ite (= pick_v 2) 1 0)) 6) 0))) (and (= world 2) (not (>= (+ (* (- 12) (ite (= pick_v 0) 1 0)) (* (- 12) (ite (= pick_v 0) 1 0)) (* (- 12) (ite (= pick_v 1) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 1) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 1) 1 0)) (* 6 (ite (= pick_v 2) 1 0)) 6) 0))) (and (= world 3) (not (>= (+ (* (- 12) (ite (= pick_v 0) 1 0)) (* (- 12) (ite (= pick_v 1) 1 0)) (* (- 12) (ite (= pick_v 2) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 1) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 1) 1 0)) (* 6 (ite (= pick_v 2) 1 0)) 6) 0))) (and (= world 4) (not (>= (+ (* (- 12) (ite (= pick_v 0) 1 0)) (* (- 12) (ite (= pick_v 1) 1 0)) (* (- 12) (ite (= pick_v 2) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 1) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 1) 1 0)) (* 6 (ite (= pick_v 2) 1 0)) 6) 0))) (and (= world 5) (not (>= (+ (* (- 12) (ite (= pick_v 0) 1 0)) (* (- 12) (ite (= pick_v 1) 1 0)) (* (- 12) (ite (= pick_v 2) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 1) 1 0)) (* 6 (ite (= pick_v 0) 1 0)) (* 6 (ite (= pick_v 1) 1 0)) (* 6 (ite (= pick_v 2) 1 0)) 6) 0)))))
(check-sat)
