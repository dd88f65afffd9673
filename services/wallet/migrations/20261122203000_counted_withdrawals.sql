-- no-transaction
-- Sums what a member withdrew within a period.
CREATE INDEX CONCURRENTLY IF NOT EXISTS transactions_counted_withdrawals
    ON transactions (user_id, created_at) INCLUDE (amount_cents) WHERE kind = 'withdrawal' AND status <> 'failed';
