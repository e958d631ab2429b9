"""The command line: the only place that prints, writes files and exits."""
