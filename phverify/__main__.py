"""``python -m phverify``, and the command ``phverify``."""

import os
import signal
import sys

INTERRUPTED = 130


def run() -> int:
    """The command; Ctrl-C while modules are loaded ends it without a word.

    What an earlier run has left goes first: nobody takes it for the answer of this one.
    """
    _occupied()
    try:
        _forget()
        from phverify.cli.main import main
    except KeyboardInterrupt:
        _forget()
        return INTERRUPTED
    code = main()
    # All is said and written: Ctrl-C while Python cleans up changes the code no more.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return code


def _forget() -> None:
    from phverify.cli.stale import forget

    try:
        forget(sys.argv[1:])
    except OSError:
        # A run that would write there tries again, and says why it cannot.
        return


def _occupied() -> None:
    """Point closed standard streams nowhere.

    Files opened later would take their numbers, and what a library writes to standard
    output would land in them.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


if __name__ == "__main__":
    sys.exit(run())
