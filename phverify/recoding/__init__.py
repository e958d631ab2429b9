"""Recoding by tuples: the best release found, and how far from the best it is."""
