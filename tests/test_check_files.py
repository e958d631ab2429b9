"""What is no CSV is bad input of ``check``, and no wrong certificate."""

from __future__ import annotations

import pandas as pd
import pytest
from support.check_claims_cases import (
    Desk,
    desk,  # noqa: F401
)

import phverify as ph

TABLE = pd.DataFrame({"age": ["20", "20", "30", "30"], "ill": list("abab")})
RULES = (
    '[columns]\nquasi = ["age"]\nsensitive = ["ill"]\n[rules]\nk = "k_anonymity(2)"\n'
)


@pytest.mark.parametrize("name", ["release.parquet", "release.csv"])
def test_a_parquet_file_in_place_of_a_release(desk: Desk, name: str) -> None:
    table = desk("table.csv", TABLE.to_csv(index=False))
    rules = desk("policy.toml", RULES)
    verdict = ph.certify(ph.verify(table, rules), table, rules)
    least = ph.anonymize(table, policy=rules, budget=1).certificate
    wrong = table.with_name(name)
    TABLE.to_parquet(wrong)
    with pytest.raises(ph.InputError, match="is no CSV: it seems to be a Parquet file"):
        ph.check(verdict, release=wrong, policy=rules)
    with pytest.raises(ph.InputError, match="the one that the certificate is about"):
        ph.check(least, table=table, policy=rules, release=wrong)
    # A text that is another one is a wrong certificate.
    other = desk("other.csv", "age,ill\n1,2\n")
    assert ph.check(verdict, release=other, policy=rules).verdict == "refused"


@pytest.mark.parametrize(
    ("rows", "accepted"),
    [
        ("high,a\nlow,a\nhigh,a\nlow,a\n", True),
        ("low,a\nlow,a\nlow,a\nhigh,a\n", False),
        ("low,a\nhigh,a\n", False),
        ("low,a\nlow,a\nhigh,a\nhigh,b\n", False),
    ],
)
def test_a_released_file_has_each_record_as_often(
    rows: str, accepted: bool, desk: Desk
) -> None:
    """Of equal records each counts, in whatever order."""
    table = desk("table.csv", "q,f\n1,a\n2,a\n3,a\n4,a\n")
    desk("q.csv", "1;low;*\n2;low;*\n3;high;*\n4;high;*\n")
    policy = desk(
        "policy.toml",
        '[columns]\nquasi = ["q"]\nsensitive = ["f"]\n[hierarchies]\nq = "q.csv"\n'
        '[rules]\nk = "k_anonymity(2)"\n',
    )
    searched = ph.search(table, policy, space="subtrees")
    # The certificate of a search names no released file until one is written.
    answer = ph.check(
        searched.certificate,
        table=table,
        policy=policy,
        release=desk("release.csv", f"q,f\n{rows}"),
    )
    assert answer.accepted == accepted
    assert accepted or "the rows of the released file are not" in str(answer)
