; Is there a model and a world where this is false? forall D in clauses(s, 2): ~[a1] D
; over a release with classes aab, abc (each letter is a row's value of s)
; The formula of p_sensitive_k_anonymity(3, 3). It stands for k_anonymity(2) and l_diversity of every sensitive column. (Truta and Vinay)
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Quotient encoding: rows that the formula cannot tell apart are counted, and a kind of rows is a number.
; unknowns:
;   D_v0 = 1: the clause D contains s = a
;   D_v1 = 1: the clause D contains s = b
;   D_v2 = 1: the clause D contains s = c
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
; satisfiable iff the rule is false in some model at some world
(declare-const D_v0 Int)
(assert (<= 0 D_v0 1))
(declare-const D_v1 Int)
(assert (<= 0 D_v1 1))
(declare-const D_v2 Int)
(assert (<= 0 D_v2 1))
(assert (>= (+ D_v0 D_v1 D_v2 (- 1)) 0))
(assert (>= (+ (* (- 1) D_v0) (* (- 1) D_v1) (* (- 1) D_v2) 2) 0))
(assert (or (and (= D_v0 1) (= D_v1 1)) (and (= D_v0 1) (= D_v1 1)) (and (= D_v0 1) (= D_v1 1) (= D_v2 1)) (and (= D_v0 1) (= D_v1 1) (= D_v2 1)) (and (= D_v0 1) (= D_v1 1) (= D_v2 1))))
(check-sat)
