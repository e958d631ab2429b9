; Claim: A class is recursively (c, l)-diverse iff (psi1 & psi2 & psi3) -> c l_a1(phi_l) + .. + c l_a1(phi_m) >
;   l_a1(phi_1) is valid for every f-clause; and iff l_a1(v) < c (1 - l_a1(D)) is valid for every value v and every
;   clause D of at most l - 1 values.
; Source: Hsu, Liau, Wang: Logic, Probability, and Privacy (2012), Theorem 4
; Here: 2 values, l from 1 to 3, the formula of phverify.spec.criteria; if the criterion holds, the formula is valid
; Unknowns: the share q of each value in the class (real, >= 0, sum 1) and y = c q, which stays linear because only
;   this is used of c > 0: the y sum to c, and are 0, equal and ordered as the q are; k_j (ck_j) is the j-th greatest
;   of the q (of the y).  Definition 8.2 counts rows: both its sides are divided by the size of the class
; Why: a model of the assertions would be a class (or shares that no class need have) for which the two sides differ
;   in the stated direction; there is none.
; Bound: 1 to 6 values in the code's form, 1 to 5 in the paper's, l up to one more, any c > 0
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const q0 Real)
(declare-const q1 Real)
(assert (>= q0 0))
(assert (>= q1 0))
(assert (= (+ q0 q1) 1))
(declare-const y0 Real)
(declare-const y1 Real)
(define-fun c () Real (+ y0 y1))
(assert (> c 0))
(assert (>= y0 0))
(assert (>= y1 0))
(assert (= (= q0 0) (= y0 0)))
(assert (= (= q1 0) (= y1 0)))
(assert (= (< q0 q1) (< y0 y1)))
(assert (= (= q0 q1) (= y0 y1)))
(declare-const k1 Real)
(assert (<= (+ (ite (> q0 k1) 1 0) (ite (> q1 k1) 1 0)) 0))
(assert (>= (+ (ite (>= q0 k1) 1 0) (ite (>= q1 k1) 1 0)) 1))
(declare-const k2 Real)
(assert (<= (+ (ite (> q0 k2) 1 0) (ite (> q1 k2) 1 0)) 1))
(assert (>= (+ (ite (>= q0 k2) 1 0) (ite (>= q1 k2) 1 0)) 2))
(declare-const ck1 Real)
(assert (<= (+ (ite (> y0 ck1) 1 0) (ite (> y1 ck1) 1 0)) 0))
(assert (>= (+ (ite (>= y0 ck1) 1 0) (ite (>= y1 ck1) 1 0)) 1))
(declare-const ck2 Real)
(assert (<= (+ (ite (> y0 ck2) 1 0) (ite (> y1 ck2) 1 0)) 1))
(assert (>= (+ (ite (>= y0 ck2) 1 0) (ite (>= y1 ck2) 1 0)) 2))
(define-fun left_0 () Bool (< k1 (+ ck1 ck2)))
(define-fun right_0 () Bool (and (< (+ q0 (* (- 1) c)) 0) (< (+ q1 (* (- 1) c)) 0)))
(define-fun left_1 () Bool (< k1 ck2))
(define-fun right_1 () Bool (and (and (< (+ q0 y0 (* (- 1) c)) 0) (< (+ q0 y1 (* (- 1) c)) 0)) (and (< (+ q1 y0 (* (- 1) c)) 0) (< (+ q1 y1 (* (- 1) c)) 0))))
(define-fun left_2 () Bool (< k1 0))
(define-fun right_2 () Bool (and (and (< (+ q0 y0 (* (- 1) c)) 0) (< (+ q0 y1 (* (- 1) c)) 0) (< (+ q0 y0 y1 (* (- 1) c)) 0)) (and (< (+ q1 y0 (* (- 1) c)) 0) (< (+ q1 y1 (* (- 1) c)) 0) (< (+ q1 y0 y1 (* (- 1) c)) 0))))
(assert (or (and left_0 (not right_0)) (and left_1 (not right_1)) (and left_2 (not right_2))))
(check-sat)
