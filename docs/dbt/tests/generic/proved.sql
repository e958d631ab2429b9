{% test proved(model, policy) %}
-- A row for each rule that is REFUTED or UNDECIDED: dbt takes rows for failures.
select unnest(phverify_not_proved('{{ model }}', '{{ policy }}')) as rule
{% endtest %}
