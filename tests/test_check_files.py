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
