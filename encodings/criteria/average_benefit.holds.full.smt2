; Is there a model and a world where this is false? average_benefit(s, 1/6)
; over a release with classes aab, abc (each letter is a row's value of s)
; 1/3 - 1/6. (average benefit)
; unsat: no model of the release has a world where it is false, so that it is proved
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3; (cell_a1 w): the class of row w; (value_f w): the number of its value of f
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
;   f2_at_5: whether part 2 of the rule is true at row 5
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIRA)
(declare-const world Int)
(assert (<= 0 world 5))
; what a0 cannot tell apart
(define-fun cell_a0 ((w Int)) Int (ite (= w 0) 0 (ite (= w 1) 0 (ite (= w 2) 0 (ite (= w 3) 0 (ite (= w 4) 0 0))))))
; what a1 cannot tell apart
(define-fun cell_a1 ((w Int)) Int (ite (= w 0) 0 (ite (= w 1) 0 (ite (= w 2) 0 (ite (= w 3) 1 (ite (= w 4) 1 1))))))
; 0 is q0, 1 is q1
(define-fun value_q ((w Int)) Int (ite (= w 0) 0 (ite (= w 1) 0 (ite (= w 2) 0 (ite (= w 3) 1 (ite (= w 4) 1 1))))))
; 0 is a, 1 is b, 2 is c
(define-fun value_s ((w Int)) Int (ite (= w 0) 0 (ite (= w 1) 0 (ite (= w 2) 1 (ite (= w 3) 0 (ite (= w 4) 1 2))))))
(declare-const pick_v Int)
(assert (<= 0 pick_v 2))
; somewhere this is false: l_a1(s = v) - l_a0(s = v) <= 1/6
(define-fun f0_at_0 () Bool (or false (and (= pick_v 0) (or false (= (value_s 0) 0))) (and (= pick_v 1) (or false (= (value_s 0) 1))) (and (= pick_v 2) (or false (= (value_s 0) 2)))))
(define-fun f0_at_1 () Bool (or false (and (= pick_v 0) (or false (= (value_s 1) 0))) (and (= pick_v 1) (or false (= (value_s 1) 1))) (and (= pick_v 2) (or false (= (value_s 1) 2)))))
(define-fun f0_at_2 () Bool (or false (and (= pick_v 0) (or false (= (value_s 2) 0))) (and (= pick_v 1) (or false (= (value_s 2) 1))) (and (= pick_v 2) (or false (= (value_s 2) 2)))))
(define-fun f0_at_3 () Bool (or false (and (= pick_v 0) (or false (= (value_s 3) 0))) (and (= pick_v 1) (or false (= (value_s 3) 1))) (and (= pick_v 2) (or false (= (value_s 3) 2)))))
(define-fun f0_at_4 () Bool (or false (and (= pick_v 0) (or false (= (value_s 4) 0))) (and (= pick_v 1) (or false (= (value_s 4) 1))) (and (= pick_v 2) (or false (= (value_s 4) 2)))))
(define-fun f0_at_5 () Bool (or false (and (= pick_v 0) (or false (= (value_s 5) 0))) (and (= pick_v 1) (or false (= (value_s 5) 1))) (and (= pick_v 2) (or false (= (value_s 5) 2)))))
(define-fun f1_at_0 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f0_at_0 1.0 0.0) (ite f0_at_1 1.0 0.0) (ite f0_at_2 1.0 0.0)) 3.0)) (* (- (/ 1.0 1.0)) (/ (+ 0.0 (ite f0_at_0 1.0 0.0) (ite f0_at_1 1.0 0.0) (ite f0_at_2 1.0 0.0) (ite f0_at_3 1.0 0.0) (ite f0_at_4 1.0 0.0) (ite f0_at_5 1.0 0.0)) 6.0))) (+ 0.0 (/ 1.0 6.0) )))
(define-fun f1_at_1 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f0_at_0 1.0 0.0) (ite f0_at_1 1.0 0.0) (ite f0_at_2 1.0 0.0)) 3.0)) (* (- (/ 1.0 1.0)) (/ (+ 0.0 (ite f0_at_0 1.0 0.0) (ite f0_at_1 1.0 0.0) (ite f0_at_2 1.0 0.0) (ite f0_at_3 1.0 0.0) (ite f0_at_4 1.0 0.0) (ite f0_at_5 1.0 0.0)) 6.0))) (+ 0.0 (/ 1.0 6.0) )))
(define-fun f1_at_2 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f0_at_0 1.0 0.0) (ite f0_at_1 1.0 0.0) (ite f0_at_2 1.0 0.0)) 3.0)) (* (- (/ 1.0 1.0)) (/ (+ 0.0 (ite f0_at_0 1.0 0.0) (ite f0_at_1 1.0 0.0) (ite f0_at_2 1.0 0.0) (ite f0_at_3 1.0 0.0) (ite f0_at_4 1.0 0.0) (ite f0_at_5 1.0 0.0)) 6.0))) (+ 0.0 (/ 1.0 6.0) )))
(define-fun f1_at_3 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f0_at_3 1.0 0.0) (ite f0_at_4 1.0 0.0) (ite f0_at_5 1.0 0.0)) 3.0)) (* (- (/ 1.0 1.0)) (/ (+ 0.0 (ite f0_at_0 1.0 0.0) (ite f0_at_1 1.0 0.0) (ite f0_at_2 1.0 0.0) (ite f0_at_3 1.0 0.0) (ite f0_at_4 1.0 0.0) (ite f0_at_5 1.0 0.0)) 6.0))) (+ 0.0 (/ 1.0 6.0) )))
(define-fun f1_at_4 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f0_at_3 1.0 0.0) (ite f0_at_4 1.0 0.0) (ite f0_at_5 1.0 0.0)) 3.0)) (* (- (/ 1.0 1.0)) (/ (+ 0.0 (ite f0_at_0 1.0 0.0) (ite f0_at_1 1.0 0.0) (ite f0_at_2 1.0 0.0) (ite f0_at_3 1.0 0.0) (ite f0_at_4 1.0 0.0) (ite f0_at_5 1.0 0.0)) 6.0))) (+ 0.0 (/ 1.0 6.0) )))
(define-fun f1_at_5 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f0_at_3 1.0 0.0) (ite f0_at_4 1.0 0.0) (ite f0_at_5 1.0 0.0)) 3.0)) (* (- (/ 1.0 1.0)) (/ (+ 0.0 (ite f0_at_0 1.0 0.0) (ite f0_at_1 1.0 0.0) (ite f0_at_2 1.0 0.0) (ite f0_at_3 1.0 0.0) (ite f0_at_4 1.0 0.0) (ite f0_at_5 1.0 0.0)) 6.0))) (+ 0.0 (/ 1.0 6.0) )))
(assert (or false (and (= world 0) (not f1_at_0)) (and (= world 1) (not f1_at_1)) (and (= world 2) (not f1_at_2)) (and (= world 3) (not f1_at_3)) (and (= world 4) (not f1_at_4)) (and (= world 5) (not f1_at_5))))
(check-sat)
