"""The answers of linkage methods, and whether they are sound."""
