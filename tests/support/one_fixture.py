"""Random cases that share a fixture of their test, such as a folder."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

ONE_FIXTURE = (*settings().suppress_health_check, HealthCheck.function_scoped_fixture)
"""Not looked at beside what the profile leaves out: who says a list of his own would fail
where a machine is slow.
"""
