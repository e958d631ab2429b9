"""Every criterion is one class in one file of this folder: what it says, how symbols are asked, what merging keeps.

``registry`` finds the files; a new one needs no other line.
"""
