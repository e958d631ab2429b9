; Claim: A release is logically safe for i iff @i ~[a1] phi (or @i l_a1(phi) < 1) is valid for every phi in Sec(i).
; Source: Hsu, Liau, Wang: Logic, Probability, and Privacy (2012), Theorem 2
; Here: 3 joint values, the form with the box; if the formula is valid, the criterion holds
; Unknowns: how many rows of the class have each value (any integers >= 0, not all 0), on which row i is, and Sec(i):
;   for each set of joint values, whether it is a secret of i (an objective formula is, up to equivalence, the set of
;   joint values of which it is true)
; Why: a model of the assertions would be a class (or shares that no class need have) for which the two sides differ
;   in the stated direction; there is none.
; Bound: 1 to 5 joint values, any Sec(i), any counts
(set-info :smt-lib-version 2.6)
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const n0 Int)
(declare-const n1 Int)
(declare-const n2 Int)
(assert (>= n0 0))
(assert (>= n1 0))
(assert (>= n2 0))
(define-fun n () Int (+ n0 n1 n2))
(assert (>= n 1))
(declare-const x0 Int)
(declare-const x1 Int)
(declare-const x2 Int)
(assert (<= 0 x0 1))
(assert (<= 0 x1 1))
(assert (<= 0 x2 1))
(assert (<= x0 n0))
(assert (<= x1 n1))
(assert (<= x2 n2))
(assert (= (+ x0 x1 x2) 1))
(declare-const sec0 Bool)
(declare-const sec1 Bool)
(declare-const sec2 Bool)
(declare-const sec3 Bool)
(declare-const sec4 Bool)
(declare-const sec5 Bool)
(declare-const sec6 Bool)
(declare-const sec7 Bool)
(define-fun left_0 () Bool (and (=> sec0 (and (=> (> x0 0) (not (and (not (> x0 0)) (not (> x1 0)) (not (> x2 0)) (not (> (+ n0 (* (- 1) x0)) 0)) (not (> (+ n1 (* (- 1) x1)) 0)) (not (> (+ n2 (* (- 1) x2)) 0))))) (=> (> x1 0) (not (and (not (> x0 0)) (not (> x1 0)) (not (> x2 0)) (not (> (+ n0 (* (- 1) x0)) 0)) (not (> (+ n1 (* (- 1) x1)) 0)) (not (> (+ n2 (* (- 1) x2)) 0))))) (=> (> x2 0) (not (and (not (> x0 0)) (not (> x1 0)) (not (> x2 0)) (not (> (+ n0 (* (- 1) x0)) 0)) (not (> (+ n1 (* (- 1) x1)) 0)) (not (> (+ n2 (* (- 1) x2)) 0))))))) (=> sec1 (and (=> (> x0 0) (not (and (not (> x1 0)) (not (> x2 0)) (not (> (+ n1 (* (- 1) x1)) 0)) (not (> (+ n2 (* (- 1) x2)) 0))))) (=> (> x1 0) (not (and (not (> x1 0)) (not (> x2 0)) (not (> (+ n1 (* (- 1) x1)) 0)) (not (> (+ n2 (* (- 1) x2)) 0))))) (=> (> x2 0) (not (and (not (> x1 0)) (not (> x2 0)) (not (> (+ n1 (* (- 1) x1)) 0)) (not (> (+ n2 (* (- 1) x2)) 0))))))) (=> sec2 (and (=> (> x0 0) (not (and (not (> x0 0)) (not (> x2 0)) (not (> (+ n0 (* (- 1) x0)) 0)) (not (> (+ n2 (* (- 1) x2)) 0))))) (=> (> x1 0) (not (and (not (> x0 0)) (not (> x2 0)) (not (> (+ n0 (* (- 1) x0)) 0)) (not (> (+ n2 (* (- 1) x2)) 0))))) (=> (> x2 0) (not (and (not (> x0 0)) (not (> x2 0)) (not (> (+ n0 (* (- 1) x0)) 0)) (not (> (+ n2 (* (- 1) x2)) 0))))))) (=> sec3 (and (=> (> x0 0) (not (and (not (> x2 0)) (not (> (+ n2 (* (- 1) x2)) 0))))) (=> (> x1 0) (not (and (not (> x2 0)) (not (> (+ n2 (* (- 1) x2)) 0))))) (=> (> x2 0) (not (and (not (> x2 0)) (not (> (+ n2 (* (- 1) x2)) 0))))))) (=> sec4 (and (=> (> x0 0) (not (and (not (> x0 0)) (not (> x1 0)) (not (> (+ n0 (* (- 1) x0)) 0)) (not (> (+ n1 (* (- 1) x1)) 0))))) (=> (> x1 0) (not (and (not (> x0 0)) (not (> x1 0)) (not (> (+ n0 (* (- 1) x0)) 0)) (not (> (+ n1 (* (- 1) x1)) 0))))) (=> (> x2 0) (not (and (not (> x0 0)) (not (> x1 0)) (not (> (+ n0 (* (- 1) x0)) 0)) (not (> (+ n1 (* (- 1) x1)) 0))))))) (=> sec5 (and (=> (> x0 0) (not (and (not (> x1 0)) (not (> (+ n1 (* (- 1) x1)) 0))))) (=> (> x1 0) (not (and (not (> x1 0)) (not (> (+ n1 (* (- 1) x1)) 0))))) (=> (> x2 0) (not (and (not (> x1 0)) (not (> (+ n1 (* (- 1) x1)) 0))))))) (=> sec6 (and (=> (> x0 0) (not (and (not (> x0 0)) (not (> (+ n0 (* (- 1) x0)) 0))))) (=> (> x1 0) (not (and (not (> x0 0)) (not (> (+ n0 (* (- 1) x0)) 0))))) (=> (> x2 0) (not (and (not (> x0 0)) (not (> (+ n0 (* (- 1) x0)) 0))))))) (=> sec7 (and (not (> x0 0)) (not (> x1 0)) (not (> x2 0))))))
(define-fun right_0 () Bool (and (not (and sec0 (not (>= n0 1)) (not (>= n1 1)) (not (>= n2 1)))) (not (and sec1 (not (>= n1 1)) (not (>= n2 1)))) (not (and sec2 (not (>= n0 1)) (not (>= n2 1)))) (not (and sec3 (not (>= n2 1)))) (not (and sec4 (not (>= n0 1)) (not (>= n1 1)))) (not (and sec5 (not (>= n1 1)))) (not (and sec6 (not (>= n0 1)))) (not sec7)))
(assert (and left_0 (not right_0)))
(check-sat)
