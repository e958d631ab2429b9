; Claim: A condition on quantities that add up when two classes are merged carries over to their sums.
; Source: ours: what search may prune by; the proof is symbolic/lemmas.py
; Here: DeltaDisclosure(f='f', delta=Fraction(1, 2), absent='violates')
; Here: the condition: for every value: p n / 2^delta < a < p n 2^delta, where a rows of n have it
; Unknowns: the quantities of two classes, 1 and 2, as symbolic/lemmas.py writes them
; Why: a model would be two classes that satisfy the criterion while their union does not; there is none.
; Bound: any number of values, any counts; that each criterion is a conjunction of instances is said in words
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const a1 Real)
(declare-const a2 Real)
(declare-const u1 Real)
(declare-const w1 Real)
(declare-const u2 Real)
(declare-const w2 Real)
(assert (>= a1 0))
(assert (>= a2 0))
(assert (and (> (+ u1 (* (- 1) a1)) 0) (> (+ a1 (* (- 1) w1)) 0)))
(assert (and (> (+ u2 (* (- 1) a2)) 0) (> (+ a2 (* (- 1) w2)) 0)))
(assert (not (and (> (+ u1 u2 (* (- 1) a1) (* (- 1) a2)) 0) (> (+ a1 a2 (* (- 1) w1) (* (- 1) w2)) 0))))
(check-sat)
