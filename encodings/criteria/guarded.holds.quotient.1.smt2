; Is there a model and a world where this is false? l_a1(s in {'C1', 'C2'}) <= 2/3
; over a release with one class of C1, C2, D1, instance 1
; The formula of guarded(s, 'C*', 2/3). 2 of 3 rows are below C*, though C1 and C2 have the share 1/3 each. (guarding nodes)
; unsat: no model of the release has a world where it is false, so that it is proved
; Counting settles it: of 3 kinds of rows it is true at 3.
; What is left for the solver is one constant: such a file says no more than the count.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
(assert false)
(check-sat)
