"""``python -m phverify``, and the command ``phverify``."""

import sys


def run() -> int:
    """The command; Ctrl-C while modules are loaded ends it quietly, like any other
    program.
    """
    try:
        from phverify.cli.main import main
    except KeyboardInterrupt:
        return 130
    return main()


if __name__ == "__main__":
    sys.exit(run())
