-- no-transaction
-- What was approved within a day without the proof of a chain.
CREATE INDEX CONCURRENTLY IF NOT EXISTS transactions_unproven ON transactions (decided_at) WHERE NOT is_proven;
