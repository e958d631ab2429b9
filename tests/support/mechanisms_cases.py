"""What the tests of mechanisms have in common."""

from __future__ import annotations

from fractions import Fraction

F = Fraction
