"""Integer questions before any solver: linear algebra, lattices, branching, bounds."""
