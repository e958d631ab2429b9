{% test proved(model, policy) %}
{# Of some rows of a model nothing follows for the others: all are decided about. #}
{% if config.get('where') %}
  {{ exceptions.raise_compiler_error("proved: leave where out, or make a model of these rows") }}
{% endif %}
{% if config.get('limit') %}
  {{ exceptions.raise_compiler_error("proved: leave limit out, each failure counts") }}
{% endif %}
-- A row for each rule that is REFUTED or UNDECIDED: dbt takes rows for failures.
select unnest(phverify_not_proved('{{ model | string | replace("'", "''") }}', '{{ policy | replace("'", "''") }}')) as rule
{% endtest %}
