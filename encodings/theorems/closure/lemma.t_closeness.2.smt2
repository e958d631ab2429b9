; Claim: A condition on quantities that add up when two classes are merged carries over to their sums.
; Source: ours: what search may prune by; the proof is symbolic/lemmas.py
; Here: TCloseness(f='f', t=Fraction(1, 2), distance='hierarchical', values=(), tree=())
; Here: the condition: n times the hierarchical distance is a sum of absolute values of linear gaps, so it shrinks in
;   mergers; it is at most n t
; Unknowns: the quantities of two classes, 1 and 2, as symbolic/lemmas.py writes them
; Why: a model would be two classes that satisfy the criterion while their union does not; there is none.
; Bound: any number of values, any counts; that each criterion is a conjunction of instances is said in words
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const d3 Real)
(declare-const d1 Real)
(declare-const d2 Real)
(declare-const u1 Real)
(declare-const u2 Real)
(assert (<= d3 (+ d1 d2)))
(assert (>= (+ u1 (* (- 1) d1)) 0))
(assert (>= (+ u2 (* (- 1) d2)) 0))
(assert (not (>= (+ u1 u2 (* (- 1) d3)) 0)))
(check-sat)
