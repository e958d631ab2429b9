"""The version of phverify."""

__version__ = "0.1.0"
