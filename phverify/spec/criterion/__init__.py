"""What a criterion is, what it may see, and how one is found by its name."""
