; Is the rule l_a1(health = 2) <= 2 * l_a0(health = 2) merge-closed: if two classes satisfy it, so does their union? For whatever l_a0.
; over symbolic histograms of a class: any rationals >= 0 (a superset of all tables)
; unsat: it is
; unknowns (the union has the sums; xw0, .. are constants of the table times the rows of the first):
;   x0, y0: rows of kind 0 (health = 0, ..) in the first, the second
;   x1, y1: rows of kind 1 (health = 2, ..) in the first, the second
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LRA)
; merge-closed: two classes and their union
(declare-const x0 Real)
(assert (>= x0 0))
(declare-const x1 Real)
(assert (>= x1 0))
(declare-const y0 Real)
(assert (>= y0 0))
(declare-const y1 Real)
(assert (>= y1 0))
(declare-const xw0 Real)
(declare-const yw0 Real)
(assert (>= (+ x0 x1) 1))
(assert (>= (+ y0 y1) 1))
(assert (<= (+ x1 (* (- 2) xw0)) 0))
(assert (<= (+ y1 (* (- 2) yw0)) 0))
(assert (not (<= (+ (+ x1 y1) (* (- 2) xw0) (* (- 2) yw0)) 0)))
(check-sat)
