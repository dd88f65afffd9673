-- no-transaction
-- Quotes that are old enough to be forgotten.
CREATE INDEX CONCURRENTLY IF NOT EXISTS quotes_age ON quotes (expires_at);
