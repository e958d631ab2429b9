-- The statistics that are published of a census block: how many, their median age, and their mean age.
SELECT COUNT(*), MEDIAN(age), AVG(age) FROM people;
SELECT COUNT(*), MEDIAN(age), AVG(age) FROM people WHERE sex = 'female';
SELECT COUNT(*), MEDIAN(age), AVG(age) FROM people WHERE sex = 'male';
SELECT COUNT(*), MEDIAN(age), AVG(age) FROM people WHERE race = 'black';
SELECT COUNT(*), MEDIAN(age), AVG(age) FROM people WHERE race = 'white';
SELECT COUNT(*), MEDIAN(age), AVG(age) FROM people WHERE marital_status = 'married';
SELECT COUNT(*), MEDIAN(age), AVG(age) FROM people WHERE race = 'black' AND sex = 'female';
