"""``python -m phverify``, and the command ``phverify``.

Nothing is loaded before ``run``, which tells Ctrl-C at any time in one line.
"""

import os
import sys

from phverify.interruption import Listener

UNDECIDED = 3


def run() -> int:
    """The command.

    What an earlier run has left goes first: nobody takes it for the answer of this one.
    """
    code = None
    listener = Listener()
    try:
        _listen(listener)
        _occupied()
        _forget()
        code = _main()
        # All is said and written: Ctrl-C while Python cleans up changes nothing.
        _deaf()
    except KeyboardInterrupt:
        # At once: between these two lines Python runs no handler of a second one.
        listener.deaf = True
        _deaf()
        if code is None:
            code = _interrupted()
    except SystemExit:
        listener.deaf = True
        _deaf()
        raise
    return code


def _listen(listener: Listener) -> None:
    """Hear Ctrl-C, unless it is ignored, as a shell has it for the background."""
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, listener)


def _main() -> int:
    """Load the command line, and run it."""
    from phverify.interrupts import interrupts_put_off

    # A module that is loaded by half breaks what loads it in other ways, too.
    with interrupts_put_off():
        from phverify.cli.main import main
    return main()


def _deaf() -> None:
    """From now on Ctrl-C does nothing."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _interrupted() -> int:
    """Say that Ctrl-C came before there was anything else to be said."""
    from phverify.cli.terminal import INTERRUPTED, complain

    _forget()
    complain(INTERRUPTED)
    return UNDECIDED


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
