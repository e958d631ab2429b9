"""Builds the checker as one file: ``python -P phverify/spec/bundle.py
phverify-check.pyz``.

It holds this folder and ``errors``, runs with a bare Python, and imports nothing
else of phverify.
"""

from __future__ import annotations

import sys
import tempfile
import zipapp
from pathlib import Path

HERE = Path(__file__).parent
MAIN = """import sys

if sys.version_info < (3, 11):
    sys.exit("phverify-check needs Python 3.11 or newer")
from phverify.spec.command import main

sys.exit(main())
"""


def bundle(target: Path) -> None:
    """Write the zip file."""
    with tempfile.TemporaryDirectory() as folder:
        inside = Path(folder) / "phverify"
        for path in (*HERE.rglob("*.py"), *(HERE.parent / "errors").rglob("*.py")):
            copied = inside / path.relative_to(HERE.parent)
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.write_bytes(path.read_bytes())
        # Empty: the package's own one names all the rest of phverify.
        (inside / "__init__.py").write_text("", encoding="utf-8")
        (Path(folder) / "__main__.py").write_text(MAIN, encoding="utf-8")
        zipapp.create_archive(folder, target, "/usr/bin/env python3")


if __name__ == "__main__":
    bundle(Path(sys.argv[1]))
