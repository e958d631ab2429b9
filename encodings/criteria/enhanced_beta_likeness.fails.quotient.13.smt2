; Is there a model and a world where this is false? forall v in s: (l_a0(s = v) = 1/6 -> l_a1(s = v) <= 3/2 * l_a0(s = v)) & (l_a0(s = v) = 1/3 -> l_a1(s = v) <= 3/2 * l_a0(s = v)) & (l_a0(s = v) = 1/2 -> l_a1(s = v) <= 3/2 * l_a0(s = v)) & (l_a0(s = v) = 2/3 -> l_a1(s = v) <= 7/5 * l_a0(s = v)) & (l_a0(s = v) = 5/6 -> l_a1(s = v) <= 13/11 * l_a0(s = v)) & (l_a0(s = v) = 1 -> l_a1(s = v) <= l_a0(s = v))
; over a release with classes aab, abc (each letter is a row's value of s), instance 13
; The formula of enhanced_beta_likeness(s, 1/2). As before, and the gain must stay below -ln p as well. (enhanced beta-likeness)
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Counting settles it: of 5 kinds of rows it is true at 2.
; What is left for the solver is one constant: such a file says no more than the count.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
(assert true)
(check-sat)
