; Is there a model and a world where this is false? p_sensitive_k_anonymity(2, 3)
; over a release with classes aab, abc (each letter is a row's value of s)
; It stands for k_anonymity(2) and l_diversity of every sensitive column. (Truta and Vinay)
; unsat: no model of the release has a world where it is false, so that it is proved
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
; somewhere this is false: (l_a1(i1) <= 1/3 & l_a1(i2) <= 1/3 & l_a1(i3) <= 1/3 & l_a1(i4) <= 1/3 & l_a1(i5) <= 1/3 & l_a1(i6) <= 1/3) & (~[a1] s in {'a'} & ~[a1] s in {'b'} & ~[a1] s in {'c'})
; row 0: q = q0, s = a
; row 1: q = q0, s = a
; row 2: q = q0, s = b
; row 3: q = q1, s = a
; row 4: q = q1, s = b
; row 5: q = q1, s = c
(declare-const at_i1 Int)
(assert (and (<= 0 at_i1) (<= at_i1 2)))
(assert (or (= at_i1 0) (= at_i1 1) (= at_i1 2)))
(declare-const at_i2 Int)
(assert (and (<= 0 at_i2) (<= at_i2 2)))
(assert (or (= at_i2 0) (= at_i2 1) (= at_i2 2)))
(declare-const at_i3 Int)
(assert (and (<= 0 at_i3) (<= at_i3 2)))
(assert (or (= at_i3 0) (= at_i3 1) (= at_i3 2)))
(declare-const at_i4 Int)
(assert (and (<= 3 at_i4) (<= at_i4 5)))
(assert (or (= at_i4 3) (= at_i4 4) (= at_i4 5)))
(declare-const at_i5 Int)
(assert (and (<= 3 at_i5) (<= at_i5 5)))
(assert (or (= at_i5 3) (= at_i5 4) (= at_i5 5)))
(declare-const at_i6 Int)
(assert (and (<= 3 at_i6) (<= at_i6 5)))
(assert (or (= at_i6 3) (= at_i6 4) (= at_i6 5)))
(declare-const world Int)
(assert (and (<= 0 world) (<= world 5)))
(assert (not (= (+ at_i1 (* (- 1) at_i2)) 0)))
(assert (not (= (+ at_i1 (* (- 1) at_i3)) 0)))
(assert true)
(assert true)
(assert true)
(assert (not (= (+ at_i2 (* (- 1) at_i3)) 0)))
(assert true)
(assert true)
(assert true)
(assert true)
(assert true)
(assert true)
(assert (not (= (+ at_i4 (* (- 1) at_i5)) 0)))
(assert (not (= (+ at_i4 (* (- 1) at_i6)) 0)))
(assert (not (= (+ at_i5 (* (- 1) at_i6)) 0)))
(assert (or (and (= world 0) (not (and (>= (+ (* (- 3) (ite (= at_i1 0) 1 0)) (* (- 3) (ite (= at_i1 1) 1 0)) (* (- 3) (ite (= at_i1 2) 1 0)) 3) 0) (>= (+ (* (- 3) (ite (= at_i2 0) 1 0)) (* (- 3) (ite (= at_i2 1) 1 0)) (* (- 3) (ite (= at_i2 2) 1 0)) 3) 0) (>= (+ (* (- 3) (ite (= at_i3 0) 1 0)) (* (- 3) (ite (= at_i3 1) 1 0)) (* (- 3) (ite (= at_i3 2) 1 0)) 3) 0)))) (and (= world 1) (not (and (>= (+ (* (- 3) (ite (= at_i1 0) 1 0)) (* (- 3) (ite (= at_i1 1) 1 0)) (* (- 3) (ite (= at_i1 2) 1 0)) 3) 0) (>= (+ (* (- 3) (ite (= at_i2 0) 1 0)) (* (- 3) (ite (= at_i2 1) 1 0)) (* (- 3) (ite (= at_i2 2) 1 0)) 3) 0) (>= (+ (* (- 3) (ite (= at_i3 0) 1 0)) (* (- 3) (ite (= at_i3 1) 1 0)) (* (- 3) (ite (= at_i3 2) 1 0)) 3) 0)))) (and (= world 2) (not (and (>= (+ (* (- 3) (ite (= at_i1 0) 1 0)) (* (- 3) (ite (= at_i1 1) 1 0)) (* (- 3) (ite (= at_i1 2) 1 0)) 3) 0) (>= (+ (* (- 3) (ite (= at_i2 0) 1 0)) (* (- 3) (ite (= at_i2 1) 1 0)) (* (- 3) (ite (= at_i2 2) 1 0)) 3) 0) (>= (+ (* (- 3) (ite (= at_i3 0) 1 0)) (* (- 3) (ite (= at_i3 1) 1 0)) (* (- 3) (ite (= at_i3 2) 1 0)) 3) 0)))) (and (= world 3) (not (and (>= (+ (* (- 3) (ite (= at_i4 3) 1 0)) (* (- 3) (ite (= at_i4 4) 1 0)) (* (- 3) (ite (= at_i4 5) 1 0)) 3) 0) (>= (+ (* (- 3) (ite (= at_i5 3) 1 0)) (* (- 3) (ite (= at_i5 4) 1 0)) (* (- 3) (ite (= at_i5 5) 1 0)) 3) 0) (>= (+ (* (- 3) (ite (= at_i6 3) 1 0)) (* (- 3) (ite (= at_i6 4) 1 0)) (* (- 3) (ite (= at_i6 5) 1 0)) 3) 0)))) (and (= world 4) (not (and (>= (+ (* (- 3) (ite (= at_i4 3) 1 0)) (* (- 3) (ite (= at_i4 4) 1 0)) (* (- 3) (ite (= at_i4 5) 1 0)) 3) 0) (>= (+ (* (- 3) (ite (= at_i5 3) 1 0)) (* (- 3) (ite (= at_i5 4) 1 0)) (* (- 3) (ite (= at_i5 5) 1 0)) 3) 0) (>= (+ (* (- 3) (ite (= at_i6 3) 1 0)) (* (- 3) (ite (= at_i6 4) 1 0)) (* (- 3) (ite (= at_i6 5) 1 0)) 3) 0)))) (and (= world 5) (not (and (>= (+ (* (- 3) (ite (= at_i4 3) 1 0)) (* (- 3) (ite (= at_i4 4) 1 0)) (* (- 3) (ite (= at_i4 5) 1 0)) 3) 0) (>= (+ (* (- 3) (ite (= at_i5 3) 1 0)) (* (- 3) (ite (= at_i5 4) 1 0)) (* (- 3) (ite (= at_i5 5) 1 0)) 3) 0) (>= (+ (* (- 3) (ite (= at_i6 3) 1 0)) (* (- 3) (ite (= at_i6 4) 1 0)) (* (- 3) (ite (= at_i6 5) 1 0)) 3) 0))))))
(check-sat)
