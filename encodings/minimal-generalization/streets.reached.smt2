; Does a candidate cost at most 2/3 = 40/60 and meet all clauses?
; over six people, by age and zip, subtrees, loss; policy: k_anonymity(2)
; The first clauses say which truths are candidates; the others are learned, each from a class that violates:
;   x1 or x4: the records below (age = 20-29, zip = 12) break anonymous
;   x4: the records below (age = *, zip = 14) break anonymous
;   x3: the records below (age = 33, zip = *) break anonymous
;   x2 or x6: the records below (age = 20-39, zip = 31) break anonymous
;   x6: the records below (age = *, zip = 32) break anonymous
;   x2: the records below (age = 52, zip = *) break anonymous
; unknowns (true: more general):
;   x0: age, the values below 20-29 are one
;   x1: age, the values below 20-39 are one
;   x2: age, the values below * are one
;   x3: age, the values below 30-39 are one
;   x4: zip, the values below 1* are one
;   x5: zip, the values below * are one
;   x6: zip, the values below 3* are one
; sat: the bound is reached; the candidate that was found is a model
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic QF_LIA)
(declare-const x0 Bool)
(declare-const x1 Bool)
(declare-const x2 Bool)
(declare-const x3 Bool)
(declare-const x4 Bool)
(declare-const x5 Bool)
(declare-const x6 Bool)
(assert (or (not x1) x0))
(assert (or (not x2) x1))
(assert (or (not x1) x3))
(assert (or (not x5) x4))
(assert (or (not x5) x6))
(assert (or x1 x4))
(assert x4)
(assert x3)
(assert (or x2 x6))
(assert x6)
(assert x2)
(assert (< (+ (* 2 (ite x0 1 0)) (* 12 (ite x1 1 0)) (* 10 (ite x2 1 0)) (* 6 (ite x3 1 0)) (* 5 (ite x4 1 0)) (* 20 (ite x5 1 0)) (* 5 (ite x6 1 0))) 41))
(check-sat)
