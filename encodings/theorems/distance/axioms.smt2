; Claim: 0 <= d(x, y) < 1, and d(x, y) = 0 iff both nodes are their deepest common ancestor, that is x = y; d is
;   symmetric as it is written.
; Source: Anantharaman, Frittella, Nguyen: Distributed Transition Systems with Tags (2022), Lemma 1
; Unknowns: the depths x, y of two nodes and xy of their deepest common ancestor
; Why: a model would be two nodes that break one of these; there is none
; Bound: none: all trees
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(declare-const xy Real)
(assert (<= 1 xy (ite (<= x y) x y)))
(assert (or (< (- (+ x y) (* 2 xy)) 0) (>= (- (+ x y) (* 2 xy)) (+ x y)) (not (= (= (- (+ x y) (* 2 xy)) 0) (and (= x xy) (= y xy))))))
(check-sat)
