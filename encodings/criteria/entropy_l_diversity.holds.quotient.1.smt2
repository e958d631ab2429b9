; Is there a model and a world where this is false? ~(l_a1(s = 'a') = 0 & l_a1(s = 'b') = 1) & ~(l_a1(s = 'a') = 1 & l_a1(s = 'b') = 0) & ~(l_a1(s = 'a') = 0 & l_a1(s = 'b') = 1) & ~(l_a1(s = 'a') = 1 & l_a1(s = 'b') = 0) & ~(l_a1(s = 'a') = 0 & l_a1(s = 'b') = 1) & ~(l_a1(s = 'a') = 1/3 & l_a1(s = 'b') = 2/3) & ~(l_a1(s = 'a') = 2/3 & l_a1(s = 'b') = 1/3) & ~(l_a1(s = 'a') = 1 & l_a1(s = 'b') = 0) & ~(l_a1(s = 'a') = 0 & l_a1(s = 'b') = 1) & ~(l_a1(s = 'a') = 1/4 & l_a1(s = 'b') = 3/4) & ~(l_a1(s = 'a') = 3/4 & l_a1(s = 'b') = 1/4) & ~(l_a1(s = 'a') = 1 & l_a1(s = 'b') = 0)
; over a release with classes aabb (each letter is a row's value of s), instance 1
; The formula of entropy_l_diversity(s, 2). A tie. (entropy)
; unsat: no model of the release has a world where it is false, so that it is proved
; Counting settles it: of 2 kinds of rows it is true at 2.
; What is left for the solver is one constant: such a file says no more than the count.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
(assert false)
(check-sat)
