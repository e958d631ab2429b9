"""The former name of ``terms``."""

from phverify.constraints.terms import *  # noqa: F403
