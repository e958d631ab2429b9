"""Programs in processes of their own, which find libraries loaded: most of a short command
is to load solvers and readers.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

COMMAND = "import sys; from phverify.__main__ import run; sys.exit(run())"
"""The command ``phverify``."""
LIBRARIES = ["numpy", "pandas", "pyarrow", "z3", "ortools.sat.python.cp_model"]
LIBRARIES += ["duckdb", "sqlglot", "flint", "rich.console", "phverify.cli.main"]
SERVER = """
import importlib, json, os, sys, traceback

program, root, *libraries = sys.argv[1:]
sys.path.insert(0, root)
for name in libraries:
    importlib.import_module(name)

def child(folder, words, said, told):
    os.chdir(folder)
    for number, path in enumerate((os.devnull, said, told)):
        os.dup2(os.open(path, os.O_RDWR), number)
    sys.argv = ["phverify", *words]
    code = 0
    try:
        exec(program, {})
    except SystemExit as leave:
        code = leave.code or 0
    except BaseException:
        traceback.print_exc()
        code = 99
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)

for line in sys.stdin:
    number = os.fork()
    if not number:
        child(*json.loads(line))
    print(os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]), flush=True)
"""


@dataclass(frozen=True)
class Answer:
    """What a program ended with, and said."""

    code: int
    out: str
    err: str


class LoadedServer:
    """A process with libraries loaded, which forks for each run of a program."""

    def __init__(
        self, program: str = COMMAND, libraries: Sequence[str] = tuple(LIBRARIES)
    ) -> None:
        root = str(Path(__file__).parents[2])
        self.process = subprocess.Popen(
            [sys.executable, "-X", "utf8", "-c", SERVER, program, root, *libraries],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, words: Sequence[str], folder: Path) -> Answer:
        """The program with these arguments, there."""
        asked, heard = self.process.stdin, self.process.stdout
        assert asked is not None and heard is not None
        with (
            tempfile.NamedTemporaryFile("r", encoding="utf-8") as out,
            tempfile.NamedTemporaryFile("r", encoding="utf-8") as err,
        ):
            line = json.dumps([str(folder), list(words), out.name, err.name])
            asked.write(f"{line}\n")
            asked.flush()
            code = int(heard.readline())
            return Answer(code, out.read(), err.read())

    def close(self) -> None:
        """End it."""
        with suppress(OSError):
            self.process.communicate(timeout=60)
