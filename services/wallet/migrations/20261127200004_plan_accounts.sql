-- no-transaction
CREATE INDEX CONCURRENTLY accounts_of_plans ON accounts (user_id) WHERE kind = 'plan_cash';
