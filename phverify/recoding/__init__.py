"""Recoding by tuples: the best release that is found, and how far from the best it is."""
