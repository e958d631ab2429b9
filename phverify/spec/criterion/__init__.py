"""What a criterion is, what it may look at, and how one is found by its name."""
