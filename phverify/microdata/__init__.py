"""Tables of rows about people: reading, types, hierarchies, sanitizations, and the quotient that decisions start from."""
