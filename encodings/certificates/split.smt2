; Can this be false in this way? (@i1 s = a & @i2 s = a) | (@i1 s = a & @i3 s = a) | (@i1 s = a & @i4 s = a) | (@i1 s = a & ..
; Over a release with classes aabbcc (each letter is a row's value of s). Two of six rows have the value: the proof needs a split.
; unsat: no model of the release has a world where it is false, so that it is proved
; The unknowns are 0 or 1; those without a name stand for compound terms.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic QF_LIA)
(declare-const x0 Int)  ; i5 in profile 1
(assert (and (<= 0 x0) (<= x0 1)))
(declare-const x1 Int)  ; i6 in profile 1
(assert (and (<= 0 x1) (<= x1 1)))
(declare-const x2 Int)  ; i4 in profile 1
(assert (and (<= 0 x2) (<= x2 1)))
(declare-const x3 Int)  ; i3 in profile 1
(assert (and (<= 0 x3) (<= x3 1)))
(declare-const x4 Int)  ; i2 in profile 1
(assert (and (<= 0 x4) (<= x4 1)))
(declare-const x5 Int)  ; i1 in profile 1
(assert (and (<= 0 x5) (<= x5 1)))
(declare-const x6 Int)  ; i1 in profile 0
(assert (and (<= 0 x6) (<= x6 1)))
(declare-const x7 Int)  ; i2 in profile 0
(assert (and (<= 0 x7) (<= x7 1)))
(declare-const x8 Int)  ; i3 in profile 0
(assert (and (<= 0 x8) (<= x8 1)))
(declare-const x9 Int)  ; i4 in profile 0
(assert (and (<= 0 x9) (<= x9 1)))
(declare-const x10 Int)  ; i5 in profile 0
(assert (and (<= 0 x10) (<= x10 1)))
(declare-const x11 Int)  ; i6 in profile 0
(assert (and (<= 0 x11) (<= x11 1)))
(assert (>= (+ 1 0 (* (- 1) x0) (* (- 1) x1)) 0))
(assert (>= (+ 1 0 (* (- 1) x2) (* (- 1) x1)) 0))
(assert (>= (+ 1 0 (* (- 1) x2) (* (- 1) x0)) 0))
(assert (>= (+ 1 0 (* (- 1) x3) (* (- 1) x1)) 0))
(assert (>= (+ 1 0 (* (- 1) x3) (* (- 1) x0)) 0))
(assert (>= (+ 1 0 (* (- 1) x3) (* (- 1) x2)) 0))
(assert (>= (+ 1 0 (* (- 1) x4) (* (- 1) x1)) 0))
(assert (>= (+ 1 0 (* (- 1) x4) (* (- 1) x0)) 0))
(assert (>= (+ 1 0 (* (- 1) x4) (* (- 1) x2)) 0))
(assert (>= (+ 1 0 (* (- 1) x4) (* (- 1) x3)) 0))
(assert (>= (+ 1 0 (* (- 1) x5) (* (- 1) x1)) 0))
(assert (>= (+ 1 0 (* (- 1) x5) (* (- 1) x0)) 0))
(assert (>= (+ 1 0 (* (- 1) x5) (* (- 1) x2)) 0))
(assert (>= (+ 1 0 (* (- 1) x5) (* (- 1) x3)) 0))
(assert (>= (+ 1 0 (* (- 1) x5) (* (- 1) x4)) 0))
(assert (>= (+ (- 1) 0 (* 1 x6) (* 1 x5)) 0))
(assert (>= (+ 1 0 (* (- 1) x6) (* (- 1) x5)) 0))
(assert (>= (+ (- 1) 0 (* 1 x7) (* 1 x4)) 0))
(assert (>= (+ 1 0 (* (- 1) x7) (* (- 1) x4)) 0))
(assert (>= (+ (- 1) 0 (* 1 x8) (* 1 x3)) 0))
(assert (>= (+ 1 0 (* (- 1) x8) (* (- 1) x3)) 0))
(assert (>= (+ (- 1) 0 (* 1 x9) (* 1 x2)) 0))
(assert (>= (+ 1 0 (* (- 1) x9) (* (- 1) x2)) 0))
(assert (>= (+ (- 1) 0 (* 1 x10) (* 1 x0)) 0))
(assert (>= (+ 1 0 (* (- 1) x10) (* (- 1) x0)) 0))
(assert (>= (+ (- 1) 0 (* 1 x11) (* 1 x1)) 0))
(assert (>= (+ 1 0 (* (- 1) x11) (* (- 1) x1)) 0))
(assert (>= (+ 4 0 (* (- 1) x6) (* (- 1) x7) (* (- 1) x8) (* (- 1) x9) (* (- 1) x10) (* (- 1) x11)) 0))
(assert (>= (+ 2 0 (* (- 1) x5) (* (- 1) x4) (* (- 1) x3) (* (- 1) x2) (* (- 1) x0) (* (- 1) x1)) 0))
(check-sat)
