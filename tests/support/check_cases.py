"""What the tests of check have in common."""

from __future__ import annotations

from typing import Any

import pandas as pd

import phverify as ph
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.read import read
from phverify.spec.certificate import digest
from phverify.spec.released import Given

FOUR = pd.DataFrame({"q": list("abcd"), "f": list("wxyz")})


TREE = Hierarchy(
    "q",
    {
        "a": ("a", "p", "*"),
        "b": ("b", "p", "*"),
        "c": ("c", "r", "*"),
        "d": ("d", "r", "*"),
    },
)


def policy(rules: dict[str, str] | str, quasi: str = "q", **more: Any) -> ph.Policy:
    rules = {"k": rules} if isinstance(rules, str) else rules
    return ph.Policy.from_dict(
        {"columns": {"quasi": [quasi], "sensitive": ["f"]}, "rules": rules, **more}
    )


def sealed(certificate: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A forged certificate with a digest that fits."""
    content = {
        name: value
        for name, value in {**certificate, **changes}.items()
        if name != "digest"
    }
    return {**content, "digest": digest(content)}


def about(mine: ph.Policy, frame: pd.DataFrame, trees: dict[str, Hierarchy]) -> Given:
    """What a search starts from."""
    return Given(
        mine,
        read(frame).plain(mine.named),
        {name: tree.paths for name, tree in trees.items()},
    )
