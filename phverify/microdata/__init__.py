"""Tables of rows about people: readers, types, hierarchies, sanitizations, and the quotient that decisions start from."""
