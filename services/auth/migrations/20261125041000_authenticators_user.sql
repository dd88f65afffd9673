-- no-transaction
-- The authenticators of an account; the unique indexes know only confirmed ones.
CREATE INDEX CONCURRENTLY IF NOT EXISTS authenticators_user ON authenticators (user_id);
