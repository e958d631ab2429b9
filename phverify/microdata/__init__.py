"""Tables of rows about people: readers, types, hierarchies, sanitizations, and the
quotient of a table.
"""
