"""A fixture for pytest, there wherever phverify is installed.

def test_the_release(assert_proved):
    assert_proved("release.csv", "policy.toml")
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def assert_proved() -> Callable[..., Any]:
    """``phverify.check_frame``: fails the test with the report unless all is PROVED."""
    # Loaded by the tests that use it: pytest loads this module in every run.
    from phverify.verbs.check_frame import NotProved, check_frame

    def check(*given: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        try:
            return check_frame(*given, **named)
        except NotProved as error:
            pytest.fail(str(error), pytrace=False)

    return check
