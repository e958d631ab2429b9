"""A first policy from a table: roles, types, hierarchies, rules, and the reasons."""
