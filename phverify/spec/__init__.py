"""What formulas, tables, criteria and models mean, and what a proof is: plain Python
that a reviewer can read.
"""
