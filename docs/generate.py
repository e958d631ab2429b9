"""Writes the pages that say what the program knows of itself: its commands, its criteria
and what Python imports.

    python docs/generate.py            # docs/reference/commands.md, criteria.md, python.md

A test holds the files to what this gives.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import phverify
from phverify.cli.arguments.examples import EXAMPLES, FOLDER
from phverify.cli.arguments.overview import GROUPS
from phverify.cli.arguments.parser import VERBS, parser
from phverify.logic.criterion_words import criterion_words
from phverify.logic.threats import OF_CRITERIA
from phverify.spec.criterion.base import Param
from phverify.spec.criterion.registry import SAFETY, _named, names, params

FOLDER_OF_PAGES = Path(__file__).parent / "reference"
WRITTEN = "<!-- Written by docs/generate.py: change the program, not this page. -->"
SAFETY_SOURCE = "Hsu, Liau and Wang 2012"


def commands() -> Iterator[str]:
    """The page of the command line."""
    yield "# Commands"
    yield ""
    yield WRITTEN
    yield ""
    yield "`phverify COMMAND --help` says the same. Exit codes: 0 proved (optimal, accepted,"
    yield "safe, clean), 1 refuted (infeasible, disclosed, findings), 2 bad input, 3 undecided,"
    yield "4 a defect in phverify. Examples work in the folder"
    yield f"`{FOLDER}` that `phverify demo --write examples` writes."
    every = parser()
    for group, verbs in GROUPS.items():
        yield ""
        yield f"## {group[0].upper()}{group[1:]}"
        for verb in verbs:
            yield from _command(verb, every.verbs[verb])


def _command(verb: str, known: argparse.ArgumentParser) -> Iterator[str]:
    """One verb: what it is for, what it takes, how it is called."""
    purpose = VERBS[verb][1]
    yield ""
    yield f"### phverify {verb}"
    yield ""
    yield f"{purpose[0].upper()}{purpose[1:]}"
    yield ""
    yield "| argument | meaning |"
    yield "|---|---|"
    for action in known._actions:
        shown = action.help not in (None, argparse.SUPPRESS)
        if shown and "--help" not in action.option_strings:
            yield f"| {_argument(action)} | {_cell(str(action.help))} |"
    yield ""
    yield "```console"
    for command in EXAMPLES[verb]:
        yield f"$ {command}"
    yield "```"


def _argument(action: argparse.Action) -> str:
    """An option with what it takes, or the name of an argument."""
    name = action.option_strings[-1] if action.option_strings else action.dest
    value = action.metavar
    if action.choices is not None:
        value = "|".join(map(str, action.choices))
    elif value is None and action.nargs != 0:
        value = action.dest.upper()
    if not action.option_strings or value is None:
        return f"`{_cell(name)}`"
    return f"`{_cell(f'{name} {value}')}`"


def _cell(text: str) -> str:
    """A text in a cell of a table."""
    return text.replace("|", "\\|")


def criteria() -> Iterator[str]:
    """The page of the criteria."""
    yield "# Criteria"
    yield ""
    yield WRITTEN
    yield ""
    yield "Each criterion has its formula and its own definition, and the tests hold both"
    yield "together: [the definitions with their proofs](../../encodings/criteria.md). Inside a"
    yield "formula a criterion stands for its formula at a world, so that"
    yield "`k_anonymity(5) | l_diversity(health, 3)` is decided class by class: some classes may be"
    yield "large and others diverse."
    for name in names():
        yield from _criterion(name)


def _criterion(name: str) -> Iterator[str]:
    """One criterion: what it promises, its parameters, its source."""
    taken = params(name)
    yield ""
    yield f"## {name}"
    yield ""
    yield f"`{name}({', '.join(map(_written, taken))})`"
    yield ""
    named = {param.name: f"*{param.name}*" for param in taken if param.default is None}
    promise = criterion_words(name, (), named)
    yield f"{promise[0].upper()}{promise[1:]}."
    yield ""
    source = SAFETY_SOURCE if name in SAFETY else _named(name).source
    threats = ", ".join(OF_CRITERIA.get(name, ()))
    yield f"Source: {source}." + (f" It speaks of: {threats}." if threats else "")
    if not taken:
        return
    yield ""
    yield "| parameter | meaning |"
    yield "|---|---|"
    for param in taken:
        yield f"| `{param.name}` | {_cell(_meaning(param))} |"


def _written(param: Param) -> str:
    return param.name if param.default is None else f"{param.name}={param.default}"


KINDS = {
    "attribute": "a sensitive column",
    "node": "a node of its hierarchy",
    "whole": "a whole number",
    "number": "a number, exact: a fraction, a decimal",
    "choice": "a word",
}
"""What a parameter takes, by its kind."""


def _meaning(param: Param) -> str:
    """What a parameter is, and what it may be."""
    said = [param.say, KINDS[param.kind]]
    if param.choices:
        said[1] = f"one of {', '.join(param.choices)}"
    if param.least is not None:
        said.append(f"{'above' if param.strict else 'at least'} {param.least}")
    return "; ".join(filter(None, said))


def python() -> Iterator[str]:
    """The page of Python: what ``import phverify`` gives, from the docstrings."""
    public = [name for name in phverify.__all__ if not name.startswith("__")]
    functions = [name for name in public if name[0].islower()]
    classes = [name for name in public if name[0].isupper()]
    yield "# Python"
    yield ""
    yield WRITTEN
    yield ""
    yield "`import phverify as ph` costs nothing: what is named here is loaded when it is first used."
    yield "Tables are files or frames (pandas, polars, Arrow, DuckDB, Spark, anything with an Arrow"
    yield "stream), policies files or dictionaries. Every answer prints itself, and has `to_dict`,"
    yield "`to_html` and `lines`; wrong inputs raise `InputError` with all problems found."
    yield from _documented("Verbs", "autofunction", functions)
    yield from _documented("Answers and errors", "autoclass", classes)


def _documented(title: str, directive: str, public: list[str]) -> Iterator[str]:
    """A section with what docstrings say of some names."""
    yield ""
    yield f"## {title}"
    for name in public:
        yield ""
        yield f"### {name}"
        yield ""
        yield "```{eval-rst}"
        yield f".. {directive}:: phverify.{name}"
        if directive == "autoclass":
            yield "   :members:"
        yield "```"


PAGES = {"commands.md": commands, "criteria.md": criteria, "python.md": python}


def page(name: str) -> str:
    """A page as it is written."""
    return "\n".join(PAGES[name]()) + "\n"


def main() -> None:
    """Write all pages."""
    FOLDER_OF_PAGES.mkdir(exist_ok=True)
    for name in PAGES:
        (FOLDER_OF_PAGES / name).write_text(page(name), encoding="utf-8")


if __name__ == "__main__":
    main()
