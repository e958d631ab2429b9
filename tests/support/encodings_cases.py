"""What the tests of encodings have in common."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "encodings"


def loaded(name: str) -> Any:
    """A module of encodings/, which is no package: its name belongs to the standard
    library.
    """
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(FOLDER))


BELIEF: Any = loaded("pages.belief_compatibility")
