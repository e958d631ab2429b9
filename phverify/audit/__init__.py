"""What an adversary learns from answers: audits of SQL logs, after Anantharaman, Frittella, Nguyen 2022.

An audit is one long run of a transition system with tags (``phverify.dltts``, whose ``trace`` says how): the worlds
that agree with the answers are the models of the tag, the oracle asks whether a protected fact holds in all of them,
and, in its second role, how far the knowledge is from it.
"""
