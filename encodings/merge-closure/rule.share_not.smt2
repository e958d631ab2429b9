; Is the rule l_a1(health = 2) != 1/3 merge-closed: if two classes satisfy it, so does their union? Two shares around 1/3 mix to 1/3, with 4 rows of 2.
; over symbolic histograms of a class: integers within the hospital table
; sat: it is not; a model shows two classes
; unknowns (xn, yn, zn are the rows in all; xw0, .. a constant of the table times xn):
;   x0, y0, z0: rows of kind 0 (health = 0, ..) in the first, the second, the union
;   x1, y1, z1: rows of kind 1 (health = 2, ..) in the first, the second, the union
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; merge-closed: two classes and their union
(declare-const x0 Int)
(declare-const x1 Int)
(declare-const y0 Int)
(declare-const y1 Int)
(define-fun z0 () Int (+ x0 y0))
(define-fun z1 () Int (+ x1 y1))
(define-fun xn () Int (+ x0 x1))
(define-fun yn () Int (+ y0 y1))
(define-fun zn () Int (+ z0 z1))
(assert (>= x0 0))
(assert (>= x1 0))
(assert (>= y0 0))
(assert (>= y1 0))
(assert (<= z0 6))
(assert (<= z1 2))
(assert (>= xn 1))
(assert (>= yn 1))
(define-fun e0 () Int (+ (* 3 x1) (* (- 1) xn)))
(define-fun e1 () Int (+ (* 3 y1) (* (- 1) yn)))
(define-fun e2 () Int (+ (* 3 z1) (* (- 1) zn)))
(assert (not (= e0 0)))
(assert (not (= e1 0)))
(assert (not (not (= e2 0))))
(check-sat)
