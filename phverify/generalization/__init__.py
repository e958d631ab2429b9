"""The least generalization of a table that satisfies a policy, with the reason why
nothing less does.
"""
