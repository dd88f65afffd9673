-- no-transaction
-- Closed accounts that are not finished with.
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_closed ON users (closed_at) WHERE closed_at IS NOT NULL AND erased_at IS NULL;
