"""What the tests of tables have in common."""

from __future__ import annotations

from typing import Any

from phverify import Policy


def policy(**columns: Any) -> Policy:
    roles = columns or {"quasi": ["age", "zip"], "sensitive": ["health", "pay"]}
    rules = {
        "k": "k_anonymity(2)",
        "l": "l_diversity(health, 2)",
        "t": "t_closeness(pay, 0.3, distance=ordered)",
        "sick": "forall i: @i l_a1(health = flu) <= 1/2",
        "pay": "@i1 ~[a1] pay >= 40",
    }
    if columns:
        return Policy.from_dict({"columns": roles, "rules": {"k": "k_anonymity(2)"}})
    return Policy.from_dict(
        {"columns": roles, "types": {"pay": "integer"}, "rules": rules}
    )
