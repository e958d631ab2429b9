; Is there a model and a world where this is false? guarded(s, 'C*', 1/2)
; over a release with one class of C1, C2, D1
; 2 of 3 rows are below C*, though C1 and C2 have the share 1/3 each. (guarding nodes)
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3; (cell_a1 w): the class of row w; (value_f w): the number of its value of f
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
;   f2_at_5: whether part 2 of the rule is true at row 5
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIRA)
(declare-const world Int)
(assert (<= 0 world 2))
; what a0 cannot tell apart
(define-fun cell_a0 ((w Int)) Int (ite (= w 0) 0 (ite (= w 1) 0 0)))
; what a1 cannot tell apart
(define-fun cell_a1 ((w Int)) Int (ite (= w 0) 0 (ite (= w 1) 0 0)))
; 0 is x
(define-fun value_q ((w Int)) Int (ite (= w 0) 0 (ite (= w 1) 0 0)))
; 0 is C1, 1 is C2, 2 is D1
(define-fun value_s ((w Int)) Int (ite (= w 0) 0 (ite (= w 1) 1 2)))
; somewhere this is false: l_a1(s in {'C1', 'C2'}) <= 1/2
(define-fun f0_at_0 () Bool (or false (= (value_s 0) 0) (= (value_s 0) 1)))
(define-fun f0_at_1 () Bool (or false (= (value_s 1) 0) (= (value_s 1) 1)))
(define-fun f0_at_2 () Bool (or false (= (value_s 2) 0) (= (value_s 2) 1)))
(define-fun f1_at_0 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f0_at_0 1.0 0.0) (ite f0_at_1 1.0 0.0) (ite f0_at_2 1.0 0.0)) 3.0))) (+ 0.0 (/ 1.0 2.0) )))
(define-fun f1_at_1 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f0_at_0 1.0 0.0) (ite f0_at_1 1.0 0.0) (ite f0_at_2 1.0 0.0)) 3.0))) (+ 0.0 (/ 1.0 2.0) )))
(define-fun f1_at_2 () Bool (<= (+ 0.0 (/ 0.0 1.0) (* (/ 1.0 1.0) (/ (+ 0.0 (ite f0_at_0 1.0 0.0) (ite f0_at_1 1.0 0.0) (ite f0_at_2 1.0 0.0)) 3.0))) (+ 0.0 (/ 1.0 2.0) )))
(assert (or false (and (= world 0) (not f1_at_0)) (and (= world 1) (not f1_at_1)) (and (= world 2) (not f1_at_2))))
(check-sat)
