-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_email_search
    ON users USING gin ((lower(coalesce(former_email, email))) gin_trgm_ops) WHERE role IS NULL;
