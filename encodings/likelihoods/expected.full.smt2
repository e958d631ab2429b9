; Is there a model and a world where this is false? weighted_safety(3/2)
; over the hospital release
; i3 must expect 1/2 + 1/2, the others 1/2.
; unsat: no model of the release has a world where it is false, so that it is proved
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; somewhere this is false: (@i1 l_a1(health = 2) <= 3/2 & @i2 l_a1(health = 2) <= 3/2 & @i3 l_a1(health = 2) <= 3/2 & @i4 l_a1(health = 2) <= 3/2 & @i5 l_a1(health = 2) <= 3/2 & @i6 l_a1(health = 2) <= 3/2 & @i7 l_a1(health = 2) <= 3/2 & @i8 l_a1(health = 2) <= 3/2) & @i3 l_a1(health = 2) + l_a1(income = 100K) <= 3/2
; row 0: birth = 09/56, zip = 24***, income = 100K, health = 0
; row 1: birth = 09/56, zip = 24***, income = 70K, health = 1
; row 2: birth = 03/56, zip = 10***, income = 100K, health = 0
; row 3: birth = 03/56, zip = 10***, income = 50K, health = 2
; row 4: birth = 04/55, zip = 26***, income = 30K, health = 2
; row 5: birth = 04/55, zip = 26***, income = 70K, health = 0
; row 6: birth = 10/52, zip = 26***, income = 30K, health = 1
; row 7: birth = 10/52, zip = 26***, income = 50K, health = 0
(declare-const at_i1 Int)
(assert (and (<= 0 at_i1) (<= at_i1 1)))
(assert (or (= at_i1 0) (= at_i1 1)))
(declare-const at_i2 Int)
(assert (and (<= 0 at_i2) (<= at_i2 1)))
(assert (or (= at_i2 0) (= at_i2 1)))
(declare-const at_i3 Int)
(assert (and (<= 2 at_i3) (<= at_i3 3)))
(assert (or (= at_i3 2) (= at_i3 3)))
(declare-const at_i4 Int)
(assert (and (<= 2 at_i4) (<= at_i4 3)))
(assert (or (= at_i4 2) (= at_i4 3)))
(declare-const at_i5 Int)
(assert (and (<= 4 at_i5) (<= at_i5 5)))
(assert (or (= at_i5 4) (= at_i5 5)))
(declare-const at_i6 Int)
(assert (and (<= 4 at_i6) (<= at_i6 5)))
(assert (or (= at_i6 4) (= at_i6 5)))
(declare-const at_i7 Int)
(assert (and (<= 6 at_i7) (<= at_i7 7)))
(assert (or (= at_i7 6) (= at_i7 7)))
(declare-const at_i8 Int)
(assert (and (<= 6 at_i8) (<= at_i8 7)))
(assert (or (= at_i8 6) (= at_i8 7)))
(declare-const world Int)
(assert (and (<= 0 world) (<= world 7)))
(assert (not (= (+ at_i1 (* (- 1) at_i2)) 0)))
(assert true)
(assert true)
(assert true)
(assert true)
(assert true)
(assert true)
(assert true)
(assert true)
(assert true)
(assert true)
(assert true)
(assert true)
(assert (not (= (+ at_i3 (* (- 1) at_i4)) 0)))
(assert true)
(assert true)
(assert true)
(assert true)
(assert true)
(assert true)
(assert true)
(assert true)
(assert (not (= (+ at_i5 (* (- 1) at_i6)) 0)))
(assert true)
(assert true)
(assert true)
(assert true)
(assert (not (= (+ at_i7 (* (- 1) at_i8)) 0)))
(assert (or (and (= world 0) (not (and (and (or (= at_i1 0) (= at_i1 1)) (or (= at_i2 0) (= at_i2 1)) (or (= at_i3 2) (= at_i3 3)) (or (= at_i4 2) (= at_i4 3)) (or (= at_i5 4) (= at_i5 5)) (or (= at_i6 4) (= at_i6 5)) (or (= at_i7 6) (= at_i7 7)) (or (= at_i8 6) (= at_i8 7))) (or (= at_i3 2) (= at_i3 3))))) (and (= world 1) (not (and (and (or (= at_i1 0) (= at_i1 1)) (or (= at_i2 0) (= at_i2 1)) (or (= at_i3 2) (= at_i3 3)) (or (= at_i4 2) (= at_i4 3)) (or (= at_i5 4) (= at_i5 5)) (or (= at_i6 4) (= at_i6 5)) (or (= at_i7 6) (= at_i7 7)) (or (= at_i8 6) (= at_i8 7))) (or (= at_i3 2) (= at_i3 3))))) (and (= world 2) (not (and (and (or (= at_i1 0) (= at_i1 1)) (or (= at_i2 0) (= at_i2 1)) (or (= at_i3 2) (= at_i3 3)) (or (= at_i4 2) (= at_i4 3)) (or (= at_i5 4) (= at_i5 5)) (or (= at_i6 4) (= at_i6 5)) (or (= at_i7 6) (= at_i7 7)) (or (= at_i8 6) (= at_i8 7))) (or (= at_i3 2) (= at_i3 3))))) (and (= world 3) (not (and (and (or (= at_i1 0) (= at_i1 1)) (or (= at_i2 0) (= at_i2 1)) (or (= at_i3 2) (= at_i3 3)) (or (= at_i4 2) (= at_i4 3)) (or (= at_i5 4) (= at_i5 5)) (or (= at_i6 4) (= at_i6 5)) (or (= at_i7 6) (= at_i7 7)) (or (= at_i8 6) (= at_i8 7))) (or (= at_i3 2) (= at_i3 3))))) (and (= world 4) (not (and (and (or (= at_i1 0) (= at_i1 1)) (or (= at_i2 0) (= at_i2 1)) (or (= at_i3 2) (= at_i3 3)) (or (= at_i4 2) (= at_i4 3)) (or (= at_i5 4) (= at_i5 5)) (or (= at_i6 4) (= at_i6 5)) (or (= at_i7 6) (= at_i7 7)) (or (= at_i8 6) (= at_i8 7))) (or (= at_i3 2) (= at_i3 3))))) (and (= world 5) (not (and (and (or (= at_i1 0) (= at_i1 1)) (or (= at_i2 0) (= at_i2 1)) (or (= at_i3 2) (= at_i3 3)) (or (= at_i4 2) (= at_i4 3)) (or (= at_i5 4) (= at_i5 5)) (or (= at_i6 4) (= at_i6 5)) (or (= at_i7 6) (= at_i7 7)) (or (= at_i8 6) (= at_i8 7))) (or (= at_i3 2) (= at_i3 3))))) (and (= world 6) (not (and (and (or (= at_i1 0) (= at_i1 1)) (or (= at_i2 0) (= at_i2 1)) (or (= at_i3 2) (= at_i3 3)) (or (= at_i4 2) (= at_i4 3)) (or (= at_i5 4) (= at_i5 5)) (or (= at_i6 4) (= at_i6 5)) (or (= at_i7 6) (= at_i7 7)) (or (= at_i8 6) (= at_i8 7))) (or (= at_i3 2) (= at_i3 3))))) (and (= world 7) (not (and (and (or (= at_i1 0) (= at_i1 1)) (or (= at_i2 0) (= at_i2 1)) (or (= at_i3 2) (= at_i3 3)) (or (= at_i4 2) (= at_i4 3)) (or (= at_i5 4) (= at_i5 5)) (or (= at_i6 4) (= at_i6 5)) (or (= at_i7 6) (= at_i7 7)) (or (= at_i8 6) (= at_i8 7))) (or (= at_i3 2) (= at_i3 3)))))))
(check-sat)
