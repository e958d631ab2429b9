"""Every criterion is one class in one file of this folder, called as it is.

It says what it means, how it is decided, and its lemma.  ``criterion/registry`` finds
the file by its name; a new one needs no other line.
"""
