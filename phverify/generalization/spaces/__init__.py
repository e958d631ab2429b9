"""What a search may choose from: a scheme for each quasi-identifier, and what a candidate costs."""
