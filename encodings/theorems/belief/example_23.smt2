; Claim: With m'({x1, x2}) = 4/13, m'({x1 .. x5}) = 5/13, m'(X) = 4/13, the pignistic probability of x1 is 7/26.
; Source: Torra, Stokes: A formalization of re-identification in terms of compatible probabilities (2012), Example 23,
;   whose numbers are rounded from these
; Unknowns: none
; Why: the paper prints 0.15384617, which is 4/26: it leaves out two of the three sets that have x1
; Bound: none
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status unsat)
(assert (not (= (+ (/ (/ 4 13) 2) (/ (/ 5 13) 5) (/ (/ 4 13) 8)) (/ 7 26))))
(check-sat)
