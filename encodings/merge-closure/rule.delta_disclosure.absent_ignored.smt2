; Is the rule delta_disclosure(health, 1/2, absent=ignored) merge-closed: if two classes satisfy it, so does their union? A value that one class lacks is diluted below the bound in the union.
; over symbolic histograms of a class: integers within the hospital table
; sat: it is not; a model shows two classes
; unknowns (the union has the sums; xw0, .. are constants of the table times the rows of the first):
;   x0, y0: rows of kind 0 (health = 0, ..) in the first, the second
;   x1, y1: rows of kind 1 (health = 1, ..) in the first, the second
;   x2, y2: rows of kind 2 (health = 2, ..) in the first, the second
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
(declare-const x2 Int)
(assert (>= x2 0))
(declare-const y2 Int)
(assert (>= y2 0))
(assert (<= (+ x0 y0) 4))
(assert (<= (+ x1 y1) 2))
(assert (<= (+ x2 y2) 2))
(assert (>= (+ x0 x1 x2) 1))
(assert (>= (+ y0 y1 y2) 1))
(assert (and (and (<= (+ (* (- 41) (+ x0 x1 x2)) (* 58 x0)) 0) (or (= x0 0) (<= (+ (* 29 (+ x0 x1 x2)) (* (- 82) x0)) 0))) (and (<= (+ (* (- 41) (+ x0 x1 x2)) (* 116 x1)) 0) (or (= x1 0) (<= (+ (* 29 (+ x0 x1 x2)) (* (- 164) x1)) 0))) (and (<= (+ (* (- 41) (+ x0 x1 x2)) (* 116 x2)) 0) (or (= x2 0) (<= (+ (* 29 (+ x0 x1 x2)) (* (- 164) x2)) 0)))))
(assert (and (and (<= (+ (* (- 41) (+ y0 y1 y2)) (* 58 y0)) 0) (or (= y0 0) (<= (+ (* 29 (+ y0 y1 y2)) (* (- 82) y0)) 0))) (and (<= (+ (* (- 41) (+ y0 y1 y2)) (* 116 y1)) 0) (or (= y1 0) (<= (+ (* 29 (+ y0 y1 y2)) (* (- 164) y1)) 0))) (and (<= (+ (* (- 41) (+ y0 y1 y2)) (* 116 y2)) 0) (or (= y2 0) (<= (+ (* 29 (+ y0 y1 y2)) (* (- 164) y2)) 0)))))
(assert (not (and (and (<= (+ (* (- 41) (+ x0 y0 x1 y1 x2 y2)) (* 58 (+ x0 y0))) 0) (or (= (+ x0 y0) 0) (<= (+ (* 29 (+ x0 y0 x1 y1 x2 y2)) (* (- 82) (+ x0 y0))) 0))) (and (<= (+ (* (- 41) (+ x0 y0 x1 y1 x2 y2)) (* 116 (+ x1 y1))) 0) (or (= (+ x1 y1) 0) (<= (+ (* 29 (+ x0 y0 x1 y1 x2 y2)) (* (- 164) (+ x1 y1))) 0))) (and (<= (+ (* (- 41) (+ x0 y0 x1 y1 x2 y2)) (* 116 (+ x2 y2))) 0) (or (= (+ x2 y2) 0) (<= (+ (* 29 (+ x0 y0 x1 y1 x2 y2)) (* (- 164) (+ x2 y2))) 0))))))
(check-sat)
