; Claim: A condition on quantities that add up when two classes are merged carries over to their sums.
; Source: ours: what search may prune by; the proof is symbolic/lemmas.py
; Here: EnhancedBetaLikeness(f='f', beta=Fraction(1, 2))
; Here: the condition: for every value: a <= r n, where a rows of n have it, r depends on p
; Unknowns: the quantities of two classes, 1 and 2, as symbolic/lemmas.py writes them
; Why: a model would be two classes that satisfy the criterion while their union does not; there is none.
; Bound: any number of values, any counts; that each criterion is a conjunction of instances is said in words
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const a1 Real)
(declare-const a2 Real)
(declare-const u1 Real)
(declare-const u2 Real)
(assert (>= a1 0))
(assert (>= a2 0))
(assert (>= (+ u1 (* (- 1) a1)) 0))
(assert (>= (+ u2 (* (- 1) a2)) 0))
(assert (not (>= (+ u1 u2 (* (- 1) a1) (* (- 1) a2)) 0)))
(check-sat)
