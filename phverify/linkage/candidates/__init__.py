"""Which original records a released one can come from, as far as an attacker can
tell.
"""
