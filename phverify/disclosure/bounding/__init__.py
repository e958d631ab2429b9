"""Over-approximation: what a statement says at most."""

from __future__ import annotations

from phverify.disclosure.log.sources import QueryScope, Unsupported
from phverify.disclosure.worlds.database import Database


def bounded(text: str, scope: QueryScope, source: Database) -> tuple[str, ...]:
    """SELECTs of the fragment from whose answers that to ``text`` surely follows, for
    any table.

    Raises Unsupported where there are none that are known.
    """
    raise Unsupported("no statements are known that say as much")
