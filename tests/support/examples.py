"""One table of worked examples over the paper's hospital (Table 2); it drives parser,
printer, judge and encodings.

(formula, verdict): the verdict is for the release with individual i_k behind row k.
"""

EXAMPLES: list[tuple[str, str]] = [
    # Theorem 1 and its remark: any record of i's class recognizes i with probability
    # 1/2
    ("forall i: l_a1(i) <= 1/2", "proved"),
    ("forall i: l_a1(i) <= 1/3", "refuted"),
    ("@d4 l_a1(i3) = 1/2", "proved"),
    ("@d5 l_a1(i3) = 0", "proved"),
    # classes that look alike are not one class
    ("forall i: l_a1(i) > 0", "refuted"),
    ("forall i: <a1> i", "refuted"),
    ("forall i, j: l_a1(i) = l_a1(j)", "refuted"),
    ("forall i, j: @i <a1> j", "refuted"),
    ("forall i: l_a0(i) = 1/8", "proved"),
    ("forall i: l_a0(<a1> i) = 1/4", "proved"),
    ("forall i: l_a0(~<a1> i) = 3/4", "proved"),
    ("forall i: l_a0(~<a1> i & ~<a1> d1) >= 1/2", "proved"),
    ("forall i, j: l_a0(<a1> i & ~<a1> j) <= 1/4", "proved"),
    ("forall i, j: l_a0(<a1> i | <a1> j) <= 1/4", "refuted"),
    # variables that share a name, with each other or with an individual
    ("forall i1: forall i: @i1 health = 2 -> @i health = 2", "refuted"),
    ("forall k: forall i: exists i1: @i1 (k & i)", "refuted"),
    (
        (
            "forall i: @i health = 2 -> (exists j: (@j health = 2 & (exists i: @i (j &"
            " income = '70K'))))"
        ),
        "refuted",
    ),
    ("forall i: (exists i: @i health = 2) & @i true", "proved"),
    ("forall i1: @i1 <a1> i1", "proved"),
    (
        (
            "forall c in clauses(health, 1): forall c1 in clauses(health, 1): l_a1(c1)"
            " = l_a1(c & c1)"
        ),
        "refuted",
    ),
    (
        "forall v in health: (exists v in income: <a0> income = v) & <a0> health = v",
        "proved",
    ),
    # Example 3: both i3 and i4 earn 100K or are seriously ill, for certain
    ("@i3 ~[a1](income = '100K' | health = 2)", "refuted"),
    ("@i4 ~[a1](income = '100K' | health = 2)", "refuted"),
    ("@i1 ~[a1](income = '100K' | health = 2)", "proved"),
    ("@i3 [a1](income = '100K' or health = 2)", "proved"),
    # Theorem 3 on this release: distinct 2-diversity of both confidential attributes
    ("forall v in health: ~[a1] health = v", "proved"),
    ("forall c in clauses(income, 1): ~[a1] c", "proved"),
    ("forall c in clauses(health, 2): ~[a1] c", "refuted"),
    # who is where
    ("@i3 (d3 | d4)", "proved"),
    ("@i3 d3", "refuted"),
    ("@i1 <a1> d2", "proved"),
    ("@i1 <a0> d8 & @i1 ~<a1> d8", "proved"),
    ("i1 -> ~i2", "proved"),
    ("i1 | i2 | i3 | i4 | i5 | i6 | i7 | i8", "proved"),
    ("exists i: i", "proved"),
    # joint statements: someone of i3 and i4 is seriously ill, but which one is open
    ("~[a1](@i3 health = 2 & @i4 health = 2)", "proved"),
    ("@i3 health = 2 | @i4 health = 2", "proved"),
    ("~(@i3 health = 2 & @i4 health = 2)", "proved"),
    ("@i3 health = 2 <-> ~@i4 health = 2", "proved"),
    ("@i3 health = 2", "refuted"),
    ("@i3 health = 2 -> @i4 income = '100K'", "proved"),
    # likelihood of likelihood, nested modalities, sums on both sides
    ("l_a0(l_a1(health = 2) >= 1/2) = 1/2", "proved"),
    ("[a0](l_a1(health = 2) <= 1/2)", "proved"),
    ("<a0>[a1] ~(health = 2)", "proved"),
    ("@i3 l_a1(health = 2) + l_a1(health = 0) = 1", "proved"),
    ("@i3 2 * l_a1(health = 2) - l_a0(health = 2) >= 1/2 + l_a0(health = 1)", "proved"),
    ("@i3 abs(l_a1(health = 2) - l_a0(health = 2)) <= 1/4", "proved"),
    ("forall i, v in health: @i l_a1(health = v) <= 2 * l_a0(health = v)", "proved"),
    ("forall i, v in health: @i l_a1(health = v) <= 1.9 * l_a0(health = v)", "refuted"),
    ("forall a in agents: l_a(true) = 1", "proved"),
    ("forall a in agents: @i3 l_a(i3) <= 1/2", "proved"),
    ("forall i, j: ~[a1](@i health = 2 & @j health = 2) | @i j", "refuted"),
    ("forall i, j: @i ~j | l_a1(i) = l_a1(j)", "proved"),
    ("forall i: exists j: @i ~j & @i <a1> j", "proved"),
    ("l_a1(i3 & health = 2) <= 1/2", "proved"),
    ("l_a1(i3 & health = 2) <= 1/3", "refuted"),
    # neutral attributes, membership, quoting, Unicode
    ("height in {160, 165} | height in {170, 175}", "proved"),
    (
        "∀ i: ¬[a1] (@i health = 2) ∧ ⊤",
        "refuted",
    ),  # in some model i3 is d4: @i speaks of one place
    ("∀ i: @i ¬[a1] health = 2 ∧ ⊤", "proved"),
    ("@i₃ ¬⟨a₁⟩ (income = '30K' ∨ health = 1)", "proved"),
    (
        "∀ i₁: @i₁ ~[a1] (income = '100K' | health = 2)",
        "refuted",
    ),  # a variable, not the individual i1
    ("∀ c₁ ∈ clauses(health, 1): ∀ a₁ in agents: ¬[a₁] c₁", "proved"),
    ("@'i3' ~health = 1", "proved"),
    # criteria inside formulas are decided class by class
    ("k_anonymity(2)", "proved"),
    ("k_anonymity(3)", "refuted"),
    ("k_anonymity(3) | l_diversity(health, 2)", "proved"),
    ("l_diversity(health, 2) & l_diversity(income, 2)", "proved"),
    ("@i3 k_anonymity(2) & ~@i3 k_anonymity(3)", "proved"),
    ("t_closeness(health, 1/2)", "proved"),
    # what an agent bets on the right record: @i l_a(i)
    ("forall i: pignistic(i, a1) <= 1/2", "proved"),
    (
        "forall i: pignistic(i, a1) >= 1/2",
        "proved",
    ),  # at i's place; at other records l_a1(i) may be 0
    ("forall i: pignistic(i, a1) <= 0.49", "refuted"),
    ("pignistic(i3, a1) = 50% & pignistic(i4, a0) < 1/7", "proved"),
    ("∀ i, a ∈ agents: pignistic(i, a) ≤ 1/2 & ¬pignistic(i, a₀) ≠ 1/8", "proved"),
    ("true", "proved"),
    ("false", "refuted"),
]
