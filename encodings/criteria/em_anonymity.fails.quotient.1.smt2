; Is there a model and a world where this is false? (l_a1(s = 1) = 0 | l_a1(s in {1, 3}) <= 1/2) & (l_a1(s = 3) = 0 | l_a1(s in {1, 3, 5}) <= 1/2) & (l_a1(s = 5) = 0 | l_a1(s in {3, 5}) <= 1/2)
; over a release with classes 1355, 1133 (each letter is a row's value of s), instance 1
; The formula of em_anonymity(s, 2, 2). 1, 3, 5, 5: of 4 values 3 are within 2 of the 3 in the middle, and of the 5. (Li, Tao, Xiao)
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Counting settles it: of 5 kinds of rows it is true at 3.
; What is left for the solver is one constant: such a file says no more than the count.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
(assert true)
(check-sat)
