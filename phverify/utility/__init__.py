"""What is a release still good for, beside the table that it was made of?"""
