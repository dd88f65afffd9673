-- no-transaction
-- Staff's list of one kind.
CREATE INDEX CONCURRENTLY IF NOT EXISTS transactions_kind ON transactions (kind, created_at DESC, id DESC);
