"""The published privacy criteria."""
