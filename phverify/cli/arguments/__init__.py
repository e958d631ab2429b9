"""What can be typed, one file a verb.

Nothing here imports a verb: ``--help`` and ``--version`` answer at once, and a mistyped
option is refused before anything heavy is loaded.
"""
