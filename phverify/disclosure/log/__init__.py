"""A query log as statements, and SQL as the queries that are understood."""
