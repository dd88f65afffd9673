-- no-transaction
-- Staff look for transactions by amount.
CREATE INDEX CONCURRENTLY IF NOT EXISTS transactions_amount ON transactions (amount_cents, created_at DESC, id DESC);
