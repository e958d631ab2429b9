"""The exact normal form: what a statement outside the audited fragment says, as
statements of the fragment that together say the same.
"""

from __future__ import annotations

from phverify.disclosure.log.sources import QueryScope, Unsupported
from phverify.disclosure.worlds.database import Database


def exact(text: str, scope: QueryScope, source: Database) -> tuple[str, ...]:
    """SELECTs of the fragment whose answers together are a function of the answer to
    ``text``, and conversely.

    Raises Unsupported where there are none that are known.
    """
    raise Unsupported("no exact normal form is known")
