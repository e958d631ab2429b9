; Is there a model and a world where this is false? 1/2 * abs(l_a1(s in {'l'}) - l_a0(s in {'l'})) + 1/2 * abs(l_a1(s in {'l', 'm'}) - l_a0(s in {'l', 'm'})) <= 1/6
; over a release with classes lmh, llh (each letter is a row's value of s), instance 1
; The formula of t_closeness(s, 1/6, distance=ordered). 1/(m - 1) times the sum of the cumulative gaps. (Theorem 5, ordered distance)
; unsat: no model of the release has a world where it is false, so that it is proved
; Counting settles it: of 5 kinds of rows it is true at 5.
; What is left for the solver is one constant: such a file says no more than the count.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
(assert false)
(check-sat)
