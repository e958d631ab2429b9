; Claim: If C0 = (B or CandidateSet) without a candidate x0, then m(C0) = 1 is not compatible with the true
;   probability.
; Source: Torra, Stokes: A formalization of re-identification in terms of compatible probabilities (2012), Lemma 13
; Here: 2 records
; Unknowns: CandidateSet, which has x0 = record 0, and B, as memberships
; Why: a model would be a counterexample; there is none.  C0 is taken to be nonempty: else m(C0) = 1 is no assignment
;   by Definition 2, which the lemma leaves out
; Bound: 2 to 5 records
(set-info :smt-lib-version 2.6)
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const cand_0 Bool)
(declare-const cand_1 Bool)
(declare-const b_0 Bool)
(declare-const b_1 Bool)
(assert cand_0)
(declare-const P0 Real)
(declare-const P1 Real)
(assert (>= P0 0))
(assert (>= P1 0))
(assert (= (+ P0 P1) 1))
(declare-const share Real)
(assert (> share 0))
(assert (= P0 (ite cand_0 share 0)))
(assert (= P1 (ite cand_1 share 0)))
(declare-const m1 Real)
(declare-const m2 Real)
(declare-const m3 Real)
(assert (>= m1 0))
(assert (>= m2 0))
(assert (>= m3 0))
(assert (= (+ m1 m2 m3) 1))
(define-fun c_0 () Bool false)
(define-fun c_1 () Bool (or b_1 cand_1))
(assert (or c_0 c_1))
(assert (= m1 (ite (and c_0 (not c_1)) 1 0)))
(assert (= m2 (ite (and (not c_0) c_1) 1 0)))
(assert (= m3 (ite (and c_0 c_1) 1 0)))
(assert (and (>= P0 m1) (>= P1 m2) (>= (+ P0 P1) (+ m1 m2 m3))))
(check-sat)
