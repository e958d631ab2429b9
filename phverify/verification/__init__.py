"""Is a rule valid in all models of a release?  A proof, or a leak that is replayed
before it is shown.
"""
