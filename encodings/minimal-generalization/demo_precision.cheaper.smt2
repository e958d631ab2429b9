; Does a candidate cost less than 29/32 = 145/160 and meet all clauses?
; over original.csv, levels, precision; policy: k_anonymity(2); logical_safety()
; The first clauses say which truths are candidates; the others are learned, each from a class that violates:
;   x9: the records below (birth = *, zip = 1042*) break anonymous
;   x1: the records below (birth = *4/09/56, zip = *) break anonymous
;   x8: the records below (birth = *, zip = 24126) break safe
;   x12: the records below (birth = *, zip = 1****) break safe
;   x4: the records below (birth = ****3/56, zip = *) break safe
;   x9: the records below (birth = *, zip = 2601*) break safe
; unknowns (true: more general):
;   x0: birth, level 1 of 8 or above
;   x1: birth, level 2 of 8 or above
;   x2: birth, level 3 of 8 or above
;   x3: birth, level 4 of 8 or above
;   x4: birth, level 5 of 8 or above
;   x5: birth, level 6 of 8 or above
;   x6: birth, level 7 of 8 or above
;   x7: birth, level 8 of 8 or above
;   x8: zip, level 1 of 5 or above
;   x9: zip, level 2 of 5 or above
;   x10: zip, level 3 of 5 or above
;   x11: zip, level 4 of 5 or above
;   x12: zip, level 5 of 5 or above
; unsat: none does, so that nothing which satisfies the policy is cheaper
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
(declare-const x0 Bool)
(declare-const x1 Bool)
(declare-const x10 Bool)
(declare-const x11 Bool)
(declare-const x12 Bool)
(declare-const x2 Bool)
(declare-const x3 Bool)
(declare-const x4 Bool)
(declare-const x5 Bool)
(declare-const x6 Bool)
(declare-const x7 Bool)
(declare-const x8 Bool)
(declare-const x9 Bool)
(assert (or (not x1) x0))
(assert (or (not x2) x1))
(assert (or (not x3) x2))
(assert (or (not x4) x3))
(assert (or (not x5) x4))
(assert (or (not x6) x5))
(assert (or (not x7) x6))
(assert (or (not x9) x8))
(assert (or (not x10) x9))
(assert (or (not x11) x10))
(assert (or (not x12) x11))
(assert x9)
(assert x1)
(assert x8)
(assert x12)
(assert x4)
(assert x9)
(assert (< (+ (* 5 (ite x0 1 0)) (* 5 (ite x1 1 0)) (* 5 (ite x2 1 0)) (* 5 (ite x3 1 0)) (* 5 (ite x4 1 0)) (* 5 (ite x5 1 0)) (* 5 (ite x6 1 0)) (* 5 (ite x7 1 0)) (* 24 (ite x8 1 0)) (* 24 (ite x9 1 0)) (* 24 (ite x10 1 0)) (* 24 (ite x11 1 0)) (* 24 (ite x12 1 0))) 145))
(check-sat)
