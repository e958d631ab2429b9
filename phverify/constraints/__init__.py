"""Constraints as data and as text, and who answers them: Z3, cvc5, CP-SAT; hitting
sets; proofs without a solver.
"""
