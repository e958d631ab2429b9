"""One door a verb: read, decide, answer."""
