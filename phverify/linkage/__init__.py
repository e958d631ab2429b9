"""How well could an attacker link records?  Belief functions of Torra and Stokes, and
what they say of a method.
"""
