{% test proved(model, policy) %}
{# Of some rows of a model nothing follows for the others: all are decided about. #}
{% if config.get('where') %}
  {{ exceptions.raise_compiler_error("proved: leave where out, or make a model of these rows") }}
{% endif %}
{# Each rule that is not proved counts: what counts them otherwise may hide some, or all. #}
{% if execute %}
  {% set usual = {'limit': none, 'fail_calc': 'count(*)', 'error_if': '!= 0', 'warn_if': '!= 0'} %}
  {% for option, value in usual.items() if config.get(option) not in [none, value] %}
    {{ exceptions.raise_compiler_error("proved: leave " ~ option ~ " out, each failure counts") }}
  {% endfor %}
{% endif %}
-- A row for each rule that is REFUTED or UNDECIDED: dbt takes rows for failures.
select unnest(phverify_not_proved('{{ model | string | replace("'", "''") }}', '{{ policy | replace("'", "''") }}')) as rule
{% endtest %}
