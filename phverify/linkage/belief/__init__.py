"""Belief functions over sets of records, their measures, combinations, and
compatibility with a probability.
"""
