"""What ``--require proved`` asks of a certificate that was accepted."""

from __future__ import annotations

from phverify.spec.reading import policy
from phverify.spec.source import Plain
from phverify.spec.wording import called


def unproved(claimed: Plain) -> list[str]:
    """The rules of the policy that an accepted certificate does not call proved."""
    said = {one["name"]: one["verdict"] for one in claimed["rules"]}
    # All rules of the policy: the certificate may leave some out.
    rules = policy(claimed["policy"]).rules
    unproved = []
    for name in rules:
        verdict = said.get(name, "not spoken of")
        if verdict != "proved":
            shown = called(name)
            unproved.append(f"{shown} is {verdict}")
    return unproved
