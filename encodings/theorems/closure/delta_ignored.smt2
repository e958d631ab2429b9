; Claim: If two classes satisfy delta-disclosure with absent values ignored, so does their union.
; Source: ours
; Here: Model: class a has 0, 16, 16 rows with values 0, 1, 2, class b has 6, 13, 13; p = 1/4, 3/8, 3/8, delta = 1
; Unknowns: counts of two classes; p and delta are numbers
; Why: the model is a counterexample: a value that a lacks is diluted below p / 2 in the union
; Bound: one counterexample suffices
(set-info :smt-lib-version 2.6)
(set-logic QF_LIA)
(set-info :status sat)
(declare-const a0 Int)
(declare-const a1 Int)
(declare-const a2 Int)
(assert (>= a0 0))
(assert (>= a1 0))
(assert (>= a2 0))
(define-fun a () Int (+ a0 a1 a2))
(assert (>= a 1))
(declare-const b0 Int)
(declare-const b1 Int)
(declare-const b2 Int)
(assert (>= b0 0))
(assert (>= b1 0))
(assert (>= b2 0))
(define-fun b () Int (+ b0 b1 b2))
(assert (>= b 1))
(define-fun u0 () Int (+ a0 b0))
(define-fun u1 () Int (+ a1 b1))
(define-fun u2 () Int (+ a2 b2))
(define-fun u () Int (+ a b))
(define-fun a_0 () Bool (and (or (= a0 0) (and (< (* 1 a) (* 8 a0)) (< (* 2 a0) (* 1 a)))) (or (= a1 0) (and (< (* 3 a) (* 16 a1)) (< (* 4 a1) (* 3 a)))) (or (= a2 0) (and (< (* 3 a) (* 16 a2)) (< (* 4 a2) (* 3 a))))))
(define-fun b_0 () Bool (and (or (= b0 0) (and (< (* 1 b) (* 8 b0)) (< (* 2 b0) (* 1 b)))) (or (= b1 0) (and (< (* 3 b) (* 16 b1)) (< (* 4 b1) (* 3 b)))) (or (= b2 0) (and (< (* 3 b) (* 16 b2)) (< (* 4 b2) (* 3 b))))))
(define-fun u_0 () Bool (and (or (= u0 0) (and (< (* 1 u) (* 8 u0)) (< (* 2 u0) (* 1 u)))) (or (= u1 0) (and (< (* 3 u) (* 16 u1)) (< (* 4 u1) (* 3 u)))) (or (= u2 0) (and (< (* 3 u) (* 16 u2)) (< (* 4 u2) (* 3 u))))))
(assert (and a_0 b_0 (not u_0)))
(check-sat)
