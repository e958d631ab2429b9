; Is there a model and a world where this is false? ~(l_a1(s = 'a') = 0 & l_a1(s = 'b') = 1) & ~(l_a1(s = 'a') = 1 & l_a1(s = 'b') = 0) & ~(l_a1(s = 'a') = 0 & l_a1(s = 'b') = 1) & ~(l_a1(s = 'a') = 1/2 & l_a1(s = 'b') = 1/2) & ~(l_a1(s = 'a') = 1 & l_a1(s = 'b') = 0) & ~(l_a1(s = 'a') = 0 & l_a1(s = 'b') = 1) & ~(l_a1(s = 'a') = 1/3 & l_a1(s = 'b') = 2/3) & ~(l_a1(s = 'a') = 2/3 & l_a1(s = 'b') = 1/3) & ~(l_a1(s = 'a') = 1 & l_a1(s = 'b') = 0) & ~(l_a1(s = 'a') = 0 & l_a1(s = 'b') = 1) & ~(l_a1(s = 'a') = 1/4 & l_a1(s = 'b') = 3/4) & ~(l_a1(s = 'a') = 1/2 & l_a1(s = 'b') = 1/2) & ~(l_a1(s = 'a') = 3/4 & l_a1(s = 'b') = 1/4) & ~(l_a1(s = 'a') = 1 & l_a1(s = 'b') = 0)
; over a release with classes aabb (each letter is a row's value of s), instance 4
; The formula of entropy_l_diversity(s, 3). A tie. (entropy)
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Counting settles it: of 2 kinds of rows it is true at 0.
; What is left for the solver is one constant: such a file says no more than the count.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
(assert true)
(check-sat)
