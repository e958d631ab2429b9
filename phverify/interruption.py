"""Ctrl-C as phverify hears it; loaded before anything else, and loads nothing."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or another signal that ends a run.

    A plain KeyboardInterrupt that leaves the text of an ``exec`` (each dataclass is
    made by one) is unhandled for Python, whoever catches it outside: ``python -m`` then
    ends by the signal, whatever its exit code was to be.  A subclass does not do so.
    """


class Listener:
    """A handler of signals that raises Interrupted until it is deaf."""

    def __init__(self) -> None:
        self.deaf = False

    def __call__(self, number: int, frame: object) -> None:
        """A signal came."""
        if not self.deaf:
            raise Interrupted
