"""Mechanisms over finite outputs and local differential privacy, decided exactly.

After Anantharaman, Frittella, Nguyen 2022, section 4: tables of probabilities that are
sums of powers of e, local indistinguishability and differential privacy under any
adjacency, the least epsilon.
"""
