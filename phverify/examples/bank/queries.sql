-- What a bank answered, in this order.
SELECT SUM(balance) FROM accounts;
SELECT COUNT(*) FROM accounts WHERE balance < 200;
SELECT branch, MAX(balance) FROM accounts GROUP BY branch;
SELECT SUM(balance) FROM accounts WHERE name <> 'Jean';
