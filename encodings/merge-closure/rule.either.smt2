; Is the rule l_a1(health = 0) <= 1/4 | l_a1(health = 1) <= 1/4 merge-closed: if two classes satisfy it, so does their union? Different disjuncts.
; over symbolic histograms of a class: any rationals >= 0 (a superset of all tables)
; sat: it is not; a model, scaled to whole numbers, shows two classes
; unknowns (the union has the sums; xw0, .. are constants of the table times the rows of the first):
;   x0, y0: rows of kind 0 (health = 2, ..) in the first, the second
;   x1, y1: rows of kind 1 (health = 1, ..) in the first, the second
;   x2, y2: rows of kind 2 (health = 0, ..) in the first, the second
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LRA)
; merge-closed: two classes and their union
(declare-const x0 Real)
(assert (>= x0 0))
(declare-const x1 Real)
(assert (>= x1 0))
(declare-const x2 Real)
(assert (>= x2 0))
(declare-const y0 Real)
(assert (>= y0 0))
(declare-const y1 Real)
(assert (>= y1 0))
(declare-const y2 Real)
(assert (>= y2 0))
(assert (>= (+ x0 x1 x2) 1))
(assert (>= (+ y0 y1 y2) 1))
(assert (or (<= (+ (* (- 1) (+ x0 x1 x2)) (* 4 x2)) 0) (<= (+ (* (- 1) (+ x0 x1 x2)) (* 4 x1)) 0)))
(assert (or (<= (+ (* (- 1) (+ y0 y1 y2)) (* 4 y2)) 0) (<= (+ (* (- 1) (+ y0 y1 y2)) (* 4 y1)) 0)))
(assert (not (or (<= (+ (* (- 1) (+ x0 y0 x1 y1 x2 y2)) (* 4 (+ x2 y2))) 0) (<= (+ (* (- 1) (+ x0 y0 x1 y1 x2 y2)) (* 4 (+ x1 y1))) 0))))
(check-sat)
