; Is the rule l_a1(health = 2) != 1/3 merge-closed: if two classes satisfy it, so does their union? Two shares around 1/3 mix to 1/3, with 4 rows of 2.
; over symbolic histograms of a class: integers within the hospital table
; sat: it is not; a model shows two classes
; unknowns (the union has the sums; xw0, .. are constants of the table times the rows of the first):
;   x0, y0: rows of kind 0 (health = 0, ..) in the first, the second
;   x1, y1: rows of kind 1 (health = 2, ..) in the first, the second
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; merge-closed: two classes and their union
(declare-const x0 Int)
(assert (>= x0 0))
(declare-const y0 Int)
(assert (>= y0 0))
(declare-const x1 Int)
(assert (>= x1 0))
(declare-const y1 Int)
(assert (>= y1 0))
(assert (<= (+ x0 y0) 6))
(assert (<= (+ x1 y1) 2))
(assert (>= (+ x0 x1) 1))
(assert (>= (+ y0 y1) 1))
(assert (not (= (+ (* (- 1) (+ x0 x1)) (* 3 x1)) 0)))
(assert (not (= (+ (* (- 1) (+ y0 y1)) (* 3 y1)) 0)))
(assert (= (+ (* (- 1) (+ x0 y0 x1 y1)) (* 3 (+ x1 y1))) 0))
(check-sat)
