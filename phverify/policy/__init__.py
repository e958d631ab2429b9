"""A policy: read from TOML with all its problems at once, then bound to its data."""
