; Claim: The formulas of alpha_k_anonymity, beta_likeness and average_benefit say what their definitions say.
; Source: Wong et al. 2006; Cao and Karras 2012; Section 4.4 of the paper on PH(@)
; Here: average benefit, 2 values, any b; if the criterion holds, the formula is valid
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
(assert (>= q0 0))
(assert (>= q1 0))
(assert (= (+ q0 q1) 1))
(declare-const p0 Real)
(declare-const p1 Real)
(assert (> p0 0))
(assert (> p1 0))
(assert (= (+ p0 p1) 1))
(declare-const b Real)
(assert (>= b 0))
(define-fun left_0 () Bool (and (<= (- q0 p0) b) (<= (- q1 p1) b)))
(define-fun right_0 () Bool (and (<= (+ q0 (* (- 1) p0) (* (- 1) b)) 0) (<= (+ q1 (* (- 1) p1) (* (- 1) b)) 0)))
(assert (and left_0 (not right_0)))
(check-sat)
