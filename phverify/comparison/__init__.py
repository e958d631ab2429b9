"""Does every table that satisfies one policy satisfy another?  For all tables, or with
one that separates the two.
"""
