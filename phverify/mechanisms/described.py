"""A mechanism as a TOML section describes it: its rows, or one of the closed forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from phverify.errors import InputError, Problem, nearest, refusal
from phverify.mechanisms.mechanism import (
    Input,
    Mechanism,
    Output,
    exponential_mechanism,
    gauss,
    laplace,
    randomized_response,
    table,
)
from phverify.mechanisms.rows import Rows, TableRow, checked_rows, exact_number
from phverify.spec.source import Refused

Section = Mapping[str, Any]


def described(section: Section, where: str) -> Mechanism:
    """The mechanism of a section.  Raises InputError with what is wrong."""
    known = ("table", *FORMS)
    place = f"{where}, [mechanism]"
    if len(section) != 1:
        names = ", ".join(known)
        what = f"expected one of {names}, not {len(section)} entries"
        raise refusal(place, what)
    [(kind, content)] = section.items()
    if kind not in FORMS:
        what = f"unknown entry {kind!r}"
        hint = nearest(kind, known, "what describes a mechanism")
        raise refusal(place, what, hint)
    read = FORMS[kind]
    inside = f"{where}, {kind}"
    return read(content, inside)


def rows_of(content: Any, where: str) -> Rows:
    """The rows of a nested mapping.  Raises InputError with all that is wrong."""
    if not isinstance(content, Mapping):
        raise refusal(where, "expected a table of rows, one for each input")
    rows = []
    for value, row in content.items():
        if not isinstance(row, Mapping):
            what = f"the row of input {value!r} is no table of probabilities"
            raise refusal(where, what, 'write yes = {yes = "3/4", no = "1/4"}')
        # Names are texts, as in a CSV file.
        shares = {str(output): share for output, share in row.items()}
        rows.append(TableRow(f"{where}, input {value!r}", str(value), shares))
    return checked_rows(rows, where, [])


def _table(content: Any, where: str) -> Mechanism:
    rows = rows_of(content, where)
    return table(rows)


def _randomized_response(content: Any, where: str) -> Mechanism:
    given = _fields(content, ("values", "truth"), where)
    values = [str(value) for value in _listed(given["values"], f"{where}, values")]
    truth = _number(given["truth"], f"{where}, truth")
    return randomized_response(values, truth)


def _laplace(content: Any, where: str) -> Mechanism:
    given = _fields(content, ("inputs", "grid", "scale"), where)
    inputs = _numbers(given["inputs"], f"{where}, inputs")
    grid = _numbers(given["grid"], f"{where}, grid")
    return laplace(inputs, grid, _number(given["scale"], f"{where}, scale"))


def _gauss(content: Any, where: str) -> Mechanism:
    given = _fields(content, ("inputs", "grid", "variance"), where)
    inputs = _numbers(given["inputs"], f"{where}, inputs")
    grid = _numbers(given["grid"], f"{where}, grid")
    return gauss(inputs, grid, _number(given["variance"], f"{where}, variance"))


def _exponential(content: Any, where: str) -> Mechanism:
    given = _fields(content, ("utilities", "rate"), where)
    utilities = given["utilities"]
    if not isinstance(utilities, Mapping):
        raise refusal(f"{where}, utilities", "expected a row for each input")
    numbers: dict[str, dict[str, Fraction]] = {}
    outputs: dict[str, None] = {}
    for value, row in utilities.items():
        place = f"{where}, utilities of {value!r}"
        if not isinstance(row, Mapping):
            raise refusal(place, "expected a number for each output")
        numbers[value] = {output: _number(u, place) for output, u in row.items()}
        outputs |= dict.fromkeys(row)
    for value, row in numbers.items():
        # There is no default: a utility of 0 is as much a choice as any other.
        missing = [output for output in outputs if output not in row]
        if missing:
            what = f"there is none for output {missing[0]!r}"
            raise refusal(f"{where}, utilities of {value!r}", what)

    def utility(value: Input, output: Output) -> Fraction:
        return numbers[str(value)][str(output)]

    rate = given["rate"]
    # A float is not the number that it is written as.
    if not isinstance(rate, str | int | Fraction) or isinstance(rate, bool):
        raise refusal(f"{where}, rate", f"{rate!r} is no epsilon", 'write "1/2 ln(3)"')
    return exponential_mechanism(list(numbers), list(outputs), utility, rate)


FORMS: Mapping[str, Callable[[Any, str], Mechanism]] = {
    "rows": _table,
    "randomized_response": _randomized_response,
    "laplace": _laplace,
    "gauss": _gauss,
    "exponential": _exponential,
}
"""How each entry of the section [mechanism] is read."""


def _fields(content: Any, names: tuple[str, ...], where: str) -> Section:
    """The fields of a closed form: these and no others."""
    if not isinstance(content, Mapping):
        raise refusal(where, f"expected a table with {', '.join(names)}")
    problems = []
    for name in names:
        if name not in content:
            problems.append(Problem(where, f"{name} is missing"))
    for name in content:
        if name not in names:
            hint = nearest(name, names, "its entries")
            problems.append(Problem(where, f"unknown entry {name!r}", hint))
    if problems:
        raise InputError(problems)
    return content


def _listed(content: Any, where: str) -> list[Any]:
    if not isinstance(content, list):
        raise refusal(where, f"expected a list, not {content!r}")
    return content


def _numbers(content: Any, where: str) -> list[Fraction]:
    return [_number(written, where) for written in _listed(content, where)]


def _number(written: Any, where: str) -> Fraction:
    """An exact number.  Raises InputError."""
    try:
        return exact_number(written)
    except (ValueError, Refused) as error:
        raise refusal(where, str(error), "write 2, 0.5 or 1/2") from None
