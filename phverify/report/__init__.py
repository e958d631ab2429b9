"""Answers as text, JSON, HTML and SMT-LIB files: pure functions, one module a verb and
format.
"""
