-- The month of birth and the beginning of the ZIP code: not enough, as the test tells.
select substr(birth, 4) as birth, substr(zip, 1, 2) || '***' as zip, height, income, health
from {{ ref('patients') }}
