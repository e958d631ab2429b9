"""Machine code that mutants leave as it is: a plugin of pytest, for ``tests/mutants.py``.

A mutant changes a file, and code that is kept on disk from any other state of its
folder is dropped.  But no compiled function is mutated, and nothing that one has taken
in: what was compiled before the mutant is right, and is marked as if it were new.
"""

from __future__ import annotations

from pathlib import Path

import phverify
from phverify.machine.kept_code import mark

ROOT = Path(phverify.__file__).parent
for folder in ("machine", "recoding", "disclosure/classes"):
    mark(ROOT / folder)
