; Is there a model and a world where this is false? forall c in clauses(health, 1), e in clauses(income, 1): ~[a1] (c | e)
; over the hospital release
; Example 3: health 2 or income 100K covers a class, although each attribute is 2-diverse.
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Quotient encoding: rows that the formula cannot tell apart are counted, and a kind of rows is a number.
; unknowns:
;   c_v0 = 1: the clause c contains health = 0
;   c_v1 = 1: the clause c contains health = 1
;   c_v2 = 1: the clause c contains health = 2
;   e_v0 = 1: the clause e contains income = 100K
;   e_v1 = 1: the clause e contains income = 70K
;   e_v2 = 1: the clause e contains income = 50K
;   e_v3 = 1: the clause e contains income = 30K
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; satisfiable iff the rule is false in some model at some world
(declare-const c_v0 Int)
(assert (<= 0 c_v0 1))
(declare-const c_v1 Int)
(assert (<= 0 c_v1 1))
(declare-const c_v2 Int)
(assert (<= 0 c_v2 1))
(declare-const e_v0 Int)
(assert (<= 0 e_v0 1))
(declare-const e_v1 Int)
(assert (<= 0 e_v1 1))
(declare-const e_v2 Int)
(assert (<= 0 e_v2 1))
(declare-const e_v3 Int)
(assert (<= 0 e_v3 1))
(assert (>= (+ c_v0 c_v1 c_v2 (- 1)) 0))
(assert (>= (+ (* (- 1) c_v0) (* (- 1) c_v1) (* (- 1) c_v2) 1) 0))
(assert (>= (+ e_v0 e_v1 e_v2 e_v3 (- 1)) 0))
(assert (>= (+ (* (- 1) e_v0) (* (- 1) e_v1) (* (- 1) e_v2) (* (- 1) e_v3) 1) 0))
(assert (or (and (or (= e_v1 1) (= c_v1 1)) (or (= e_v0 1) (= c_v0 1))) (and (or (= e_v1 1) (= c_v1 1)) (or (= e_v0 1) (= c_v0 1))) (and (or (= e_v2 1) (= c_v2 1)) (or (= e_v0 1) (= c_v0 1))) (and (or (= e_v2 1) (= c_v2 1)) (or (= e_v0 1) (= c_v0 1))) (and (or (= e_v3 1) (= c_v2 1)) (or (= e_v1 1) (= c_v0 1))) (and (or (= e_v3 1) (= c_v2 1)) (or (= e_v1 1) (= c_v0 1))) (and (or (= e_v3 1) (= c_v1 1)) (or (= e_v2 1) (= c_v0 1))) (and (or (= e_v3 1) (= c_v1 1)) (or (= e_v2 1) (= c_v0 1)))))
(check-sat)
