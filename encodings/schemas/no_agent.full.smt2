; Is there a model and a world where this is false? forall a in agents: @i3 l_a(i3) <= 1/8
; over the hospital release
; a1 does better than a0.
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Full encoding: the facts row by row, nothing precomputed.
; unknowns:
;   world: the row at which the rule is to fail, counted from 0
;   at_i3: the row of individual i3, one of its class
;   var_x, pick_x, clause_x_k: what a variable x of the rule stands for: a row, a value, the values of a clause
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; somewhere this is false: @i3 l_a0(i3) <= 1/8 & @i3 l_a1(i3) <= 1/8
; row 0: birth = 09/56, zip = 24***
; row 1: birth = 09/56, zip = 24***
; row 2: birth = 03/56, zip = 10***
; row 3: birth = 03/56, zip = 10***
; row 4: birth = 04/55, zip = 26***
; row 5: birth = 04/55, zip = 26***
; row 6: birth = 10/52, zip = 26***
; row 7: birth = 10/52, zip = 26***
(declare-const world Int)
(assert (and (<= 0 world) (<= world 7)))
(declare-const at_i3 Int)
(assert (and (<= 2 at_i3) (<= at_i3 3)))
(assert (or (= at_i3 2) (= at_i3 3)))
(define-fun e0 () Bool (>= (+ (* (- 8) (ite (= at_i3 2) 1 0)) (* (- 8) (ite (= at_i3 3) 1 0)) 8) 0))
(define-fun e1 () Bool (>= (+ (* (- 8) (ite (= at_i3 2) 1 0)) (* (- 8) (ite (= at_i3 3) 1 0)) 2) 0))
(assert (or (and (= world 0) (not (and (or (and (= at_i3 2) e0) (and (= at_i3 3) e0)) (or (and (= at_i3 2) e1) (and (= at_i3 3) e1))))) (and (= world 1) (not (and (or (and (= at_i3 2) e0) (and (= at_i3 3) e0)) (or (and (= at_i3 2) e1) (and (= at_i3 3) e1))))) (and (= world 2) (not (and (or (and (= at_i3 2) e0) (and (= at_i3 3) e0)) (or (and (= at_i3 2) e1) (and (= at_i3 3) e1))))) (and (= world 3) (not (and (or (and (= at_i3 2) e0) (and (= at_i3 3) e0)) (or (and (= at_i3 2) e1) (and (= at_i3 3) e1))))) (and (= world 4) (not (and (or (and (= at_i3 2) e0) (and (= at_i3 3) e0)) (or (and (= at_i3 2) e1) (and (= at_i3 3) e1))))) (and (= world 5) (not (and (or (and (= at_i3 2) e0) (and (= at_i3 3) e0)) (or (and (= at_i3 2) e1) (and (= at_i3 3) e1))))) (and (= world 6) (not (and (or (and (= at_i3 2) e0) (and (= at_i3 3) e0)) (or (and (= at_i3 2) e1) (and (= at_i3 3) e1))))) (and (= world 7) (not (and (or (and (= at_i3 2) e0) (and (= at_i3 3) e0)) (or (and (= at_i3 2) e1) (and (= at_i3 3) e1)))))))
(check-sat)
