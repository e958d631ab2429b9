; Claim: The formulas of alpha_k_anonymity, beta_likeness and average_benefit say what their definitions say.
; Source: Wong et al. 2006; Cao and Karras 2012; Section 4.4 of the paper on PH(@)
; Here: (alpha, k)-anonymity, 1 values, alpha in 1/3, 1/2, 3/4 and k in 1, 2, 3; if the formula is valid, the
;   criterion holds
; Unknowns: the counts of the values in the class, or the shares in class and table
; Why: a model of the assertions would be a class (or shares that no class need have) for which the two sides differ
;   in the stated direction; there is none.
; Bound: 1 to 5 values; stated thresholds, any b.  The formulas of entropy_l_diversity, enhanced_beta_likeness and,
;   for fractional delta, of delta_disclosure depend on the number of rows: tests enumerate them
(set-info :smt-lib-version 2.6)
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const n0 Int)
(assert (>= n0 0))
(define-fun n () Int n0)
(assert (>= n 1))
(declare-const x0 Int)
(assert (<= 0 x0 1))
(assert (<= x0 n0))
(assert (= x0 1))
(define-fun left_0 () Bool (and (<= (+ x0 (* (- 1) n0)) 0) (<= (* 2 n0) 0)))
(define-fun right_0 () Bool (and (>= n 1) (<= (* 3 n0) (* 1 n))))
(define-fun left_1 () Bool (and (<= (+ (* 2 x0) (* (- 1) n0)) 0) (<= (* 2 n0) 0)))
(define-fun right_1 () Bool (and (>= n 2) (<= (* 3 n0) (* 1 n))))
(define-fun left_2 () Bool (and (<= (+ (* 3 x0) (* (- 1) n0)) 0) (<= (* 2 n0) 0)))
(define-fun right_2 () Bool (and (>= n 3) (<= (* 3 n0) (* 1 n))))
(define-fun left_3 () Bool (and (<= (+ x0 (* (- 1) n0)) 0) (<= n0 0)))
(define-fun right_3 () Bool (and (>= n 1) (<= (* 2 n0) (* 1 n))))
(define-fun left_4 () Bool (and (<= (+ (* 2 x0) (* (- 1) n0)) 0) (<= n0 0)))
(define-fun right_4 () Bool (and (>= n 2) (<= (* 2 n0) (* 1 n))))
(define-fun left_5 () Bool (and (<= (+ (* 3 x0) (* (- 1) n0)) 0) (<= n0 0)))
(define-fun right_5 () Bool (and (>= n 3) (<= (* 2 n0) (* 1 n))))
(define-fun left_6 () Bool (and (<= (+ x0 (* (- 1) n0)) 0) (<= n0 0)))
(define-fun right_6 () Bool (and (>= n 1) (<= (* 4 n0) (* 3 n))))
(define-fun left_7 () Bool (and (<= (+ (* 2 x0) (* (- 1) n0)) 0) (<= n0 0)))
(define-fun right_7 () Bool (and (>= n 2) (<= (* 4 n0) (* 3 n))))
(define-fun left_8 () Bool (and (<= (+ (* 3 x0) (* (- 1) n0)) 0) (<= n0 0)))
(define-fun right_8 () Bool (and (>= n 3) (<= (* 4 n0) (* 3 n))))
(assert (or (and left_0 (not right_0)) (and left_1 (not right_1)) (and left_2 (not right_2)) (and left_3 (not right_3)) (and left_4 (not right_4)) (and left_5 (not right_5)) (and left_6 (not right_6)) (and left_7 (not right_7)) (and left_8 (not right_8))))
(check-sat)
