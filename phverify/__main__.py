"""``python -m phverify``."""

import sys

if __name__ == "__main__":
    try:
        from phverify.cli import main
    except KeyboardInterrupt:
        sys.exit("phverify: interrupted before it started")
    sys.exit(main())
