"""The papers' theorems as questions to solvers: one SMT-LIB file for each direction and
each size.
"""
