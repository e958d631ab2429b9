"""What candidate sets mean for the people in a release."""
