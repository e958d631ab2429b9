; Claim: A class is distinct l-diverse iff ~[a1] phi is valid for every f-clause phi of length less than l.
; Source: Hsu, Liau, Wang: Logic, Probability, and Privacy (2012), Theorem 3
; Here: 1 values, l from 1 to 3, the formula of phverify.spec.criteria; if the formula is valid, the criterion holds
; Unknowns: how many rows of the class have each value (any integers >= 0, not all 0)
; Why: a model of the assertions would be a class (or shares that no class need have) for which the two sides differ
;   in the stated direction; there is none.
; Bound: 1 to 6 values, l up to two more, any counts
(set-info :smt-lib-version 2.6)
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const n0 Int)
(assert (>= n0 0))
(define-fun n () Int n0)
(assert (>= n 1))
(define-fun left_0 () Bool true)
(define-fun right_0 () Bool (>= (ite (> n0 0) 1 0) 1))
(define-fun left_1 () Bool false)
(define-fun right_1 () Bool (>= (ite (> n0 0) 1 0) 2))
(define-fun left_2 () Bool false)
(define-fun right_2 () Bool (>= (ite (> n0 0) 1 0) 3))
(assert (or (and left_0 (not right_0)) (and left_1 (not right_1)) (and left_2 (not right_2))))
(check-sat)
