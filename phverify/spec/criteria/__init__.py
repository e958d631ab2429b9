"""Every criterion is one class in one file of this folder, called as it is: what it
says, how it is decided, its lemma.

``criterion/registry`` finds the file by its name; a new one needs no other line.
"""
