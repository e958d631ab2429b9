; Is the rule ~[a1] health = 2 upward-closed: if a class satisfies it, so does its union with any? A value outside stays there.
; over symbolic histograms of a class: any rationals >= 0 (a superset of all tables)
; unsat: it is
; unknowns (xn, yn, zn are the rows in all; xw0, .. a constant of the table times xn):
;   x0, y0, z0: rows of kind 0 (health = 0, ..) in the first, the second, the union
;   x1, y1, z1: rows of kind 1 (health = 2, ..) in the first, the second, the union
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LRA)
; upward-closed: two classes and their union
(declare-const x0 Real)
(declare-const x1 Real)
(declare-const y0 Real)
(declare-const y1 Real)
(define-fun z0 () Real (+ x0 y0))
(define-fun z1 () Real (+ x1 y1))
(define-fun xn () Real (+ x0 x1))
(define-fun yn () Real (+ y0 y1))
(define-fun zn () Real (+ z0 z1))
(assert (>= x0 0))
(assert (>= x1 0))
(assert (>= y0 0))
(assert (>= y1 0))
(assert (>= xn 1))
(assert (>= yn 1))
(assert (not (= x0 0)))
(assert (not (not (= z0 0))))
(check-sat)
