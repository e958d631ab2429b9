"""The policy of a command: its file, or for a first look what options say."""

from __future__ import annotations

import argparse
from typing import Any

from phverify.cli.inputs import roles_of
from phverify.errors import refusal

FIRST_LOOK = "--quasi age,zip --sensitive illness --rule 'k_anonymity(5)'"


def policy_of(options: argparse.Namespace, rules: bool = True) -> Any:
    """The path of the policy, or the policy that roles and rules make.

    Raises InputError where both are given, or neither, and where ``rules`` are needed
    and none is there.
    """
    roles = roles_of(options)
    if options.policy is not None:
        if roles:
            what = "says which columns are what, and so do --quasi, --sensitive and .."
            raise refusal("--policy", what, "leave one of them out")
        return options.policy
    formulas = getattr(options, "rule", [])
    if not roles:
        hint = f"--policy policy.toml, or {FIRST_LOOK}"
        raise refusal("--policy", "is missing: what is promised, and of whom?", hint)
    if rules and not formulas:
        what = "says what is promised, and none is given"
        raise refusal("--rule", what, FIRST_LOOK)
    named = {f"rule{number}": text for number, text in enumerate(formulas, start=1)}
    return {"columns": _by_role(roles), "rules": named}


def _by_role(roles: dict[str, str]) -> dict[str, Any]:
    """The columns of each role, as a policy lists them."""
    columns: dict[str, Any] = {"quasi": []}
    for name, role in roles.items():
        if role == "identifier":
            columns[role] = name
        else:
            columns.setdefault(role, []).append(name)
    return columns


def with_steps(policy: Any, table: Any) -> Any:
    """A first look's policy with the types and hierarchies that fit its table.

    A policy from a file is what it is.
    """
    if not isinstance(policy, dict):
        return policy
    # reading a table twice is for first looks alone
    from phverify.verbs.propose import propose

    columns = policy["columns"]
    roles = dict.fromkeys(columns["quasi"], "quasi")
    proposed = propose(table, roles=roles).plain()
    quasi = set(roles)
    types = {name: of for name, of in proposed["types"].items() if name in quasi}
    steps = {name: of for name, of in proposed["hierarchies"].items() if name in quasi}
    return {**policy, "types": types, "hierarchies": steps}
