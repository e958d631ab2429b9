; Claim: The formulas of alpha_k_anonymity, beta_likeness and average_benefit say what their definitions say.
; Source: Wong et al. 2006; Cao and Karras 2012; Section 4.4 of the paper on PH(@)
; Here: basic beta-likeness, 3 values, beta in 0, 1/2, 1, 5/2; if the criterion holds, the formula is valid
; Unknowns: the counts of the values in the class, or the shares in class and table
; Why: a model of the assertions would be a class (or shares that no class need have) for which the two sides differ
;   in the stated direction; there is none.
; Bound: 1 to 5 values; stated thresholds, any b.  The formulas of entropy_l_diversity, enhanced_beta_likeness and,
;   for fractional delta, of delta_disclosure depend on the number of rows: tests enumerate them
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const q0 Real)
(declare-const q1 Real)
(declare-const q2 Real)
(assert (>= q0 0))
(assert (>= q1 0))
(assert (>= q2 0))
(assert (= (+ q0 q1 q2) 1))
(declare-const p0 Real)
(declare-const p1 Real)
(declare-const p2 Real)
(assert (> p0 0))
(assert (> p1 0))
(assert (> p2 0))
(assert (= (+ p0 p1 p2) 1))
(define-fun left_0 () Bool (and (<= (- q0 p0) (* 0 p0)) (<= (- q1 p1) (* 0 p1)) (<= (- q2 p2) (* 0 p2))))
(define-fun right_0 () Bool (and (<= (+ q0 (* (- 1) p0)) 0) (<= (+ q1 (* (- 1) p1)) 0) (<= (+ q2 (* (- 1) p2)) 0)))
(define-fun left_1 () Bool (and (<= (- q0 p0) (* (/ 1 2) p0)) (<= (- q1 p1) (* (/ 1 2) p1)) (<= (- q2 p2) (* (/ 1 2) p2))))
(define-fun right_1 () Bool (and (<= (+ (* 2 q0) (* (- 3) p0)) 0) (<= (+ (* 2 q1) (* (- 3) p1)) 0) (<= (+ (* 2 q2) (* (- 3) p2)) 0)))
(define-fun left_2 () Bool (and (<= (- q0 p0) (* 1 p0)) (<= (- q1 p1) (* 1 p1)) (<= (- q2 p2) (* 1 p2))))
(define-fun right_2 () Bool (and (<= (+ q0 (* (- 2) p0)) 0) (<= (+ q1 (* (- 2) p1)) 0) (<= (+ q2 (* (- 2) p2)) 0)))
(define-fun left_3 () Bool (and (<= (- q0 p0) (* (/ 5 2) p0)) (<= (- q1 p1) (* (/ 5 2) p1)) (<= (- q2 p2) (* (/ 5 2) p2))))
(define-fun right_3 () Bool (and (<= (+ (* 2 q0) (* (- 7) p0)) 0) (<= (+ (* 2 q1) (* (- 7) p1)) 0) (<= (+ (* 2 q2) (* (- 7) p2)) 0)))
(assert (or (and left_0 (not right_0)) (and left_1 (not right_1)) (and left_2 (not right_2)) (and left_3 (not right_3))))
(check-sat)
