"""How strict criteria could be and still hold of a release: exact, with the class that
forces each bound.
"""
