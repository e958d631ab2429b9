"""Audits of many rows: rows that no query tells apart are one class, and a class is one
integer.
"""
