; Claim: A release is k-anonymous iff l_a1(i) <= 1/k is valid for every individual i.
; Source: Hsu, Liau, Wang: Logic, Probability, and Privacy (2012), Theorem 1
; Here: 5 classes, the formula of phverify.spec.criteria; if the formula is valid, the criterion holds
; Unknowns: the sizes of the classes, and k (any integers >= 1); one individual is named in each class
; Why: a model of the assertions would be a class (or shares that no class need have) for which the two sides differ
;   in the stated direction; there is none.
; Bound: 1 to 5 classes of any size, any k
(set-info :smt-lib-version 2.6)
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const n0 Int)
(assert (>= n0 1))
(declare-const n1 Int)
(assert (>= n1 1))
(declare-const n2 Int)
(assert (>= n2 1))
(declare-const n3 Int)
(assert (>= n3 1))
(declare-const n4 Int)
(assert (>= n4 1))
(declare-const k Int)
(assert (>= k 1))
(define-fun left_0 () Bool (and (and (<= (+ k (* (- 1) n0)) 0) (<= (* (- 1) n0) 0)) (and (<= (* (- 1) n1) 0) (<= (+ k (* (- 1) n1)) 0)) (and (<= (* (- 1) n2) 0) (<= (+ k (* (- 1) n2)) 0)) (and (<= (* (- 1) n3) 0) (<= (+ k (* (- 1) n3)) 0)) (and (<= (* (- 1) n4) 0) (<= (+ k (* (- 1) n4)) 0))))
(define-fun right_0 () Bool (and (>= n0 k) (>= n1 k) (>= n2 k) (>= n3 k) (>= n4 k)))
(assert (and left_0 (not right_0)))
(check-sat)
