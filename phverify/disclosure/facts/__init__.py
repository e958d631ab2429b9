"""What is protected: facts about cells, formulas, and distances between tables."""
