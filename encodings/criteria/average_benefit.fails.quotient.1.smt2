; Is there a model and a world where this is false? forall v in s: l_a1(s = v) - l_a0(s = v) <= 1/7
; over a release with classes aab, abc (each letter is a row's value of s), instance 1
; The formula of average_benefit(s, 1/7). 1/3 - 1/6. (average benefit)
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Counting settles it: of 5 kinds of rows it is true at 3.
; What is left for the solver is one constant: such a file says no more than the count.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
(assert true)
(check-sat)
