; Is there a model and a world where this is false? forall v in s: l_a1(s = v) < 8 * l_a0(s = v) & (l_a1(s = v) = 0 | l_a0(s = v) < 8 * l_a1(s = v))
; over a release with classes aabb, abbc (each letter is a row's value of s), instance 1
; The formula of delta_disclosure(s, 3, absent=ignored). c does not occur in the first class: ignored, or a violation. (Theorem 6)
; unsat: no model of the release has a world where it is false, so that it is proved
; Counting settles it: of 5 kinds of rows it is true at 5.
; What is left for the solver is one constant: such a file says no more than the count.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
(assert false)
(check-sat)
