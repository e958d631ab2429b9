; Is there a model and a world where this is false? forall i: exists j: @i ~j & @i <a1> j
; over a release with classes ab, ab (each letter is a row's value of s)
; Nobody is alone.
; unsat: no model of the release has a world where it is false, so that it is proved
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; somewhere this is false: @i ~i1 & @i <a1> i1 | @i ~i2 & @i <a1> i2 | @i ~i3 & @i <a1> i3 | @i ~i4 & @i <a1> i4
; row 0: q = q0
; row 1: q = q0
; row 2: q = q1
; row 3: q = q1
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
(declare-const world Int)
(assert (and (<= 0 world) (<= world 3)))
(declare-const var_i Int)
(assert (and (<= 0 var_i) (<= var_i 3)))
(assert (not (= (+ at_i1 (* (- 1) at_i2)) 0)))
(assert true)
(assert true)
(assert true)
(assert true)
(assert (not (= (+ at_i3 (* (- 1) at_i4)) 0)))
(assert (or (and (= world 0) (not (or (and (or (and (= var_i 0) (not (= at_i1 0))) (and (= var_i 1) (not (= at_i1 1))) (= var_i 2) (= var_i 3)) (or (and (= var_i 0) (or (= at_i1 0) (= at_i1 1))) (and (= var_i 1) (or (= at_i1 0) (= at_i1 1))))) (and (or (and (= var_i 0) (not (= at_i2 0))) (and (= var_i 1) (not (= at_i2 1))) (= var_i 2) (= var_i 3)) (or (and (= var_i 0) (or (= at_i2 0) (= at_i2 1))) (and (= var_i 1) (or (= at_i2 0) (= at_i2 1))))) (and (or (= var_i 0) (= var_i 1) (and (= var_i 2) (not (= at_i3 2))) (and (= var_i 3) (not (= at_i3 3)))) (or (and (= var_i 2) (or (= at_i3 2) (= at_i3 3))) (and (= var_i 3) (or (= at_i3 2) (= at_i3 3))))) (and (or (= var_i 0) (= var_i 1) (and (= var_i 2) (not (= at_i4 2))) (and (= var_i 3) (not (= at_i4 3)))) (or (and (= var_i 2) (or (= at_i4 2) (= at_i4 3))) (and (= var_i 3) (or (= at_i4 2) (= at_i4 3)))))))) (and (= world 1) (not (or (and (or (and (= var_i 0) (not (= at_i1 0))) (and (= var_i 1) (not (= at_i1 1))) (= var_i 2) (= var_i 3)) (or (and (= var_i 0) (or (= at_i1 0) (= at_i1 1))) (and (= var_i 1) (or (= at_i1 0) (= at_i1 1))))) (and (or (and (= var_i 0) (not (= at_i2 0))) (and (= var_i 1) (not (= at_i2 1))) (= var_i 2) (= var_i 3)) (or (and (= var_i 0) (or (= at_i2 0) (= at_i2 1))) (and (= var_i 1) (or (= at_i2 0) (= at_i2 1))))) (and (or (= var_i 0) (= var_i 1) (and (= var_i 2) (not (= at_i3 2))) (and (= var_i 3) (not (= at_i3 3)))) (or (and (= var_i 2) (or (= at_i3 2) (= at_i3 3))) (and (= var_i 3) (or (= at_i3 2) (= at_i3 3))))) (and (or (= var_i 0) (= var_i 1) (and (= var_i 2) (not (= at_i4 2))) (and (= var_i 3) (not (= at_i4 3)))) (or (and (= var_i 2) (or (= at_i4 2) (= at_i4 3))) (and (= var_i 3) (or (= at_i4 2) (= at_i4 3)))))))) (and (= world 2) (not (or (and (or (and (= var_i 0) (not (= at_i1 0))) (and (= var_i 1) (not (= at_i1 1))) (= var_i 2) (= var_i 3)) (or (and (= var_i 0) (or (= at_i1 0) (= at_i1 1))) (and (= var_i 1) (or (= at_i1 0) (= at_i1 1))))) (and (or (and (= var_i 0) (not (= at_i2 0))) (and (= var_i 1) (not (= at_i2 1))) (= var_i 2) (= var_i 3)) (or (and (= var_i 0) (or (= at_i2 0) (= at_i2 1))) (and (= var_i 1) (or (= at_i2 0) (= at_i2 1))))) (and (or (= var_i 0) (= var_i 1) (and (= var_i 2) (not (= at_i3 2))) (and (= var_i 3) (not (= at_i3 3)))) (or (and (= var_i 2) (or (= at_i3 2) (= at_i3 3))) (and (= var_i 3) (or (= at_i3 2) (= at_i3 3))))) (and (or (= var_i 0) (= var_i 1) (and (= var_i 2) (not (= at_i4 2))) (and (= var_i 3) (not (= at_i4 3)))) (or (and (= var_i 2) (or (= at_i4 2) (= at_i4 3))) (and (= var_i 3) (or (= at_i4 2) (= at_i4 3)))))))) (and (= world 3) (not (or (and (or (and (= var_i 0) (not (= at_i1 0))) (and (= var_i 1) (not (= at_i1 1))) (= var_i 2) (= var_i 3)) (or (and (= var_i 0) (or (= at_i1 0) (= at_i1 1))) (and (= var_i 1) (or (= at_i1 0) (= at_i1 1))))) (and (or (and (= var_i 0) (not (= at_i2 0))) (and (= var_i 1) (not (= at_i2 1))) (= var_i 2) (= var_i 3)) (or (and (= var_i 0) (or (= at_i2 0) (= at_i2 1))) (and (= var_i 1) (or (= at_i2 0) (= at_i2 1))))) (and (or (= var_i 0) (= var_i 1) (and (= var_i 2) (not (= at_i3 2))) (and (= var_i 3) (not (= at_i3 3)))) (or (and (= var_i 2) (or (= at_i3 2) (= at_i3 3))) (and (= var_i 3) (or (= at_i3 2) (= at_i3 3))))) (and (or (= var_i 0) (= var_i 1) (and (= var_i 2) (not (= at_i4 2))) (and (= var_i 3) (not (= at_i4 3)))) (or (and (= var_i 2) (or (= at_i4 2) (= at_i4 3))) (and (= var_i 3) (or (= at_i4 2) (= at_i4 3))))))))))
(check-sat)
