; Can the absolute value of a sum exceed the sum of the absolute values?
; unsat: it cannot; used for t-closeness, a sum of such values
; unknowns: the two numbers
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LRA)
; the absolute value of a sum is at most the sum of the absolute values
(declare-const a Real)
(declare-const b Real)
(assert (not (<= (ite (>= (+ a b) 0) (+ a b) (- (+ a b))) (+ (ite (>= a 0) a (- a)) (ite (>= b 0) b (- b))))))
(check-sat)
