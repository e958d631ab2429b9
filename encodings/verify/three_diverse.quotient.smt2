; forall c in clauses(health, 2): ~[a1] c
; over the hospital release, quotient encoding: sat means the rule is refuted
(set-info :status sat)
; the negation of: forall c in clauses(health, 2): ~[a1] c
(set-logic QF_LIA)
(declare-const c_v0 Int)
(assert (<= 0 c_v0 1))
(declare-const c_v1 Int)
(assert (<= 0 c_v1 1))
(declare-const c_v2 Int)
(assert (<= 0 c_v2 1))
(define-fun e0 () Bool (or (not (or (not (= c_v0 1)) (not (= c_v1 1)))) (not (or (not (= c_v0 1)) (not (= c_v1 1)))) (not (or (not (= c_v0 1)) (not (= c_v2 1)))) (not (or (not (= c_v0 1)) (not (= c_v2 1))))))
(assert (>= (+ c_v0 c_v1 c_v2 (- 1)) 0))
(assert (>= (+ (* (- 1) c_v0) (* (- 1) c_v1) (* (- 1) c_v2) 2) 0))
(assert e0)
(check-sat)
