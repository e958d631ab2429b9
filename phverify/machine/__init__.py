"""Functions as machine code, for whatever searches long."""
