"""``python -m phverify``."""

import sys

from phverify.cli import main

sys.exit(main())
