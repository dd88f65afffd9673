-- no-transaction
-- Receipts whose retention has passed.
CREATE INDEX CONCURRENTLY IF NOT EXISTS receipts_reserved_at ON receipts (reserved_at);
