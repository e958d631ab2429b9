"""A plugin of dbt-duckdb, by which a test of dbt asks whether a model keeps its policy.

    # profiles.yml
    plugins:
      - module: phverify.dbt_plugin

``docs/dbt`` is a project that uses it.
"""

from __future__ import annotations

from typing import Any

from dbt.adapters.duckdb.plugins import BasePlugin

FUNCTION = "phverify_not_proved"
SOME_ROWS = (
    "phverify decides about a whole table or view: leave where: out, or make a model"
    " of these rows"
)


class Plugin(BasePlugin):  # type: ignore[misc]
    """Gives SQL the function ``phverify_not_proved(relation, policy)``."""

    def configure_connection(self, connection: Any) -> None:
        """Add the function to a connection."""

        def not_proved(relation: str, policy: str) -> list[str]:
            """The rules of a policy file that are not proved for a table or view."""
            from phverify.errors import InputError
            from phverify.errors.redaction import without_values
            from phverify.verbs.verify import verify

            # dbt writes where: and limit: into what it calls the model.
            if relation.lstrip().startswith("("):
                raise ValueError(SOME_ROWS)
            # Another connection to the same database: this one is answering a query.
            cursor = connection.cursor()
            try:
                release = cursor.sql(f"SELECT * FROM {relation}")
                report = verify(release, policy, redact=True)
            except InputError as error:
                raise without_values(error) from None
            finally:
                cursor.close()
            failed = [
                f"{rule.name}: {rule.verdict.upper()}"
                for rule in report.rules
                if rule.verdict != "proved"
            ]
            if report.identified:
                failed.append(f"the identifier column is there: {report.identified}")
            return failed

        connection.create_function(
            FUNCTION, not_proved, ["VARCHAR", "VARCHAR"], "VARCHAR[]", side_effects=True
        )
