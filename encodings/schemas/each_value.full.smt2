; Is there a model and a world where this is false? forall v in health: l_a1(i3 & health = v) <= 1/2
; over the hospital release
; One instance for each value that occurs in the release.
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
(assert (<= 0 world 7))
; what a0 cannot tell apart
(define-fun cell_a0 ((w Int)) Int (ite (= w 0) 0 (ite (= w 1) 0 (ite (= w 2) 0 (ite (= w 3) 0 (ite (= w 4) 0 (ite (= w 5) 0 (ite (= w 6) 0 0))))))))
; what a1 cannot tell apart
(define-fun cell_a1 ((w Int)) Int (ite (= w 0) 0 (ite (= w 1) 0 (ite (= w 2) 1 (ite (= w 3) 1 (ite (= w 4) 2 (ite (= w 5) 2 (ite (= w 6) 3 3))))))))
; 0 is 09/56, 1 is 03/56, 2 is 04/55, 3 is 10/52
(define-fun value_birth ((w Int)) Int (ite (= w 0) 0 (ite (= w 1) 0 (ite (= w 2) 1 (ite (= w 3) 1 (ite (= w 4) 2 (ite (= w 5) 2 (ite (= w 6) 3 3))))))))
; 0 is 24***, 1 is 10***, 2 is 26***
(define-fun value_zip ((w Int)) Int (ite (= w 0) 0 (ite (= w 1) 0 (ite (= w 2) 1 (ite (= w 3) 1 (ite (= w 4) 2 (ite (= w 5) 2 (ite (= w 6) 2 2))))))))
; 0 is 0, 1 is 1, 2 is 2
(define-fun value_health ((w Int)) Int (ite (= w 0) 0 (ite (= w 1) 1 (ite (= w 2) 0 (ite (= w 3) 2 (ite (= w 4) 2 (ite (= w 5) 0 (ite (= w 6) 1 0))))))))
(declare-const at_i3 Int)
(assert (<= 0 at_i3 7))
(assert (= (cell_a1 at_i3) (cell_a1 2)))
(declare-const pick_v Int)
(assert (<= 0 pick_v 2))
; somewhere this is false: l_a1(i3 & health = v) <= 1/2
(define-fun f0_at_0 () Bool (= at_i3 0))
(define-fun f1_at_0 () Bool (or false (and (= pick_v 0) (or false (= (value_health 0) 0))) (and (= pick_v 1) (or false (= (value_health 0) 1))) (and (= pick_v 2) (or false (= (value_health 0) 2)))))
(define-fun f2_at_0 () Bool (and true f0_at_0 f1_at_0))
(define-fun f0_at_1 () Bool (= at_i3 1))
(define-fun f1_at_1 () Bool (or false (and (= pick_v 0) (or false (= (value_health 1) 0))) (and (= pick_v 1) (or false (= (value_health 1) 1))) (and (= pick_v 2) (or false (= (value_health 1) 2)))))
(define-fun f2_at_1 () Bool (and true f0_at_1 f1_at_1))
(define-fun f3_at_0 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f2_at_0 1.0 0.0) (ite f2_at_1 1.0 0.0)) 2.0))) (+ 0.0 (/ 1.0 2.0) )))
(define-fun f3_at_1 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f2_at_0 1.0 0.0) (ite f2_at_1 1.0 0.0)) 2.0))) (+ 0.0 (/ 1.0 2.0) )))
(define-fun f0_at_2 () Bool (= at_i3 2))
(define-fun f1_at_2 () Bool (or false (and (= pick_v 0) (or false (= (value_health 2) 0))) (and (= pick_v 1) (or false (= (value_health 2) 1))) (and (= pick_v 2) (or false (= (value_health 2) 2)))))
(define-fun f2_at_2 () Bool (and true f0_at_2 f1_at_2))
(define-fun f0_at_3 () Bool (= at_i3 3))
(define-fun f1_at_3 () Bool (or false (and (= pick_v 0) (or false (= (value_health 3) 0))) (and (= pick_v 1) (or false (= (value_health 3) 1))) (and (= pick_v 2) (or false (= (value_health 3) 2)))))
(define-fun f2_at_3 () Bool (and true f0_at_3 f1_at_3))
(define-fun f3_at_2 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f2_at_2 1.0 0.0) (ite f2_at_3 1.0 0.0)) 2.0))) (+ 0.0 (/ 1.0 2.0) )))
(define-fun f3_at_3 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f2_at_2 1.0 0.0) (ite f2_at_3 1.0 0.0)) 2.0))) (+ 0.0 (/ 1.0 2.0) )))
(define-fun f0_at_4 () Bool (= at_i3 4))
(define-fun f1_at_4 () Bool (or false (and (= pick_v 0) (or false (= (value_health 4) 0))) (and (= pick_v 1) (or false (= (value_health 4) 1))) (and (= pick_v 2) (or false (= (value_health 4) 2)))))
(define-fun f2_at_4 () Bool (and true f0_at_4 f1_at_4))
(define-fun f0_at_5 () Bool (= at_i3 5))
(define-fun f1_at_5 () Bool (or false (and (= pick_v 0) (or false (= (value_health 5) 0))) (and (= pick_v 1) (or false (= (value_health 5) 1))) (and (= pick_v 2) (or false (= (value_health 5) 2)))))
(define-fun f2_at_5 () Bool (and true f0_at_5 f1_at_5))
(define-fun f3_at_4 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f2_at_4 1.0 0.0) (ite f2_at_5 1.0 0.0)) 2.0))) (+ 0.0 (/ 1.0 2.0) )))
(define-fun f3_at_5 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f2_at_4 1.0 0.0) (ite f2_at_5 1.0 0.0)) 2.0))) (+ 0.0 (/ 1.0 2.0) )))
(define-fun f0_at_6 () Bool (= at_i3 6))
(define-fun f1_at_6 () Bool (or false (and (= pick_v 0) (or false (= (value_health 6) 0))) (and (= pick_v 1) (or false (= (value_health 6) 1))) (and (= pick_v 2) (or false (= (value_health 6) 2)))))
(define-fun f2_at_6 () Bool (and true f0_at_6 f1_at_6))
(define-fun f0_at_7 () Bool (= at_i3 7))
(define-fun f1_at_7 () Bool (or false (and (= pick_v 0) (or false (= (value_health 7) 0))) (and (= pick_v 1) (or false (= (value_health 7) 1))) (and (= pick_v 2) (or false (= (value_health 7) 2)))))
(define-fun f2_at_7 () Bool (and true f0_at_7 f1_at_7))
(define-fun f3_at_6 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f2_at_6 1.0 0.0) (ite f2_at_7 1.0 0.0)) 2.0))) (+ 0.0 (/ 1.0 2.0) )))
(define-fun f3_at_7 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f2_at_6 1.0 0.0) (ite f2_at_7 1.0 0.0)) 2.0))) (+ 0.0 (/ 1.0 2.0) )))
(assert (or false (and (= world 0) (not f3_at_0)) (and (= world 1) (not f3_at_1)) (and (= world 2) (not f3_at_2)) (and (= world 3) (not f3_at_3)) (and (= world 4) (not f3_at_4)) (and (= world 5) (not f3_at_5)) (and (= world 6) (not f3_at_6)) (and (= world 7) (not f3_at_7))))
(check-sat)
