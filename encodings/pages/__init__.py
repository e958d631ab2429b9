"""The files under encodings/, page by page: each module's ``files()`` writes the
examples of one page.
"""
