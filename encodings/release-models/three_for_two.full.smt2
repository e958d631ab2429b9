; Is there a model and a world where this is false? ~(@i1 health = 0 & @i2 health = 0 & @i3 health = 0)
; over the repaired hospital release
; A pigeonhole: three individuals, and their class of four has two rows with health 0.
; unsat: no model of the release has a world where it is false, so that it is proved
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; somewhere this is false: ~(@i1 health = 0 & @i2 health = 0 & @i3 health = 0)
; row 0: birth = 1956, zip = *, health = 0
; row 1: birth = 1956, zip = *, health = 1
; row 2: birth = 1956, zip = *, health = 0
; row 3: birth = 1956, zip = *, health = 2
; row 4: birth = 1955, zip = *, health = 2
; row 5: birth = 1955, zip = *, health = 0
; row 6: birth = 1952, zip = *, health = 1
; row 7: birth = 1952, zip = *, health = 0
(declare-const at_i1 Int)
(assert (and (<= 0 at_i1) (<= at_i1 3)))
(assert (or (= at_i1 0) (= at_i1 1) (= at_i1 2) (= at_i1 3)))
(declare-const at_i2 Int)
(assert (and (<= 0 at_i2) (<= at_i2 3)))
(assert (or (= at_i2 0) (= at_i2 1) (= at_i2 2) (= at_i2 3)))
(declare-const at_i3 Int)
(assert (and (<= 0 at_i3) (<= at_i3 3)))
(assert (or (= at_i3 0) (= at_i3 1) (= at_i3 2) (= at_i3 3)))
(declare-const world Int)
(assert (and (<= 0 world) (<= world 7)))
(assert (not (= (+ at_i1 (* (- 1) at_i2)) 0)))
(assert (not (= (+ at_i1 (* (- 1) at_i3)) 0)))
(assert (not (= (+ at_i2 (* (- 1) at_i3)) 0)))
(assert (or (and (= world 0) (and (or (= at_i1 0) (= at_i1 2)) (or (= at_i2 0) (= at_i2 2)) (or (= at_i3 0) (= at_i3 2)))) (and (= world 1) (and (or (= at_i1 0) (= at_i1 2)) (or (= at_i2 0) (= at_i2 2)) (or (= at_i3 0) (= at_i3 2)))) (and (= world 2) (and (or (= at_i1 0) (= at_i1 2)) (or (= at_i2 0) (= at_i2 2)) (or (= at_i3 0) (= at_i3 2)))) (and (= world 3) (and (or (= at_i1 0) (= at_i1 2)) (or (= at_i2 0) (= at_i2 2)) (or (= at_i3 0) (= at_i3 2)))) (and (= world 4) (and (or (= at_i1 0) (= at_i1 2)) (or (= at_i2 0) (= at_i2 2)) (or (= at_i3 0) (= at_i3 2)))) (and (= world 5) (and (or (= at_i1 0) (= at_i1 2)) (or (= at_i2 0) (= at_i2 2)) (or (= at_i3 0) (= at_i3 2)))) (and (= world 6) (and (or (= at_i1 0) (= at_i1 2)) (or (= at_i2 0) (= at_i2 2)) (or (= at_i3 0) (= at_i3 2)))) (and (= world 7) (and (or (= at_i1 0) (= at_i1 2)) (or (= at_i2 0) (= at_i2 2)) (or (= at_i3 0) (= at_i3 2))))))
(check-sat)
