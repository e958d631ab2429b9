-- The year of birth alone keeps every promise.
select '19' || substr(birth, 7) as birth, '*' as zip, height, income, health
from {{ ref('patients') }}
