"""The former name of the printer."""

from phverify.constraints.smtlib import script as text

__all__ = ["text"]
