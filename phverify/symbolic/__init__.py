"""Formulas as something a solver or an array can judge: truth values of cells,
constraints, symbolic histograms.
"""
