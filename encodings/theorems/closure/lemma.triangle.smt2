; Claim: A condition on quantities that add up when two classes are merged carries over to their sums.
; Source: ours: what search may prune by; the proof is symbolic/lemmas.py
; Here: needed by t_closeness
; Unknowns: the quantities of two classes, 1 and 2, as symbolic/lemmas.py writes them
; Why: a model would be two classes that satisfy the criterion while their union does not; there is none.
; Bound: any number of values, any counts; that each criterion is a conjunction of instances is said in words
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const a Real)
(declare-const b Real)
(assert (not (<= (ite (>= (+ a b) 0) (+ a b) (- (+ a b))) (+ (ite (>= a 0) a (- a)) (ite (>= b 0) b (- b))))))
(check-sat)
