"""What is wrong at a place of a policy; values are told about as TOML writes them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from phverify.errors import InputError, Problem, Problems
from phverify.spec.decimals import decimal
from phverify.spec.source import writable


def written(value: Any) -> str:
    """A value of a policy about as TOML writes it."""
    if isinstance(value, Fraction):
        if writable(value):
            return decimal(value)
        return "a number of more than 300 digits"
    if isinstance(value, Mapping):
        return (
            "{"
            + ", ".join(f"{key} = {written(inner)}" for key, inner in value.items())
            + "}"
        )
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, bool):
        # true, not True
        return str(value).lower()
    return repr(value)


class Complaints:
    """What is wrong at one place of a policy."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.problems: Problems = []

    def complain(self, what: str, hint: str = "", private: bool = False) -> None:
        """Keep a problem of this place."""
        self.problems.append(Problem(self.where, what, hint, private))

    def settle(self) -> None:
        """Raises InputError with all that is wrong."""
        if self.problems:
            raise InputError(self.problems)
