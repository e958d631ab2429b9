; Is there a model and a world where this is false? l_a1(s in {'C1', 'C2'}) <= 1/2
; over a release with one class of C1, C2, D1, instance 1
; The formula of guarded(s, 'C*', 1/2). 2 of 3 rows are below C*, though C1 and C2 have the share 1/3 each. (guarding nodes)
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Counting settles it: of 3 kinds of rows it is true at 0.
; What is left for the solver is one constant: such a file says no more than the count.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
(assert true)
(check-sat)
