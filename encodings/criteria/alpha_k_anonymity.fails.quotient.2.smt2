; Is there a model and a world where this is false? (forall i: l_a1(i) <= 1/2) & (forall v in health: l_a1(health = v) <= 1/3)
; over the hospital release, instance 2
; The formula of alpha_k_anonymity(health, 1/3, 2). The largest share of a value in a class is 1/2. (Wong et al.)
; sat: a model of these constraints is a leak, a placement and a world where it is false
; Counting settles it: of 8 kinds of rows it is true at 0.
; What is left for the solver is one constant: such a file says no more than the count.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
(assert true)
(check-sat)
