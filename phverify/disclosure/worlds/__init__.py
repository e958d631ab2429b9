"""The tables that the answers leave possible, as constraints over their cells."""
