"""Hypothesis profiles: the usual one, and one with many more cases for ``make fuzz``."""

import os

from hypothesis import HealthCheck, settings

_QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("ci", deadline=None, suppress_health_check=_QUIET, derandomize=True)
settings.register_profile("fuzz", deadline=None, suppress_health_check=_QUIET, max_examples=20_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
