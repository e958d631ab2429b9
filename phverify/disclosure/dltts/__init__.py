"""Transition systems with tags (DLTTS): adversaries who keep querying, after
Anantharaman, Frittella, Nguyen 2022.

The paper's worked examples are tests, with its numbers:
 * Example 1 (hospital: violation with probability 2/3, which needs a public fact) and 2
   (bank: two sums, and a minimum total) in ``tests/test_dltts.py``; 2 as an audited log
   in ``test_audit_run.py``, that as a system in ``test_dltts_trace.py``;
 * Example 3 (log 2; randomized response, log 3) and the thresholds of Example 4 in
   ``tests/test_mechanisms.py``;
 * Example 1bis (l5 before l4 before l2; 1/5 and 3/5) and the distance 39/20 of Example
   4 in ``tests/test_audit_distances.py``; 1/5 again as the distance of an audited log
   in ``tests/test_audit_measure.py``.

Its slips, each with a test, and what was decided:
 * rho, the least distance of two rows, is no metric, and literal rho-privacy holds for
   constant mechanisms only: ``facts.distances``, ``mechanisms.privacy``.  Both have the
   literal notion and the one that Proposition 2 needs.
 * Hamming counts records in one place and cells in Example 4: ``distances`` has both.
 * Lemma 1 (Wu-Palmer) is true, its proof expands one of two cases; on graphs that are
   no trees it fails: ``taxonomy``.
 * Local privacy is asked only of inputs that share an output, weaker than the
   literature's: ``privacy``.
 * s0 names the initial state and a successor; 0-violation is weaker than violation; an
   impossible state is no violation: ``system``, ``knowledge``.
 * What ``#`` means, projection onto parts of rows, and Jaccard of two empty sets are
   left open: ``distances``.
"""
