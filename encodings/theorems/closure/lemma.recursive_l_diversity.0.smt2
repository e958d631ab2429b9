; Claim: A condition on quantities that add up when two classes are merged carries over to their sums.
; Source: ours: what search may prune by; the proof is symbolic/lemmas.py
; Here: RecursiveDiversity(f='f', c=Fraction(1, 2), l=2)
; Here: the condition: for every value and every set of 1 value: a < 1/2 (n - b), where a have the value, b the set
; Unknowns: the quantities of two classes, 1 and 2, as symbolic/lemmas.py writes them
; Why: a model would be two classes that satisfy the criterion while their union does not; there is none.
; Bound: any number of values, any counts; that each criterion is a conjunction of instances is said in words
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const n1 Real)
(declare-const a1 Real)
(declare-const b1 Real)
(declare-const n2 Real)
(declare-const a2 Real)
(declare-const b2 Real)
(assert (>= n1 1))
(assert (>= a1 0))
(assert (<= a1 n1))
(assert (>= b1 0))
(assert (<= b1 n1))
(assert (>= n2 1))
(assert (>= a2 0))
(assert (<= a2 n2))
(assert (>= b2 0))
(assert (<= b2 n2))
(assert (> (+ n1 (* (- 2) a1) (* (- 1) b1)) 0))
(assert (> (+ n2 (* (- 2) a2) (* (- 1) b2)) 0))
(assert (not (> (+ n1 n2 (* (- 2) a1) (* (- 2) a2) (* (- 1) b1) (* (- 1) b2)) 0)))
(check-sat)
