"""Comments that other engines read otherwise are never passed over."""

from __future__ import annotations

import pytest

from phverify.disclosure.log.ambiguous import ambiguous


@pytest.mark.parametrize(
    "comment",
    [
        "/*! x */",
        "/*+ x */",
        "/*M! x */",
        "/* x /* y */ z */",
        "/*M x /* y */ z */",  # DuckDB reads to the last end, MariaDB to the first
        "/*Mx/* y */ z */",
        "--1\n",
        "-- x\u2028y\n",
    ],
)
def test_a_comment_may_be_read_otherwise(comment: str) -> None:
    assert ambiguous(f"SELECT COUNT(*) FROM t {comment}")


@pytest.mark.parametrize("comment", ["/* x */", "/*M x */", "-- x\n", "/* -- */"])
def test_a_plain_comment_is_passed_over(comment: str) -> None:
    assert not ambiguous(f"SELECT COUNT(*) FROM t {comment}")
