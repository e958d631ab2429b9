; Claim: A class is distinct l-diverse iff it is logically safe with Sec(i) = all f-clauses of length less than l.
; Source: Hsu, Liau, Wang: Logic, Probability, and Privacy (2012), Corollary 1
; Here: 4 values, l from 1 to 6, logical safety by its definition; if the criterion holds, the formula is valid
; Unknowns: how many rows of the class have each value (any integers >= 0, not all 0), and on which row i is
; Why: a model of the assertions would be a class (or shares that no class need have) for which the two sides differ
;   in the stated direction; there is none.
; Bound: 1 to 5 values, l up to two more, any counts
(set-info :smt-lib-version 2.6)
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const n0 Int)
(declare-const n1 Int)
(declare-const n2 Int)
(declare-const n3 Int)
(assert (>= n0 0))
(assert (>= n1 0))
(assert (>= n2 0))
(assert (>= n3 0))
(define-fun n () Int (+ n0 n1 n2 n3))
(assert (>= n 1))
(define-fun left_0 () Bool (>= (+ (ite (> n0 0) 1 0) (ite (> n1 0) 1 0) (ite (> n2 0) 1 0) (ite (> n3 0) 1 0)) 1))
(define-fun right_0 () Bool true)
(define-fun left_1 () Bool (>= (+ (ite (> n0 0) 1 0) (ite (> n1 0) 1 0) (ite (> n2 0) 1 0) (ite (> n3 0) 1 0)) 2))
(define-fun right_1 () Bool (and (not (and (not (>= n1 1)) (not (>= n2 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n2 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n1 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n1 1)) (not (>= n2 1))))))
(define-fun left_2 () Bool (>= (+ (ite (> n0 0) 1 0) (ite (> n1 0) 1 0) (ite (> n2 0) 1 0) (ite (> n3 0) 1 0)) 3))
(define-fun right_2 () Bool (and (not (and (not (>= n1 1)) (not (>= n2 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n2 1)) (not (>= n3 1)))) (not (and (not (>= n2 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n1 1)) (not (>= n3 1)))) (not (and (not (>= n1 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n1 1)) (not (>= n2 1)))) (not (and (not (>= n1 1)) (not (>= n2 1)))) (not (and (not (>= n0 1)) (not (>= n2 1)))) (not (and (not (>= n0 1)) (not (>= n1 1))))))
(define-fun left_3 () Bool (>= (+ (ite (> n0 0) 1 0) (ite (> n1 0) 1 0) (ite (> n2 0) 1 0) (ite (> n3 0) 1 0)) 4))
(define-fun right_3 () Bool (and (not (and (not (>= n1 1)) (not (>= n2 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n2 1)) (not (>= n3 1)))) (not (and (not (>= n2 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n1 1)) (not (>= n3 1)))) (not (and (not (>= n1 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n3 1)))) (not (not (>= n3 1))) (not (and (not (>= n0 1)) (not (>= n1 1)) (not (>= n2 1)))) (not (and (not (>= n1 1)) (not (>= n2 1)))) (not (and (not (>= n0 1)) (not (>= n2 1)))) (not (not (>= n2 1))) (not (and (not (>= n0 1)) (not (>= n1 1)))) (not (not (>= n1 1))) (not (not (>= n0 1)))))
(define-fun left_4 () Bool (>= (+ (ite (> n0 0) 1 0) (ite (> n1 0) 1 0) (ite (> n2 0) 1 0) (ite (> n3 0) 1 0)) 5))
(define-fun right_4 () Bool (and (not (and (not (>= n1 1)) (not (>= n2 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n2 1)) (not (>= n3 1)))) (not (and (not (>= n2 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n1 1)) (not (>= n3 1)))) (not (and (not (>= n1 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n3 1)))) (not (not (>= n3 1))) (not (and (not (>= n0 1)) (not (>= n1 1)) (not (>= n2 1)))) (not (and (not (>= n1 1)) (not (>= n2 1)))) (not (and (not (>= n0 1)) (not (>= n2 1)))) (not (not (>= n2 1))) (not (and (not (>= n0 1)) (not (>= n1 1)))) (not (not (>= n1 1))) (not (not (>= n0 1))) (not true)))
(define-fun left_5 () Bool (>= (+ (ite (> n0 0) 1 0) (ite (> n1 0) 1 0) (ite (> n2 0) 1 0) (ite (> n3 0) 1 0)) 6))
(define-fun right_5 () Bool (and (not (and (not (>= n1 1)) (not (>= n2 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n2 1)) (not (>= n3 1)))) (not (and (not (>= n2 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n1 1)) (not (>= n3 1)))) (not (and (not (>= n1 1)) (not (>= n3 1)))) (not (and (not (>= n0 1)) (not (>= n3 1)))) (not (not (>= n3 1))) (not (and (not (>= n0 1)) (not (>= n1 1)) (not (>= n2 1)))) (not (and (not (>= n1 1)) (not (>= n2 1)))) (not (and (not (>= n0 1)) (not (>= n2 1)))) (not (not (>= n2 1))) (not (and (not (>= n0 1)) (not (>= n1 1)))) (not (not (>= n1 1))) (not (not (>= n0 1))) (not true)))
(assert (or (and left_0 (not right_0)) (and left_1 (not right_1)) (and left_2 (not right_2)) (and left_3 (not right_3)) (and left_4 (not right_4)) (and left_5 (not right_5))))
(check-sat)
